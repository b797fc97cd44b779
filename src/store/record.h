/* SPDX-License-Identifier: Apache-2.0
 *
 * record - one line of results.jsonl: its field names, its seal, its identity. docs/store.md is the manual.
 *
 * A record is a JSON object. What is written here is read back as hostile text: anyone may have edited the file,
 * so a line counts only if it is short, shallow, well-formed, of the right types, and if its "sha256" is that of
 * the rest (the compact dump with sorted keys). The seal finds damage and careless edits; it is no signature.
 * Fields and types that are not listed here are kept and ignored.
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
	AY_RECORD_MAX = 1 << 20, /* bytes of a line, its end not counted; ay_run_add refuses longer ones */
	AY_RECORD_DEPTH = 32,
	AY_FORMAT = 1, /* of the run folder */
};

/* What JSON kind a field must have where it is present. HASH: 64 hex digits, or "" for none. */
enum ay_field_kind { AY_KIND_STR, AY_KIND_HASH, AY_KIND_VERDICT, AY_KIND_COUNT, AY_KIND_NUMBER, AY_KIND_OTHER };

/* The names, once:  constant     name             kind */
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

/* Values of "type" that mean something here. */
#define AY_RECORD_CASE    "case"    /* overload, line, verdict, kernel_sha256 */
#define AY_RECORD_KERNEL  "kernel"  /* operator, verdict, kernel_sha256, overloads */
#define AY_RECORD_SUITE   "suite"   /* operators: { operator: [overload...] }: the denominators of the scores */
#define AY_RECORD_ERROR   "error"   /* id, error: a job that could not be understood, or a failure of ours */
#define AY_RECORD_UNUSED  "unused"  /* id, error: a kernel that defines nothing that the suite has a case for */
#define AY_RECORD_DEVICE  "device"  /* device, state, detail: one that failed while the run was under way */
#define AY_RECORD_SUMMARY "summary" /* how a command ended; never counted */
/* Of a generation track (docs/llm.md): */
#define AY_RECORD_TRACK   "track"   /* rules, problems: what is asked for */
#define AY_RECORD_ATTEMPT "attempt" /* problem, attempt: one answer of the model and what became of it */
#define AY_RECORD_CHOSEN  "chosen"  /* problem, operator, kernel_sha256: the kernel that is the problem's result */
#define AY_RECORD_LOST    "lost"    /* attempt: a question that was in flight when the run was killed */

/* Why a line is not a record. RUN and BUILD: good records that a resumed run must not take for its own. */
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

/* A field's text, or NULL where it is absent or no string. Borrowed from the record. */
const char *ay_record_str(const json_t *rec, enum ay_field f);
int64_t ay_record_int(const json_t *rec, enum ay_field f);
/* NONE where there is no verdict. */
enum ay_verdict ay_record_verdict(const json_t *rec);

/* A case's wrong element: ay_str_add_mismatch. */
void ay_record_mismatch(struct ay_str *b, const json_t *rec);

/* Adds line_sha256 (where there is a line), build_sha256 and, last, sha256; appends the line with its "\n" to b.
 * -1 if the record is one that ay_record_open would refuse: the message names the field. */
int ay_record_seal(json_t *rec, const char *build_sha256, struct ay_str *b, struct ay_err *err);
/* One line, without its end. NONE: *rec is the caller's to decref; else *rec is NULL. */
enum ay_fault ay_record_open(const char *s, size_t n, json_t **rec);

/* What a record is about; two with one id are attempts at one thing. */
struct ay_record_id {
	uint64_t k[2];
};

/* line: the text of "case" if the record has one, else of "line": exactly as printed. */
struct ay_record_id ay_id_case(const char *kernel_sha256, const char *line);
/* Identifies a case by its overload and the suite's line, without the seed that the run drew. */
struct ay_record_id ay_id_across_runs(const json_t *rec);
struct ay_record_id ay_id_kernel(const char *kernel_sha256, const char *operator_name);
struct ay_record_id ay_id_job(const char *job);
/* The record itself, by its seal: the same line met twice is one record, not two attempts. */
struct ay_record_id ay_id_seal(const json_t *rec);
/* The same by the record's own fields; false for types that have none. */
bool ay_record_id(const json_t *rec, struct ay_record_id *id);

/* For json_dump_callback: into a struct ay_str. */
int ay_dump_to(const char *s, size_t n, void *b);
/* 64 lower-case hex digits? */
bool ay_is_sha256(const char *s);
void ay_sha256(const void *data, size_t n, char hex[AY_SHA256_HEX]);
/* SHA-256 of the running program: what judged. Reads /proc/self/exe. */
int ay_build_sha256(char hex[AY_SHA256_HEX], struct ay_err *err);

#endif
