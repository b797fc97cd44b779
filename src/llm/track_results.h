/* SPDX-License-Identifier: Apache-2.0
 *
 * track_results - the results of a generation run, computed from its results.jsonl alone:
 * pass_at_k_results.json, a section of OVERALL_SUMMARY.md, lines for a terminal.
 *
 * There are two measures, always named apart:
 *
 *	solved within k    the share of problems with a correct kernel in round k or before. If rounds are
 *	                   independent samples (no feedback), its mean is pass@k from one sequence per
 *	                   problem. With feedback it is solved within k rounds of repair, not pass@k.
 *	pass@k, unbiased   1 - C(n-c,k)/C(n,k) over n samples per problem, all drawn whatever the outcomes
 *	                   (--samples N). If drawing stops at the first success, n depends on the outcome
 *	                   and the estimator is biased; then no such value is given.
 *
 * A request that failed for good is not a sample of the model. Neither is an answer that assay
 * failed to judge. Both are counted separately and make n smaller. Tokens and dollars cover all
 * attempts, including answers that came too late to be used.
 */
#ifndef AY_LLM_TRACK_RESULTS_H
#define AY_LLM_TRACK_RESULTS_H

#include "llm/track.h"
#include "store/summary.h"

/* The kinds of rounds; the name is in the "track" record. */
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
	int first_round; /* round of the first correct kernel; 0 = none */
	int attempts, samples, correct, judged;
	int64_t tokens_in, tokens_out;
	double usd, generate_s, judge_s, wall_s;
	const char *run;      /* the run of its attempts; with samples the first of several */
	const json_t *chosen; /* its "chosen" record; NULL = none */
	const json_t *held;   /* its "held_out" record, if it is solved; NULL = none */
	json_t *tries;        /* array of its attempt records, by round and worker in file order */
};

/* Start with {0}. */
struct ay_gen {
	struct ay_arena arena;
	enum ay_track_kind kind;
	int rounds, workers;
	bool per_overload, best;
	int n, solved;
	/* Denominator of every share: n plus the operators of the dataset that the catalogue
	 * lacks. */
	int of;
	struct ay_gen_problem *problem;
	int64_t attempts, judged, failed, errors, unpriced, unused, tokens_in,
		tokens_out;  /* errors: failures of assay */
	const char *failure; /* why the first failed request failed; NULL = unknown */
	double usd, generate_s, judge_s;
	int least_samples; /* smallest number of samples of any problem */
	/* the chosen kernels that were judged on held-out cases, and those of them that passed */
	int held, held_passed;
	/* held_out: records by run and problem; tries: records by run and id; chosen: by run and problem; lost: array of ids */
	json_t *track, *tries, *chosen, *lost, *held_out;
};

/* Returns -1 also if the folder holds no generation run. */
int ay_gen_read(const char *dir, struct ay_gen *g, struct ay_err *err);
void ay_gen_release(struct ay_gen *g);
/* Returns how many operators of one source ("aten"; NULL: all) are in the dataset but not in the
 * catalogue. No model was asked for them, and they count as not solved. */
int ay_gen_absent(const struct ay_gen *g, const char *source);
/* Returns the last "chosen" record of a run for a problem, or NULL. */
const json_t *ay_gen_chosen(const struct ay_gen *g, const char *run, const char *problem);
/* Return a share of problems, for k from 1 on, or -1 if there is no such estimate. */
double ay_gen_solved_within(const struct ay_gen *g, int k);
double ay_gen_pass_at_k(const struct ay_gen *g, int k);

/* Returns the content of pass_at_k_results.json, with KernelGenBench's field names and more. */
json_t *ay_gen_json(const struct ay_gen *g, const struct ay_summary *s);
void ay_gen_markdown(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s);
void ay_gen_print(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s);
/* Writes pass_at_k_results.json, and adds the Markdown section to OVERALL_SUMMARY.md, which
 * ay_export must just have written. */
int ay_gen_export(const char *dir, const struct ay_gen *g, const struct ay_summary *s, struct ay_err *err);

#endif
