/* SPDX-License-Identifier: Apache-2.0
 *
 * op - everything that an operator's file includes: how an operator is described, and the number
 * types of references.
 *
 * A file under ops/ exports one {0}-ended table `ay_ops_<stem>`. Nothing else has to change to add
 * an operator. The file is compiled four times, with num = double, long double, double complex and
 * long double complex, and `real` as the matching real type. So one plain text is the oracle for
 * every dtype: double for results up to f32, long double for f64 and integers, and the complex
 * types for complex dtypes. <tgmath.h> selects the functions. To compare two numbers write re(x) <
 * re(y), because complex numbers have no order.
 *
 * A reference computes rows [lo, hi) of every output. It gives each value as a number; rounding to
 * the dtype and comparing is the oracle's task. For each value it also gives the error that a
 * careful kernel may make (see ay_mag).
 */
#ifndef AY_OP_OP_H
#define AY_OP_OP_H

#include "base/rng.h"
#include "op/call.h"
#include "tensor/promote.h"
#include "tensor/error_weight.h"

enum ay_tier {
	/* edges and small shapes: what `assay check` runs, and where every mutant must fail */
	AY_QUICK,
	AY_FULL, /* the whole grid */
	AY_PERF, /* shapes worth timing */
};

enum {
	AY_EXACT = 1, /* the result is a copy or a choice of inputs: bits must be equal */
	AY_META = 2,  /* only shape, dtype and strides are promised */
	AY_VIEW = 4,  /* PyTorch returns a view; a native kernel writes a dense result */
	/* judged by support and distribution; every element is drawn independently */
	AY_RANDOM = 8,
	AY_DENSE_ONLY = 16, /* strided inputs are not part of its contract */
	AY_ALIAS_SAFE = 32, /* element i of the result depends only on element i of self */
	/* integer results round a real value: right if within 0.5 + bound of it */
	AY_ROUNDED = 64,
	AY_EXTRA = 128, /* not one of the 210 operators of the suite */
	/* sums and products only: with fill=exact everywhere, the result must be exact */
	AY_INTEGRAL = 512,
	/* several answers are right: `check` decides, the reference gives one of them */
	AY_ANY_ORDER = 256,
	/* not in the catalogue: its answers come from elsewhere (struct ay_expected) */
	AY_UNCATALOGUED = 1024,
	/* all elements are one number by definition: a constant answer is not a weak case */
	AY_CONSTANT = 2048,
	AY_ONE = 4096, /* the result is one element */
	/* every case is also a case of the out= form, not only some of them */
	AY_TWINS = 8192,
	AY_OWN = 32768, /* AY_UNCATALOGUED, from a user's file, which has the reference */
	/* Row i of the results (see rows) depends only on fibre i of the tensors that have the
	 * results' shape, and on the other tensors. */
	AY_BY_ROWS = 16384,
	AY_CONVERTS = 65536, /* copies elements into another dtype, an i64 too, rounded once */
};

/* Row i of an output is its i-th fibre along axis. */
enum { AY_FLAT = -1 /* every element is a row */, AY_WHOLE = -2 /* the output is one row */ };
struct ay_rowmap {
	int64_t rows, len;
	int axis;
};

struct ay_ref {
	const struct ay_call *c;
	int64_t lo, hi;
	struct ay_arena *tmp;
	/* per output: elements in a row; 0: this output has no rows in this range */
	int64_t *len;
	void **val;   /* per output: (hi - lo) * len numbers */
	double **mag; /* per output: (hi - lo) * len error weights */
	/* per output: (hi - lo) * len 2-norms of the terms; only to distinguish TF32 from
	 * other errors */
	double **norm;
	const void *shared; /* what prepare() returned; NULL without prepare() */
	/* For mutants of the reference itself (0 = none): significand bits of accumulators and of
	 * f32 inputs. */
	int acc_bits, in_bits;
	/* all outputs are integers: acc() and ay_times() keep the low 64 bits, as integers wrap */
	bool wraps;
};

struct ay_draws;

/* What a check() found wrong. It sets the fields that it knows; `bad` counts elements. */
struct ay_finding {
	int out;
	/* index: flat index of the first bad element, -1 if no particular one */
	int64_t bad, index;
	double want, got, bound;
	char text[240]; /* empty: nothing wrong was found */
	/* AY_RANDOM: NULL, or receives the deviations of the draws of an output with draws->n
	 * elements, if the check computes them; else draws->row stays 0 */
	struct ay_draws *draws;
};

/* The cost of a call. `bytes` is a lower limit: the bytes that every correct algorithm must touch,
 * whatever the inputs hold. Bytes that an early exit, a repeated index or a block that no index
 * names can save are not counted. Neither is writing back what was read, where it may be unchanged.
 * `flops` are those of the usual algorithm; 0 = not counted. */
struct ay_cost {
	double flops, bytes; /* bytes < 0: each tensor once */
};

/* Returns the bytes that a tensor's elements occupy; an expanded dimension counts once. */
static inline double ay_touched(const struct ay_view *v)
{
	return (double)ay_view_touched(v) * ay_dt_info(v->dt)->bytes;
}

/* A product of matrices, or of a stack of them: row i of the result is fibre i of `left` along
 * its last dimension, times matrix i / rows of `right`. A bias, if there is one, is one more term
 * of each sum. If `scaled`, the result is alpha times the sum plus beta times the previous
 * content of `c`. */
struct ay_factors {
	const struct ay_operand *a, *b; /* the operands that left and right are views of */
	/* [.., rows, k] and [.., columns, k], with the same leading dimensions */
	struct ay_view left, right;
	int64_t rows, columns, k; /* of one matrix */
	/* one element for each column, or one for all; NULL: no bias */
	const struct ay_view *bias;
	const struct ay_operand *c; /* scaled: the operand with the previous content */
	bool scaled;                /* alpha and beta apply */
	double alpha, beta;
};

/* A stream of random numbers, uniform in (0, 1), from which an operator's correct draws
 * are made. */
struct ay_chance {
	struct ay_key key;
	uint64_t n, bits[4];
};
double ay_chance_next(struct ay_chance *u);

/* A fill that belongs to an operator: makes element `i` (its storage position) from 64 random bits
 * and the call. */
struct ay_maker {
	const char *name;
	double (*make)(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		       uint64_t bits);
	/* Makes elements [lo, hi), each from the first of its two words in `bits`. For makers that
	 * prepare something before the first element. NULL: use make() for each element. */
	void (*many)(const struct ay_call *c, const struct ay_operand *o, int64_t lo, int64_t hi,
		     const uint64_t (*bits)[2], double *dst);
	/* an element depends on its random bits and the fill's arguments alone, so that it may stand
	 * anywhere in the tensor */
	bool anywhere;
};

/* Generates one element, given its storage position (or logical index, for ordered fills). For
 * makers whose tensor follows from another tensor. */
void ay_fill_one(const struct ay_call *c, const struct ay_operand *o, int64_t position, void *dst);

/* Makers that operators share (input_domain.c), for example places(n, dim): indices into a
 * dimension of size n, none twice along dim; steps(n): increasing from 0; nonzero;
 * halves(n). {0}-ended. */
extern const struct ay_maker ay_input_domain_makers[];

struct ay_cases {
	const char *line, *grid; /* see grid.h; a line without a name belongs to the first schema */
	enum ay_tier tier;
};

enum { AY_MAX_CASES = 48, AY_MAX_VARY = 8 };

/* What may vary in calls of the operator, and what must hold between the arguments. Cases that a kernel
 * author cannot know beforehand are drawn from this (drawn.h). The line is a template as in struct ay_cases. Of
 * each slot one value is chosen, which may use the slots before it and the functions of drawn.h:
 *   line  ((T(s, dt), d), {})      slots  "s=shape(1, 6) d=dim(s) dt=f32|f16|i64" */
struct ay_vary {
	const char *line, *slots;
};

struct ay_op {
	/* NULL-ended, principal schema first; forms of one function are found by signature */
	const char *const *schemas;
	const char *doc; /* the formula, then one paragraph */
	struct ay_cases cases[AY_MAX_CASES];
	struct ay_vary vary[AY_MAX_VARY];
	/* Fills for lines that do not name one: "weight=uniform(0.5, 1.5);
	 * index=index(size(self, dim))". */
	const char *fills;
	const struct ay_maker *makers; /* {0}-ended */
	/* Fails if the call is not legal. NULL: every call that can be bound is legal. */
	int (*accepts)(const struct ay_call *c, struct ay_err *err);
	/* Describes result k, counting only results that are not arguments. NULL: like the first
	 * tensor argument. */
	int (*result)(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
	/* Returns the number of tensors in a result that is a list; NULL: 1. The k of result()
	 * counts each of them. */
	int (*length)(const struct ay_call *c);
	/* Describes the rows of output k. NULL: AY_FLAT. */
	void (*rows)(const struct ay_call *c, int k, struct ay_rowmap *m);
	/* For reductions whose rows are AY_FLAT: returns a view of the first tensor such that
	 * element i of the results depends only on elements [i * n, (i + 1) * n) of it, in
	 * row-major order. NULL: unknown. */
	struct ay_view (*runs)(const struct ay_call *c, int64_t *n);
	/* Describes the call as a product; returns false if it is not one. NULL: it never is. */
	bool (*factors)(const struct ay_call *c, struct ay_factors *f);
	/* Called once per sweep, before any row. Returns what all rows share (a largest value, a
	 * table of places), allocated in r->tmp, which lives as long as the sweep. `r` has no
	 * rows yet. */
	const void *(*prepare)(struct ay_ref *r);
	void (*reference)(struct ay_ref *r);
	/* Stores result k of the results that are not tensors (item): a BOOL, INT, FLOAT or
	 * COMPLEX, judged exactly. Required if a schema has such results. */
	void (*scalar)(const struct ay_call *c, int k, struct ay_value *want);
	/* Runs after the reference, or instead of it: `got` are the complete outputs. */
	void (*check)(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f);
	/* AY_RANDOM: stores for every element of the first output, in row-major order, log2 of the
	 * probability of its likeliest value, or of an upper limit of that: 0 where nothing is
	 * drawn. */
	void (*log2_top)(const struct ay_call *c, double *log2_p);
	/* AY_RANDOM: overwrites what the reference has stored in the outputs with a correct random
	 * result, drawn from u. */
	void (*draw)(const struct ay_call *c, struct ay_chance *u);
	void (*cost)(const struct ay_call *c, struct ay_cost *cost);
	double k_out; /* ulps that a careful kernel's result may be off by; 0 = 1 */
	/* text for the operator's page: which intermediates careful kernels round to the
	 * storage dtype */
	const char *rounds;
	/* text for the operator's page: what is not promised (order of ties, ...) */
	const char *promises;
	/* Returns why ATen on the CPU does not answer this call as described here, if that is
	 * known; NULL: it does. The pointer is NULL if ATen never differs. The reason excuses only
	 * ATen, and only where it does fail: docs/verdicts.md. */
	const char *(*aten_differs)(const struct ay_call *c);
	/* Like aten_differs, for ATen on a GPU; the observations are in bench/h200.md. */
	const char *(*cuda_differs)(const struct ay_call *c);
	/* AY_UNCATALOGUED: returns true if torch's result on a GPU has another dtype or shape,
	 * which is right there. */
	bool (*is_cudas_own)(const struct ay_call *c);
	unsigned flags;
	const char *const *names; /* other names, NULL-ended */
};

#define AY_SCHEMAS(...)           \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* The reference of AY_UNCATALOGUED operators, one per number type: copies the call's
 * expected answer. */
void ay_expected_reference_d(struct ay_ref *r);
void ay_expected_reference_ld(struct ay_ref *r);
void ay_expected_reference_z(struct ay_ref *r);
void ay_expected_reference_lz(struct ay_ref *r);

/* Returns true if an argument is a tensor, not a number, of another dtype than dt. */
bool ay_is_converted(const struct ay_call *c, const char *name, enum ay_dt dt);

/* Rows along the last axis, along the argument `dim`, or the whole output as one row. */
void ay_rows_last(const struct ay_call *c, int k, struct ay_rowmap *m);
void ay_rows_dim(const struct ay_call *c, int k, struct ay_rowmap *m);
void ay_rows_whole(const struct ay_call *c, int k, struct ay_rowmap *m);

/* The error bound is k_out * ulp(want) + k_acc * u_acc * mag, with k_acc = 4. u_acc is the unit
 * roundoff of a careful kernel's accumulator: f32 for dtypes up to f32 and c64, else f64. */
#define AY_K_ACC 4.0
/* k_out for a result that must be one particular number: no other number is within this many
 * ulps, not even below a power of two. With weight 0, comparing with this bound is faster than an
 * exact comparison. */
#define AY_K_SAME 0.25
double ay_u_acc(enum ay_dt dt);
/* Returns sqrt(n) + min(n, 65536)/32: a random walk, plus the bias of accumulators
 * that truncate. */
double ay_growth(int64_t n);
/* Returns the mag of a sum of n terms: growth(n) * max(|want|, sqrt(sum of squares), largest
 * |prefix sum|). */
double ay_err_sum(int64_t n, double want, double sumsq, double prefix);
/* Returns what to add to mag so that the bound grows by 2 * u_dt * r, for an intermediate of size r
 * that is rounded to dt. `out` is the dtype of the result. */
double ay_err_round(enum ay_dt out, enum ay_dt dt, double r);
/* Returns a mag that lets a result of size r be lost completely, if `e` is subnormal in the
 * accumulator; else 0. `e` is an exponential that the result is a multiple of. Kernels flush such
 * an `e` to zero. */
double ay_err_flush(enum ay_dt out, double e, double r);

/* Statistics with a stated false-alarm rate. The draws x_i have |x_i - p_i| <= 1 and variance v_i,
 * and are independent (or a martingale). Then P(|sum (x_i - p_i)| > t) <= 2 exp(-t^2 / (2 (V +
 * t/3))) by Bernstein's inequality, for any n. Returns the t that is exceeded with probability at
 * most alpha. */
double ay_bernstein(double variance, double alpha);
/* The false-alarm rate of all tests of one random case together: 1000 such cases stay
 * under 1e-6. */
#define AY_ALPHA_CASE 1e-9

/* Draws as deviations from their expected values: d_i = g(x_i) - E g(x_i) for some g, with |d_i| <=
 * 1, and their variances (or upper limits of them). Both are 0 where nothing was drawn. Generators
 * with a granularity of 2^-20 are accepted. A test returns false, with the reason in *f, if the
 * deviations are more than chance. */
struct ay_draws {
	int64_t n, row; /* in row-major order; row: elements of a line along the last axis */
	double *d, *v;
};
/* Stores all elements of v as doubles, broadcast to the shape of `like`. */
void ay_draws_load(const struct ay_view *v, const struct ay_view *like, double *dst);
/* Stores doubles into the elements of v; each is rounded once. */
void ay_draws_store(const struct ay_view *v, const double *src);

/* Tests the sum of n deviations against the sum of their variances. */
bool ay_draws_within(const char *what, double sum, double var, double n, double alpha, struct ay_finding *f);
/* Tests the sum of d over each of up to 64 groups (group NULL: one group). Each group raises a
 * false alarm with probability alpha. */
bool ay_draws_sum(const struct ay_draws *s, const char *what, const uint8_t *group, int groups, double alpha,
		  struct ay_finding *f);
/* Tests whether the draws depend on their place or on earlier draws. The false-alarm rate of all
 * these tests together is half of AY_ALPHA_CASE. */
bool ay_draws_places(const struct ay_draws *s, struct ay_finding *f);
/* Tests whether the draws of two results depend on each other, at any distance between their places,
 * forwards and backwards. Of more than 2^17 draws the first ones are tested. Raises a false alarm with
 * probability AY_ALPHA_CASE / 1000 at most. */
bool ay_draws_apart(const struct ay_draws *a, const struct ay_draws *b, struct ay_finding *f);
/* AY_RANDOM: returns an upper limit of log2 of the probability that two correct results are equal
 * bit for bit. */
double ay_draws_log2_same(const struct ay_op *op, const struct ay_call *c);

/* A continuous probability law, and the dtype that its draws are rounded to. */
struct ay_law {
	double (*below)(const struct ay_law *l, double x);    /* returns P(draw <= x) */
	double (*quantile)(const struct ay_law *l, double u); /* its inverse, 0 < u < 1 */
	double a, b;                                          /* parameters */
	enum ay_dt dt;
};
/* Tests draws x of one law, NaN where nothing was drawn. Uses the whole of AY_ALPHA_CASE, with the
 * tests of places included. Draws must have at least about 2^19 values, if the dtype has them. */
bool ay_law_check(const struct ay_law *l, int64_t n, int64_t row, const double *x, struct ay_finding *f);

/* --- number types ----------------------------------------------------------------------------- */
#if defined AY_NUM_d
typedef double num, real;
#define AY_NUM(f) f##_d
#elif defined AY_NUM_ld
typedef long double num, real;
#define AY_NUM(f) f##_ld
#elif defined AY_NUM_z
typedef double complex num;
typedef double real;
#define AY_NUM(f) f##_z
#elif defined AY_NUM_lz
typedef long double complex num;
typedef long double real;
#define AY_NUM(f) f##_lz
#endif

#ifdef AY_NUM
#include <math.h>
#include <tgmath.h>
#undef I
#define re(x)          ((real)creal(x))
#define ay_tmp         AY_NUM(ay_tmp)
#define ay_load        AY_NUM(ay_load)
#define ay_load_flat   AY_NUM(ay_load_flat)
#define ay_get         AY_NUM(ay_get)
#define ay_number      AY_NUM(ay_number)
#define ay_cast        AY_NUM(ay_cast)
#define ay_round_bits  AY_NUM(ay_round_num)
#define ay_err_convert AY_NUM(ay_err_convert)

/* Allocates n numbers that live as long as the range. */
num *ay_tmp(struct ay_ref *r, int64_t n);
/* Loads fibre `row` of v along axis (negative: from the end) into dst, densely. */
void ay_load(const struct ay_ref *r, const struct ay_view *v, int axis, int64_t row, num *dst);
/* Returns elements [lo, hi) of v, broadcast to the shape of output k, in row-major order. For
 * AY_FLAT references. */
num *ay_load_flat(struct ay_ref *r, const struct ay_view *v, int k);
/* Returns the element with flat index i. */
num ay_get(const struct ay_ref *r, const struct ay_view *v, int64_t i);
/* Returns a Scalar, float, int or bool argument as a number. */
num ay_number(const struct ay_call *c, const char *name);
num ay_round_bits(num x, int bits);
/* Converts x, of dtype `from`, to dtype `to` as a copy does, and stores the error weight for k_out
 * = AY_K_SAME. Floats are rounded to nearest even. Float to integer drops the fraction (AY_FREE if
 * the value does not fit). Integers wrap. Every value but 0 becomes True. Complex to real drops the
 * imaginary part. From f64, i32 and i64 to half types PyTorch goes through f32: where rounding
 * twice makes a difference, either neighbour is right. */
num ay_cast(enum ay_dt from, enum ay_dt to, num x, double *mag);
/* PyTorch converts a tensor of another dtype to the result's before it computes: a 0-dim f32 beside an
 * f16 tensor is rounded to f16. Kernels may, or compute with the element itself. Returns what to add to
 * mag for element x of such a tensor, a term of a result of dtype `to`. AY_FREE: `to` does not hold x. */
double ay_err_convert(enum ay_dt to, num x);

/* Returns where to store the value of element j of row `row` (absolute) of output k. */
static inline num *ay_val(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return (num *)r->val[k] + (row - r->lo) * r->len[k] + j;
}

/* Returns where to store the error weight of element j of row `row`, in units of u_acc,
 * growth included. 0: only rounding to the dtype is allowed. Negative: exactly this value.
 * AY_FREE: not judged by the bound, because `check` judges it or because nothing is promised
 * about this element. */
#define AY_FREE (-INFINITY)
static inline double *ay_mag(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return r->mag[k] + (row - r->lo) * r->len[k] + j;
}

/* Returns where to store the 2-norm of the terms that were added up for element j of row `row`, if
 * it is a sum. */
static inline double *ay_norm(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return r->norm[k] + (row - r->lo) * r->len[k] + j;
}

/* Returns x modulo 2^64, as an i64 holds it. x is the exact sum or difference of two i64, for which
 * a long double has bits enough. */
static inline num ay_wrapped(num x)
{
	const real two_63 = 0x1p63, two_64 = 2 * two_63;

	return re(x) >= two_63 ? x - two_64 : re(x) < -two_63 ? x + two_64 : x;
}

/* Returns the low 64 bits of the product of two i64, which no num holds completely. */
static inline num ay_wrapped_product(num x, num y)
{
	return (num)(int64_t)((uint64_t)(int64_t)re(x) * (uint64_t)(int64_t)re(y));
}

/* Write products that are added up as ay_times(r, x, y): those of integers wrap. */
static inline num ay_times(const struct ay_ref *r, num x, num y)
{
#ifdef AY_NUM_ld /* integers always are */
	if (r->wraps)
		return ay_wrapped_product(x, y);
#endif
	(void)r;
	return x * y;
}

/* Write accumulations as sum = acc(r, sum + term). Those of integers wrap. Mutants of the reference
 * narrow the accumulator here. */
static inline num acc(const struct ay_ref *r, num x)
{
	if (__builtin_expect(!r->acc_bits, 1))
#ifdef AY_NUM_ld
		return r->wraps ? ay_wrapped(x) : x;
#else
		return x;
#endif
#ifdef AY_NUM_d
	/* gives the same result, and handles most of what the reference backend does */
	if (r->acc_bits == 24 && fabs(x) >= 0x1p-126 && fabs(x) < 0x1p127)
		return (float)x;
#endif
	return ay_round_bits(x, r->acc_bits);
}
#endif

#endif
