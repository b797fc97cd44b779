/* SPDX-License-Identifier: Apache-2.0
 *
 * timed - the object "timing" of a case record: struct ay_timing as JSON. One table serves the writer and the
 * reader; a new member of the struct is one row here. Beside the rows the object has "of_floor" (floor_ns / ns)
 * and "samples".
 *
 * It is read as a stranger's: every field must be of its kind where it is present, pace must be there. Numbers
 * that JSON has not (an interval without an upper end) are left out when writing.
 */
#ifndef AY_STORE_TIMING_JSON_H
#define AY_STORE_TIMING_JSON_H

#include "base/json.h"
#include "timing/timing.h"

#include <stddef.h>

enum ay_timing_kind {
	AY_TIMING_PACE, /* by name */
	AY_TIMING_LEVEL,
	AY_TIMING_TEXT,
	AY_TIMING_BOOL,
	AY_TIMING_INT, /* 0 to a milliard */
	AY_TIMING_REAL,
};

/* member of struct ay_timing = name, kind */
#define AY_TIMING_FIELDS(F)     \
	F(pace, PACE)           \
	F(why, TEXT)            \
	F(baseline, TEXT)       \
	F(version, TEXT)        \
	F(scored, BOOL)         \
	F(too_slow, BOOL)       \
	F(overhead_bound, BOOL) \
	F(disturbed, BOOL)      \
	F(audited, BOOL)        \
	F(cold, BOOL)           \
	F(level, LEVEL)         \
	F(threads, INT)         \
	F(blocks, INT)          \
	F(discarded, INT)       \
	F(audits, INT)          \
	F(sets, INT)            \
	F(passes, INT)          \
	F(ns, REAL)             \
	F(ns_lo, REAL)          \
	F(ns_hi, REAL)          \
	F(base_ns, REAL)        \
	F(speedup, REAL)        \
	F(lo, REAL)             \
	F(hi, REAL)             \
	F(totals, REAL)         \
	F(latency_ns, REAL)     \
	F(cpu_ns, REAL)         \
	F(null_ns, REAL)        \
	F(base_null_ns, REAL)   \
	F(gate_ns, REAL)        \
	F(gated, BOOL)          \
	F(lag_ns, REAL)         \
	F(claimed_ns, REAL)     \
	F(graph_ns, REAL)       \
	F(contradicted, BOOL)   \
	F(sm_mhz, INT)          \
	F(throttled, TEXT)      \
	F(slack, REAL)          \
	F(floor_ns, REAL)       \
	F(bytes, REAL)          \
	F(flops, REAL)          \
	F(peak, REAL)           \
	F(wall_s, REAL)         \
	F(check_s, REAL)        \
	F(open_s, REAL)         \
	F(blocks_s, REAL)       \
	F(replay_s, REAL)

struct ay_timing_field {
	const char *name;
	enum ay_timing_kind kind;
	size_t at; /* in struct ay_timing */
};

/* Ended by a NULL name. */
extern const struct ay_timing_field ay_timing_fields[];

json_t *ay_timing_json_write(const struct ay_timing *t);
/* NULL, or the name of the first field that is missing or not what it should be. */
const char *ay_timing_json_wrong(const json_t *timing);
/* An object that is not wrong. What is absent is 0; strings are borrowed from it; samples are counted, not
 * read. */
void ay_timing_json_read(const json_t *timing, struct ay_timing *t);

#endif
