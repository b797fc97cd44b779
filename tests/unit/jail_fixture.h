/* SPDX-License-Identifier: Apache-2.0
 *
 * jail_fixture - a kernel in its jail, for tests of the jail: t::probe(Tensor a) -> Tensor, called
 * on N numbers.
 */
#ifndef AY_TEST_JAIL_RIG_H
#define AY_TEST_JAIL_RIG_H

#include "exec/exec.h"
#include "forge/forge.h"
#include "sandbox/jail.h"

enum { RIG_N = 256 };

struct jail_fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_sandbox *sandbox;
	struct ay_forge f;
	struct ay_built built;
	const struct ay_proto *proto;
	struct ay_call *call;
	struct ay_pool pool;
	struct ay_exec *x;
	uint64_t offset[2];
	uint64_t memory_max;
	bool freezable;
};

/* Builds `source` and binds a call. Skips the test if there is no compiler or no sandbox. */
void jail_fixture_init(struct jail_fixture *r, enum ay_sandbox_mode mode, const char *source);
void jail_fixture_release(struct jail_fixture *r);
/* Starts the executor if it does not run, and calls the kernel once. */
struct ay_outcome jail_fixture_run(struct jail_fixture *r, double timeout_s);
/* Returns the kernel's output memory, also while the kernel writes it. */
volatile int *jail_fixture_out(const struct jail_fixture *r);
/* Runs fn. If this process is root, also runs it as an ordinary user. */
void jail_fixture_both(void (*fn)(void));

#endif
