/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_internal - what the files that make suites share.
 */
#ifndef AY_OP_SUITE_INTERNAL_H
#define AY_OP_SUITE_INTERNAL_H

#include "op/suite.h"

/* An out= or in-place form whose lines are made from lines of its functional form. */
struct ay_twin {
	const struct ay_schema *form;
	int made; /* lines so far: their out= arguments are dense, or have gaps, by turns */
};

/* Converts a line of the functional form, bound as c, to a line of twin->form. Returns NULL if this
 * call has no such form. */
struct ay_case *ay_twin_line(struct ay_arena *a, const struct ay_twin *twin, const struct ay_case *line,
			     const struct ay_call *c);

#endif
