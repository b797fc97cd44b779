/* SPDX-License-Identifier: Apache-2.0
 *
 * printed - what a kernel's process writes to its standard output and error, for people to read and for nothing else.
 *
 * The executor has the writing end of a pipe. The judge empties the pipe while it waits for an answer, so that a kernel
 * that prints much is slow at worst, keeps the first bytes and counts the rest: neither memory nor disk fills up.
 */
#ifndef AY_EXEC_PRINTED_H
#define AY_EXEC_PRINTED_H

#include <stddef.h>
#include <stdint.h>

enum { AY_PRINTED_MAX = 8 << 10 };

struct ay_printed {
	char text[AY_PRINTED_MAX]; /* as it came: hostile */
	size_t n;
	uint64_t dropped; /* bytes behind them */
};

/* A pipe whose reading end does not block; -1 and errno. */
int ay_printed_pipe(int end[2]);
/* Takes what is in the pipe, which a process may still be writing to, and returns soon. */
void ay_printed_read(struct ay_printed *p, int fd);

#endif
