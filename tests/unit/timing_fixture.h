/* SPDX-License-Identifier: Apache-2.0
 *
 * timing_fixture - a case line and kernels for it, for tests of timing.
 */
#ifndef AY_TEST_TIMING_RIG_H
#define AY_TEST_TIMING_RIG_H

#include "forge/forge.h"
#include "op/suite.h"
#include "sandbox/sandbox.h"
#include "timing/ceiling.h"
#include "timing/gated_exec.h"

enum { RIG_KERNELS = 16 };

struct timing_fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_forge f;
	struct ay_sandbox *sandbox; /* NULL until a kernel is built */
	struct ay_suite_case sc;
	struct ay_call *call;
	const struct ay_proto *proto;
	int fd[RIG_KERNELS], nfd; /* objects of all built kernels */
};

/* Ceilings of a machine where memory costs almost nothing, so that no floor exceeds a time. */
extern const struct ay_ceilings timing_fixture_kind;

/* Binds the case line. */
void timing_fixture_init(struct timing_fixture *r, const char *line);
void timing_fixture_release(struct timing_fixture *r);
/* Compiles a kernel; returns a descriptor that the fixture owns. Skips the test if there is no
 * compiler or no sandbox. "@" in the source stands for the parameters of aten::relu. */
int timing_fixture_build(struct timing_fixture *r, const char *source);
/* Returns the specification for a gated executor. *kernel, the caller's memory, gets its CPUs. */
struct ay_gated_exec_spec timing_fixture_spec(struct timing_fixture *r, const struct ay_input_template *m,
					      int so_fd, int cap, double timeout_s, cpu_set_t *kernel);
/* Opens a gated executor on the CPUs of one thread; it is frozen when this returns. so_fd -1: the
 * empty call. */
void timing_fixture_open(struct timing_fixture *r, const struct ay_input_template *m, int so_fd, int cap,
			 double timeout_s, struct ay_gated_exec *s, struct ay_outcome *o);

struct ay_key timing_fixture_key(void);

#endif
