/* SPDX-License-Identifier: Apache-2.0
 *
 * attempts - separates the records of a generation track's attempts from its results.
 *
 * A track judges several kernels for one problem and chooses one of them. Case and kernel records
 * of these attempts have a field "attempt". A "chosen" record names the kernel that is the
 * problem's result. If a run has several "chosen" records for a problem, the last one counts.
 *
 * Attempts that were not chosen are no results. They would count against a track that needed three
 * rounds, because the worst verdict counts. The choice is known only at the end of the file, so
 * this module remembers where the records of attempts lie.
 */
#ifndef AY_STORE_ATTEMPTS_H
#define AY_STORE_ATTEMPTS_H

#include "store/scan.h"

/* Start with {0}, which holds no attempts. */
struct ay_attempts {
	int n;
	struct ay_attempts_place {
		uint64_t offset;
		uint32_t len;
	} * at;
	json_t *problems; /* maps run and problem to kernel and operator */
	/* set of the chosen kernels with their operators; filled when the whole file has been
	 * read */
	json_t *chosen;
};

/* Returns true if the record belongs to an attempt or is a choice. Remembers its place or notes
 * it. */
bool ay_attempts_takes(struct ay_attempts *x, const struct ay_scan_line *l);
/* Call this when the whole file has been read. Reads the records of chosen kernels again from fd
 * and passes them to `take` in file order. */
void ay_attempts_end(struct ay_attempts *x, int fd, void (*take)(void *user, const struct ay_scan_line *l),
		     void *user);
/* Returns true if the record belongs to no attempt, or to an attempt with a chosen kernel. Call it
 * after ay_attempts_end. */
bool ay_attempts_counts(const struct ay_attempts *x, const json_t *rec);
void ay_attempts_release(struct ay_attempts *x);
/* Reads the record at that place again, with all checks of ay_record_open. Returns a new reference,
 * or NULL if no valid record is there any more. */
json_t *ay_record_at(int fd, uint64_t offset, uint32_t len);

#endif
