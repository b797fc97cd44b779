/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/printed.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	PIPE = 1 << 20, /* wished size of the pipe, in bytes */
	READS = 64,     /* at most, because a process may never stop writing */
	PIECE = 64 << 10,
};

int ay_printed_pipe(int end[2])
{
	if (pipe2(end, O_CLOEXEC))
		return -1;
	fcntl(end[0], F_SETPIPE_SZ, PIPE);
	return fcntl(end[0], F_SETFL, O_NONBLOCK); /* only this end does not block */
}

void ay_printed_read(struct ay_printed *p, int fd)
{
	char piece[PIECE];

	for (int i = 0; fd >= 0 && i < READS; i++) {
		const ssize_t n = read(fd, piece, sizeof piece);
		size_t kept = sizeof p->text - p->n;

		if (n <= 0)
			return;
		kept = kept < (size_t)n ? kept : (size_t)n;
		memcpy(p->text + p->n, piece, kept);
		p->n += kept;
		p->dropped += (size_t)n - kept;
	}
}
