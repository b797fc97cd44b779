/* SPDX-License-Identifier: Apache-2.0
 *
 * scan - the lines of a results.jsonl, read as hostile input, in memory that does not grow with the file.
 */
#ifndef AY_STORE_SCAN_H
#define AY_STORE_SCAN_H

#include "store/record.h"

/* One line. text is borrowed for the call; of a LONG line it is the first part. */
struct ay_scan_line {
	enum ay_fault fault;
	json_t *rec; /* NULL if fault; borrowed */
	const char *text;
	size_t len;
	uint64_t offset;
	int64_t number; /* from 1 */
};

struct ay_scan {
	int (*line)(void *user, const struct ay_scan_line *l, struct ay_err *err); /* non-zero ends the scan */
	void *user;
	/* the rest starts as {0} */
	uint64_t offset; /* of the next byte to be fed */
	uint64_t end;    /* behind the last "\n": where a file must be cut so that it ends in a whole line */
	int64_t lines;
	bool skipping; /* inside a LONG line */
};

/* Takes the whole lines of data and says in *used how many bytes that was; the rest is fed again with more behind
 * it. last: there is no more, the rest is a torn line. Blank lines are passed over. */
int ay_scan_feed(struct ay_scan *s, const char *data, size_t n, bool last, size_t *used, struct ay_err *err);
/* A whole file from its start. name: for messages. */
int ay_scan_fd(struct ay_scan *s, int fd, const char *name, struct ay_err *err);

#endif
