/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel in its jail, for the tests of the jail: t::probe(Tensor a) -> Tensor, called on N numbers.
 */
#ifndef AY_TEST_JAIL_RIG_H
#define AY_TEST_JAIL_RIG_H

#include "exec/exec.h"
#include "forge/forge.h"
#include "sandbox/jail.h"

enum { RIG_N = 256 };

struct jail_rig {
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

/* Builds `source` and binds a call; skips the test where there is no compiler or no sandbox. */
void jail_rig_init(struct jail_rig *r, enum ay_sandbox_mode mode, const char *source);
void jail_rig_release(struct jail_rig *r);
/* Starts it if it is not there, and calls it once. */
struct ay_outcome jail_rig_run(struct jail_rig *r, double timeout_s);
/* What the kernel wrote, or writes. */
volatile int *jail_rig_out(const struct jail_rig *r);
/* Runs fn here, and where we are root again as an ordinary user. */
void jail_rig_both(void (*fn)(void));

#endif
