/* SPDX-License-Identifier: Apache-2.0
 *
 * call - a case line fitted to a schema: every argument has its value, every tensor its shape, layout, fill and
 * role, every result its shape and dtype. A call has no memory of its own until somebody gives `data` to its
 * operands: the judge does, and the references read there.
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
	AY_INOUT,  /* an argument that is read and written (in-place self, C of gemm) */
	AY_OUT,    /* an argument that is only written (out=, or the operator's fill `out`) */
	AY_RESULT, /* a tensor that the call returns */
};

/* One tensor of a call. */
struct ay_operand {
	struct ay_view view; /* inputs: what the judge made; written operands: what the kernel left there */
	struct ay_view old;  /* AY_INOUT: the content before the call */
	enum ay_role role;
	const char *name;            /* of its argument or result */
	int ordinal;                 /* place among all operands: the generator's stream */
	struct ay_fill fill;         /* resolved: name is never NULL, arguments are numbers */
	const struct ay_value *data; /* data= of the line, or the number that stands for a tensor; NULL = filled */
	bool wrapped;                /* a plain number given for a Tensor: counts less in promotion */
	bool has_stride;             /* AY_RESULT: its strides are promised */
	bool may_alias, absent;      /* AY_RESULT: see ay_meta */
	bool fresh;                  /* likewise */
	uint32_t resolved;           /* likewise */
	const struct ay_tdesc *desc; /* where it stands in the line; NULL for results and wrapped numbers */
};

/*
 * One bound argument. Tensors and tensor lists are in `t` (NULL entries are None); everything else is in `v`, in
 * the form its type asks for: float is FLOAT also where an int was written, lists are LISTs, ScalarType is DTYPE,
 * Layout and MemoryFormat are INTs with the codes of kernel.h, Device is STR, Generator and None are NONE.
 */
struct ay_barg {
	const struct ay_sarg *s;
	struct ay_value v;
	int n;
	struct ay_operand **t;
	struct ay_view scalar;       /* a Scalar seen as a 0-dim tensor: b8, i64, f64 or c128 */
	long double scalar_store[2]; /* its content */
};

/* Shape, dtype and strides of a result; starts as a contiguous one of unknown dtype. */
struct ay_meta {
	enum ay_dt dt;
	int ndim;
	int64_t shape[AY_MAX_DIM];
	bool has_stride; /* the operator promises these, which may share or skip memory */
	int64_t stride[AY_MAX_DIM];
	bool may_alias;    /* with an argument */
	bool absent;       /* it gives none (output_mask): an empty one stands for it */
	bool fresh;        /* in memory of its own, also where the schema lets it share an argument's */
	uint32_t resolved; /* AY_CONJ, AY_NEG of kernel.h: it is no view of that kind */
};

/* What one written operand should hold, of a call whose operator has no reference here. */
struct ay_answer {
	struct ay_meta meta;
	struct ay_view want; /* f64, c128, i64 or b8; dense */
	const double *mag;   /* per element, as ay_mag of op.h; NULL = exactly this */
};

struct ay_expected {
	int n; /* in the order of ay_call.out */
	struct ay_answer *answer;
	bool blank; /* without values: what the results are like is known, not what they are */
};

struct ay_call {
	const struct ay_op *op;
	const struct ay_schema *s;
	const struct ay_case *line;
	struct ay_barg *arg; /* s->narg of them */
	int noperand;
	struct ay_operand **operand; /* all tensors: arguments in order, lists flattened, then results */
	int nout;
	struct ay_operand **out; /* those that are written, in that order */
	int nscalar_out;         /* results that are not tensors (item) */
	uint64_t seed;
	struct ay_key key; /* of the inputs, from the seed */
	const struct ay_expected
		*given; /* AY_UNCATALOGUED: the answer; NULL: the call is open, its results are not known yet */
};

/*
 * Binds a line to a schema of op: positional, keyword, default; int widens to float, Scalar and int[n]; enum
 * defaults may be integers. Borrows line and op, which must outlive the call. The line's seed is used if it has
 * one.
 */
int ay_call_bind(struct ay_arena *a, const struct ay_op *op, const struct ay_schema *s, const struct ay_case *line,
		 struct ay_call **out, struct ay_err *err);
/* The rest of it, for a call of an operator whose answers come from elsewhere (AY_UNCATALOGUED): ay_call_bind leaves that
 * open. */
int ay_call_close(struct ay_arena *a, struct ay_call *c, const struct ay_expected *given, struct ay_err *err);
/* A copy of its arguments, with room for so many more, whose scalars are the copy's own. */
struct ay_barg *ay_call_copy_args(struct ay_arena *a, const struct ay_call *c, int more);
/* The line again, with every fill and the seed written out: what reproduces the call under any version. */
struct ay_case *ay_call_line(struct ay_arena *a, const struct ay_call *c);

/* Arguments by name. A name that the schema has not is a bug of the caller, except for ay_has_arg. */
bool ay_has_arg(const struct ay_call *c, const char *name);
bool ay_is_none(const struct ay_call *c, const char *name);
/* A Tensor, or a Scalar as a 0-dim tensor; NULL for None. */
const struct ay_view *ay_t(const struct ay_call *c, const char *name);
const struct ay_operand *ay_operand(const struct ay_call *c, const char *name);
/* Element i of a tensor list; NULL for None. */
const struct ay_view *ay_t_at(const struct ay_call *c, const char *name, int i);
int ay_t_count(const struct ay_call *c, const char *name);
int64_t ay_int(const struct ay_call *c, const char *name);
double ay_float(const struct ay_call *c, const char *name);
bool ay_flag(const struct ay_call *c, const char *name);
/* A Scalar, or a plain number given for a Tensor? */
bool ay_is_number(const struct ay_call *c, const char *name);
const char *ay_text(const struct ay_call *c, const char *name);
/* Element i of an int[]; ay_list_count gives how many. */
int64_t ay_int_at(const struct ay_call *c, const char *name, int i);
int ay_list_count(const struct ay_call *c, const char *name);
/* A ScalarType argument; dt if it is None. */
enum ay_dt ay_dtype_or(const struct ay_call *c, const char *name, enum ay_dt dt);
/* The argument `name` as a dimension of v, wrapped; ay_fail if it is outside. */
int ay_dim(const struct ay_call *c, const char *name, const struct ay_view *v, struct ay_err *err);

/* For struct ay_op's .result: the broadcast shape and promoted dtype of the named arguments (Tensors, Scalars),
 * the list of names ended by NULL. */
int ay_result_broadcast(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, ...);
/* The promoted dtype alone, for operators that have their own rule for shapes. */
int ay_result_dtype(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, const char *name);
/* The strides that the argument memory_format asks of a result of v's shape, where it is given: dense, or with the
 * channels last, or v's own for preserve_format if v has no gaps. Nothing is promised of dimensions of size 1. */
void ay_result_format(const struct ay_call *c, const struct ay_view *v, struct ay_meta *m);
/* Shape and dtype of the first tensor argument; what an operator without .result gets. */
int ay_result_like_first(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
/* The same with f32 in place of integers and bools: functions whose values are no integers. */
int ay_result_float(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
/* For their .accepts: self is no 8-bit float, and complex only if they take that; an out= has the dtype of the result,
 * since what is rounded twice is not judged. */
int ay_accepts_float(const struct ay_call *c, bool complex_too, struct ay_err *err);

#endif
