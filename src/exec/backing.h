/* SPDX-License-Identifier: Apache-2.0
 *
 * backing - finds out what the memory of another process is made of.
 *
 * Two ranges of addresses can be one memory: a process may map a file (a memfd, shared anonymous
 * memory) any number of times. The system says which file, and which bytes of it, are behind an
 * address. Memory that belongs to no file is private to its addresses, because a jailed process
 * cannot fork. Linux 6.11 and later answer this for one address in a microsecond (PROCMAP_QUERY);
 * otherwise the text of /proc/PID/maps is read.
 */
#ifndef AY_EXEC_BACKING_H
#define AY_EXEC_BACKING_H

#include "base/err.h"
#include "sandbox/jail.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { AY_BACKING_PIECES = 64 };

/* Bytes [lo, hi) of a file. */
struct ay_file_piece {
	uint64_t dev, ino, lo, hi;
};

struct ay_backing {
	bool more; /* there are more pieces than `piece` has space for */
	int n;     /* 0: no file is behind these addresses */
	struct ay_file_piece piece[AY_BACKING_PIECES];
};

/* Finds the files behind addresses [lo, hi) of a process of the jail (NULL: of any process that may be
 * read), which does not run meanwhile. Addresses where nothing is mapped do not count. Returns -1 if the system does not say. */
int ay_backing_find(const struct ay_jailed *j, pid_t pid, uint64_t lo, uint64_t hi, struct ay_backing *b,
		    struct ay_err *err);
/* As ay_backing_find, by reading the text of /proc/PID/maps. */
int ay_backing_find_in_text(const struct ay_jailed *j, pid_t pid, uint64_t lo, uint64_t hi, struct ay_backing *b,
			    struct ay_err *err);
/* Returns true if the two share bytes of a file. */
bool ay_backing_meets(const struct ay_backing *a, const struct ay_backing *b);
/* Returns true if some bytes of a file are there twice. */
bool ay_backing_repeats(const struct ay_backing *b);
/* Returns true if bytes of the file that this descriptor names are there. */
bool ay_backing_has_file(const struct ay_backing *b, int fd);

#endif
