/* SPDX-License-Identifier: Apache-2.0
 *
 * Selects the cases that are timed.
 */
#include "op/suite.h"
#include "op/fill.h"

#include <string.h>

enum { AUTO_MAX = 3, WORTH = 1 << 20 /* bytes; the time of a smaller case is mostly overhead */ };

static const char *const words[] = {
	[AY_TIMED_NONE] = "none", [AY_TIMED_AUTO] = "auto", [AY_TIMED_FULL] = "full"
};

const char *ay_timed_name(enum ay_timed mode)
{
	return words[mode];
}

int ay_timed_find(const char *word, enum ay_timed *mode, struct ay_err *err)
{
	for (int i = 0; i <= AY_TIMED_FULL; i++) {
		if (strcmp(words[i], word))
			continue;
		*mode = (enum ay_timed)i;
		return 0;
	}
	return ay_fail(err, AY_ERR_USAGE, "--timing is none, auto or full, not '%s'", word);
}

/* What AY_TIMED_AUTO needs to know of a case. */
struct facts {
	uint64_t bytes;
	enum ay_dt dt;
	bool ok; /* it can be bound, and there is something to time */
};

static struct facts look_at(const struct ay_suite_case *sc)
{
	struct facts f = { 0 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_call *c;

	/* its results are not known yet */
	const bool open = sc->op->op[0]->flags & AY_UNCATALOGUED;

	if (!ay_call_bind(&a, sc->op->op[0], sc->schema, sc->line, &c, &err) && c->noperand && (c->nout || open)) {
		for (int i = 0; i < c->noperand; i++)
			f.bytes += ay_operand_bytes(c->operand[i]);
		f.dt = c->operand[0]->view.dt;
		f.ok = open ? f.bytes > 0 : !c->nscalar_out && ay_numel_of(&c->out[0]->view) > 0;
	}
	ay_arena_release(&a);
	return f;
}

/* Returns true if x is preferred: the smaller of two cases that are large enough, else the
 * larger one. */
static bool is_better(const struct facts *x, const struct facts *than)
{
	const bool large = x->bytes >= WORTH, other = than->bytes >= WORTH;

	return large && other ? x->bytes < than->bytes : large || (!other && x->bytes > than->bytes);
}

/* Marks the best case of every dtype of one overload as timed. If there are more than three
 * dtypes, the first three in the suite count. Sets `done` for all cases of the overload, since
 * traces have thousands. */
static void pick_few(struct ay_suite *s, const bool *worth, const struct facts *f, int first, bool *done)
{
	int taken[AUTO_MAX], n = 0;

	for (int i = first; i < s->n; i++) {
		int same = -1;

		if (s->c[i].schema != s->c[first].schema)
			continue;
		done[i] = true;
		if (!worth[i])
			continue;
		for (int k = 0; k < n; k++)
			if (f[taken[k]].dt == f[i].dt)
				same = k;
		if (same >= 0 && is_better(&f[i], &f[taken[same]]))
			taken[same] = i;
		else if (same < 0 && n < AUTO_MAX)
			taken[n++] = i;
	}
	for (int k = 0; k < n; k++)
		s->c[taken[k]].timed = true;
}

void ay_suite_pick(struct ay_suite *s, enum ay_timed mode, bool quick)
{
	struct facts *f = ay_xrealloc(NULL, sizeof *f * (size_t)(s->n + 1));
	bool *worth = ay_xrealloc(NULL, sizeof *worth * (size_t)(s->n + 1));
	bool *done = ay_xrealloc(NULL, sizeof *done * (size_t)(s->n + 1));
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		const struct ay_suite_case *sc = &s->c[i];

		worth[i] = mode != AY_TIMED_NONE && !sc->derived && !(sc->op->op[0]->flags & AY_META) &&
			   (sc->tier == AY_PERF || s->listed);
		f[i] = worth[i] ? look_at(sc) : (struct facts){ 0 };
		worth[i] &= f[i].ok;
		s->c[i].timed = worth[i] && mode == AY_TIMED_FULL;
		done[i] = false;
	}
	for (int i = 0; i < s->n && mode == AY_TIMED_AUTO; i++)
		if (!done[i])
			pick_few(s, worth, f, i, done);
	for (int i = 0; i < s->n; i++)
		if (s->c[i].timed || (s->c[i].tier != AY_PERF && !(quick && s->c[i].tier == AY_FULL)))
			s->c[n++] = s->c[i];
	s->n = n;
	ay_xfree(f);
	ay_xfree(worth);
	ay_xfree(done);
}
