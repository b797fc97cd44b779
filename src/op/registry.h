/* SPDX-License-Identifier: Apache-2.0
 *
 * registry - the operators that assay knows. The table ay_op_files is generated from the file list
 * by tools/registry.sh. main() passes it in, so that src/ does not depend on ops/.
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

/* One operator: its description, once per number type, and its parsed schemas. op[AY_NUM_D] has all
 * fields that do not depend on the type. */
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

/* Parses every schema. Fails on a bad one, with its file and column. */
int ay_registry_init(struct ay_registry *r, const struct ay_op_file *files, struct ay_err *err);
void ay_registry_release(struct ay_registry *r);
/* Adds operators from a text that the registry does not have. Each line is a schema, a tab and its
 * tags (torch/assay/schemas.py). Their answers come from elsewhere (struct ay_expected). Schemas
 * that no kernel can implement are left out. Existing entries keep their addresses. */
int ay_registry_extend(struct ay_registry *r, const char *text, size_t len, struct ay_err *err);

/* Adds a user's own operator: its schema, the file with its reference, and that file's
 * documentation. Fails if the schema cannot be parsed, if no kernel can implement it, or if the
 * operator already exists. */
int ay_registry_add_own(struct ay_registry *r, const char *schema, const char *file, const char *doc,
			const struct ay_entry_op **op, struct ay_err *err);

/* Finds an operator by "aten::add.Tensor", "aten.add.Tensor", "add.Tensor", "add",
 * "cublasSgemm_v2" or a C symbol. If the name has an overload, *schema is that overload; else it
 * is the operator's first schema, and *exact is false. Returns NULL if nothing matches, with the
 * nearest name in the message. */
const struct ay_entry_op *ay_registry_find(const struct ay_registry *r, const char *name,
					   const struct ay_schema **schema, bool *exact, struct ay_err *err);
const struct ay_entry_op *ay_registry_find_case(const struct ay_registry *r, const struct ay_case *c,
						const struct ay_schema **schema, struct ay_err *err);
/* Returns the functional form (without written arguments) of which s is the out= or in-place form;
 * NULL if it does not exist. The form may belong to another operator (add_ is a form of add), which
 * is stored in *owner. */
const struct ay_schema *ay_registry_functional(const struct ay_registry *r, const struct ay_schema *s,
					       const struct ay_entry_op **owner);
/* Returns the folder of the operator: "aten", "vllm", "cublas" or "extra". */
const char *ay_entry_source(const struct ay_entry_op *e);
/* Returns the number type in which a call's reference must run. */
enum ay_num_type ay_call_num_type(const struct ay_call *c);

#endif
