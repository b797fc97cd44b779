/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case_run.h"
#include "oracle/repeats.h"

#include <string.h>

/* Elements up to which deviations are compared. Testing millions of draws takes seconds. */
enum { RELATED_MOST = 1 << 20 };

static struct ay_draws allocate(int64_t n)
{
	const size_t bytes = sizeof(double) * (size_t)n;

	return (struct ay_draws){ .n = n, .d = ay_xrealloc(NULL, bytes), .v = ay_xrealloc(NULL, bytes) };
}

static void release(struct ay_draws *d)
{
	ay_xfree(d->d);
	ay_xfree(d->v);
	*d = (struct ay_draws){ 0 };
}

void ay_check_draws_begin(struct case_run *t)
{
	const int64_t n = t->call->nout ? ay_numel_of(&t->call->out[0]->view) : 0;

	if (n && n <= RELATED_MOST && !ay_judge_is_built_in(t->j))
		t->draws = allocate(n);
}

void ay_check_draws_end(struct case_run *t)
{
	release(&t->draws);
}

/* Runs the operator's check on set 2, and tests its deviations against those of set 0. */
static void relate(struct case_run *t)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	const struct ay_view **got = AY_NEW_N(t->a, const struct ay_view *, t->call->nout + 1);
	struct ay_draws mine = allocate(t->draws.n);
	struct ay_finding f = { .index = -1, .draws = &mine };

	ay_layout_show(t, 2);
	for (int k = 0; k < t->call->nout; k++)
		got[k] = &t->call->out[k]->view;
	op->check(t->call, got, &f);
	if (f.text[0])
		ay_case_run_say(t, AY_VERDICT_MISMATCH, ay_sprintf(t->a, "with another ay_rng: %s", f.text));
	else if (t->draws.row && mine.row && !ay_draws_apart(&t->draws, &mine, &f))
		ay_case_run_say(t, AY_VERDICT_CHEAT, ay_strdup(t->a, f.text));
	release(&mine);
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
	else if (op->check && t->draws.n)
		relate(t);
	ay_layout_show(t, 0);
	ay_repeats_free(r);
}
