/* SPDX-License-Identifier: Apache-2.0
 *
 * registry - the operators there are. The table ay_op_files is made from the file list by tools/registry.sh;
 * main() hands it over, so that src/ does not point up at ops/.
 */
#ifndef AY_OP_REGISTRY_H
#define AY_OP_REGISTRY_H

#include "op/op.h"

enum ay_num_type { AY_NUM_D, AY_NUM_LD, AY_NUM_Z, AY_NUM_LZ, AY_NUM_COUNT };

struct ay_op_file {
	const char *path, *stem;
	const struct ay_op *table[AY_NUM_COUNT];
};

extern const struct ay_op_file ay_op_files[];

/* One operator: its description (the double one stands for all) and its parsed schemas. */
struct ay_entry_op {
	const char *path;
	const char *name; /* "aten::add" */
	const struct ay_op *op[AY_NUM_COUNT];
	int nschema;
	struct ay_schema **schema;
	const char *why; /* AY_UNCATALOGUED: why its cases cannot be judged; NULL = they can */
};

struct ay_registry {
	struct ay_arena arena;
	int n, cap;
	struct ay_entry_op *op;
};

/* Parses every schema. A bad one is an error that names file and column. */
int ay_registry_init(struct ay_registry *r, const struct ay_op_file *files, struct ay_err *err);
void ay_registry_release(struct ay_registry *r);
/*
 * Adds the operators of a text that are not there: one schema a line, its tags behind a tab (torch/assay/schemas.py).
 * Their answers come from elsewhere. Schemas that no kernel can have are left out. What was there stays where it is.
 */
int ay_registry_extend(struct ay_registry *r, const char *text, size_t len, struct ay_err *err);

/* Adds an operator of the user's own: its schema, the file that has its reference, and what that says of it. Fails where the
 * schema cannot be read, is none that a kernel can have, or is of an operator that is there already. */
int ay_registry_add_own(struct ay_registry *r, const char *schema, const char *file, const char *doc,
			const struct ay_entry_op **op, struct ay_err *err);

/* By "aten::add.Tensor", "aten.add.Tensor", "add.Tensor", "add", "cublasSgemm_v2", a C symbol. With an overload
 * *schema is that one; without, the operator's first (and *exact is false). NULL and a message with the nearest
 * names if there is none. */
const struct ay_entry_op *ay_registry_find(const struct ay_registry *r, const char *name,
					   const struct ay_schema **schema, bool *exact, struct ay_err *err);
const struct ay_entry_op *ay_registry_find_case(const struct ay_registry *r, const struct ay_case *c,
						const struct ay_schema **schema, struct ay_err *err);
/* The functional form (no written argument) of which s is the out= or in-place form; NULL if there is none. It may
 * belong to another operator (add_ is a form of add): *owner says which. */
const struct ay_schema *ay_registry_functional(const struct ay_registry *r, const struct ay_schema *s,
					       const struct ay_entry_op **owner);
/* "aten", "vllm", "cublas", "extra": the folder it is in. */
const char *ay_entry_source(const struct ay_entry_op *e);
/* The number type in which a call's reference must run. */
enum ay_num_type ay_call_num_type(const struct ay_call *c);

#endif
