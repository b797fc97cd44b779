/* SPDX-License-Identifier: Apache-2.0
 *
 * run - a run folder: run.json, results.jsonl, progress.json, kernels/, run.lock.
 *
 * One process writes a run (flock on run.lock), from any number of its threads. results.jsonl is append-only and
 * the truth; a record that ay_run_add returned 0 for survives a kill -9 at any point, and power loss except for
 * the last second. Every failure is an error whose message says what to do; after one the file still ends in
 * a whole record, so the run can be resumed, and ay_run_add may be tried again.
 *
 * No child may keep the folder's descriptors: they are close-on-exec, and a child that only forks must close them
 * (it would hold the lock of a dead judge; ay_run_resume waits a second for such ones).
 */
#ifndef AY_STORE_RUN_H
#define AY_STORE_RUN_H

#include "base/arena.h"
#include "store/record.h"

struct ay_run;

/* What was found in a results.jsonl. */
struct ay_run_found {
	int64_t records; /* taken */
	int64_t lines;
	int64_t fault[AY_FAULT_COUNT]; /* lines not taken, by reason; [NONE] is unused */
	int64_t first_bad;             /* number of the first such line, 0 = none */
	enum ay_fault first_fault;
};

/*
 * Makes the folder and writes run.json: the header (command, argv, seed, assay, suite, suite_sha256, backend,
 * policy, sandbox ...; borrowed) and what the store knows itself: run (an id), format, build_sha256, start,
 * machine. dir NULL: runs/<command>-<suite>-<backend>-<UTC> by the header's fields, made unique. A folder that
 * holds a run is refused.
 */
int ay_run_create(const char *dir, const json_t *header, struct ay_run **run, struct ay_err *err);
/* Only the folder, under the name that it would get, for whoever must put a file there first: then create with *made,
 * which is in the arena. A folder that holds a run is refused here too. */
int ay_run_folder(const char *dir, const json_t *header, struct ay_arena *a, const char **made,
		  struct ay_err *err);
/*
 * Goes on with a run. A torn last line is cut off and noted in results.rejected.jsonl; bad lines stay where they
 * are, are counted in *found and ignored; records of another run or judge build are not taken. The header's
 * suite_sha256, backend, policy and sandbox, where both it and run.json have them, must be the same; NULL: any.
 */
int ay_run_resume(const char *dir, const json_t *header, struct ay_run **run, struct ay_run_found *found,
		  struct ay_err *err);
/* What run.json of that folder says, a new reference; NULL: there is none, or it is damaged. */
json_t *ay_run_head(const char *dir, struct ay_err *err);
/* Makes out (NULL: runs/merge-...) a run of all records of the folders, each once; their kernels too. Close it. */
int ay_run_merge(const char *out, int n, const char *const *dirs, struct ay_run **run, struct ay_run_found *found,
		 struct ay_err *err);
/* Writes through to the disk and frees; run may be NULL. What was added stays even where this fails. */
int ay_run_close(struct ay_run *run, struct ay_err *err);

const char *ay_run_dir(const struct ay_run *run);
const char *ay_run_id(const struct ay_run *run);
const char *ay_run_build_sha256(const struct ay_run *run);
/* Records in it that count for this run. */
int64_t ay_run_records(struct ay_run *run);

/* Seals the record (run, seq, build_sha256, line_sha256, sha256 are set in it) and appends it by one write(). */
int ay_run_add(struct ay_run *run, json_t *rec, struct ay_err *err);
/* Of several with one id the worst verdict; a new reference, or NULL. *attempts (may be NULL): how many there are.
 */
json_t *ay_run_find(struct ay_run *run, struct ay_record_id id, int *attempts);
bool ay_run_has(struct ay_run *run, struct ay_record_id id);

/* kernels/<sha256>.<ext>; the SHA-256 must be the data's, so that the records' kernel_sha256 leads there. */
int ay_run_keep_kernel(struct ay_run *run, const char *sha256, const char *ext, const void *data, size_t len,
		       struct ay_err *err);

/* Have 200 ms passed since the last one? */
bool ay_run_progress_due(struct ay_run *run);
/* Rewrites progress.json with the object's fields and run, time, records. */
int ay_run_progress(struct ay_run *run, const json_t *fields, struct ay_err *err);

/* "1204 records; 2 lines ignored (line 17: altered ...)". */
void ay_run_found_print(struct ay_str *b, const struct ay_run_found *f);

#endif
