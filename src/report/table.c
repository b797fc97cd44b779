/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables for a terminal. Columns are as wide as their widest cell; on a screen that is too narrow those that may
 * be cut give way, the widest first. A character is a code point: names are ASCII unless somebody plays.
 */
#include "report/report.h"

#include <string.h>

enum { CELL_MAX = 400, GAP = 2, COLUMNS_MAX = 16 };

/* Bytes of the first n characters. */
static size_t bytes_of(const char *s, int n)
{
	size_t i = 0;

	while (s[i] && n--)
		do
			i++;
		while (((unsigned char)s[i] & 0xc0) == 0x80);
	return i;
}

static int length(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void ay_table_row(struct ay_table *t, const char *const *cell, int painted, enum ay_paint paint)
{
	struct ay_str b = { 0 };
	const size_t n = (size_t)(t->nrow + 1) * (size_t)t->ncol;

	if (!(t->nrow & (t->nrow - 1))) { /* room for twice as many rows */
		t->cell = ay_xrealloc(t->cell, 2 * n * sizeof *t->cell);
		t->paint = ay_xrealloc(t->paint, 2 * n * sizeof *t->paint);
	}
	for (int i = 0; i < t->ncol; i++) {
		const size_t at = (size_t)t->nrow * (size_t)t->ncol + (size_t)i;

		ay_str_clear(&b);
		ay_term_text(&b, cell[i] ? cell[i] : "", CELL_MAX);
		t->cell[at] = ay_strdup(&t->arena, ay_str_text(&b));
		t->paint[at] = i == painted ? paint : AY_PAINT_NONE;
	}
	t->nrow++;
	ay_str_release(&b);
}

/* Widths by content; 0 = the column has none. */
static void measure(const struct ay_table *t, int width[COLUMNS_MAX])
{
	for (int i = 0; i < t->ncol; i++) {
		width[i] = 0;
		for (int row = 0; row < t->nrow; row++) {
			const int n = length(t->cell[row * t->ncol + i]);

			width[i] = n > width[i] ? n : width[i];
		}
		if (width[i] && length(t->col[i].head) > width[i])
			width[i] = length(t->col[i].head);
	}
}

static void squeeze(const struct ay_table *t, int width[COLUMNS_MAX], int room)
{
	for (;;) {
		int total = -GAP, widest = -1;

		for (int i = 0; i < t->ncol; i++) {
			total += width[i] ? width[i] + GAP : 0;
			if (t->col[i].least && width[i] > t->col[i].least &&
			    (widest < 0 || width[i] > width[widest]))
				widest = i;
		}
		if (total <= room || widest < 0)
			return;
		width[widest]--;
	}
}

static void print_cell(struct ay_str *b, const char *s, int width, bool right, bool last, const char *colour)
{
	const int n = length(s), pad = n < width ? width - n : 0;

	if (right)
		ay_str_addf(b, "%*s", pad, "");
	ay_str_add(b, colour);
	if (n > width && width > 3) {
		ay_str_addn(b, s, bytes_of(s, width - 3));
		ay_str_add(b, "...");
	} else {
		ay_str_addn(b, s, bytes_of(s, width));
	}
	ay_str_add(b, *colour ? "\033[0m" : "");
	if (!right && !last)
		ay_str_addf(b, "%*s", pad, "");
}

static void print_row(struct ay_str *b, const struct ay_table *t, int row, const int width[COLUMNS_MAX],
		      bool colour)
{
	static const char *const colours[] = { "", "\033[32m", "\033[31m", "\033[33m" };
	int last = t->ncol - 1;
	bool first = true;

	while (last > 0 && (!width[last] || (row >= 0 && !*t->cell[row * t->ncol + last])))
		last--;
	for (int i = 0; i <= last; i++) {
		if (!width[i])
			continue;
		ay_str_addf(b, "%*s", first ? 0 : GAP, "");
		first = false;
		print_cell(b, row < 0 ? t->col[i].head : t->cell[row * t->ncol + i], width[i], t->col[i].right,
			   i == last, row >= 0 && colour ? colours[t->paint[row * t->ncol + i]] : "");
	}
	ay_str_addc(b, '\n');
}

void ay_table_print(struct ay_str *b, const struct ay_table *t, const struct ay_screen *screen)
{
	int width[COLUMNS_MAX];

	AY_ASSERT(t->ncol <= COLUMNS_MAX);
	measure(t, width);
	if (screen->width)
		squeeze(t, width, screen->width);
	for (int row = -1; row < t->nrow; row++)
		print_row(b, t, row, width, screen->colour);
}

void ay_table_release(struct ay_table *t)
{
	ay_xfree(t->cell);
	ay_xfree(t->paint);
	ay_arena_release(&t->arena);
	*t = (struct ay_table){ 0 };
}
