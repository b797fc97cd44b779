/* SPDX-License-Identifier: Apache-2.0
 *
 * filter - which system calls a jailed process may make, as a seccomp program for the Linux kernel.
 */
#ifndef AY_SANDBOX_FILTER_H
#define AY_SANDBOX_FILTER_H

#include "base/err.h"

#include <linux/filter.h>
#include <stdbool.h>

/* EXECUTOR: may compute. GPU: may use the GPU's driver besides. PYTHON: may use files of its own
 * besides. PYTHON_GPU: all of these. PYTHON_GPU and FORGE may also start programs, such as Triton's
 * compilers. */
enum ay_jail_kind {
	AY_JAIL_EXECUTOR,
	AY_JAIL_GPU,
	AY_JAIL_PYTHON,
	AY_JAIL_PYTHON_GPU,
	AY_JAIL_FORGE,
	AY_JAIL_KINDS,
};

struct ay_filter {
	struct sock_filter *insn; /* owned */
	unsigned short n;
};

/* Builds the filter for a kind of process. Fails if this machine's libseccomp cannot build it. */
int ay_filter_make(struct ay_filter *f, enum ay_jail_kind kind, struct ay_err *err);
void ay_filter_release(struct ay_filter *f);
/* Loads the filter into the calling thread, which must have no_new_privs. Returns 0 or an errno.
 * Async-signal-safe. */
int ay_filter_load(const struct ay_filter *f);

#endif
