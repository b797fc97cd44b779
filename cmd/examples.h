/* SPDX-License-Identifier: Apache-2.0
 *
 * examples - keeps a few cases of a check that did not pass, the worst first. The deciding verdict
 * is always among them.
 */
#ifndef AY_CMD_EXAMPLES_H
#define AY_CMD_EXAMPLES_H

#include "base/str.h"
#include "judge/task.h"

enum { EXAMPLES_MAX = 3 };

struct examples {
	int n;
	struct example {
		enum ay_verdict verdict;
		bool derived; /* of a form that the file does not define */
		struct ay_str text;
	} kept[EXAMPLES_MAX];
};

/* Returns true if this is the first case with this verdict in its overload, and is bad enough to be
 * kept. */
bool examples_want(const struct examples *e, const struct ay_tally *t, enum ay_verdict v);
/* Keeps a copy of the text. */
void examples_add(struct examples *e, const struct ay_tally *t, enum ay_verdict v, const char *text);
/* Prints the examples, worst first. Prints those of derived forms only if there are no others. */
void examples_print(const struct examples *e);
void examples_release(struct examples *e);

#endif
