/* SPDX-License-Identifier: Apache-2.0
 *
 * retry - decides when a request may be tried again.
 *
 * The server's own demand counts first. It is Retry-After (seconds or a date), retry-after-ms, or
 * the reset time of each rate limit of which nothing remains. A date is compared with the server's
 * own clock if the answer has one. No try begins sooner than that. Without a demand the wait
 * doubles from half a second up to a minute. A random part spreads requests that failed together.
 */
#ifndef AY_LLM_RETRY_H
#define AY_LLM_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_LIMITS_MAX = 12 };

/* What the headers of one answer said. Start with {0}. */
struct ay_limits {
	bool has_after, has_date, after_is_date;
	double after_s; /* seconds from now, or since the epoch if after_is_date */
	double date_s;  /* the server's clock, seconds since the epoch */
	int n;
	struct ay_limit {
		char name[32]; /* "requests", "input-tokens" */
		bool has_left, has_reset, reset_is_date;
		double left, reset_s;
	} limit[AY_LIMITS_MAX];
};

/* Reads one header line, "Name: value", with or without its line end. */
void ay_limits_header(struct ay_limits *l, const char *line, size_t n);
/* Returns the seconds that the server asks to wait, or a number < 0 if it asks for none. now_s:
 * this machine's clock, since the epoch. */
double ay_limits_wait(const struct ay_limits *l, double now_s);
/* Returns the seconds before the next try. tries: number made so far. told_s: result of
 * ay_limits_wait. chance: random, in [0, 1). */
double ay_retry_wait(int tries, double told_s, double chance);

#endif
