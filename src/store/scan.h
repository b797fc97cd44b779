/* SPDX-License-Identifier: Apache-2.0
 *
 * scan - reads the lines of a results.jsonl as hostile input, in memory that does not grow with the
 * file.
 */
#ifndef AY_STORE_SCAN_H
#define AY_STORE_SCAN_H

#include "store/record.h"

/* One line. text is valid during the callback only; for a LONG line it is the line's first part. */
struct ay_scan_line {
	enum ay_fault fault;
	json_t *rec; /* NULL if the line has a fault; borrowed */
	const char *text;
	size_t len;
	uint64_t offset;
	int64_t number; /* counted from 1 */
};

struct ay_scan {
	/* called for each line; a non-zero result ends the scan */
	int (*line)(void *user, const struct ay_scan_line *l, struct ay_err *err);
	void *user;
	/* start the fields below as {0} */
	uint64_t offset; /* of the next byte to feed */
	/* just after the last "\n": cutting the file here makes it end in a whole line */
	uint64_t end;
	int64_t lines;
	bool skipping; /* inside a LONG line */
};

/* Processes the whole lines of `data` and stores their length in bytes in *used. The caller feeds
 * the rest again with more data after it. last: no more data follows, and the rest is a torn line.
 * Blank lines are skipped. */
int ay_scan_feed(struct ay_scan *s, const char *data, size_t n, bool last, size_t *used, struct ay_err *err);
/* Scans a whole file from its start. name: for messages. */
int ay_scan_fd(struct ay_scan *s, int fd, const char *name, struct ay_err *err);

#endif
