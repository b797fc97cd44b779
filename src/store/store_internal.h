/* SPDX-License-Identifier: Apache-2.0
 *
 * store_internal - the fields of a run, for run.c, run_merge.c and the other files of the store.
 */
#ifndef AY_STORE_STORE_INTERNAL_H
#define AY_STORE_STORE_INTERNAL_H

#include "store/folder.h"
#include "store/index.h"
#include "store/run.h"
#include "store/scan.h"

#include <pthread.h>

#define AY_RESULTS_NAME  "results.jsonl"
#define AY_REJECTED_NAME "results.rejected.jsonl"
#define AY_HEAD_NAME     "run.json"
#define AY_LOCK_NAME     "run.lock"
#define AY_PROGRESS_NAME "progress.json"
#define AY_KERNELS_NAME  "kernels"

enum { AY_HEAD_MAX = 8 << 20, AY_KERNEL_MAX = 64 << 20 };

struct ay_run {
	struct ay_arena arena;
	struct ay_folder folder;
	int lock_fd, fd; /* fd: of results.jsonl */
	json_t *head;    /* content of run.json */
	char id[33], build[AY_SHA256_HEX];
	pthread_mutex_t mutex; /* guards all fields below */
	uint64_t end;          /* offset just after the last whole record */
	bool torn;             /* bytes after `end` could not be cut off yet */
	bool dirty;            /* bytes were written since the last fdatasync */
	int64_t seq, records;
	int64_t synced_ns, progress_ns;
	struct ay_index index;
};

/* Opens and locks a folder. Waits up to wait_s seconds for a lock that a dying process still holds.
 * Returns NULL and an error on failure. */
struct ay_run *ay_run_open(const char *dir, double wait_s, struct ay_err *err);
/* Appends whole lines to the file by one write(), or nothing if that fails. */
int ay_run_append(struct ay_run *r, const char *s, size_t n, struct ay_err *err);
/* Enters the record at that offset into the index. */
void ay_run_index(struct ay_run *r, const json_t *rec, uint64_t offset, size_t len);
/* Notes a line that is left out in results.rejected.jsonl. */
int ay_run_reject(struct ay_run *r, const char *source, const struct ay_scan_line *l, struct ay_err *err);
int ay_run_write_head(struct ay_run *r, struct ay_err *err);
/* Reads run.json of a folder. Stores NULL in *head if the file does not exist. */
int ay_run_read_head(const struct ay_folder *d, json_t **head, struct ay_err *err);

/* Returns true if progress.json says that the process that wrote the run was stopped before its
 * end. */
bool ay_sum_is_unfinished(const struct ay_folder *d);

/* Formats the present time (UTC) as strftime does. */
void ay_utc(char *dst, size_t n, const char *fmt);
/* Returns true for the ending of a stored kernel: c, py, so and the like. */
bool ay_kernel_end(const char *ext);
/* Returns this machine's name, processor, cores and kernel (operating system) as a new
 * reference. */
json_t *ay_machine_json(void);

#endif
