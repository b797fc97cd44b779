/* SPDX-License-Identifier: Apache-2.0
 *
 * proto - what follows from a schema in C: the symbol, the prototype, and the glue through which an
 * executor calls the kernel.
 */
#ifndef AY_OP_PROTO_H
#define AY_OP_PROTO_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "op/schema.h"

#include <stdbool.h>

/* How one C parameter is passed: one row per kind, with its C type. */
/* clang-format off */
#define AY_PARAMS(P)                                            \
	P(TENSOR,    "const ay_tensor *")                       \
	P(TENSOR_W,  "ay_tensor *")                             \
	P(TENSORS,   "const ay_tensor *const *")                \
	P(TENSORS_W, "ay_tensor *const *")                      \
	P(I64,       "int64_t ")                                \
	P(F64,       "double ")                                 \
	P(BOOL,      "bool ")                                   \
	P(SCALAR,    "ay_scalar ")                              \
	P(I32,       "int32_t ")                                \
	P(STR,       "const char *")                            \
	P(I64_P,     "const int64_t *")                         \
	P(F64_P,     "const double *")                          \
	P(BOOL_P,    "const bool *")                            \
	P(SCALAR_P,  "const ay_scalar *")                       \
	P(DEVICE_P,  "const ay_device *")                       \
	P(DEVICE,    "ay_device ")                              \
	P(STRS,      "const char *const *")                     \
	P(SCALARS,   "const ay_scalar *")                       \
	P(RNG,       "const ay_rng *")                          \
	P(COUNT,     "int64_t ")                                \
	P(SCALAR_OUT, "ay_scalar *")                            \
	P(I64_OUT,   "int64_t *")                               \
	P(F64_OUT,   "double *")                                \
	P(BOOL_OUT,  "bool *")                                  \
	P(CTX,       "const ay_ctx *")
/* clang-format on */

enum ay_param_kind {
#define P(name, c) AY_PARAM_##name,
	AY_PARAMS(P)
#undef P
};

/* A list becomes two parameters: its pointer, and a COUNT with the same source. */
struct ay_param {
	enum ay_param_kind kind;
	int arg; /* index of the schema argument, or -1 */
	int ret; /* index of the schema result, or -1 */
	const char *name;
};

struct ay_proto {
	/* borrowed: params refer to its arguments and results by index */
	const struct ay_schema *s;
	const char *symbol; /* aten_add_Tensor */
	int n;
	struct ay_param *param;
};

/* Builds the prototype. Returns -1 if the schema has a type that no kernel can take
 * (t[], AnyEnumType). */
int ay_proto_make(struct ay_arena *a, const struct ay_schema *s, struct ay_proto **out, struct ay_err *err);
const char *ay_proto_symbol(struct ay_arena *a, const struct ay_schema *s);
/* Adds "int aten_add_Tensor(const ay_tensor *self, ..., const ay_ctx *ctx);". */
void ay_proto_print(struct ay_str *b, const struct ay_proto *p);
/* Adds a C header that is included before the kernel's own text. For each prototype it has a weak
 * declaration and a function call_X(void *const *v). Its function int ay_glue_entries(const char
 * **names, int (**calls)(void *const *), int cap) lists those that the kernel defines. A pointer
 * parameter is v[i] itself; any other parameter is what v[i] points to. */
void ay_proto_glue(struct ay_str *b, int n, const struct ay_proto *const *p);
/* Like ay_proto_glue, for nvcc. If a kernel returns 0 although the CUDA runtime has recorded an
 * error, the call returns AY_GLUE_LAUNCH + that error. */
enum { AY_GLUE_LAUNCH = 1 << 16 };
void ay_proto_glue_cuda(struct ay_str *b, int n, const struct ay_proto *const *p);
/* Adds a C source of its own that wraps an existing shared object. It embeds the object (the file
 * `so_file`, included by the assembler). Its ay_glue_entries loads the object and finds the
 * functions by name. Their signatures cannot be checked. */
void ay_proto_glue_so(struct ay_str *b, int n, const struct ay_proto *const *p, const char *so_file);
/* Returns true if v[i] of this kind is the parameter itself, not a pointer to it. */
bool ay_param_is_pointer(enum ay_param_kind k);
/* Adds the Python signature: "def add_Tensor(self, other, *, alpha=1)". */
void ay_proto_python(struct ay_str *b, const struct ay_schema *s);

#endif
