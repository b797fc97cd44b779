/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prompt_internal.h"

#include "base/file.h"
#include "llm/prompt_quote.h"

#include <math.h>

/* Limits in bytes: enough to see the error, and little compared with the page. */
enum { SOURCE_MAX = 100000, DETAIL_MAX = 2000, COMPILER_MAX = 6000, HINT_MAX = 500, CASE_MAX = 1000 };

int ay_put_source(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past && q->past->source)
		ay_prompt_quote(b, ay_label_of(q), q->past->source, SOURCE_MAX);
	return 0;
}

int ay_put_verdict(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past)
		ay_str_addf(b, "%s: %s.", ay_verdict_name(q->past->verdict), ay_verdict_text(q->past->verdict));
	return 0;
}

int ay_put_counts(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past && q->past->judged > 0)
		ay_str_addf(b, "Of %d cases that were judged %d passed.", q->past->judged, q->past->passed);
	return 0;
}

int ay_put_case(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_str line = { 0 };

	(void)err;
	if (q->past && q->past->line)
		ay_prompt_quote_case(&line, q->past->line, CASE_MAX);
	if (line.len)
		ay_str_addf(b, "The worst of them is this call:\n\n```\n%s\n```\n", ay_str_text(&line));
	ay_str_release(&line);
	return 0;
}

int ay_put_numbers(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (!q->past || !q->past->at)
		return 0;
	ay_str_add(b, "The first wrong element: `");
	ay_prompt_quote_inline(b, q->past->out ? q->past->out : "out", CASE_MAX);
	ay_prompt_quote_inline(b, q->past->at, CASE_MAX);
	ay_str_add(b, "` should be ");
	ay_str_add_apart(b, q->past->want, q->past->got);
	ay_str_add(b, ", is ");
	ay_str_add_apart(b, q->past->got, q->past->want);
	if (isfinite(q->past->want) && isfinite(q->past->got))
		ay_str_addf(b, ", and may be off by %.3g", q->past->bound);
	ay_str_addc(b, '.');
	return 0;
}

/* Adds a fixed sentence and a block with the quoted text. */
static void put_said(struct ay_str *b, const char *who, const char *text, size_t max)
{
	if (!text || !text[0])
		return;
	ay_str_addf(b, "%s:\n\n", who);
	ay_prompt_quote_said(b, text, max);
}

int ay_put_detail(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past)
		put_said(b, "What happened", q->past->detail, DETAIL_MAX);
	return 0;
}

int ay_put_compiler(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past)
		put_said(b, "What the compiler said", q->past->compiler, COMPILER_MAX);
	return 0;
}

int ay_put_hint(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (!q->past || !q->past->hint)
		return 0;
	ay_str_add(b, "A hint: ");
	ay_prompt_quote_inline(b, q->past->hint, HINT_MAX);
	return 0;
}

int ay_put_reply(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->past && q->past->reply)
		ay_prompt_quote_inline(b, q->past->reply, HINT_MAX);
	return 0;
}

/* --- how fast --------------------------------------------------------------------------------- */

static void say_time(struct ay_str *b, const struct ay_timing *t)
{
	if (!(t->ns > 0)) {
		ay_str_add(b, "  not timed");
		if (t->why) {
			ay_str_add(b, ": ");
			ay_prompt_quote_inline(b, t->why, HINT_MAX);
		}
		ay_str_addc(b, '\n');
		return;
	}
	ay_str_addf(b, "  %.2f us a call (%.2f to %.2f), %d thread%s", t->ns / 1e3, t->ns_lo / 1e3, t->ns_hi / 1e3,
		    t->threads, t->threads == 1 ? "" : "s");
	if (t->floor_ns > 0)
		ay_str_addf(b, "; the floor is %.2f us, of which it reaches %.0f %%", t->floor_ns / 1e3,
			    100 * t->floor_ns / t->ns);
	if (t->peak > 0)
		ay_str_addf(b, "; %.0f %% of the FLOPs that the machine can do", 100 * t->peak);
	ay_str_addc(b, '\n');
	if (!t->baseline || !(t->base_ns > 0))
		return;
	ay_str_add(b, "  ");
	ay_prompt_quote_inline(b, ay_file_basename(t->baseline), HINT_MAX);
	if (t->version) {
		ay_str_addc(b, ' ');
		ay_prompt_quote_inline(b, t->version, HINT_MAX);
	}
	ay_str_addf(b, " takes %.2f us: your kernel is %.3g times as fast (%.3g to %.3g)%s\n", t->base_ns / 1e3,
		    t->speedup, t->lo, t->hi,
		    t->overhead_bound ? ", most of which is the cost of a call"
		    : t->cold         ? ""
				      : ", out of a cache");
}

int ay_put_times(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_str all = { 0 };

	(void)err;
	for (int i = 0; q->past && i < q->past->ntimed; i++) {
		if (q->past->timed[i].line)
			ay_prompt_quote_case(&all, q->past->timed[i].line, CASE_MAX);
		ay_str_addc(&all, '\n');
		say_time(&all, q->past->timed[i].timing);
	}
	if (all.len)
		ay_prompt_quote(b, "", ay_str_text(&all), SOURCE_MAX);
	else if (q->past)
		ay_str_add(b, "It was not timed.");
	ay_str_release(&all);
	return 0;
}
