/* SPDX-License-Identifier: Apache-2.0
 *
 * suite - an ordered list of cases. An operator's own suite is its case table, expanded, with the derived out= and
 * in-place twins of the first points of each functional line.
 */
#ifndef AY_OP_SUITE_H
#define AY_OP_SUITE_H

#include "op/registry.h"

struct ay_suite_case {
	const struct ay_entry_op *op;
	const struct ay_schema *schema;
	const struct ay_case *line;
	enum ay_tier tier;
	bool derived; /* an out= or in-place twin, in the operator's own file, that no template names */
	bool timed;   /* chosen by ay_suite_pick */
	int id;       /* the caller's; 0 */
};

struct ay_suite {
	int n, cap;
	struct ay_suite_case *c; /* lines live in the arena given to the adder */
	bool listed;             /* lines that somebody chose: they have no tiers, and each is worth timing */
	/* of a file: lines for operators that are not here, lines that cannot be read or bound, and the first of
	 * those */
	int foreign, bad;
	char first_bad[300];
};

/* Appends the cases of one operator, tiers 0..max. */
int ay_suite_add_op(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r,
		    const struct ay_entry_op *e, enum ay_tier max, struct ay_err *err);
/*
 * A suite by name: smoke (two small cases of every operator), demo (its quick ones, and one to time), kernelgenbench (all operators of the set, up to a
 * tier) and its parts -aten, -vllm, -cublas (upper or lower case), or the path of a file of case lines.
 */
int ay_suite_named(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, const char *name,
		   enum ay_tier max, struct ay_err *err);
/* How many operators a set of the suite (kernelgenbench or a part of it) is meant to have, of one source ("aten", "vllm",
 * "cublas") or, with NULL, of all: those that are not in the catalogue yet too. 0: the suite is no such set, or has none
 * of that source. */
int ay_suite_promised(const char *name, const char *source);
/* How much is timed: nothing, a few cases of every overload, all that are worth it. */
enum ay_timed { AY_TIMED_NONE, AY_TIMED_AUTO, AY_TIMED_FULL };
/*
 * Chooses the cases to time: those of the tier AY_PERF, or of a list all; auto takes of each overload the smallest of every dtype that is not below 1 MiB, three at most. Cases of the tier
 * AY_PERF that are not chosen are taken out, and so are those of AY_FULL if `quick`.
 */
void ay_suite_pick(struct ay_suite *s, enum ay_timed mode, bool quick);
/* -1 for a word that is none of "none", "auto", "full". */
const char *ay_timed_name(enum ay_timed mode);
int ay_timed_find(const char *word, enum ay_timed *mode, struct ay_err *err);

/* A list as --dtypes has it, to bits 1 << dt. */
int ay_dtypes_find(const char *list, uint32_t *set, struct ay_err *err);
/* The dtype that a case is about: of its tensors the first complex one, else floating, else integer, else bool; without
 * tensors that of a dtype= argument, or AY_DT_NONE. */
enum ay_dt ay_case_dtype(const struct ay_case *c);

/* Takes out the cases that are about other dtypes than those of the set (1 << dt); 0: none. Cases about none stay. */
void ay_suite_keep_dtypes(struct ay_suite *s, uint32_t set);

/* SHA-256 over the printed lines, in order. */
void ay_suite_hash(const struct ay_suite *s, char hex[65]);
void ay_suite_push(struct ay_suite *s, const struct ay_suite_case *c);
void ay_suite_release(struct ay_suite *s);

#endif
