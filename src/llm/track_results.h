/* SPDX-License-Identifier: Apache-2.0
 *
 * results - what a generation run adds up to, made from its results.jsonl alone: pass_at_k_results.json, a section of
 * OVERALL_SUMMARY.md, lines for a terminal.
 *
 * Two measures, which are never given one name:
 *
 *	solved within k    the share of problems with a correct kernel in round k or before. Where rounds are
 *	                   independent samples (no feedback) its mean is pass@k, from one sequence a problem; with
 *	                   feedback it is what it says, solved within k rounds of repair, and no pass@k.
 *	pass@k, unbiased   1 - C(n-c,k)/C(n,k) over n samples a problem, all of them drawn whatever they gave
 *	                   (--samples N). Where drawing stops at the first success n depends on the outcome, the
 *	                   estimator is no longer unbiased, and there is none.
 *
 * A request that failed for good is no sample of the model, nor is an answer that we failed to judge: they are counted
 * beside, and make n smaller. Tokens and dollars
 * are of all attempts, those of answers that nobody needed any more too.
 */
#ifndef AY_LLM_TRACK_RESULTS_H
#define AY_LLM_TRACK_RESULTS_H

#include "llm/track.h"
#include "store/summary.h"

/* What the rounds of a run are; its name stands in the "track" record. */
#define AY_TRACK_KINDS(K)                                                                                \
	K(SEQUENCE, "pass@k", "solved within k: independent samples, one sequence a problem")            \
	K(SAMPLES, "samples", "independent samples, all of them drawn")                                  \
	K(REPAIR, "repair", "solved within k rounds of repair: each round sees what became of the last") \
	K(AGENT, "kernel_agent", "solved by several workers, each within k rounds of repair")

enum ay_track_kind {
#define K(name, text, about) AY_TRACK_##name,
	AY_TRACK_KINDS(K)
#undef K
		AY_TRACK_KIND_COUNT
};

const char *ay_track_kind_name(enum ay_track_kind k);

struct ay_gen_problem {
	const char *name;
	bool solved;
	int first_round; /* of the first correct kernel; 0 = none */
	int attempts, samples, correct, judged;
	int64_t tokens_in, tokens_out;
	double usd, generate_s, judge_s, wall_s;
	const char *run;      /* that its attempts are of; of samples: the first of them */
	const json_t *chosen; /* its record; NULL = none */
	json_t *tries;        /* array: its attempt records, by round and worker as they came */
};

/* {0} first. */
struct ay_gen {
	struct ay_arena arena;
	enum ay_track_kind kind;
	int rounds, workers;
	bool per_overload, best;
	int n, solved;
	int of; /* the denominator of every share: n, and the operators of the dataset that are not in the catalogue yet */
	struct ay_gen_problem *problem;
	int64_t attempts, judged, failed, errors, unpriced, unused, tokens_in,
		tokens_out;  /* errors: failures of ours */
	const char *failure; /* why the first of those that failed did; NULL = not said */
	double usd, generate_s, judge_s;
	int least_samples;                     /* that any problem has */
	json_t *track, *tries, *chosen, *lost; /* records, by run and id, by run and problem; an array of ids */
};

/* -1 also where the folder holds no generation run. */
int ay_gen_read(const char *dir, struct ay_gen *g, struct ay_err *err);
void ay_gen_release(struct ay_gen *g);
/* How many operators of one source ("aten"; NULL: of all) the dataset has that are not in the catalogue yet: nobody was
 * asked for them, and they count as not solved. */
int ay_gen_absent(const struct ay_gen *g, const char *source);
/* The last chosen record of a run for a problem; NULL: there is none. */
const json_t *ay_gen_chosen(const struct ay_gen *g, const char *run, const char *problem);
/* Share of problems; k from 1 on. -1: there is no such estimate. */
double ay_gen_solved_within(const struct ay_gen *g, int k);
double ay_gen_pass_at_k(const struct ay_gen *g, int k);

/* pass_at_k_results.json, with KernelGenBench's fields and ours. */
json_t *ay_gen_json(const struct ay_gen *g, const struct ay_summary *s);
void ay_gen_markdown(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s);
void ay_gen_print(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s);
/* Writes the first, and adds the second to OVERALL_SUMMARY.md, which ay_export has just made. */
int ay_gen_export(const char *dir, const struct ay_gen *g, const struct ay_summary *s, struct ay_err *err);

#endif
