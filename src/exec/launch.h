/* SPDX-License-Identifier: Apache-2.0
 *
 * launch - from the program that assay carries inside to a process that waits. The judge's side only.
 */
#ifndef AY_EXEC_LAUNCH_H
#define AY_EXEC_LAUNCH_H

#include "base/err.h"
#include "exec/wire.h"

#include <sys/types.h>

struct ay_launched {
	pid_t pid; /* leads a process group of its own; 0 = none was started */
	int sock;  /* our end, or -1 */
	struct ay_wire_page
		*page; /* mapped, with `go` at 1: the executor's greeting raises `done` to it; or NULL */
};

/* What there is of *l is the caller's to release, also after a failure. */
int ay_launch(struct ay_launched *l, uint32_t spin_us, struct ay_err *err);
/* A sealed memfd with these bytes, or -1 and errno. */
int ay_launch_memfd(const char *name, const void *data, size_t n, unsigned flags);

#endif
