/* SPDX-License-Identifier: Apache-2.0
 *
 * record - one line of results.jsonl: its field names, its seal, its identity. docs/store.md
 * describes the format.
 *
 * A record is a JSON object. Anyone may have edited the file, so records are read as hostile input.
 * A line counts only if it is short, shallow, well-formed, and its fields have the right types. Its
 * "sha256" must also be the hash of the rest (the compact dump with sorted keys). This seal finds
 * damage and careless edits; it is no signature. Fields and types that are not listed here are kept
 * and ignored.
 */
#ifndef AY_STORE_RECORD_H
#define AY_STORE_RECORD_H

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "judge/verdict.h"

#include <stdint.h>

enum {
	/* longest line in bytes, without its line end; ay_run_add refuses longer ones */
	AY_RECORD_MAX = 1 << 20,
	AY_RECORD_DEPTH = 32,
	AY_FORMAT = 1, /* version of the run folder's format */
};

/* The kind of JSON value that a field must have if it is present. HASH: 64 hex digits, or "" for
 * none. */
enum ay_field_kind { AY_KIND_STR, AY_KIND_HASH, AY_KIND_VERDICT, AY_KIND_COUNT, AY_KIND_NUMBER, AY_KIND_OTHER };

/* All field names:  constant     name             kind */
#define AY_FIELDS(F)                                      \
	F(TYPE, "type", STR)                              \
	F(OPERATOR, "operator", STR)                      \
	F(OVERLOAD, "overload", STR)                      \
	F(LINE, "line", STR) /* with its seed */          \
	F(CASE, "case", STR) /* the suite's line */       \
	F(VERDICT, "verdict", VERDICT)                    \
	F(ALL, "all", OTHER)                              \
	F(DETAIL, "detail", STR)                          \
	F(HINT, "hint", STR)                              \
	F(DERIVED, "derived", OTHER)                      \
	F(DRAWN, "drawn", OTHER) /* op/drawn.h */         \
	F(OUT, "out", STR)                                \
	F(AT, "at", STR)                                  \
	F(WANT, "want", NUMBER)                           \
	F(GOT, "got", NUMBER)                             \
	F(BOUND, "bound", NUMBER)                         \
	F(BAD, "bad", COUNT)                              \
	F(ELEMENTS, "elements", COUNT)                    \
	F(CALLS, "calls", COUNT)                          \
	F(CASES, "cases", COUNT)                          \
	F(CASES_LEFT, "cases_left", COUNT)                \
	F(OVERLOADS, "overloads", OTHER)                  \
	F(COUNTS, "counts", OTHER)                        \
	F(WALL_S, "wall_s", NUMBER)                       \
	F(TIMING, "timing", OTHER) /* timing_json.h */    \
	F(BUILD_S, "build_s", NUMBER)                     \
	F(BUILD, "build", STR)                            \
	F(FILE, "file", STR)                              \
	F(REF, "ref", STR) /* --ref of the run */         \
	F(SUITE, "suite", STR)                            \
	F(SUITE_SHA256, "suite_sha256", HASH)             \
	F(OPERATORS, "operators", OTHER)                  \
	F(CALLS_BY, "calls_by_overload", OTHER)           \
	F(LEFT_OUT, "left_out", OTHER)                    \
	F(PLANNED, "planned", OTHER)                      \
	F(SANDBOX, "sandbox", OTHER)                      \
	F(POLICY, "policy", OTHER)                        \
	F(BACKEND, "backend", STR)                        \
	F(COMMAND, "command", STR)                        \
	F(ASSAY, "assay", STR)                            \
	F(ID, "id", OTHER)                                \
	F(ERROR, "error", STR)                            \
	F(JOB, "job", STR)         /* the key of a job */ \
	F(ATTEMPT, "attempt", STR) /* attempts.h */       \
	F(PROBLEM, "problem", STR)                        \
	F(KERNEL_SHA256, "kernel_sha256", HASH)           \
	F(LINE_SHA256, "line_sha256", HASH)               \
	F(BUILD_SHA256, "build_sha256", HASH)             \
	F(RUN, "run", STR)                                \
	F(SEQ, "seq", COUNT)                              \
	F(SHA256, "sha256", HASH)

enum ay_field {
#define F(name, text, kind) AY_FIELD_##name,
	AY_FIELDS(F)
#undef F
		AY_FIELD_COUNT
};

/* The values of "type" that this program interprets, with the fields of such records. */
#define AY_RECORD_CASE    "case"    /* overload, line, verdict, kernel_sha256 */
#define AY_RECORD_KERNEL  "kernel"  /* operator, verdict, kernel_sha256, overloads */
#define AY_RECORD_SUITE   "suite"   /* operators: { operator: [overload...] }: the scores' denominators */
#define AY_RECORD_ERROR   "error"   /* id, error: a job that was not understood, or a failure of assay */
#define AY_RECORD_UNUSED  "unused"  /* id, error: a kernel for which the suite has no case */
#define AY_RECORD_DEVICE  "device"  /* device, state, detail: a device that failed during the run */
#define AY_RECORD_SUMMARY "summary" /* how a command ended; never counted */
/* Records of a generation track (docs/llm.md): */
#define AY_RECORD_TRACK   "track"    /* rules, problems: what the models are to write */
#define AY_RECORD_ATTEMPT "attempt"  /* problem, attempt: one answer of the model and its outcome */
#define AY_RECORD_CHOSEN  "chosen"   /* problem, operator, kernel_sha256: the problem's result */
#define AY_RECORD_HELD    "held_out" /* problem, kernel_sha256, verdict, cases, not_passed, seed, failures */
#define AY_RECORD_LOST    "lost"     /* attempt: a request without an answer when the run was killed */

/* Why a line is not taken. RUN and BUILD mark valid records that a resumed run must not take as its
 * own. */
#define AY_FAULTS(F)                                        \
	F(NONE, "good")                                     \
	F(TORN, "the last line has no end")                 \
	F(LONG, "longer than 1 MiB")                        \
	F(NUL, "a NUL byte")                                \
	F(DEEP, "nested too deeply")                        \
	F(JSON, "not a JSON object, or a key given twice")  \
	F(UNSEALED, "no sha256")                            \
	F(ALTERED, "altered: a SHA-256 does not fit")       \
	F(SHAPE, "a field is missing or of the wrong kind") \
	F(RUN, "belongs to another run")                    \
	F(BUILD, "judged by another build of assay")

enum ay_fault {
#define F(name, text) AY_FAULT_##name,
	AY_FAULTS(F)
#undef F
		AY_FAULT_COUNT
};

const char *ay_field_name(enum ay_field f);
const char *ay_fault_text(enum ay_fault f);

/* Returns a field's text, borrowed from the record, or NULL if the field is absent or no string. */
const char *ay_record_str(const json_t *rec, enum ay_field f);
int64_t ay_record_int(const json_t *rec, enum ay_field f);
/* Returns AY_VERDICT_NONE if the record has no verdict. */
enum ay_verdict ay_record_verdict(const json_t *rec);

/* Appends the case's wrong element, by ay_str_add_mismatch. */
void ay_record_mismatch(struct ay_str *b, const json_t *rec);

/* Adds line_sha256 (if the record has a line), build_sha256 and, last, sha256. Appends the line
 * with its "\n" to b. Returns -1 if ay_record_open would refuse the record; the message names the
 * field. */
int ay_record_seal(json_t *rec, const char *build_sha256, struct ay_str *b, struct ay_err *err);
/* Parses and checks one line, given without its line end. Returns AY_FAULT_NONE and a new reference
 * in *rec, or the fault and NULL in *rec. */
enum ay_fault ay_record_open(const char *s, size_t n, json_t **rec);

/* Identifies what a record is about. Two records with one id are attempts at one thing. */
struct ay_record_id {
	uint64_t k[2];
};

/* line: the text of "case" if the record has that field, else of "line", exactly as printed. */
struct ay_record_id ay_id_case(const char *kernel_sha256, const char *line);
/* Identifies a case by its overload and the suite's line, without the seed that the run drew. */
struct ay_record_id ay_id_across_runs(const json_t *rec);
struct ay_record_id ay_id_kernel(const char *kernel_sha256, const char *operator_name);
struct ay_record_id ay_id_job(const char *job);
/* Identifies the record itself by its seal: a line that occurs twice is one record, not two
 * attempts. */
struct ay_record_id ay_id_seal(const json_t *rec);
/* Computes the id of a record from its own fields. Returns false if its type has no id. */
bool ay_record_id(const json_t *rec, struct ay_record_id *id);

/* Callback for json_dump_callback that appends to a struct ay_str. */
int ay_dump_to(const char *s, size_t n, void *b);
/* Returns true if s is 64 lower-case hex digits. */
bool ay_is_sha256(const char *s);
void ay_sha256(const void *data, size_t n, char hex[AY_SHA256_HEX]);
/* Computes the SHA-256 of the running program, which identifies the judge's build. Reads
 * /proc/self/exe. */
int ay_build_sha256(char hex[AY_SHA256_HEX], struct ay_err *err);

#endif
