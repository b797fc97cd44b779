/* SPDX-License-Identifier: Apache-2.0
 *
 * label - the words that tables and totals use for the results of a summary.
 */
#include "store/store_internal.h"
#include "store/summary.h"

#include <string.h>

enum { PROGRESS_MAX = 1 << 16 };

int64_t ay_count_failed(const int64_t count[AY_VERDICT_COUNT])
{
	int64_t n = 0;

	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (v != AY_VERDICT_PASS && v != AY_VERDICT_SKIPPED && v != AY_VERDICT_WEAK_CASE)
			n += count[v];
	return n;
}

const char *ay_sum_verdict_name(enum ay_verdict v)
{
	return v == AY_VERDICT_NONE ? "MISSING" : ay_verdict_name(v);
}

const char *ay_sum_label(const struct ay_sum_operator *op)
{
	return op->verdict == AY_VERDICT_PASS && !op->passed ? AY_SUM_PARTIAL : ay_sum_verdict_name(op->verdict);
}

const char *ay_sum_baseline(const struct ay_summary *s, const struct ay_speed *x)
{
	return x->baselines > 1 ? "several" : x->baselines && x->baseline >= 0 ? s->baseline[x->baseline] : "";
}

void ay_score_print(struct ay_str *b, const struct ay_score *x, const char *absent)
{
	const struct {
		int n;
		const char *what;
	} part[] = { { x->partial, "partial" },
		     { x->failed, "fail" },
		     { x->undecided, "undecided" },
		     { x->pending, "not judged yet" },
		     { x->missing - x->left_out - x->pending, absent },
		     { x->left_out, "left out by the suite" } };

	ay_str_addf(b, "%d of %d pass", x->passed, x->of);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].n)
			ay_str_addf(b, ", %d %s", part[i].n, part[i].what);
}

/* progress.json says how far the process came that wrote the run. If the file does not exist (a
 * merge, a run of an older build), the run counts as finished. */
bool ay_sum_is_unfinished(const struct ay_folder *d)
{
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	json_t *j = NULL;
	char *text = NULL;
	size_t n = 0;
	bool unfinished;

	if (!ay_folder_read(d, AY_PROGRESS_NAME, &a, PROGRESS_MAX, &text, &n, &ignored) && text)
		j = json_loadb(text, n, 0, NULL);
	unfinished = json_is_false(json_object_get(j, "finished"));
	json_decref(j);
	ay_arena_release(&a);
	return unfinished;
}

bool ay_sum_is_pending(const struct ay_summary *s, const struct ay_sum_operator *op)
{
	return s->unfinished && op->verdict == AY_VERDICT_NONE && op->in_suite && op->planned && !op->left_out;
}

json_t *ay_summary_record(const struct ay_summary *s, uint64_t offset, uint32_t len)
{
	return ay_record_at(s->results_fd, offset, len);
}

void ay_summary_add_drawn(struct ay_str *b, const struct ay_summary *s)
{
	const json_t *drawing = json_object_get(json_object_get(s->head, "policy"), "drawn");
	const json_t *seed = json_object_get(drawing, "seed");

	ay_str_addf(b, "drawn cases: %lld of %d", (long long)s->drawn, s->ncase);
	if (json_is_integer(seed))
		ay_str_addf(b, " (--seed %lld)", (long long)json_integer_value(seed));
	ay_str_addf(b, "; %lld of them did not pass", (long long)s->drawn_bad);
}
