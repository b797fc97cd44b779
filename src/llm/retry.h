/* SPDX-License-Identifier: Apache-2.0
 *
 * retry - when a question may be tried again.
 *
 * A server's own word counts first: Retry-After (seconds or a date, which is taken against the server's own clock
 * where it sends one), retry-after-ms, and the reset time of each rate limit of which nothing remains. Nothing is
 * ever tried sooner than that. Without a word the wait doubles from half a second up to a minute. Chance spreads
 * those that failed together.
 */
#ifndef AY_LLM_RETRY_H
#define AY_LLM_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_LIMITS_MAX = 12 };

/* What the headers of one answer said. {0} is empty. */
struct ay_limits {
	bool has_after, has_date, after_is_date;
	double after_s; /* from now, or since the epoch */
	double date_s;  /* the server's clock, since the epoch */
	int n;
	struct ay_limit {
		char name[32]; /* "requests", "input-tokens" */
		bool has_left, has_reset, reset_is_date;
		double left, reset_s;
	} limit[AY_LIMITS_MAX];
};

/* One header line, "Name: value", with or without its end of line. */
void ay_limits_header(struct ay_limits *l, const char *line, size_t n);
/* Seconds that the server asks to wait, < 0 if it asks for nothing. now_s: our clock, since the epoch. */
double ay_limits_wait(const struct ay_limits *l, double now_s);
/* Seconds before the next try; tries: made so far; chance in [0, 1). */
double ay_retry_wait(int tries, double told_s, double chance);

#endif
