/* SPDX-License-Identifier: Apache-2.0
 *
 * op_doc - what the author of a kernel must know of an operator beyond its file.
 *
 * These are facts counted over its cases, its error bound in numbers, and its floors on a machine.
 * `assay show` prints them, and prompts are made from them. ay_op_doc_make gathers the facts once;
 * it runs some references and times nothing. The other functions write them as text, one section
 * each. The text contains no seed and depends on no seed that a judge uses.
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

/* Distinct texts, in the order of their first occurrence. */
struct ay_op_doc_texts {
	int n;
	const char *text[AY_OP_DOC_TEXTS];
};

/* What the cases pass for one argument or result, by name. */
struct ay_op_doc_arg {
	const char *name;
	uint64_t dtypes;              /* of a tensor; 0: not a tensor */
	struct ay_op_doc_texts value; /* shapes, or values */
	int64_t most;                 /* elements of the largest tensor */
};

/* How wide the error bound is in one dtype, computed on one case. */
struct ay_op_doc_bound {
	const struct ay_case *line;
	/* of its tensors: the most among the quick cases that are small enough */
	int64_t elements;
	int seen;             /* how many of its elements were used, at most 128 */
	double least, median; /* in ulps of the value */
};

struct ay_op_doc_floor {
	const struct ay_case *line;
	double bytes, flops;
	/* Times of the bytes by one thread and by all CPUs, and of the FLOPs by all CPUs; 0: not
	 * measured. */
	double ns_one, ns_all, ns_flops;
};

struct ay_op_doc {
	const struct ay_entry_op *op;
	struct ay_suite suite; /* cases of the operator */
	int tier[AY_PERF + 1], derived;
	int narg;
	struct ay_op_doc_arg arg[AY_OP_DOC_ARGS];
	uint64_t results;                          /* dtypes of the written tensors */
	struct ay_op_doc_bound bound[AY_DT_COUNT]; /* for those dtypes that have a bound */
	struct ay_op_doc_texts fills;
	/* number of cases with such an argument; see ay_op_doc_layout */
	int layout[AY_OP_DOC_LAYOUTS];
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

/* Input of ay_op_doc_make. Pointers are borrowed. */
struct ay_op_doc_spec {
	const struct ay_registry *registry;
	const struct ay_entry_op *op;
	/* the cases of one overload, if it has any; NULL: all of the operator's */
	const struct ay_schema *only;
	/* describe the operator's cases in this suite; NULL: the operator's own cases */
	const struct ay_suite *suite;
	const struct ay_ceilings *ceilings; /* NULL: not measured */
};

/* Gathers the facts. Everything is allocated in the arena except the suite, which
 * ay_op_doc_release frees. */
int ay_op_doc_make(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_op_doc *p, struct ay_err *err);
void ay_op_doc_release(struct ay_op_doc *p);

/* Returns true if the operator is judged by an error bound, not by bits, shape or distribution. */
bool ay_op_doc_has_bound(const struct ay_op *op);
/* Returns the name of layout k: "strided", "expanded"...; NULL after the last one. */
const char *ay_op_doc_layout(int k);

/* --- in words: lines of at most 100 columns, each behind two blanks -------------------------------------------- */

/* Appends the text, wrapped and indented by `indent` blanks. */
void ay_op_doc_wrap(struct ay_str *b, const char *text, int indent);
/* The reader of the text: USER has assay's documents and commands, MODEL has not. */
enum ay_op_doc_reader { AY_OP_DOC_USER, AY_OP_DOC_MODEL };
/* Appends what counts as right: the rules, the bound in words and numbers, and what is not
 * promised. */
void ay_op_doc_say_judged(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);
/* Appends the arguments with their dtypes, shapes and values, the layouts and the fills. */
void ay_op_doc_say_tested(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);
/* Appends bytes, FLOPs, and their least times. */
void ay_op_doc_say_floors(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r);

#endif
