/* SPDX-License-Identifier: Apache-2.0
 *
 * drawn_opts - the options of commands that draw cases beside the listed ones (op/drawn.h).
 */
#ifndef AY_CMD_DRAWN_OPTS_H
#define AY_CMD_DRAWN_OPTS_H

#include "cmd.h"
#include "op/drawn.h"

struct drawn_options {
	int64_t n; /* cases for each overload; AY_UNSET: not given */
	bool none;
};

#define DRAWN_OPTS(o)                                                             \
	{ "drawn",                                                                \
	  OPT_INT,                                                                \
	  &(o)->n,                                                                \
	  "N",                                                                    \
	  "draw N cases of each overload beside the listed ones (18; --full 72)", \
	  0,                                                                      \
	  AY_DRAWN_MAX },                                                         \
	{                                                                         \
		"no-drawn", OPT_FLAG, &(o)->none, NULL, "only the listed cases"   \
	}

/* Converts the options. `otherwise`: how many cases are drawn if neither the options nor ASSAY_DRAWN say
 * it. Without a seed (below 0) the judge chooses one. Fails if the options exclude each other. */
int drawn_policy(const struct drawn_options *o, int otherwise, bool full, int64_t seed, struct ay_drawing *d,
		 struct ay_err *err);

#endif
