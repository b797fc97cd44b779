/* SPDX-License-Identifier: Apache-2.0
 *
 * page - what the author of a kernel needs to know of an operator beyond its file: counted over its cases, looked up
 * at its bound, and its floors on a machine. `assay show` prints it, and prompts are made from it.
 *
 * Facts are gathered once (ay_op_doc_make; some references are run, nothing is timed), then said in words, section by
 * section. What is said has no seed in it, nor does it follow from one that a judge uses.
 */
#ifndef AY_JUDGE_OP_DOC_H
#define AY_JUDGE_OP_DOC_H

#include "base/str.h"
#include "op/suite.h"
#include "timing/ceiling.h"

enum {
	AY_OP_DOC_ARGS = 32,
	AY_OP_DOC_TEXTS = 400,
	AY_OP_DOC_DIFFERS = 8,
	AY_OP_DOC_FLOORS = 4,
	AY_OP_DOC_LAYOUTS = 8
};

/* Different texts, in the order in which they came. */
struct ay_op_doc_texts {
	int n;
	const char *text[AY_OP_DOC_TEXTS];
};

/* One argument or result, by name: what the cases give it. */
struct ay_op_doc_arg {
	const char *name;
	uint64_t dtypes;              /* of a tensor; 0: a plain value */
	struct ay_op_doc_texts value; /* shapes, or values */
	int64_t most;                 /* elements of the largest tensor */
};

/* How wide the bound is in one dtype, seen on one case. */
struct ay_op_doc_bound {
	const struct ay_case *line;
	int64_t elements;     /* that its tensors have; the most among the quick cases that are small enough */
	int seen;             /* of its elements: so many, at most 128 */
	double least, median; /* in ulps of the value */
};

struct ay_op_doc_floor {
	const struct ay_case *line;
	double bytes, flops;
	/* 0 where nothing was measured: the bytes by one thread and by all CPUs, the FLOPs by all */
	double ns_one, ns_all, ns_flops;
};

struct ay_op_doc {
	const struct ay_entry_op *op;
	struct ay_suite suite; /* its cases */
	int tier[AY_PERF + 1], derived;
	int narg;
	struct ay_op_doc_arg arg[AY_OP_DOC_ARGS];
	uint64_t results;                          /* dtypes of what is written */
	struct ay_op_doc_bound bound[AY_DT_COUNT]; /* of those dtypes that have one */
	struct ay_op_doc_texts fills;
	int layout[AY_OP_DOC_LAYOUTS]; /* cases that have such an argument; see ay_op_doc_layout */
	int ndiffer;
	struct {
		const char *why;
		int cases;
	} differ[AY_OP_DOC_DIFFERS];
	bool measured;
	struct ay_ceilings ceilings;
	int nfloor;
	struct ay_op_doc_floor floor[AY_OP_DOC_FLOORS];
};

/* What it is made of. Borrowed. */
struct ay_op_doc_spec {
	const struct ay_registry *registry;
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* the cases of one overload, if it has any; NULL: all of the operator's */
	const struct ay_suite *suite; /* its cases of that operator are told; NULL: the operator's own */
	const struct ay_ceilings *ceilings; /* NULL = not measured */
};

/* In the arena but for the suite, which ay_op_doc_release gives back. */
int ay_op_doc_make(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_op_doc *p, struct ay_err *err);
void ay_op_doc_release(struct ay_op_doc *p);

/* Is it judged by a bound, rather than by bits, shape, or distribution? */
bool ay_op_doc_has_bound(const struct ay_op *op);
/* "strided", "expanded"...; NULL behind the last. */
const char *ay_op_doc_layout(int k);

/* --- in words: lines of at most 100 columns, each behind two blanks -------------------------------------------- */

/* text, wrapped, behind `indent` blanks. */
void ay_op_doc_wrap(struct ay_str *b, const char *text, int indent);
/* Who reads it: somebody with our documents and commands at hand, or not. */
enum ay_op_doc_reader { AY_OP_DOC_USER, AY_OP_DOC_MODEL };
/* What counts as right: rules, the bound and what it comes to, what is not promised. */
void ay_op_doc_say_judged(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);
/* Arguments with their dtypes, shapes and values, layouts, fills. */
void ay_op_doc_say_tested(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);
/* Bytes, FLOPs, and how long they take at best. */
void ay_op_doc_say_floors(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);

#endif
