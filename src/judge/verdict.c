/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/verdict.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *name, *text;
} verdicts[] = {
#define V(name, text) { #name, text },
	AY_VERDICTS(V)
#undef V
		{ "NONE", "not judged yet" },
};

const char *ay_verdict_name(enum ay_verdict v)
{
	return verdicts[v].name;
}

const char *ay_verdict_text(enum ay_verdict v)
{
	return verdicts[v].text;
}

enum ay_verdict ay_verdict_find(const char *name)
{
	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (!strcmp(verdicts[v].name, name))
			return (enum ay_verdict)v;
	return AY_VERDICT_NONE;
}

static bool is_weak(enum ay_verdict v)
{
	return v == AY_VERDICT_WEAK_CASE || v == AY_VERDICT_SKIPPED;
}

enum ay_verdict ay_verdict_merge(enum ay_verdict a, enum ay_verdict b)
{
	if (a == AY_VERDICT_NONE || b == AY_VERDICT_NONE)
		return a == AY_VERDICT_NONE ? b : a;
	if (is_weak(a) != is_weak(b))
		return is_weak(a) ? b : a;
	return a < b ? a : b;
}
