/* SPDX-License-Identifier: Apache-2.0
 *
 * suite - an ordered list of cases. An operator's own suite is its expanded case table. For the
 * first points of each functional line, it also has the derived out= and in-place cases.
 */
#ifndef AY_OP_SUITE_H
#define AY_OP_SUITE_H

#include "op/registry.h"

struct ay_suite_case {
	const struct ay_entry_op *op;
	const struct ay_schema *schema;
	const struct ay_case *line;
	enum ay_tier tier;
	/* an out= or in-place case made from a functional line of the operator's own file */
	bool derived;
	bool timed; /* chosen by ay_suite_pick */
	bool drawn; /* see drawn.h */
	int id;     /* for the caller; initially 0 */
};

struct ay_suite {
	int n, cap;
	struct ay_suite_case *c; /* lines live in the arena given to the function that added them */
	/* the lines come from a user's file: they have no tiers, and each is worth timing */
	bool listed;
	/* For a file: the number of lines for unknown operators, the number of lines that cannot be
	 * parsed or bound, and the message for the first of the latter. */
	int uncatalogued, bad;
	char first_bad[300];
};

/* Appends the cases of one operator, tiers 0 to max. */
int ay_suite_add_op(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r,
		    const struct ay_entry_op *e, enum ay_tier max, struct ay_err *err);
/* Appends a suite by name: smoke (two small cases of every operator), demo (the quick cases of
 * every operator, and one to time), kernelgenbench (all operators of the set, up to a tier) or its
 * parts -aten, -vllm, -cublas. Upper or lower case. Otherwise `name` is a trace that assay ships,
 * or the path of a file of case lines. */
int ay_suite_named(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, const char *name,
		   enum ay_tier max, struct ay_err *err);
/* Returns how many operators a set (kernelgenbench or a part of it) is meant to have, including
 * those that the catalogue lacks. `source` is "aten", "vllm" or "cublas"; NULL: all sources.
 * Returns 0 if `name` is not a set, or if the set has no operators of that source. */
int ay_suite_promised(const char *name, const char *source);
/* How much is timed: nothing, a few cases of every overload, or all that are worth it. */
enum ay_timed { AY_TIMED_NONE, AY_TIMED_AUTO, AY_TIMED_FULL };
/* Chooses the cases to time. Candidates are those of the tier AY_PERF, or all cases of a list.
 * AY_TIMED_AUTO selects, for each overload, the smallest case of every dtype that has at least 1
 * MiB, at most three cases. Cases of the tier AY_PERF that are not chosen are removed. If `quick`,
 * cases of AY_FULL that are not chosen are removed too. */
void ay_suite_pick(struct ay_suite *s, enum ay_timed mode, bool quick);
/* ay_timed_find returns -1 for a word other than "none", "auto" and "full". */
const char *ay_timed_name(enum ay_timed mode);
int ay_timed_find(const char *word, enum ay_timed *mode, struct ay_err *err);

/* Parses a list of dtypes, as --dtypes has it, to bits 1 << dt. */
int ay_dtypes_find(const char *list, uint32_t *set, struct ay_err *err);
/* Returns the dtype that a case is about. It is the dtype of its first complex tensor, else
 * of its first floating, integer or bool tensor. Without tensors it is the dtype= argument,
 * or AY_DT_NONE. */
enum ay_dt ay_case_dtype(const struct ay_case *c);

/* Removes the cases that are about dtypes outside the set (1 << dt); an empty set removes nothing.
 * Cases without a dtype stay. */
void ay_suite_keep_dtypes(struct ay_suite *s, uint32_t set);

/* Computes the SHA-256 of the printed lines, in order, without drawn cases. */
void ay_suite_hash(const struct ay_suite *s, char hex[65]);
/* Appends a copy of one case. */
void ay_suite_push(struct ay_suite *s, const struct ay_suite_case *c);
void ay_suite_release(struct ay_suite *s);

#endif
