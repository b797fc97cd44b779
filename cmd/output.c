/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Standard input and output are opened in the wrong mode, so that using them fails as on a closed
 * one. */
void output_begin(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd)
			_exit(2);
}

int output_line(const json_t *j, struct ay_err *err)
{
	errno = 0;
	if (!ay_json_line(stdout, j) && !fflush(stdout))
		return 0;
	return ay_fail_errno(err, AY_ERR_IO, "cannot write to standard output");
}

bool output_is_unread(void)
{
	struct pollfd p = { .fd = 1, .events = POLLOUT };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

int output_end(bool said)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (!said && errno != EPIPE && !output_is_unread())
		fprintf(stderr, "assay: cannot write to standard output%s%s\n", errno ? ": " : "",
			errno ? strerror(errno) : "");
	return -1;
}
