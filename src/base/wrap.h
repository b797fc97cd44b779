/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap - breaks text into lines of limited width. One byte is one column, so the text must
 * be ASCII.
 */
#ifndef AY_BASE_WRAP_H
#define AY_BASE_WRAP_H

#include "base/str.h"

enum { AY_WIDTH = 80 /* of text for people, unless the terminal has another width */ };

/* Adds the words of `text` to b, with line breaks at blanks so that no line is wider than `width`.
 * The first line begins at column `at`; the following lines are indented by `indent`. A word wider
 * than a line gets a line of its own. A line end in the text is a blank like any other, unless a
 * full stop or an empty line precedes it. No line end is added after the text. */
void ay_wrap(struct ay_str *b, const char *text, int at, int indent, int width);

#endif
