/* SPDX-License-Identifier: Apache-2.0
 *
 * What `assay show` says of an operator beyond its file: counted over all its cases, and its floors on this machine.
 */
#ifndef AY_CMD_SHOW_H
#define AY_CMD_SHOW_H

#include "cmd.h"
#include "op/suite.h"
#include "timing/ceiling.h"

enum { FACT_ARGS = 32, FACT_TEXTS = 400, FACT_DIFFERS = 8, FACT_FLOORS = 4, FACT_LAYOUTS = 8 };

/* Different texts, in the order in which they came. */
struct texts {
	int n;
	const char *text[FACT_TEXTS];
};

/* One argument or result, by name: what the cases give it. */
struct arg_facts {
	const char *name;
	uint64_t dtypes;    /* of a tensor; 0: a plain value */
	struct texts value; /* shapes, or values */
	int64_t most;       /* elements of the largest tensor */
};

/* How wide the bound is in one dtype, seen on one case. */
struct bound_facts {
	const struct ay_case *line;
	int64_t elements;     /* that its tensors have; the most among the quick cases that are small enough */
	int seen;             /* of its elements: so many, at most 128 */
	double least, median; /* in ulps of the value */
};

struct floor_facts {
	const struct ay_case *line;
	double bytes, flops;
	/* 0 where nothing was measured: the bytes by one thread and by all CPUs, the FLOPs by all */
	double ns_one, ns_all, ns_flops;
};

struct facts {
	struct ay_suite suite;
	int tier[AY_PERF + 1], derived;
	int narg;
	struct arg_facts arg[FACT_ARGS];
	uint64_t results;                      /* dtypes of what is written */
	struct bound_facts bound[AY_DT_COUNT]; /* of those dtypes that have one */
	struct texts fills;
	int layout[FACT_LAYOUTS]; /* cases that have such an argument; see layout_word */
	int ndiffer;
	struct {
		const char *why;
		int cases;
	} differ[FACT_DIFFERS];
	bool measured;
	struct ay_ceilings ceilings;
	int nfloor;
	struct floor_facts floor[FACT_FLOORS];
};

/* Is it judged by a bound, rather than by bits, shape, or distribution? */
bool has_bound(const struct ay_op *op);
/* In the arena of app but for the suite, which facts_release gives back. Some references are run; nothing is timed. */
int facts_gather(struct app *app, const struct ay_entry_op *e, struct facts *f, struct ay_err *err);
void facts_release(struct facts *f);
/* "strided", "expanded"...; NULL behind the last. */
const char *layout_word(int k);

/* The page as one JSON object, with every case. */
int show_json(struct app *app, const struct ay_entry_op *e, struct ay_err *err);

#endif
