/* SPDX-License-Identifier: Apache-2.0
 *
 * schema - PyTorch's FunctionSchema language:
 *
 *   ns::base.overload(Type name=default, *, Type name) -> Type name | (Type, Type) | ()
 *
 * Parsing and printing are exact inverses for text in PyTorch's own spelling. A schema
 * determines the C prototype (proto.h), what a call writes, and which other schemas are forms of
 * the same function.
 */
#ifndef AY_OP_SCHEMA_H
#define AY_OP_SCHEMA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "op/value.h"

#include <stdbool.h>

/* Base types, as the language spells them. TVAR is a TorchScript type variable such as t. */
#define AY_TYPES(T)               \
	T(TENSOR, "Tensor")       \
	T(INT, "int")             \
	T(SYMINT, "SymInt")       \
	T(FLOAT, "float")         \
	T(BOOL, "bool")           \
	T(COMPLEX, "complex")     \
	T(SCALAR, "Scalar")       \
	T(STR, "str")             \
	T(DTYPE, "ScalarType")    \
	T(LAYOUT, "Layout")       \
	T(FORMAT, "MemoryFormat") \
	T(DEVICE, "Device")       \
	T(GENERATOR, "Generator") \
	T(ENUM, "AnyEnumType")    \
	T(TVAR, "t")

enum ay_type {
#define T(name, text) AY_TYPE_##name,
	AY_TYPES(T)
#undef T
};

/* One type with its suffixes, for example Tensor(a!)?[]. */
struct ay_stype {
	enum ay_type base;
	const char *alias;  /* "a", "a!", "*", "a -> *"; NULL = none */
	bool elem_optional; /* Tensor?[] */
	bool list;
	int list_size;         /* int[2]: 2; -1 for [] */
	bool alias_after_list; /* int[](a!) rather than Tensor(a!)[] */
	bool optional;         /* int[]? */
};

struct ay_sarg {
	const char *name; /* NULL for an unnamed result */
	struct ay_stype type;
	const struct ay_value *def; /* default value; NULL = none */
	const char *def_text;       /* as written: 9.9999999999999995e-07 prints back */
	bool kwonly;
	int col;
};

struct ay_schema {
	const char *ns, *base, *overload; /* overload: "" for the default one */
	int narg, nret;
	struct ay_sarg *arg, *ret;
	bool ret_parens; /* a single result written as (Tensor x) */
};

/* The NAME in torch.NAME of each Layout and each MemoryFormat, indexed by its code; NULL-ended. */
extern const char *const ay_layout_names[], *const ay_format_names[];

/* Parses a schema. All memory is in the arena. Errors name the column. */
int ay_schema_parse(struct ay_arena *a, const char *text, struct ay_schema **out, struct ay_err *err);
void ay_schema_print(struct ay_str *b, const struct ay_schema *s);
/* Adds "aten::add.Tensor"; the default overload has no suffix. */
void ay_schema_name(struct ay_str *b, const struct ay_schema *s);

/* Returns true for Tensor(a!): the callee writes it. */
bool ay_stype_written(const struct ay_stype *t);
/* Returns true for a Tensor or a list of tensors, optional or not. */
bool ay_stype_is_tensor(const struct ay_stype *t);
/* Returns true if the base name ends in one underscore (add_, not __and__) and the first argument
 * is written: an in-place form. */
bool ay_schema_inplace(const struct ay_schema *s);
/* Returns true if the schema has a keyword-only written tensor. */
bool ay_schema_out(const struct ay_schema *s);
/* Returns true if a kernel can implement the schema: it takes or returns a tensor, and
 * has no named dimensions, no t, no enums and no TorchScript lists that are themselves
 * written (Tensor[](a!)). */
bool ay_schema_is_kernel(const struct ay_schema *s);
/* Returns the index of the argument that result r is (same alias set, written), or -1. */
int ay_schema_ret_arg(const struct ay_schema *s, int r);
/* Adds the signature: namespace, base without the in-place underscore, then type and name of every
 * argument, without alias marks and defaults. It omits keyword-only written tensors and the
 * TensorOptions group (keyword-only dtype, layout, device, pin_memory). Equal signatures are forms
 * of one function. */
void ay_schema_signature(struct ay_str *b, const struct ay_schema *s);

#endif
