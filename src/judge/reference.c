/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/reference.h"
#include "base/process.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "tensor/buffer.h"

static int acc_bits(const struct ay_call *c)
{
	enum ay_dt dt = c->nout ? c->out[0]->view.dt : AY_DT_F32;

	return ay_dt_is_integral(dt) ? 0 : ay_u_acc(dt) < 0x1p-30 ? 53 : 24;
}

/* Runs the operator's own check on the answer. */
static void run_check(const struct ay_suite_case *sc, struct ay_call *c, const struct ay_view *const *out,
		      struct ay_arena *a, struct ay_report *rep)
{
	const struct ay_op *op = sc->op->op[ay_call_num_type(c)];
	struct ay_finding f = { .index = -1 };

	if (op->check)
		op->check(c, out, &f);
	if (!f.text[0])
		return;
	rep->verdict = AY_VERDICT_MISMATCH;
	rep->detail = ay_strdup(a, f.text);
}

static void judge(const struct ay_policy *p, const struct ay_suite_case *sc, uint64_t seed, struct ay_call *c,
		  struct ay_arena *a, struct ay_report *rep)
{
	const struct ay_op *op = sc->op->op[ay_call_num_type(c)];
	struct ay_compare q = { .op = sc->op, .call = c, .threads = p->oracle_threads, .acc_bits = acc_bits(c) };
	const struct ay_view **out = AY_NEW_N(a, const struct ay_view *, c->nout + 1);
	struct ay_diff *d = AY_NEW_N(a, struct ay_diff, c->nout + 1);

	for (int k = 0; k < c->nout; k++)
		out[k] = &c->out[k]->view;
	ay_oracle_produce(&q, out);
	if (op->flags & AY_RANDOM)
		op->draw(c, &(struct ay_chance){ ay_key_from_seed("draw", seed) });
	q.acc_bits = 0;
	ay_oracle_compare(&q, d);
	rep->verdict = AY_VERDICT_PASS;
	for (int k = 0; k < c->nout; k++) {
		rep->total += d[k].n;
		if (!d[k].bad)
			continue;
		rep->verdict = AY_VERDICT_MISMATCH;
		rep->detail = ay_sprintf(a, "%lld elements of '%s' are outside the bound", (long long)d[k].bad,
					 c->out[k]->name);
	}
	run_check(sc, c, out, a, rep);
}

int ay_reference_case(const struct ay_policy *p, const struct ay_suite_case *sc, uint64_t seed, struct ay_arena *a,
		      struct ay_report *rep, struct ay_err *err)
{
	int64_t begin = ay_now_ns();
	struct ay_case *line = AY_NEW(a, struct ay_case);
	struct ay_str text = { 0 };
	struct ay_call *c;
	uint64_t need = 0;

	*line = *sc->line;
	line->cnt = -1;
	line->seed = line->has_seed ? line->seed : seed;
	line->has_seed = true;
	ay_case_print(&text, line);
	*rep = (struct ay_report){ .verdict = AY_VERDICT_SKIPPED, .line = ay_strdup(a, ay_str_text(&text)) };
	ay_str_release(&text);
	if (ay_call_bind(a, sc->op->op[0], sc->schema, line, &c, err))
		return -1;
	for (int i = 0; i < c->noperand; i++)
		need += 2 * ay_operand_bytes(c->operand[i]);
	if (need > 64 << 20 && need > ay_memory_available() / 2) {
		rep->detail = ay_sprintf(a, "needs %llu bytes of memory", (unsigned long long)need);
	} else {
		ay_fill_call(a, c);
		judge(p, sc, line->seed, c, a, rep);
	}
	rep->all = 1u << rep->verdict;
	rep->wall_s = (double)(ay_now_ns() - begin) / 1e9;
	return 0;
}
