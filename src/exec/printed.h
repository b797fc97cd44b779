/* SPDX-License-Identifier: Apache-2.0
 *
 * printed - what a kernel's process writes to its standard output and error. Shown to people and
 * used for nothing else.
 *
 * The executor has the writing end of a pipe. The judge empties the pipe while it waits for an
 * answer, keeps the first bytes and counts the rest. So a kernel that prints much is slow at worst,
 * and neither memory nor disk fills up.
 */
#ifndef AY_EXEC_PRINTED_H
#define AY_EXEC_PRINTED_H

#include <stddef.h>
#include <stdint.h>

enum { AY_PRINTED_MAX = 8 << 10 };

struct ay_printed {
	char text[AY_PRINTED_MAX]; /* unchanged, so hostile */
	size_t n;
	uint64_t dropped; /* bytes that came after `text` was full */
};

/* Makes a pipe whose reading end does not block. Returns -1 and errno if that fails. */
int ay_printed_pipe(int end[2]);
/* Reads what is in the pipe and returns soon, even if the process never stops writing. */
void ay_printed_read(struct ay_printed *p, int fd);

#endif
