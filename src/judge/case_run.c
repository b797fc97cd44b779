/* SPDX-License-Identifier: Apache-2.0
 *
 * case_run - what several of the judge's files need of a case: random numbers, its line, and the
 * ATen oracle's answer.
 */
#include "judge/case_run.h"

/* Draws the states that random operators start from. The kernel gets these states, so they may
 * always follow from the seed. So a line repeats its draws. */
static void draw_starts(struct case_run *t)
{
	const struct ay_key one = ay_key_from_seed("assay case rng", t->line->seed),
			    other = ay_key_from_seed("assay case other rng", t->line->seed);

	t->rng[0] = t->rng[1] = (ay_rng){ one.k[0], one.k[1] >> 32 };
	t->rng[2] = (ay_rng){ other.k[0], t->rng[0].offset };
	if (t->timed)
		t->rng[0] = t->rng[1] = ay_input_rng(ay_input_template_key(t->timed, t->line->timed_content),
						     t->line->timed_set);
}

void ay_case_run_draw(struct case_run *t)
{
	/* as float dtypes: 0xff is NaN, 0x70..0x7b are finite and large; none of them is a bool */
	/* malloc's own poison (M_PERTURB) is made of the complement, and that of 0xff, 0, means
	 * none */
	t->poison[0] = t->j->kernel.about ? 0x7f : 0xff;
	t->poison[1] = (uint8_t)(0x70 + ay_case_run_chance(t) % 12);
	t->poison[2] = 0xff;
	draw_starts(t);
}

uint64_t ay_case_run_chance(struct case_run *t)
{
	return t->seeded ? ay_key_from_seed("assay judge chance", t->line->seed + (t->chances++ << 40)).k[0]
			 : ay_secret_u64();
}

const char *ay_case_run_line(struct ay_arena *a, const struct ay_case *line)
{
	struct ay_str b = { 0 };
	char *s;

	ay_case_print(&b, line);
	s = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

uint64_t ay_case_run_draw_seed(const struct case_run *t, const struct ay_case *line)
{
	const struct ay_policy *p = &t->j->policy;

	return p->has_seed ? ay_key_from_seed(ay_case_run_line(t->a, line), p->seed).k[0] >> 32
			   : ay_secret_u64() >> 32;
}

int ay_case_run_answer(struct case_run *t, struct ay_call *c, const char **why, struct ay_err *err)
{
	struct ay_aten_oracle *w = &t->j->aten_oracle;
	int rc;

	w->python = t->j->policy.python;
	w->sandbox = t->j->policy.sandbox;
	w->threads = t->j->policy.oracle_threads;
	w->ref_fd = t->j->policy.ref_fd;
	w->ref_file = t->j->policy.ref_file;
	w->device = t->j->policy.device;
	w->spare = t->j->policy.spare_aten_oracle;
	w->judge = t->j;
	w->may_be_shape_only = true;
	t->rep->oracle = w->ref_fd > 0 ? "user" : "aten";
	rc = ay_aten_oracle_answer(w, t->op, c, t->a, why, err);
	if (!rc)
		t->rep->oracle_device = w->on_gpu ? "cuda" : "cpu";
	return rc;
}
