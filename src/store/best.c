/* SPDX-License-Identifier: Apache-2.0
 *
 * best - chooses the best of several kernels for one overload. Among those that pass, it is the
 * fastest if they were timed, else the first by file name. Speeds are compared by their intervals:
 * the kernel with the highest lower end leads. It leads for certain if no other kernel's upper end
 * reaches that. Scores do not use this choice: there the worst kernel counts, because submitting
 * many kernels must not pay.
 */
#include "store/summary.h"

#include <string.h>

static const char *file_of(const struct ay_sum_row *r)
{
	return r->file ? r->file : r->kernel_sha256;
}

/* Returns true if a is better than b. */
static bool is_better(const struct ay_sum_row *a, const struct ay_sum_row *b)
{
	const struct ay_speed_shown x = ay_speed_shown(&a->speed), y = ay_speed_shown(&b->speed);

	if (x.lo > 0 || y.lo > 0)
		return x.lo > y.lo;
	if (a->speed.ns > 0 && b->speed.ns > 0)
		return a->speed.ns < b->speed.ns;
	if (a->speed.ns > 0 || b->speed.ns > 0)
		return a->speed.ns > 0;
	return strcmp(file_of(a), file_of(b)) < 0;
}

static bool is_certain(const struct ay_sum_row *best, const struct ay_sum_row *r)
{
	const struct ay_speed_shown x = ay_speed_shown(&best->speed), y = ay_speed_shown(&r->speed);

	return x.lo > 0 && y.hi > 0 && x.lo > y.hi;
}

void ay_sum_find_best(struct ay_summary *s)
{
	for (int i = 0; i < s->noverload; i++)
		s->overload[i].best = (struct ay_sum_best){ .row = -1 };
	for (int i = 0; i < s->nrow; i++) {
		const struct ay_sum_row *r = &s->row[i];
		struct ay_sum_best *b = &s->overload[r->overload].best;

		if (r->derived)
			continue;
		b->kernels++;
		if (r->verdict != AY_VERDICT_PASS)
			continue;
		b->passed++;
		if (b->row < 0 || is_better(r, &s->row[b->row]))
			b->row = i;
	}
	for (int i = 0; i < s->noverload; i++)
		s->overload[i].best.certain = s->overload[i].best.passed > 1;
	for (int i = 0; i < s->nrow; i++) {
		struct ay_sum_best *b = &s->overload[s->row[i].overload].best;

		if (i != b->row && !s->row[i].derived && s->row[i].verdict == AY_VERDICT_PASS)
			b->certain &= is_certain(&s->row[b->row], &s->row[i]);
	}
}

void ay_sum_best_print(struct ay_str *b, const struct ay_summary *s, const struct ay_sum_best *x)
{
	const bool timed = s->row[x->row].speed.ns > 0;

	ay_str_addf(b, "best of %d", x->kernels);
	if (x->passed == 1)
		ay_str_add(b, ": the only one that passes");
	else if (!timed)
		ay_str_addf(b, ": the first of %d that pass", x->passed);
	else
		ay_str_addf(b, ": %s of %d that pass",
			    x->certain ? "the fastest" : "the fastest, not for certain,", x->passed);
}
