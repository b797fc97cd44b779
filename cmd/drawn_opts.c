/* SPDX-License-Identifier: Apache-2.0 */
#include "drawn_opts.h"

int drawn_policy(const struct drawn_options *o, int otherwise, bool full, int64_t seed, struct ay_drawing *d,
		 struct ay_err *err)
{
	const bool given = o->n != AY_UNSET;

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
