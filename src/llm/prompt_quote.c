/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prompt_quote.h"

#include "op/caseline.h"

#include <ctype.h>
#include <string.h>

enum { LEAST_FENCE = 3 };

/* Copies a text and replaces the number of each "seed=" by dots. */
static void add_without_seeds(struct ay_str *b, const char *s, size_t n)
{
	static const char word[] = "seed=";
	const char *end = s + n;

	while (s < end) {
		const char *at = memmem(s, (size_t)(end - s), word, sizeof word - 1);

		if (!at) {
			ay_str_addn(b, s, (size_t)(end - s));
			return;
		}
		at += sizeof word - 1;
		ay_str_addn(b, s, (size_t)(at - s));
		s = at;
		if (s < end && isdigit((unsigned char)*s))
			ay_str_add(b, "...");
		while (s < end && isalnum((unsigned char)*s))
			s++;
	}
}

static size_t longest_run(const struct ay_str *t)
{
	size_t most = 0, run = 0;

	for (size_t i = 0; i < t->len; i++) {
		run = t->s[i] == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

void ay_prompt_quote(struct ay_str *b, const char *label, const char *text, size_t max)
{
	struct ay_str t = { 0 };
	size_t fence;

	ay_str_add_safe(&t, text, strlen(text), max);
	while (t.len && t.s[t.len - 1] == '\n')
		t.s[--t.len] = 0;
	fence = longest_run(&t) + 1;
	fence = fence < LEAST_FENCE ? LEAST_FENCE : fence;
	for (size_t i = 0; i < fence; i++)
		ay_str_addc(b, '`');
	ay_str_addf(b, "%s\n%s\n", label, ay_str_text(&t));
	for (size_t i = 0; i < fence; i++)
		ay_str_addc(b, '`');
	ay_str_addc(b, '\n');
	ay_str_release(&t);
}

void ay_prompt_quote_said(struct ay_str *b, const char *text, size_t max)
{
	struct ay_str plain = { 0 };

	add_without_seeds(&plain, text, strlen(text));
	ay_prompt_quote(b, "", ay_str_text(&plain), max);
	ay_str_release(&plain);
}

void ay_prompt_quote_inline(struct ay_str *b, const char *text, size_t max)
{
	const size_t from = b->len;
	struct ay_str plain = { 0 };

	add_without_seeds(&plain, text, strlen(text));
	ay_str_add_safe(b, ay_str_text(&plain), plain.len, max);
	ay_str_release(&plain);
	for (size_t i = from; i < b->len; i++)
		if (b->s[i] == '\n' || b->s[i] == '\t')
			b->s[i] = ' ';
}

void ay_prompt_quote_case(struct ay_str *b, const char *line, size_t max)
{
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	struct ay_str text = { 0 };
	struct ay_case *c;

	if (!ay_case_parse(&a, line, strlen(line), &c, &ignored)) {
		c->has_seed = false;
		c->cnt = -1;
		ay_case_print(&text, c);
		ay_str_add_safe(b, ay_str_text(&text), text.len, max);
	}
	ay_str_release(&text);
	ay_arena_release(&a);
}
