/* SPDX-License-Identifier: Apache-2.0
 *
 * launch - from the program that assay carries inside to a jailed process that waits. The judge's side only.
 */
#ifndef AY_EXEC_LAUNCH_H
#define AY_EXEC_LAUNCH_H

#include "base/err.h"
#include "exec/exec.h"
#include "exec/wire.h"
#include "sandbox/jail.h"

#include <sys/types.h>

struct ay_launched {
	struct ay_jailed jail; /* its process is the executor's init; 0 = none was started */
	int sock;              /* our end, or -1 */
	int out;               /* what its processes print, or -1 */
	int life;              /* our end of the socket to init, or -1; it knows us by it */
	struct ay_wire_page
		*page; /* mapped, with `go` at 1: the executor's greeting raises `done` to it; or NULL */
};

/* What there is of *l is the caller's to release, also after a failure. */
int ay_launch(struct ay_launched *l, struct ay_sandbox *s, const struct ay_exec_spec *spec, uint32_t spin_us,
	      struct ay_err *err);
/* A sealed memfd with these bytes, or -1 and errno. */
int ay_launch_memfd(const char *name, const void *data, size_t n, unsigned flags);

#endif
