/* SPDX-License-Identifier: Apache-2.0
 *
 * call - a case line bound to a schema. Every argument has its value. Every tensor has its shape,
 * layout, fill and role. Every result has its shape and dtype. A call owns no tensor memory: the
 * judge sets `data` of the operands, and the references read there.
 */
#ifndef AY_OP_CALL_H
#define AY_OP_CALL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "op/caseline.h"
#include "op/schema.h"
#include "tensor/shape.h"

struct ay_op;

enum ay_role {
	AY_IN,     /* read only */
	AY_INOUT,  /* an argument that is read and written (self of an in-place form, C of gemm) */
	AY_OUT,    /* an argument that is only written (out=, or an argument with the fill `out`) */
	AY_RESULT, /* a tensor that the call returns */
};

/* One tensor of a call. */
struct ay_operand {
	/* inputs: what the judge made; written operands: what the kernel wrote */
	struct ay_view view;
	struct ay_view old; /* AY_INOUT: the content before the call */
	enum ay_role role;
	const char *name; /* of its argument or result */
	/* index among all operands; selects the stream of the random generator */
	int ordinal;
	/* resolved: name is never NULL, and the arguments are numbers */
	struct ay_fill fill;
	/* data= of the line, or the number that stands for a tensor; NULL: use the fill */
	const struct ay_value *data;
	/* a plain number given for a Tensor; it counts less in type promotion */
	bool wrapped;
	bool has_stride;        /* AY_RESULT: its strides are promised */
	bool may_alias, absent; /* AY_RESULT: see ay_meta */
	bool fresh;             /* AY_RESULT: see ay_meta */
	uint32_t resolved;      /* AY_RESULT: see ay_meta */
	/* its description in the case line; NULL for results and wrapped numbers */
	const struct ay_tdesc *desc;
};

/* One bound argument. Tensors and tensor lists are in `t` (NULL entries are None). Other values are
 * in `v`, converted to the argument's type: a float is FLOAT even if the line has an int, a list is
 * LIST, ScalarType is DTYPE, Layout and MemoryFormat are INT with the codes of kernel.h, Device is
 * STR, Generator and None are NONE. */
struct ay_barg {
	const struct ay_sarg *s;
	struct ay_value v;
	int n;
	struct ay_operand **t;
	struct ay_view scalar;       /* a Scalar as a 0-dim tensor: b8, i64, f64 or c128 */
	long double scalar_store[2]; /* the memory of `scalar` */
};

/* Shape, dtype and strides of a result. The initial value is contiguous, with unknown dtype. */
struct ay_meta {
	enum ay_dt dt;
	int ndim;
	int64_t shape[AY_MAX_DIM];
	/* the operator promises these strides; elements may overlap or have gaps */
	bool has_stride;
	int64_t stride[AY_MAX_DIM];
	bool may_alias; /* may share memory with an argument */
	/* the operator returns no tensor here (output_mask); an empty tensor stands for it */
	bool absent;
	/* must have memory of its own, even if the schema lets it share an argument's memory */
	bool fresh;
	/* flags that the result must not have: a set of AY_CONJ and AY_NEG of kernel.h */
	uint32_t resolved;
};

/* The expected content of one written operand, for a call whose operator has no reference
 * in assay. */
struct ay_answer {
	struct ay_meta meta;
	struct ay_view want; /* f64, c128, i64 or b8; dense */
	/* error weight of each element, as ay_mag of op.h; NULL: the value must be exact */
	const double *mag;
};

struct ay_expected {
	int n; /* in the order of ay_call.out */
	struct ay_answer *answer;
	bool shape_only; /* no values: only shapes, dtypes and strides of the results are known */
};

struct ay_call {
	const struct ay_op *op;
	const struct ay_schema *s;
	const struct ay_case *line;
	struct ay_barg *arg; /* s->narg entries */
	int noperand;
	/* all tensors: the arguments in order, with lists flattened, then the results */
	struct ay_operand **operand;
	int nout;
	struct ay_operand **out; /* the written operands, in the same order as in `operand` */
	int nscalar_out;         /* number of results that are not tensors (item) */
	uint64_t seed;
	struct ay_key key; /* key of the inputs, derived from the seed */
	/* AY_UNCATALOGUED: the expected answer. NULL: the call is open, that is, its results are
	 * not known yet. */
	const struct ay_expected *given;
};

/* Binds a line to a schema of op: positional arguments, keywords, defaults. An int is accepted as
 * float, Scalar and int[n]. Defaults of enum types may be integers. The call borrows line and op,
 * which must outlive it. The seed is the line's; 0 if the line has none. */
int ay_call_bind(struct ay_arena *a, const struct ay_op *op, const struct ay_schema *s, const struct ay_case *line,
		 struct ay_call **out, struct ay_err *err);
/* Completes an open call, that is, one of an AY_UNCATALOGUED operator: adds its results as
 * described by `given`, which the call borrows. */
int ay_call_close(struct ay_arena *a, struct ay_call *c, const struct ay_expected *given, struct ay_err *err);
/* Returns a copy of the call's arguments with room for `more` additional ones. Scalar views of the
 * copy point into the copy. */
struct ay_barg *ay_call_copy_args(struct ay_arena *a, const struct ay_call *c, int more);
/* Returns the call's line with every fill and the seed written out, so that it reproduces the call
 * under any version of assay. */
struct ay_case *ay_call_line(struct ay_arena *a, const struct ay_call *c);

/* Access to arguments by name. Using a name that the schema lacks is a bug in the caller and
 * aborts, except for ay_has_arg. */
bool ay_has_arg(const struct ay_call *c, const char *name);
bool ay_is_none(const struct ay_call *c, const char *name);
/* Returns a Tensor, or a Scalar as a 0-dim tensor; NULL for None. Of an AY_INOUT tensor it returns
 * the content before the call. */
const struct ay_view *ay_t(const struct ay_call *c, const char *name);
const struct ay_operand *ay_operand(const struct ay_call *c, const char *name);
/* Returns element i of a tensor list; NULL for None. */
const struct ay_view *ay_t_at(const struct ay_call *c, const char *name, int i);
int ay_t_count(const struct ay_call *c, const char *name);
int64_t ay_int(const struct ay_call *c, const char *name);
double ay_float(const struct ay_call *c, const char *name);
bool ay_flag(const struct ay_call *c, const char *name);
/* Returns true for a Scalar, and for a plain number given for a Tensor. */
bool ay_is_number(const struct ay_call *c, const char *name);
const char *ay_text(const struct ay_call *c, const char *name);
/* Returns element i of an int[]; ay_list_count returns their number. */
int64_t ay_int_at(const struct ay_call *c, const char *name, int i);
int ay_list_count(const struct ay_call *c, const char *name);
/* Returns a ScalarType argument; dt if it is None. */
enum ay_dt ay_dtype_or(const struct ay_call *c, const char *name, enum ay_dt dt);
/* Returns the argument `name` as a dimension of v, from 0. Fails if it is out of range. */
int ay_dim(const struct ay_call *c, const char *name, const struct ay_view *v, struct ay_err *err);

/* For struct ay_op's .result: stores the broadcast shape and the promoted dtype of the named
 * arguments (Tensors and Scalars). The names end with NULL. */
int ay_result_broadcast(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, ...);
/* Stores only the promoted dtype, for operators with their own rule for shapes. */
int ay_result_dtype(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, const char *name);
/* If the argument memory_format is given, stores the strides that it requires of a result with v's
 * shape. They are dense, channels last, or for preserve_format v's own strides if v has no gaps.
 * Promises nothing if a dimension has fewer than two elements. */
void ay_result_format(const struct ay_call *c, const struct ay_view *v, struct ay_meta *m);
/* Stores shape and dtype of the first tensor argument. This is the default for operators
 * without .result. */
int ay_result_like_first(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
/* Like ay_result_like_first, but with f32 in place of integers and bools: for functions whose
 * values are not integers. */
int ay_result_float(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
/* For struct ay_op's .accepts of such operators. Fails if self is an 8-bit float, or complex
 * without `complex_too`. An out= argument must have the dtype of the result, because a value that
 * is rounded twice is not judged. */
int ay_accepts_float(const struct ay_call *c, bool complex_too, struct ay_err *err);

#endif
