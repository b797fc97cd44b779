/* SPDX-License-Identifier: Apache-2.0 */
#include "examples.h"

#include <stdio.h>

/* Returns the place of a new example: after those as bad as it, before the less bad ones. */
static int place_of(const struct examples *e, bool derived, enum ay_verdict v)
{
	int at = 0;

	while (at < e->n &&
	       (e->kept[at].derived < derived || (e->kept[at].derived == derived && e->kept[at].verdict <= v)))
		at++;
	return at;
}

bool examples_want(const struct examples *e, const struct ay_tally *t, enum ay_verdict v)
{
	return v != AY_VERDICT_PASS && v != AY_VERDICT_SKIPPED && t->count[v] == 1 &&
	       place_of(e, t->derived, v) < EXAMPLES_MAX;
}

void examples_add(struct examples *e, const struct ay_tally *t, enum ay_verdict v, const char *text)
{
	const int at = place_of(e, t->derived, v);

	if (at == EXAMPLES_MAX)
		return;
	if (e->n == EXAMPLES_MAX)
		ay_str_release(&e->kept[--e->n].text);
	for (int i = e->n++; i > at; i--)
		e->kept[i] = e->kept[i - 1];
	e->kept[at] = (struct example){ .verdict = v, .derived = t->derived };
	ay_str_add(&e->kept[at].text, text);
}

void examples_print(const struct examples *e)
{
	for (int i = 0; i < e->n && e->kept[i].derived == e->kept[0].derived; i++)
		printf("%s", ay_str_text(&e->kept[i].text));
}

void examples_release(struct examples *e)
{
	for (int i = 0; i < e->n; i++)
		ay_str_release(&e->kept[i].text);
	*e = (struct examples){ 0 };
}
