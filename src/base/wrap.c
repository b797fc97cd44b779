/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wrap.h"

#include <string.h>

static const char blanks[] = " \n";

/* Returns how many line ends to print for the n bytes of white space at `gap`, which follow the
 * byte `before`. */
static int line_ends(const char *gap, size_t n, char before)
{
	int ends = 0;

	for (size_t i = 0; i < n; i++)
		ends += gap[i] == '\n';
	return ends > 1 ? 2 : ends && before == '.' ? 1 : 0;
}

void ay_wrap(struct ay_str *b, const char *text, int at, int indent, int width)
{
	bool begun = false;
	int ends = 0, col = at;

	text += strspn(text, blanks);
	while (*text) {
		const size_t n = strcspn(text, blanks), gap = strspn(text + n, blanks);

		if (begun && !ends && col + 1 + (int)n > width)
			ends = 1;
		for (int i = 0; i < ends; i++)
			ay_str_addc(b, '\n');
		if (ends)
			ay_str_addf(b, "%*s", indent, "");
		else if (begun)
			ay_str_addc(b, ' ');
		col = ends ? indent : col + begun;
		ay_str_addn(b, text, n);
		col += (int)n;
		begun = true;
		ends = line_ends(text + n, gap, text[n - 1]);
		text += n + gap;
	}
}
