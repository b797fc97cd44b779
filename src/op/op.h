/* SPDX-License-Identifier: Apache-2.0
 *
 * op - all that an operator's file includes: how an operator is described, and the number types of references.
 *
 * A file under ops/ exports one {0}-ended table `ay_ops_<stem>`; nothing else has to be touched to add an
 * operator. The file is compiled four times, with num = double, long double, double complex and long double
 * complex (and real = the real one of them), so that one plain text is the oracle of every dtype: double for
 * results up to f32, long double for f64 and integers, the complex ones likewise. <tgmath.h> picks the functions.
 * Where two numbers are compared write re(x) < re(y): complex numbers have no order.
 *
 * A reference computes rows [lo, hi) of every output: values as numbers (rounding to the dtype and comparing is
 * the oracle's business) and, for each, how much error an honest kernel may make (see ay_mag).
 */
#ifndef AY_OP_OP_H
#define AY_OP_OP_H

#include "base/rng.h"
#include "op/call.h"
#include "tensor/promote.h"
#include "tensor/error_weight.h"

enum ay_tier {
	AY_QUICK, /* edges and small shapes: what `assay check` runs, and where mutants must die */
	AY_FULL,  /* the whole grid */
	AY_PERF,  /* shapes worth timing */
};

enum {
	AY_EXACT = 1,           /* the result is a copy or a choice of inputs: bits must be equal */
	AY_META = 2,            /* only shape, dtype and strides are promised */
	AY_VIEW = 4,            /* PyTorch returns a view; a native kernel writes a dense result */
	AY_RANDOM = 8,          /* judged by support and distribution; every element is drawn for itself */
	AY_DENSE_ONLY = 16,     /* strided inputs are not part of its contract */
	AY_ALIAS_SAFE = 32,     /* element i of the result depends on element i of self alone */
	AY_ROUNDED = 64,        /* integer results round a real value: within 0.5 + bound of it is right */
	AY_EXTRA = 128,         /* not one of the 210 */
	AY_INTEGRAL = 512,      /* sums and products only: with fill=exact everywhere the result must be exact */
	AY_ANY_ORDER = 256,     /* several answers are right: `check` decides, the reference shows one of them */
	AY_UNCATALOGUED = 1024, /* not in the catalogue: its answers come from elsewhere (struct ay_expected) */
	AY_CONSTANT = 2048,     /* all elements are one number by its meaning: no case is weak for that */
	AY_ONE = 4096,          /* one element is all that it gives */
	AY_TWINS = 8192,        /* every case is one of its out= form too, not some of them */
	AY_OWN = 32768,         /* AY_UNCATALOGUED, of a file of the user's: that has its reference */
	AY_BY_ROWS =
		16384, /* row i of the results (see rows) depends on the same fibre of those tensors that have the
			       results' shape, and on others */
};

/* Row i of an output: its i-th fibre along axis. */
enum { AY_FLAT = -1 /* every element is a row */, AY_WHOLE = -2 /* the output is one row */ };
struct ay_rowmap {
	int64_t rows, len;
	int axis;
};

struct ay_ref {
	const struct ay_call *c;
	int64_t lo, hi;
	struct ay_arena *tmp;
	int64_t *len;       /* per output: elements in a row; 0 = this output has no rows in this range */
	void **val;         /* per output: (hi - lo) * len numbers */
	double **mag;       /* per output: as many error weights */
	double **norm;      /* per output: as many 2-norms of the terms; only to tell TF32 from other errors */
	const void *shared; /* what prepare() returned; NULL */
	/* Mutants of the reference itself (0 = none): significand bits of accumulators and of f32 inputs. */
	int acc_bits, in_bits;
};

/* What a check() found wrong. It fills in what it knows; `bad` counts elements. */
struct ay_finding {
	int out;
	int64_t bad, index; /* index: flat index of the first bad element, -1 if none in particular */
	double want, got, bound;
	char text[240]; /* empty: nothing was found */
};

/*
 * What a call costs. bytes are the floor of its time: those that every correct algorithm must touch, whatever the
 * inputs hold. What an early exit, a repeated index or a block that nobody names can spare is not counted; nor is
 * writing back what was read, where it may be unchanged. flops are those of the usual algorithm, 0 = none counted.
 */
struct ay_cost {
	double flops, bytes; /* bytes < 0: each tensor once */
};

/* Bytes that a tensor's elements lie in; an expanded dimension counts once. */
static inline double ay_touched(const struct ay_view *v)
{
	return (double)ay_view_touched(v) * ay_dt_info(v->dt)->bytes;
}

/*
 * A product of matrices, or of a stack of them: row i of the result is fibre i of `left` along its last dimension times
 * matrix i / rows of `right`; plus the bias, if there is one, as one more term of each sum; or alpha times the sum plus
 * beta times what was there before.
 */
struct ay_factors {
	const struct ay_operand *a, *b; /* what left and right are views of */
	struct ay_view left, right;     /* [.., rows, k] and [.., columns, k], with the same dimensions before */
	int64_t rows, columns, k;       /* of one matrix */
	const struct ay_view *bias;     /* one for each column, or for all; NULL: none */
	const struct ay_operand *c;     /* scaled: what was there before */
	bool scaled;                    /* alpha and beta count */
	double alpha, beta;
};

/* What honest draws are made of: number after number, uniform in (0, 1). */
struct ay_chance {
	struct ay_key key;
	uint64_t n, bits[4];
};
double ay_chance_next(struct ay_chance *u);

/* A fill of an operator's own: element `i` (storage position) from 64 random bits and the call. */
struct ay_maker {
	const char *name;
	double (*make)(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		       uint64_t bits);
	/* The same of elements [lo, hi), from the first of each two words, for whoever has much to look up before he can
	 * make one; NULL: one after the other. */
	void (*many)(const struct ay_call *c, const struct ay_operand *o, int64_t lo, int64_t hi,
		     const uint64_t (*bits)[2], double *dst);
};

/* The element at one storage position (or logical index, for ordered fills) alone. For makers whose tensor follows
 * from another one. */
void ay_fill_one(const struct ay_call *c, const struct ay_operand *o, int64_t position, void *dst);

/* Makers that operators share (input_domain.c): places(n, dim), indices into a dimension of size n, none twice along dim;
 * steps(n), increasing from 0; nonzero; halves(n); ... {0}-ended. */
extern const struct ay_maker ay_input_domain_makers[];

struct ay_cases {
	const char *line, *grid; /* see grid.h; a line without a name is the first schema's */
	enum ay_tier tier;
};

enum { AY_MAX_CASES = 24 };

struct ay_op {
	const char *const *schemas; /* NULL-ended, principal first; forms of one function are found by signature */
	const char *doc;            /* the formula, then one paragraph */
	struct ay_cases cases[AY_MAX_CASES];
	const char *fills; /* "weight=uniform(0.5, 1.5); index=index(size(self, dim))" for lines that leave them
			      open */
	const struct ay_maker *makers;                               /* {0}-ended */
	int (*accepts)(const struct ay_call *c, struct ay_err *err); /* a legal call? NULL: every bound one */
	/* Result k (those that are not arguments). NULL: like the first tensor argument. */
	int (*result)(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err);
	/* How many tensors a result has that is a list; NULL: 1. The k of result() counts them. */
	int (*length)(const struct ay_call *c);
	void (*rows)(const struct ay_call *c, int k, struct ay_rowmap *m); /* NULL: AY_FLAT */
	/* Of reductions whose rows are AY_FLAT: the first tensor, seen so that element i of the results depends on elements
	 * [i * n, (i + 1) * n) of it alone, in row-major order. NULL: it is not said. */
	struct ay_view (*runs)(const struct ay_call *c, int64_t *n);
	/* The call as a product; false: it is none of that form. NULL: never. */
	bool (*factors)(const struct ay_call *c, struct ay_factors *f);
	/* Once per sweep, before any row: what all rows share (a largest value, a table of places). Allocated in
	 * r->tmp, which then lives as long as the sweep; r has no rows yet. */
	const void *(*prepare)(struct ay_ref *r);
	void (*reference)(struct ay_ref *r);
	/* Result k of those that are not tensors (item): a BOOL, INT, FLOAT or COMPLEX, judged exactly. Needed
	 * where a schema has such results. */
	void (*scalar)(const struct ay_call *c, int k, struct ay_value *want);
	/* After the reference, or instead of it: `got` are the outputs, whole. */
	void (*check)(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f);
	/* AY_RANDOM: log2 of the chance that two honest results are equal bit for bit */
	double (*log2_same)(const struct ay_call *c);
	/* AY_RANDOM: an honest result, with chance from u, over what the reference has put into the outputs */
	void (*draw)(const struct ay_call *c, struct ay_chance *u);
	void (*cost)(const struct ay_call *c, struct ay_cost *cost);
	double k_out;       /* ulps of the result an honest kernel may be off by; 0 = 1 */
	const char *rounds; /* words for the page: which intermediate honest kernels round to the storage dtype */
	const char *promises; /* words for the page: what is not promised (order of ties, ...) */
	/* Why ATen on the CPU does not answer this call as it is described here, where that is known; NULL: it does.
	 * NULL where it never differs. Excuses ATen alone, and only where it does fail: docs/verdicts.md. */
	const char *(*aten_differs)(const struct ay_call *c);
	/* The same of ATen on a GPU; what was seen there is in bench/h200.md. */
	const char *(*cuda_differs)(const struct ay_call *c);
	/* AY_UNCATALOGUED: is what torch gives of another dtype or shape on a GPU, which is right there? */
	bool (*is_cudas_own)(const struct ay_call *c);
	unsigned flags;
	const char *const *names; /* other names, NULL-ended */
};

#define AY_SCHEMAS(...)           \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* The reference of AY_UNCATALOGUED operators, one per number type: what the call was given. */
void ay_given_reference_d(struct ay_ref *r);
void ay_given_reference_ld(struct ay_ref *r);
void ay_given_reference_z(struct ay_ref *r);
void ay_given_reference_lz(struct ay_ref *r);

/* Rows along the last axis, or along the argument `dim`. */
void ay_rows_last(const struct ay_call *c, int k, struct ay_rowmap *m);
void ay_rows_dim(const struct ay_call *c, int k, struct ay_rowmap *m);
void ay_rows_whole(const struct ay_call *c, int k, struct ay_rowmap *m);

/*
 * The error bound (contracts: k_out * ulp(want) + k_acc * u_acc * mag, k_acc = 4, u_acc the unit roundoff of the
 * accumulator of a careful kernel: f32 for everything up to f32 and c64, else f64).
 */
#define AY_K_ACC 4.0
/* Ulps of a result that is to be one number: no other is as near, not even below a power of two. With weight 0 this
 * is compared faster than exactly. */
#define AY_K_SAME 0.25
double ay_u_acc(enum ay_dt dt);
/* sqrt(n) + min(n, 65536)/32: a random walk, and the bias of accumulators that truncate. */
double ay_growth(int64_t n);
/* mag of a sum of n terms: growth(n) * max(|want|, sqrt(sum of squares), largest |prefix sum|). */
double ay_err_sum(int64_t n, double want, double sumsq, double prefix);
/* What to add to mag so that the bound grows by 2 * u_dt * r: an intermediate of size r rounded to dt. `out` is
 * the dtype of the result. */
double ay_err_round(enum ay_dt out, enum ay_dt dt, double r);
/* The mag with which a result of size r may be lost whole, where e, an exponential that it is a multiple of, is so
 * small that the accumulator holds it as a subnormal and kernels flush it; else 0. */
double ay_err_flush(enum ay_dt out, double e, double r);

/*
 * Statistics with a stated false-alarm rate. Draws x_i with |x_i - p_i| <= 1 and variance v_i, independent (or a
 * martingale): P(|sum (x_i - p_i)| > t) <= 2 exp(-t^2 / (2 (V + t/3))) by Bernstein's inequality, for any n. Gives
 * the t that is passed with probability at most alpha.
 */
double ay_bernstein(double variance, double alpha);
/* What all tests of one random case may raise together: 1000 such cases stay under 1e-6. */
#define AY_ALPHA_CASE 1e-9

/*
 * Draws as deviations from what they should be: d_i = g(x_i) - E g(x_i) for some g, |d_i| <= 1, and their
 * variances (or more); both 0 where nothing was drawn. Generators with a granularity of 2^-20 are honest. Tests
 * are false, and say why, where there is more than chance.
 */
struct ay_draws {
	int64_t n, row; /* in row-major order; row: elements of a line along the last axis */
	double *d, *v;
};
/* All elements of v as doubles, broadcast to the shape of `like`. */
void ay_draws_load(const struct ay_view *v, const struct ay_view *like, double *dst);
/* The other way round: each is rounded once. */
void ay_draws_store(const struct ay_view *v, const double *src);

/* A sum of n such d against the variances' sum. */
bool ay_draws_within(const char *what, double sum, double var, double n, double alpha, struct ay_finding *f);
/* Sums of d over each of up to 64 groups (group NULL: one); each raises a false alarm with probability alpha. */
bool ay_draws_sum(const struct ay_draws *s, const char *what, const uint8_t *group, int groups, double alpha,
		  struct ay_finding *f);
/* Does chance depend on the place, or on draws before? All of it together: half of AY_ALPHA_CASE. */
bool ay_draws_places(const struct ay_draws *s, struct ay_finding *f);

/* A continuous law, and the dtype that draws of it are rounded to. */
struct ay_law {
	double (*below)(const struct ay_law *l, double x);    /* P(draw <= x) */
	double (*quantile)(const struct ay_law *l, double u); /* its inverse, 0 < u < 1 */
	double a, b;                                          /* parameters */
	enum ay_dt dt;
};
/* Draws x of one law, NaN where none was made: the whole of AY_ALPHA_CASE, places included. */
bool ay_law_check(const struct ay_law *l, int64_t n, int64_t row, const double *x, struct ay_finding *f);

/* --- number types ----------------------------------------------------------------------------------------------
 */
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
#define re(x)         ((real)creal(x))
#define ay_tmp        AY_NUM(ay_tmp)
#define ay_load       AY_NUM(ay_load)
#define ay_load_flat  AY_NUM(ay_load_flat)
#define ay_get        AY_NUM(ay_get)
#define ay_number     AY_NUM(ay_number)
#define ay_cast       AY_NUM(ay_cast)
#define ay_round_bits AY_NUM(ay_round_num)

/* n numbers that live as long as the range. */
num *ay_tmp(struct ay_ref *r, int64_t n);
/* Fibre `row` of v along axis (negative: from the end), dense into dst. */
void ay_load(const struct ay_ref *r, const struct ay_view *v, int axis, int64_t row, num *dst);
/* Elements [lo, hi) of v, broadcast to the shape of output k, in row-major order. For AY_FLAT references. */
num *ay_load_flat(struct ay_ref *r, const struct ay_view *v, int k);
/* The element with flat index i. */
num ay_get(const struct ay_ref *r, const struct ay_view *v, int64_t i);
/* A Scalar, float, int or bool argument as a number. */
num ay_number(const struct ay_call *c, const char *name);
num ay_round_bits(num x, int bits);
/* x, which is of dtype `from`, as a copy in `to` has it, and its weight for k_out = AY_K_SAME. Floats are rounded to
 * nearest even, float to integer cuts the fraction off (AY_FREE where it does not fit), integers wrap, all but 0 is
 * True, complex to real drops the imaginary part. From f64, i32 and i64 to half types PyTorch goes through f32: where
 * rounding twice makes a difference, either neighbour is right. */
num ay_cast(enum ay_dt from, enum ay_dt to, num x, double *mag);

/* Where the value, and the error weight, of element j of row `row` (absolute) of output k go. */
static inline num *ay_val(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return (num *)r->val[k] + (row - r->lo) * r->len[k] + j;
}

/* In units of u_acc, growth included. 0: rounding to the dtype only. Negative: exactly this value. AY_FREE: not
 * judged here, because `check` does, or because nothing is promised about this element. */
#define AY_FREE (-INFINITY)
static inline double *ay_mag(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return r->mag[k] + (row - r->lo) * r->len[k] + j;
}

/* The 2-norm of the terms that were added up, where there were any. */
static inline double *ay_norm(const struct ay_ref *r, int k, int64_t row, int64_t j)
{
	return r->norm[k] + (row - r->lo) * r->len[k] + j;
}

/* Write accumulations as sum = acc(r, sum + term): mutants narrow the accumulator here. */
static inline num acc(const struct ay_ref *r, num x)
{
	if (__builtin_expect(!r->acc_bits, 1))
		return x;
#ifdef AY_NUM_d
	/* the same, and most of what the reference backend does */
	if (r->acc_bits == 24 && fabs(x) >= 0x1p-126 && fabs(x) < 0x1p127)
		return (float)x;
#endif
	return ay_round_bits(x, r->acc_bits);
}
#endif

#endif
