/* SPDX-License-Identifier: Apache-2.0
 *
 * timing_opts - the options of commands that time kernels, and how a time is printed.
 */
#ifndef AY_CMD_TIMING_OPTS_H
#define AY_CMD_TIMING_OPTS_H

#include "cmd.h"
#include "base/str.h"
#include "judge/perf.h"

struct clock_options {
	const char *timing, *baseline, *gate;
	double budget;
};

#define CLOCK_OPTS(o)                                                                                         \
	{ "timing", OPT_TEXT, &(o)->timing, "T",                                                              \
	  "none; auto: a few cases of each overload that passes; full: all that are worth it" },              \
		{ "baseline", OPT_TEXT, &(o)->baseline, "B",                                                  \
		  "what times are held against: auto, reference, aten, openblas, cublas, none, ref (--ref's " \
		  "own), or a kernel's file" },                                                               \
		{ "gate", OPT_TEXT, &(o)->gate, "G",                                                          \
		  "always, or auto: what is built in (aten) is trusted on a GPU (docs/timing.md)" },          \
	{                                                                                                     \
		"budget", OPT_REAL, &(o)->budget, "S", "seconds for timing one case (auto 3, full 20)",       \
			OPT_ABOVE_0, SECONDS_MAX                                                              \
	}

/* Converts the options to a policy. Without --timing the mode is that of ASSAY_TIMING, else
 * `otherwise`. */
int clock_policy(const struct clock_options *o, enum ay_timed otherwise, struct ay_perf_policy *p,
		 struct ay_err *err);

/* Print the head and one row of a table of times. label: text of the first column, cut to fit. */
void clock_head(struct ay_str *b);
void clock_row(struct ay_str *b, const char *label, const struct ay_timing *t);
/* Makes a short label that tells cases apart: "add.Tensor 2 x [1024, 1024] f32". */
void clock_label(struct ay_str *b, const struct ay_suite_case *sc);

#endif
