/* SPDX-License-Identifier: Apache-2.0
 *
 * filter - which system calls a jailed process may make, as a program for the kernel.
 */
#ifndef AY_SANDBOX_FILTER_H
#define AY_SANDBOX_FILTER_H

#include "base/err.h"

#include <linux/filter.h>
#include <stdbool.h>

/* An executor computes; one with a GPU speaks to its driver too; that of an interpreter has files of its own too; with
 * both, and in the forge, programs can be started: Triton's compilers are. */
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

/* -1 where this machine's libseccomp cannot make one. */
int ay_filter_make(struct ay_filter *f, enum ay_jail_kind kind, struct ay_err *err);
void ay_filter_release(struct ay_filter *f);
/* Puts it on the calling thread, which must have no_new_privs; an errno. Async-signal-safe. */
int ay_filter_load(const struct ay_filter *f);

#endif
