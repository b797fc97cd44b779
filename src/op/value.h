/* SPDX-License-Identifier: Apache-2.0
 *
 * value - the values in a case line: numbers, strings, tensors, lists. A value is a tree in
 * one arena.
 */
#ifndef AY_OP_VALUE_H
#define AY_OP_VALUE_H

#include "base/str.h"
#include "tensor/shape.h"

#include <stdbool.h>
#include <stdint.h>

enum ay_kind {
	AY_V_NONE,
	AY_V_BOOL,
	AY_V_INT,
	AY_V_FLOAT,
	AY_V_COMPLEX,
	AY_V_STR,
	AY_V_DTYPE,
	/* torch.strided, torch.preserve_format, torch.device('cpu'): s = text after "torch." */
	AY_V_SYM,
	AY_V_TENSOR,
	AY_V_LIST,
	AY_V_EXPR, /* only in templates: an expression over grid variables */
};

struct ay_tdesc;
struct ay_expr;

struct ay_value {
	enum ay_kind kind;
	int col; /* column in its line, 1-based; 0 = not from a line */
	union {
		bool b;
		int64_t i;
		double f, c[2];
		const char *s;
		enum ay_dt dt;
		struct ay_tdesc *t;
		struct {
			struct ay_value *v;
			int n;
		} list;
		const struct ay_expr *x;
	};
};

/* fill=name(args): how a tensor is filled. name NULL: the operator's default. */
struct ay_fill {
	const char *name;
	int n;
	struct ay_value *arg;
};

/* T([shape], dtype, stride=, offset=, fill=, data=, device=, conj=, neg=) */
struct ay_tdesc {
	int ndim;
	int64_t shape[AY_MAX_DIM], stride[AY_MAX_DIM], offset;
	bool has_stride, conj, neg;
	enum ay_dt dt;
	const char *device; /* as written, or NULL */
	struct ay_fill fill;
	struct ay_value *data; /* a LIST of numbers in row-major order, or NULL */
	/* only in templates: the parts that are not literals yet (NULL = literal) */
	const struct ay_expr *shape_x; /* a name that stands for the whole shape */
	const struct ay_expr *dim_x[AY_MAX_DIM], *stride_xs[AY_MAX_DIM], *dt_x, *offset_x, *stride_x;
	const struct ay_expr *conj_x, *neg_x;
};

/* Adds the canonical form of a value, as in a case line. */
void ay_value_print(struct ay_str *b, const struct ay_value *v);
bool ay_value_equal(const struct ay_value *a, const struct ay_value *b);
/* Returns "an int", "a tensor" and so on, for messages. */
const char *ay_kind_name(enum ay_kind k);

#endif
