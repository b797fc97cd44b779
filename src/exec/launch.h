/* SPDX-License-Identifier: Apache-2.0
 *
 * launch - starts the executor that assay carries inside, as a jailed process that waits. The
 * judge's side only.
 */
#ifndef AY_EXEC_LAUNCH_H
#define AY_EXEC_LAUNCH_H

#include "base/err.h"
#include "exec/exec.h"
#include "exec/wire.h"
#include "sandbox/jail.h"

#include <sys/types.h>

struct ay_launched {
	struct ay_jailed jail; /* its process is the executor's init; pid 0: none was started */
	int sock;              /* the judge's end of the message socket, or -1 */
	int out;               /* a pipe with what its processes print, or -1 */
	int life;              /* the judge's end of the socket to init, or -1 */
	/* mapped, with `go` at 1: the executor's greeting raises `done` to it. Or NULL */
	struct ay_wire_page *page;
};

/* Starts an executor. The caller releases what *l has, also after a failure. */
int ay_launch(struct ay_launched *l, struct ay_sandbox *s, const struct ay_exec_spec *spec, uint32_t spin_us,
	      struct ay_err *err);
/* Returns a sealed memfd with these bytes, or -1 and errno. */
int ay_launch_memfd(const char *name, const void *data, size_t n, unsigned flags);

#endif
