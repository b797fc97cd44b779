/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_oracle_fixture - an ATen oracle with a GPU, for tests of which device answers. Without a
 * GPU, a fake driver (tests/cuda/fake.c) gives the judge a device and an executor with that device,
 * in which torch computes on the processor. All but the arithmetic is then as on a GPU.
 */
#ifndef AY_TEST_WITNESS_RIG_H
#define AY_TEST_WITNESS_RIG_H

#include "judge/aten_oracle.h"

/* Calls just large enough for a GPU, and just too small. */
#define WITNESS_LARGE "my::shift((T([1048576], f32, fill=zeros),), {}) seed=1"
#define WITNESS_SMALL "my::shift((T([1048575], f32, fill=zeros),), {}) seed=1"
/* The first lines of a reference that can tell whether it runs on the GPU. */
#define WITNESS_ON_GPU "from assay import boot\nimport os, torch\ngpu = boot.device == 'cuda'\ncalls = 0\n"

enum { WITNESS_FAILURES = 3 /* number of failures after which the oracle stops using a GPU */ };

struct aten_oracle_fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_registry r;
	struct ay_dev *d;
	struct ay_python python;
	struct ay_sandbox *sandbox;
	struct ay_aten_oracle w;
	const char *why;
};

/* A reference that is called twice for an answer. The first answer is correct on both devices.
 * Later answers on the GPU are too large by 1000. */
extern const char aten_oracle_fixture_marked[];

/* Registers some schemas, and the operators of the interpreter's torch unless python is NULL. */
void aten_oracle_fixture_registry(struct aten_oracle_fixture *g, struct ay_python *python);
/* fake: uses the fake driver. Skips the test if there is no torch or no device. */
void aten_oracle_fixture_init(struct aten_oracle_fixture *g, bool fake);
void aten_oracle_fixture_release(struct aten_oracle_fixture *g);
/* Starts a new oracle. source: a user's own reference; NULL: ATen. device NULL: the processor
 * only. */
void aten_oracle_fixture_begin(struct aten_oracle_fixture *g, const char *source, struct ay_dev *device);
void aten_oracle_fixture_end(struct aten_oracle_fixture *g);
const struct ay_entry_op *aten_oracle_fixture_bind(struct aten_oracle_fixture *g, const char *line,
						   struct ay_call **c);
/* Returns NULL if there is no answer; then g->why says why. */
const struct ay_expected *aten_oracle_fixture_ask(struct aten_oracle_fixture *g, const char *line);
/* Returns the first number of the answer. */
double aten_oracle_fixture_first(const struct ay_expected *g);

#endif
