/* SPDX-License-Identifier: Apache-2.0
 *
 * run - a run folder: run.json, results.jsonl, progress.json, kernels/, run.lock.
 *
 * One process writes a run (flock on run.lock), from any number of its threads. results.jsonl is
 * append-only and is the authority; the other files can be derived. A record for which ay_run_add
 * returned 0 survives a kill -9 at any point. It survives a power loss unless it was written in the
 * last second. The message of every failure says what to do. After a failure the file still ends in
 * a whole record, so the run can be resumed and ay_run_add may be tried again.
 *
 * No child may keep the folder's descriptors. They are close-on-exec, and a child that only forks
 * must close them: it would hold the lock of a dead judge. ay_run_resume waits a second for such
 * children.
 */
#ifndef AY_STORE_RUN_H
#define AY_STORE_RUN_H

#include "base/arena.h"
#include "store/record.h"

struct ay_run;

/* The lines that were found in a results.jsonl. */
struct ay_run_found {
	int64_t records; /* records taken */
	int64_t lines;
	int64_t fault[AY_FAULT_COUNT]; /* lines not taken, by reason; [NONE] is unused */
	int64_t first_bad;             /* number of the first line not taken, 0 = none */
	enum ay_fault first_fault;
};

/*
 * Makes the folder and writes run.json. The header is borrowed and holds command, argv, seed,
 * assay, suite, suite_sha256, backend, policy, sandbox and so on. The store adds run (an id),
 * format, build_sha256, start and machine. If dir is NULL, the folder is
 * runs/<command>-<suite>-<backend>-<UTC> by the header's fields, made unique. Fails if the folder
 * already holds a run.
 */
int ay_run_create(const char *dir, const json_t *header, struct ay_run **run, struct ay_err *err);
/* Makes only the folder, under the name that ay_run_create would choose. For callers that must put
 * a file there first; they then call ay_run_create with *made, which is in the arena. Fails if the
 * folder already holds a run. */
int ay_run_folder(const char *dir, const json_t *header, struct ay_arena *a, const char **made,
		  struct ay_err *err);
/*
 * Resumes a run. Cuts a torn last line off and notes it in results.rejected.jsonl. Bad lines stay
 * in the file; they are counted in *found and ignored. Records of another run or another build of
 * the judge are not taken. suite_sha256, backend, policy and sandbox must be equal in the header
 * and in run.json where both have the field. header NULL: nothing is compared.
 */
int ay_run_resume(const char *dir, const json_t *header, struct ay_run **run, struct ay_run_found *found,
		  struct ay_err *err);
/* Returns the content of that folder's run.json as a new reference, or NULL with an error if it
 * does not exist or is damaged. */
json_t *ay_run_head(const char *dir, struct ay_err *err);
/* Makes a new run in `out` (NULL: runs/merge-...) from all records of the folders, each once, and
 * copies their kernels. The caller closes *run. */
int ay_run_merge(const char *out, int n, const char *const *dirs, struct ay_run **run, struct ay_run_found *found,
		 struct ay_err *err);
/* Forces the data to the disk and frees the run; run may be NULL. Added records stay even if this
 * fails. */
int ay_run_close(struct ay_run *run, struct ay_err *err);

const char *ay_run_dir(const struct ay_run *run);
const char *ay_run_id(const struct ay_run *run);
const char *ay_run_build_sha256(const struct ay_run *run);
/* Returns the number of records that count for this run. */
int64_t ay_run_records(struct ay_run *run);

/* Seals the record and appends it by one write(). Sets run, seq, build_sha256, line_sha256 and
 * sha256 in it. */
int ay_run_add(struct ay_run *run, json_t *rec, struct ay_err *err);
/* Returns the record with the worst verdict among those with this id (a new reference), or NULL.
 * Stores their number in *attempts unless it is NULL. */
json_t *ay_run_find(struct ay_run *run, struct ay_record_id id, int *attempts);
bool ay_run_has(struct ay_run *run, struct ay_record_id id);

/* Writes kernels/<sha256>.<ext>. The SHA-256 must be that of the data, so that a record's
 * kernel_sha256 leads to the file. */
int ay_run_keep_kernel(struct ay_run *run, const char *sha256, const char *ext, const void *data, size_t len,
		       struct ay_err *err);

/* Returns true if 200 ms have passed since progress.json was last written. */
bool ay_run_progress_due(struct ay_run *run);
/* Rewrites progress.json with the object's fields and with run, time and records. */
int ay_run_progress(struct ay_run *run, const json_t *fields, struct ay_err *err);

/* Appends a text such as "1204 records; 2 lines ignored (line 17: altered ...)". */
void ay_run_found_print(struct ay_str *b, const struct ay_run_found *f);

#endif
