/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/price.h"
#include "base/file.h"
#include "base/str.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

static const struct {
	const char *model;
	struct ay_price p;
} table[] = {
	{ "gpt-3.5-turbo", { 0.50, 1.50 } },
	{ "gpt-4-turbo", { 10, 30 } },
	{ "gpt-4o", { 2.50, 10 } },
	{ "gpt-4o-mini", { 0.15, 0.60 } },
	{ "gpt-4.1", { 2, 8 } },
	{ "gpt-4.1-mini", { 0.40, 1.60 } },
	{ "gpt-4.1-nano", { 0.10, 0.40 } },
	{ "gpt-5", { 1.25, 10 } },
	{ "gpt-5-mini", { 0.25, 2 } },
	{ "gpt-5-nano", { 0.05, 0.40 } },
	{ "o1", { 15, 60 } },
	{ "o3", { 2, 8 } },
	{ "o3-mini", { 1.10, 4.40 } },
	{ "o4-mini", { 1.10, 4.40 } },
	{ "claude-3-haiku", { 0.25, 1.25 } },
	{ "claude-3-opus", { 15, 75 } },
	{ "claude-3-5-haiku", { 0.80, 4 } },
	{ "claude-3-5-sonnet", { 3, 15 } },
	{ "claude-3-7-sonnet", { 3, 15 } },
	{ "claude-haiku-4-5", { 1, 5 } },
	{ "claude-opus-4", { 15, 75 } },
	{ "claude-opus-4-1", { 15, 75 } },
	{ "claude-opus-4-5", { 5, 25 } },
	{ "claude-sonnet-4", { 3, 15 } },
	{ "claude-sonnet-4-5", { 3, 15 } },
};

/* Returns how many characters of the model's name the entry matches, or 0. */
static size_t fits(const char *name, const char *model)
{
	size_t n = strlen(name);
	int digits = 0;

	if (n && name[n - 1] == '*')
		return strncmp(name, model, n - 1) ? 0 : n;
	if (!n || strncmp(name, model, n))
		return 0;
	model += n;
	if (!*model || !strcmp(model, "-latest"))
		return n;
	/* a date has at least four digits; "-5" would be another model */
	while (*model == '-' && isdigit((unsigned char)model[1 + digits]))
		digits++;
	return digits >= 4 ? n : 0;
}

static int price_of_json(const char *name, const json_t *v, struct ay_price *p, struct ay_err *err)
{
	p->in = json_number_value(json_array_get(v, 0));
	p->out = json_number_value(json_array_get(v, 1));
	if (json_array_size(v) != 2 || !json_is_number(json_array_get(v, 0)) ||
	    !json_is_number(json_array_get(v, 1)) || p->in < 0 || p->out < 0)
		return ay_fail(
			err, AY_ERR_PARSE,
			"ASSAY_PRICES: the price of '%.80s' is not [DOLLARS_IN, DOLLARS_OUT] of a million tokens",
			name);
	return 0;
}

/* Reads $ASSAY_PRICES. Checks all entries, so that errors are found whatever the model. */
static int given(const char *variable, const char *model, struct ay_price *p, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	json_error_t e = { 0 };
	char *text = (char *)variable;
	const char *name;
	size_t n = strlen(variable), best = 0;
	json_t *j = NULL, *v;
	int rc = 0;

	if (*variable != '{')
		rc = ay_file_read(&a, variable, FILE_MAX, &text, &n, err);
	if (rc) {
		ay_err_prefix(err, "ASSAY_PRICES");
	} else {
		j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
		if (!json_is_object(j))
			rc = ay_fail(err, AY_ERR_PARSE, "ASSAY_PRICES: %s (line %d, column %d)",
				     j ? "not an object of models and prices" : e.text, e.line, e.column);
	}
	json_object_foreach(j, name, v)
	{
		struct ay_price one;

		if (rc || (rc = price_of_json(name, v, &one, err)))
			break;
		if (fits(name, model) > best) {
			best = fits(name, model);
			*p = one;
		}
	}
	json_decref(j);
	ay_arena_release(&a);
	return rc;
}

int ay_price_find(const char *model, struct ay_price *p, struct ay_err *err)
{
	const char *variable = getenv("ASSAY_PRICES");
	size_t best = 0;

	*p = (struct ay_price){ -1, -1 };
	if (variable && *variable && given(variable, model, p, err))
		return -1;
	if (p->in >= 0)
		return 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (fits(table[i].model, model) > best) {
			best = fits(table[i].model, model);
			*p = table[i].p;
		}
	}
	return 0;
}

double ay_price_of(const struct ay_price *p, int64_t tokens_in, int64_t tokens_out)
{
	if (p->in < 0 || tokens_in < 0 || tokens_out < 0)
		return -1;
	return ((double)tokens_in * p->in + (double)tokens_out * p->out) / 1e6;
}
