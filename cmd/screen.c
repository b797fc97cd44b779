/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"
#include "base/wrap.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 20, MOST = 1000 };

struct ay_screen screen_find(void)
{
	const char *no_colour = getenv("NO_COLOR"), *columns = getenv("COLUMNS");
	struct ay_screen s = { .width = AY_WIDTH, .whole_names = !isatty(1) };
	const long told = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize w = { 0 };

	if (!s.whole_names) {
		s.colour = !no_colour || !*no_colour;
		if (!ioctl(1, TIOCGWINSZ, &w) && w.ws_col)
			s.width = w.ws_col;
	}
	if (told > 0)
		s.width = told < LEAST ? LEAST : told > MOST ? MOST : (int)told;
	return s;
}
