/* SPDX-License-Identifier: Apache-2.0
 *
 * text_table - tables for a terminal. A column is as wide as its widest cell. On a narrow screen
 * the columns that may be cut are cut, the widest first. If that does not suffice, whole columns
 * are left out. A character is a code point, because names are almost always ASCII.
 */
#include "report/run_report.h"

#include <string.h>

enum { CELL_MAX = 400, GAP = 2, COLUMNS_MAX = 16 };

/* Returns the length in bytes of the first n characters. */
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

/* Measures the columns' widths; 0 = the column is empty. */
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

static int total_of(const struct ay_table *t, const int width[COLUMNS_MAX])
{
	int total = -GAP;

	for (int i = 0; i < t->ncol; i++)
		total += width[i] ? width[i] + GAP : 0;
	return total;
}

int ay_table_width(const struct ay_table *t)
{
	int width[COLUMNS_MAX];

	measure(t, width);
	return total_of(t, width);
}

static bool may_cut(const struct ay_column *col, const struct ay_screen *screen)
{
	return col->least && !(screen->whole_names && col->cut == AY_CUT_NAME);
}

/* Cuts columns until all fit. Returns false if they do not fit even when all are as narrow as
 * allowed. */
static bool cut_columns(const struct ay_table *t, int width[COLUMNS_MAX], const struct ay_screen *screen)
{
	while (total_of(t, width) > screen->width) {
		int widest = -1;

		for (int i = 0; i < t->ncol; i++)
			if (may_cut(&t->col[i], screen) && width[i] > t->col[i].least &&
			    (widest < 0 || width[i] > width[widest]))
				widest = i;
		if (widest < 0)
			return false;
		width[widest]--;
	}
	return true;
}

/* Returns the column to leave out next, or -1 if all remaining ones must stay. */
static int next_dropped(const struct ay_table *t, const int width[COLUMNS_MAX])
{
	int found = -1;

	for (int i = 0; i < t->ncol; i++)
		if (width[i] && t->col[i].drop && (found < 0 || t->col[i].drop < t->col[found].drop))
			found = i;
	return found;
}

static void squeeze(const struct ay_table *t, int natural[COLUMNS_MAX], const struct ay_screen *screen)
{
	int width[COLUMNS_MAX], gone = 0;

	do {
		memcpy(width, natural, sizeof width);
		if (cut_columns(t, width, screen))
			break;
		gone = next_dropped(t, natural);
		if (gone >= 0)
			natural[gone] = 0;
	} while (gone >= 0);
	memcpy(natural, width, sizeof width);
}

/* Appends a text that is too long, cut to `width` characters of which three are dots. */
static void add_cut(struct ay_str *b, const char *s, int n, int width, enum ay_cut cut)
{
	int head = width - 3;
	size_t end;

	if (width <= 3) {
		ay_str_addn(b, s, bytes_of(s, width));
		return;
	}
	if (cut == AY_CUT_NAME)
		head = (width - 2) / 2;
	end = bytes_of(s, head);
	if (cut == AY_CUT_WORD && s[end] != ' ')
		for (size_t i = end; i > end / 2; i--)
			if (s[i] == ' ') {
				end = i;
				break;
			}
	while (cut == AY_CUT_WORD && end && strchr(" ,;:", s[end - 1]))
		end--;
	ay_str_addn(b, s, end);
	ay_str_add(b, "...");
	if (cut == AY_CUT_NAME)
		ay_str_add(b, s + bytes_of(s, n - (width - 3 - head)));
}

static void print_cell(struct ay_str *b, const char *s, const struct ay_column *col, int width, bool last,
		       const char *colour)
{
	const int n = length(s);
	int pad;
	size_t begin;

	if (col->right)
		ay_str_addf(b, "%*s", n < width ? width - n : 0, "");
	ay_str_add(b, colour);
	begin = b->len;
	if (n > width)
		add_cut(b, s, n, width, col->cut);
	else
		ay_str_add(b, s);
	pad = width - length(ay_str_text(b) + begin);
	ay_str_add(b, *colour ? "\033[0m" : "");
	if (!col->right && !last)
		ay_str_addf(b, "%*s", pad > 0 ? pad : 0, "");
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
		print_cell(b, row < 0 ? t->col[i].head : t->cell[row * t->ncol + i], &t->col[i], width[i],
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
		squeeze(t, width, screen);
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
