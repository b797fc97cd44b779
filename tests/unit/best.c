/* SPDX-License-Identifier: Apache-2.0
 *
 * best - tests of the choice among several kernels for one overload, and of its certainty.
 */
#include "test.h"
#include "store/summary.h"

#include <string.h>

struct candidate {
	const char *file;
	enum ay_verdict verdict;
	double ns, speedup, lo, hi; /* 0 = not there */
	bool derived;
};

/* Returns the file that is named ("" = none), and the text. */
static const char *best(const struct candidate *c, int n, const char **words)
{
	static char text[200];
	struct ay_sum_overload o = { .name = "a::relu" };
	struct ay_sum_row row[8] = { 0 };
	struct ay_summary s = { .noverload = 1, .overload = &o, .nrow = n, .row = row };
	struct ay_str b = { 0 };

	for (int i = 0; i < n; i++) {
		row[i] = (struct ay_sum_row){ .file = c[i].file,
					      .kernel_sha256 = c[i].file,
					      .verdict = c[i].verdict,
					      .derived = c[i].derived };
		row[i].speed.ns = c[i].ns;
		row[i].speed.any_speedup = c[i].speedup;
		row[i].speed.any_lo = c[i].lo;
		row[i].speed.any_hi = c[i].hi;
	}
	ay_sum_find_best(&s);
	*words = "";
	if (o.best.row < 0)
		return "";
	ay_sum_best_print(&b, &s, &o.best);
	snprintf(text, sizeof text, "%s", ay_str_text(&b));
	ay_str_release(&b);
	*words = text;
	return row[o.best.row].file;
}

TEST(best_is_one_that_passes)
{
	static const struct candidate c[] = {
		{ .file = "a", .verdict = AY_VERDICT_MISMATCH, .ns = 1, .lo = 9, .hi = 9 },
		{ .file = "c", .verdict = AY_VERDICT_PASS },
		{ .file = "b", .verdict = AY_VERDICT_PASS },
		{ .file = "0", .verdict = AY_VERDICT_PASS, .derived = true }
	};
	const char *words;

	CHECK_STR(best(c, 4, &words), "b"); /* by name, because the order of judging is random */
	CHECK_STR(words, "best of 3: the first of 2 that pass");
	CHECK_STR(best(c, 2, &words), "c");
	CHECK_STR(words, "best of 2: the only one that passes");
	CHECK_STR(best(c, 1, &words), "");
}

TEST(best_is_the_fastest_by_its_interval)
{
	struct candidate c[] = {
		{ .file = "a", .verdict = AY_VERDICT_PASS, .ns = 90, .speedup = 1.5, .lo = 0.9, .hi = 2.1 },
		{ .file = "b", .verdict = AY_VERDICT_PASS, .ns = 100, .speedup = 1.4, .lo = 1.3, .hi = 1.5 },
		{ .file = "c", .verdict = AY_VERDICT_PASS },
	};
	const char *words;

	CHECK_STR(best(c, 2, &words), "b"); /* a may be faster or slower than the baseline */
	CHECK_STR(words, "best of 2: the fastest, not for certain, of 2 that pass");
	c[0].hi = 1.2;
	CHECK_STR(best(c, 2, &words), "b");
	CHECK_STR(words, "best of 2: the fastest of 2 that pass");
	CHECK_STR(best(c, 3, &words), "b"); /* of c nothing is known */
	CHECK_STR(words, "best of 3: the fastest, not for certain, of 3 that pass");
	for (int i = 0; i < 2; i++)
		c[i].speedup = c[i].lo = c[i].hi = 0;
	/* no baseline: their own times count, which have no interval here */
	CHECK_STR(best(c, 3, &words), "a");
	CHECK_STR(words, "best of 3: the fastest, not for certain, of 3 that pass");
}
