/* SPDX-License-Identifier: Apache-2.0
 *
 * inside - what run.c and run_merge.c know of a run. Private to the store.
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
	int lock_fd, fd; /* fd: results.jsonl */
	json_t *head;    /* run.json */
	char id[33], build[AY_SHA256_HEX];
	pthread_mutex_t mutex; /* of all below */
	uint64_t end;          /* of the last whole record */
	bool torn;             /* bytes behind `end` could not be cut off yet */
	bool dirty;            /* written since the last fdatasync */
	int64_t seq, records;
	int64_t synced_ns, progress_ns;
	struct ay_index index;
};

/* Opens (NULL and an error), locks; wait_s for a lock that a dying process holds. */
struct ay_run *ay_run_open(const char *dir, double wait_s, struct ay_err *err);
/* One write() of whole lines at the end of the file, or nothing. */
int ay_run_append(struct ay_run *r, const char *s, size_t n, struct ay_err *err);
/* Enters a record that lies at offset into the index. */
void ay_run_index(struct ay_run *r, const json_t *rec, uint64_t offset, size_t len);
/* A line that is left out, noted in results.rejected.jsonl. */
int ay_run_reject(struct ay_run *r, const char *source, const struct ay_scan_line *l, struct ay_err *err);
int ay_run_write_head(struct ay_run *r, struct ay_err *err);
/* run.json of a folder; *head is NULL where there is none. */
int ay_run_read_head(const struct ay_folder *d, json_t **head, struct ay_err *err);

/* Returns true if progress.json says that the process which wrote the run did not come to its end. */
bool ay_sum_is_unfinished(const struct ay_folder *d);

/* The time now, by strftime's rules. */
void ay_utc(char *dst, size_t n, const char *fmt);
/* Name, processor, cores, kernel of this machine. */
json_t *ay_machine_json(void);

#endif
