/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case_run.h"
#include "oracle/repeats.h"

#include <string.h>

/* Elements up to which deviations are compared. Testing millions of draws takes seconds. */
enum { RELATED_MOST = 1 << 20 };

/* Runs the operator's check on a set. *d receives the deviations of its draws. Returns false, with
 * the reason in the arena, if the set is wrong. */
static bool check_set(struct case_run *t, int s, struct ay_draws *d, const char **why)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	const struct ay_view **got = AY_NEW_N(t->a, const struct ay_view *, t->call->nout + 1);
	struct ay_finding f = { .index = -1, .draws = d };

	ay_layout_show(t, s);
	for (int k = 0; k < t->call->nout; k++)
		got[k] = &t->call->out[k]->view;
	op->check(t->call, got, &f);
	*why = f.text[0] ? ay_strdup(t->a, f.text) : NULL;
	return !f.text[0];
}

/* Tests the deviations of sets 0 and 2. */
static void relate(struct case_run *t)
{
	const int64_t n = ay_numel_of(&t->call->out[0]->view);
	struct ay_finding f = { .index = -1 };
	struct ay_arena a = { 0 };
	struct ay_draws d[2];
	const char *why;

	for (int k = 0; k < 2; k++)
		d[k] = (struct ay_draws){ .n = n,
					  .d = AY_NEW_N(&a, double, n + 1),
					  .v = AY_NEW_N(&a, double, n + 1) };
	/* if set 0 is wrong, judge_values reports it */
	if (check_set(t, 0, &d[0], &why)) {
		if (!check_set(t, 2, &d[1], &why))
			ay_case_run_say(t, AY_VERDICT_MISMATCH, ay_sprintf(t->a, "with another ay_rng: %s", why));
		else if (d[0].row && d[1].row && !ay_draws_apart(&d[0], &d[1], &f))
			ay_case_run_say(t, AY_VERDICT_CHEAT, ay_strdup(t->a, f.text));
	}
	ay_arena_release(&a);
}

void ay_check_draws(struct case_run *t)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	struct ay_repeats *r;
	enum ay_repeated found = AY_REPEATED_NOT;
	char text[200];

	if (ay_judge_is_built_in(t->j)) /* see torch_own of struct ay_ab_spec */
		return;
	r = ay_repeats_new(2);
	for (int s = 0; s <= 2 && t->call->nout && found == AY_REPEATED_NOT; s += 2) {
		ay_layout_show(t, s);
		found = ay_repeats_look(r, op, t->call, text);
	}
	if (found != AY_REPEATED_NOT)
		ay_case_run_say(t, found == AY_REPEATED_WITHIN ? AY_VERDICT_MISMATCH : AY_VERDICT_CHEAT,
				ay_strdup(t->a, text));
	else if (op->check && t->call->nout && ay_numel_of(&t->call->out[0]->view) &&
		 ay_numel_of(&t->call->out[0]->view) <= RELATED_MOST)
		relate(t);
	ay_layout_show(t, 0);
	ay_repeats_free(r);
}
