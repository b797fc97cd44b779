/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap - text of ours on lines of limited width. A byte is a column: the text is ASCII.
 */
#ifndef AY_BASE_WRAP_H
#define AY_BASE_WRAP_H

#include "base/str.h"

enum { AY_WIDTH = 80 /* of what people read, where no terminal says otherwise */ };

/* Adds the words of `text` to b and breaks lines at blanks, so that none is wider than `width`. The first line begins at
 * column `at`; the following ones are indented by `indent`. A longer word stands on a line of its own. A line end in the
 * text is a blank like any other, unless a full stop or an empty line stands before it. Adds no line end after the text. */
void ay_wrap(struct ay_str *b, const char *text, int at, int indent, int width);

#endif
