/* SPDX-License-Identifier: Apache-2.0
 *
 * aside - the attempts of a generation track, of which one is the result.
 *
 * A track judges several kernels for one problem and chooses one of them. Case and kernel records of its attempts say so
 * ("attempt"), and a "chosen" record says which kernel the problem's result is; the last such record of a run for a
 * problem counts. What was not chosen is no result: it would turn "the worst counts" against whoever needed three
 * rounds. Which one was chosen is known at the end of the file only, so records of attempts wait here, by their place.
 */
#ifndef AY_STORE_ATTEMPTS_H
#define AY_STORE_ATTEMPTS_H

#include "store/scan.h"

/* {0} is an empty one. */
struct ay_attempts {
	int n;
	struct ay_attempts_place {
		uint64_t offset;
		uint32_t len;
	} * at;
	json_t *problems; /* run and problem -> kernel and operator */
	json_t *chosen;   /* the same the other way, once the file is read */
};

/* True if the record is an attempt's, which then waits, or a choice, which is noted. */
bool ay_attempts_takes(struct ay_attempts *x, const struct ay_scan_line *l);
/* The file is read: hands over, in their order, the records that were chosen, read again from fd. */
void ay_attempts_end(struct ay_attempts *x, int fd, void (*take)(void *user, const struct ay_scan_line *l),
		     void *user);
/* Is it no attempt's, or one of the chosen kernel? After the end. */
bool ay_attempts_counts(const struct ay_attempts *x, const json_t *rec);
void ay_attempts_release(struct ay_attempts *x);
/* A record, read again from its place and opened like a stranger's; NULL if it is not there any more. */
json_t *ay_record_at(int fd, uint64_t offset, uint32_t len);

#endif
