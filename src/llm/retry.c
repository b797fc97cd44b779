/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/retry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define FIRST_S   0.5
#define LONGEST_S 60.0
#define ABSURD_S  1e9  /* 30 years: longest accepted wait */
#define EPOCH_S   1e8  /* a larger number is a time of day in seconds, */
#define EPOCH_MS  1e11 /* and from here on in milliseconds, as OpenRouter sends it */
#define MOST      1e15

/* Parses a number from a server that may be hostile. */
static bool number(const char *s, const char **end, double *x)
{
	char *e;

	*x = strtod(s, &e);
	if (end)
		*end = e;
	if (*x > MOST)
		*x = MOST;
	return e != s && *x >= 0; /* also false for NaN */
}

/* Parses "1s", "6m0s", "120ms", "1h2m3.5s" (OpenAI's forms) or plain seconds. */
static bool duration(const char *s, double *seconds)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "h", 3600 },
		      { "m", 60 },    { "s", 1 },     { "d", 86400 } };

	*seconds = 0;
	do {
		size_t u = 0;
		double x;

		if (!number(s, &s, &x))
			return false;
		if (!*s) {
			*seconds += x;
			return true;
		}
		while (u < sizeof units / sizeof *units && strncmp(s, units[u].unit, strlen(units[u].unit)))
			u++;
		if (u == sizeof units / sizeof *units)
			return false;
		*seconds += x * units[u].s;
		s += strlen(units[u].unit);
	} while (*s);
	return true;
}

/* Parses "Wed, 21 Oct 2026 07:28:00 GMT" or "2026-10-21T07:28:00Z" to seconds since the epoch. */
static bool date(const char *s, double *epoch)
{
	static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
					     "%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z" };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct tm tm = { 0 };
		const char *end = strptime(s, forms[i], &tm);
		long east = tm.tm_gmtoff;

		if (!end || *end)
			continue;
		*epoch = (double)timegm(&tm) - (double)east;
		return *epoch > 0;
	}
	return false;
}

/* Finds or adds the limit that a header PREFIX name SUFFIX is about. */
static struct ay_limit *limit_of(struct ay_limits *l, const char *name, const char *prefix, const char *suffix)
{
	size_t n = strlen(name), p = strlen(prefix), s = strlen(suffix);
	int i = 0;

	if (n < p + s || n - p - s >= sizeof l->limit[0].name || strncasecmp(name, prefix, p) ||
	    strcasecmp(name + n - s, suffix))
		return NULL;
	while (i < l->n &&
	       (strlen(l->limit[i].name) != n - p - s || strncasecmp(l->limit[i].name, name + p, n - p - s)))
		i++;
	if (i == AY_LIMITS_MAX)
		return NULL;
	if (i == l->n)
		memcpy(l->limit[l->n++].name, name + p, n - p - s);
	return &l->limit[i];
}

static void rate_limit(struct ay_limits *l, const char *name, const char *value)
{
	struct ay_limit *left = limit_of(l, name, "x-ratelimit-remaining", "");
	struct ay_limit *reset = limit_of(l, name, "x-ratelimit-reset", "");

	if (!left)
		left = limit_of(l, name, "anthropic-ratelimit-", "-remaining");
	if (!reset)
		reset = limit_of(l, name, "anthropic-ratelimit-", "-reset");
	if (left)
		left->has_left = number(value, NULL, &left->left);
	if (reset) {
		reset->reset_is_date = date(value, &reset->reset_s);
		reset->has_reset = reset->reset_is_date || duration(value, &reset->reset_s);
		if (reset->has_reset && !reset->reset_is_date && reset->reset_s >= EPOCH_S) {
			reset->reset_is_date = true;
			reset->reset_s /= reset->reset_s >= EPOCH_MS ? 1000 : 1;
		}
	}
}

void ay_limits_header(struct ay_limits *l, const char *line, size_t n)
{
	char name[80], value[100];
	const char *colon = memchr(line, ':', n), *v;
	double x;

	if (!colon || (size_t)(colon - line) >= sizeof name)
		return;
	v = colon + 1;
	n -= (size_t)(v - line);
	while (n && (*v == ' ' || *v == '\t')) {
		v++;
		n--;
	}
	while (n && isspace((unsigned char)v[n - 1]))
		n--;
	if (n >= sizeof value)
		return;
	memcpy(name, line, (size_t)(colon - line));
	name[colon - line] = 0;
	memcpy(value, v, n);
	value[n] = 0;
	if (!strcasecmp(name, "retry-after-ms") && number(value, NULL, &x)) {
		l->has_after = true; /* more precise than retry-after, so it counts */
		l->after_is_date = false;
		l->after_s = x / 1000;
	} else if (!strcasecmp(name, "retry-after") && (!l->has_after || l->after_is_date)) {
		const char *end;
		bool plain = number(value, &end, &x) && !*end;

		if (plain || date(value, &x)) {
			l->has_after = true;
			l->after_is_date = !plain;
			l->after_s = x;
		}
	} else if (!strcasecmp(name, "date")) {
		l->has_date = date(value, &l->date_s);
	} else {
		rate_limit(l, name, value);
	}
}

static double until(const struct ay_limits *l, double epoch_s, double now_s)
{
	double s = epoch_s - (l->has_date ? l->date_s : now_s);

	return s > 0 ? s : 0;
}

static double sane(double s)
{
	return s < ABSURD_S ? s : ABSURD_S;
}

double ay_limits_wait(const struct ay_limits *l, double now_s)
{
	double wait = -1;

	if (l->has_after)
		return sane(l->after_is_date ? until(l, l->after_s, now_s) : l->after_s);
	for (int i = 0; i < l->n; i++) {
		const struct ay_limit *m = &l->limit[i];
		double s = m->reset_is_date ? until(l, m->reset_s, now_s) : m->reset_s;

		if (m->has_left && m->has_reset && m->left == 0 && s > wait)
			wait = s;
	}
	return sane(wait);
}

double ay_retry_wait(int tries, double told_s, double chance)
{
	double s = tries > 7 ? LONGEST_S : FIRST_S * (double)(1 << (tries > 0 ? tries - 1 : 0));

	if (s > LONGEST_S)
		s = LONGEST_S;
	if (told_s < 0)
		return s * (0.5 + chance / 2);
	return told_s + chance * (s < 1 ? s : 1);
}
