/* SPDX-License-Identifier: Apache-2.0
 *
 * A witness with a GPU, for the tests of who answers. Where there is none, a driver that only looks like one
 * (tests/cuda/fake.c) gives the judge a device and an executor that has it, in which torch then computes on the processor:
 * everything but the arithmetic is as on a GPU.
 */
#ifndef AY_TEST_WITNESS_RIG_H
#define AY_TEST_WITNESS_RIG_H

#include "judge/aten_oracle.h"

/* Calls that are just large enough for a GPU, and just not. */
#define WITNESS_LARGE "my::shift((T([1048576], f32, fill=zeros),), {}) seed=1"
#define WITNESS_SMALL "my::shift((T([1048575], f32, fill=zeros),), {}) seed=1"
/* How a reference begins that knows where it is, and what is the matter there. */
#define WITNESS_ON_GPU "from assay import boot\nimport os, torch\ngpu = boot.device == 'cuda'\ncalls = 0\n"

enum { WITNESS_FAILURES = 3 /* after which a GPU is not asked again */ };

struct witness_rig {
	struct ay_arena a;
	struct ay_err err;
	struct ay_registry r;
	struct ay_dev *d;
	struct ay_python python;
	struct ay_sandbox *sandbox;
	struct ay_aten_oracle w;
	const char *why;
};

/* A reference is called twice for an answer: the first one concurs, those after it tell where they come from, by 1000. */
extern const char witness_rig_marked[];

/* Some schemas, with the operators of an interpreter's torch unless it is NULL. */
void witness_rig_registry(struct witness_rig *g, struct ay_python *python);
/* fake: a device that is none. Skips the test where there is no torch, or no device. */
void witness_rig_init(struct witness_rig *g, bool fake);
void witness_rig_release(struct witness_rig *g);
/* A new witness. source: of the user's own reference; NULL: ATen. device NULL: the processor alone. */
void witness_rig_begin(struct witness_rig *g, const char *source, struct ay_dev *device);
void witness_rig_end(struct witness_rig *g);
const struct ay_entry_op *witness_rig_bind(struct witness_rig *g, const char *line, struct ay_call **c);
/* NULL: there is no answer, and g->why says why. */
const struct ay_expected *witness_rig_ask(struct witness_rig *g, const char *line);
/* The first number of the answer. */
double witness_rig_first(const struct ay_expected *g);

#endif
