/* SPDX-License-Identifier: Apache-2.0 */
#include "timing_opts.h"
#include "base/wrap.h"
#include "store/score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 38, MORE = 4 /* where a row goes on */, NAME_SHOWN = 400 };

/* Tells the user that assay waits for the device. Programs that read the output need no message. */
static void say_waiting(void)
{
	if (isatty(2))
		fprintf(stderr, "assay: waiting: another measurement has these CPUs\n");
}

int clock_policy(const struct clock_options *o, enum ay_timed otherwise, struct ay_perf_policy *p,
		 struct ay_err *err)
{
	const char *word = o->timing ? o->timing : getenv("ASSAY_TIMING");

	*p = (struct ay_perf_policy){
		.mode = otherwise, .budget_s = o->budget, .baseline = o->baseline, .waiting = say_waiting
	};
	if (word && ay_timed_find(word, &p->mode, err)) {
		if (!o->timing)
			*err = (struct ay_err){ 0 };
		return ay_fail(err, AY_ERR_USAGE, "ASSAY_TIMING is none, auto or full, not '%s'", word);
	}
	p->gate_always = o->gate && !strcmp(o->gate, "always");
	if (o->gate && strcmp(o->gate, "always") && strcmp(o->gate, "auto"))
		return ay_fail(err, AY_ERR_USAGE, "--gate is auto or always, not '%s'", o->gate);
	if (o->budget < 0 || !isfinite(o->budget))
		return ay_fail(err, AY_ERR_USAGE, "--budget is a number of seconds");
	return ay_perf_check_baseline(o->baseline, err);
}

/* Shapes of a call's arguments. Equal shapes in a row are counted. */
struct shapes {
	struct ay_str last;
	int n; /* number of the last shape in a row */
};

static void end_shape(struct ay_str *b, struct shapes *s)
{
	if (s->n > 1)
		ay_str_addf(b, " %d x", s->n);
	if (s->n)
		ay_str_addf(b, " %s", ay_str_text(&s->last));
	s->n = 0;
}

static void add_tensor(struct ay_str *b, struct shapes *s, const struct ay_tdesc *t)
{
	struct ay_str one = { 0 };

	ay_str_add(&one, "[");
	for (int d = 0; d < t->ndim; d++)
		ay_str_addf(&one, "%s%lld", d ? ", " : "", (long long)t->shape[d]);
	ay_str_addf(&one, "] %s", ay_dt_info(t->dt)->name);
	if (s->n && strcmp(ay_str_text(&one), ay_str_text(&s->last)) != 0) {
		end_shape(b, s);
		ay_str_add(b, ",");
	}
	s->n++;
	ay_str_release(&s->last);
	s->last = one;
}

static void add_shapes(struct ay_str *b, struct shapes *s, const struct ay_value *v)
{
	if (v->kind == AY_V_TENSOR)
		add_tensor(b, s, v->t);
	for (int i = 0; v->kind == AY_V_LIST && i < v->list.n && b->len < 2 * LABEL; i++)
		add_shapes(b, s, &v->list.v[i]);
}

void clock_label(struct ay_str *b, const struct ay_suite_case *sc)
{
	const struct ay_schema *op = sc->schema;
	struct shapes s = { 0 };

	ay_str_addf(b, "%s%s%s", op->base, op->overload[0] ? "." : "", op->overload);
	for (int i = 0; i < sc->line->narg; i++)
		add_shapes(b, &s, &sc->line->arg[i]);
	for (int i = 0; i < sc->line->nkw; i++)
		add_shapes(b, &s, &sc->line->kw[i].v);
	end_shape(b, &s);
	ay_str_release(&s.last);
}

void clock_head(struct ay_str *b)
{
	ay_str_addf(b, "  %-*s %9s %6s  %s\n", LABEL, "timed", "a call", "+-", "reached");
}

static void add_reached(struct ay_str *b, const struct ay_timing *t)
{
	struct ay_str s = { 0 };

	/* show FLOPs if they are closer to their limit than bytes are */
	if (t->ns > 0 && t->peak > t->floor_ns / t->ns)
		ay_str_addf(&s, "%.0f %% of peak", 100 * t->peak);
	else if (t->ns > 0 && t->floor_ns > 0)
		ay_str_addf(&s, "%.0f %% of floor", 100 * t->floor_ns / t->ns);
	ay_str_add(b, ay_str_text(&s));
	ay_str_release(&s);
}

static void add_ratio(struct ay_str *b, const struct ay_timing *t)
{
	const int digits = t->speedup < 9.995 ? 2 : 1;

	if (t->pace == AY_PACE_NONE) {
		ay_str_add(b, t->why ? t->why : "");
		return;
	}
	ay_str_addf(b, "%.*fx", digits, t->speedup);
	if (isfinite(t->lo) && isfinite(t->hi))
		ay_str_addf(b, " [%.*f, %.*f]", digits, t->lo, digits, t->hi);
	ay_str_addf(b, " %s", ay_pace_name(t->pace));
	if (t->scored && t->pace == AY_PACE_UNCLEAR && t->lo < t->speedup)
		ay_str_addf(b, ", counts as %.*fx,", t->lo < 0.995 ? 3 : digits, t->lo);
	ay_str_add(b, " over ");
	ay_term_text(b, t->baseline ? t->baseline : "", NAME_SHOWN);
	if (t->version)
		ay_str_addf(b, " %s", t->version);
	ay_str_addf(b, "%s%s%s", t->overhead_bound ? ", overhead-bound" : "", t->disturbed ? ", disturbed" : "",
		    t->audited ? ", audited" : "");
	if (t->why)
		ay_str_addf(b, " (%s)", t->why);
}

/* Adds text on lines of AY_WIDTH columns, the first of which has `at` columns already. */
static void add_wrapped(struct ay_str *b, const struct ay_str *text, int at)
{
	ay_wrap(b, ay_str_text(text), at, MORE, AY_WIDTH);
	ay_str_addc(b, '\n');
}

/* Two lines: what was measured of the kernel, then how it compares with the baseline. */
static void add_times(struct ay_str *b, const struct ay_timing *t)
{
	struct ay_str ns = { 0 }, ratio = { 0 };

	ay_time_print(&ns, t->ns);
	ay_str_addf(b, " %9s ", ay_str_text(&ns));
	if (isfinite(t->ns_hi))
		ay_str_addf(b, "%4.1f %%  ", 50 * (t->ns_hi - t->ns_lo) / t->ns);
	else
		ay_str_addf(b, "%6s  ", "?");
	add_reached(b, t);
	add_ratio(&ratio, t);
	ay_str_addf(&ratio, "%s%s", ratio.len ? "; " : "", t->cold ? "cold" : "warm");
	ay_str_addf(b, "\n%*s", MORE, "");
	add_wrapped(b, &ratio, MORE);
	ay_str_release(&ns);
	ay_str_release(&ratio);
}

void clock_row(struct ay_str *b, const char *label, const struct ay_timing *t)
{
	struct ay_str cut = { 0 }, why = { 0 };

	ay_str_addn(&cut, label, strnlen(label, LABEL));
	if (strlen(label) > LABEL)
		memcpy(cut.s + LABEL - 3, "...", 3);
	if (t->ns > 0) {
		ay_str_addf(b, "  %-*s", LABEL, ay_str_text(&cut));
		add_times(b, t);
	} else {
		add_ratio(&why, t);
		if (2 + LABEL + 2 + why.len <= AY_WIDTH)
			ay_str_addf(b, "  %-*s  ", LABEL, ay_str_text(&cut));
		else
			ay_str_addf(b, "  %s\n%*s", ay_str_text(&cut), MORE, "");
		add_wrapped(b, &why, MORE);
	}
	ay_str_release(&cut);
	ay_str_release(&why);
}
