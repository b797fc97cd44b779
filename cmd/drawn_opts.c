/* SPDX-License-Identifier: Apache-2.0 */
#include "drawn_opts.h"

#include <stdlib.h>

int drawn_policy(const struct drawn_options *o, int otherwise, bool full, int64_t seed, struct ay_drawing *d,
		 struct ay_err *err)
{
	const bool given = o->n != AY_UNSET;
	const char *word = getenv("ASSAY_DRAWN");
	char *end = "";

	if (word && *word) {
		const long n = strtol(word, &end, 10);

		otherwise = n >= 0 && n <= AY_DRAWN_MAX ? (int)n : -1;
	}
	if (*end || otherwise < 0)
		return ay_fail(err, AY_ERR_USAGE, "ASSAY_DRAWN is a number of cases from 0 to %d, not '%s'",
			       AY_DRAWN_MAX, word);
	if (given && o->none)
		return ay_fail(err, AY_ERR_USAGE, "--drawn and --no-drawn: choose one");
	*d = (struct ay_drawing){ .n = o->none ? 0
				       : given ? (int)o->n
					       : otherwise,
				  .full = full,
				  /* short enough to be typed again */
				  .seed = seed >= 0 ? (uint64_t)seed : ay_secret_below(1000000000) };
	return 0;
}
