/* SPDX-License-Identifier: Apache-2.0
 *
 * perf_at - perf@p for a threshold p that the user chooses.
 */
#include "store/summary.h"

static void add(struct ay_perf_at *n, const struct ay_speed *x, bool correct, double p)
{
	n->of++;
	n->fast += correct && ay_is_above(x->speedup, p);
	n->surely += correct && ay_is_above(x->lo, p);
}

struct ay_perf_at ay_perf_at_operators(const struct ay_summary *s, double p)
{
	struct ay_perf_at n = { 0 };

	for (int i = 0; i < s->noperator; i++)
		if (s->op[i].in_suite || !s->has_suite)
			add(&n, &s->op[i].speed, s->op[i].passed, p);
	return n;
}

struct ay_perf_at ay_perf_at_overloads(const struct ay_summary *s, double p)
{
	struct ay_perf_at n = { 0 };

	for (int i = 0; i < s->noverload; i++)
		if (s->overload[i].in_suite || !s->has_suite)
			add(&n, &s->overload[i].speed, s->overload[i].verdict == AY_VERDICT_PASS, p);
	return n;
}
