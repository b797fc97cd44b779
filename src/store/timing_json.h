/* SPDX-License-Identifier: Apache-2.0
 *
 * timing_json - the object "timing" of a case record: struct ay_timing as JSON. One table serves
 * the writer and the reader, so a new member of the struct is one row here. Besides the rows the
 * object has "of_floor" (floor_ns / ns) and "samples".
 *
 * The object is read as untrusted input: every field that is present must be of its kind, and
 * "pace" must be present. Numbers that JSON cannot represent, such as a missing upper end of an
 * interval, are not written.
 */
#ifndef AY_STORE_TIMING_JSON_H
#define AY_STORE_TIMING_JSON_H

#include "base/json.h"
#include "timing/timing.h"

#include <stddef.h>

enum ay_timing_kind {
	AY_TIMING_PACE, /* by its name */
	AY_TIMING_LEVEL,
	AY_TIMING_TEXT,
	AY_TIMING_BOOL,
	AY_TIMING_INT, /* from 0 to 10^9 */
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
	F(blocks_s, REAL)

struct ay_timing_field {
	const char *name;
	enum ay_timing_kind kind;
	size_t at; /* offset in struct ay_timing */
};

/* The last row has a NULL name. */
extern const struct ay_timing_field ay_timing_fields[];

json_t *ay_timing_json_write(const struct ay_timing *t);
/* Returns NULL if the object is valid, else the name of the first missing or wrong field. */
const char *ay_timing_json_wrong(const json_t *timing);
/* Reads an object that ay_timing_json_wrong has accepted. Absent fields become 0. Strings are
 * borrowed from it; samples are counted but not read. */
void ay_timing_json_read(const json_t *timing, struct ay_timing *t);

#endif
