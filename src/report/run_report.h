/* SPDX-License-Identifier: Apache-2.0
 *
 * report - what a run says, for people and for other programs: a table, its failures, JUnit; and what changed
 * between two runs (comparison.h). Everything goes into a string. Text of strangers passes the door of its format:
 * ay_term_text of base/str.h, ay_md_* and ay_csv_cell of the store, ay_xml_text here, jansson for JSON.
 */
#ifndef AY_REPORT_RUN_REPORT_H
#define AY_REPORT_RUN_REPORT_H

#include "report/row_filter.h"
#include "store/summary.h"

/*      constant, name */
#define AY_FORMATS(F) F(TEXT, "text") F(MD, "md") F(CSV, "csv") F(JSON, "json") F(JUNIT, "junit")

enum ay_format {
#define F(name, text) AY_FORMAT_##name,
	AY_FORMATS(F)
#undef F
		AY_FORMAT_COUNT
};

/* AY_FORMAT_COUNT if there is none of that name. */
enum ay_format ay_format_find(const char *name);

/* The terminal. */
struct ay_screen {
	int width; /* 0: lines may be as long as they like */
	bool colour;
	bool whole_names; /* it is a pipe: what is read by programs has no name that was cut */
};

/* One run: table and totals; OVERALL_SUMMARY.md; operator_summary.csv; results.json; JUnit. */
void ay_report_run(struct ay_str *b, const struct ay_summary *s, enum ay_format f, const struct ay_screen *screen);
/* TEXT, of a part of it. */
void ay_report_text(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		    const struct ay_screen *screen);
/* Its failures, each with the first wrong element and the line to paste; where the filter has verdicts, the cases with
 * those, failures or not. Not for JUnit. Returns their number. */
int ay_report_failures(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *filter,
		       enum ay_format f);
void ay_report_junit(struct ay_str *b, const struct ay_summary *s);

/* --- pieces ---------------------------------------------------------------------------------------------- */

/* Is it a package of Python, whose kernels are no files? */
bool ay_is_package(const char *backend);
/* The command that runs a record's case again. */
void ay_again(struct ay_str *b, const json_t *rec);
/* Content of an element or of an attribute in double quotes. */
void ay_xml_text(struct ay_str *b, const char *s, size_t max);

enum ay_paint { AY_PAINT_NONE, AY_PAINT_GOOD, AY_PAINT_BAD, AY_PAINT_POOR };

/* Where a cell that is too long is cut. Names are told apart by their ends, so they are cut in the middle. */
enum ay_cut { AY_CUT_END, AY_CUT_WORD, AY_CUT_NAME };

struct ay_column {
	const char *head;
	bool right;
	int least; /* may be cut to this many characters where the screen is narrow; 0 = never */
	enum ay_cut cut;
	int drop; /* left out where cutting is not enough, the least number first; 0 = never */
};

/* A table of text. {.col, .ncol} first. A column without any content is left out. */
struct ay_table {
	const struct ay_column *col;
	int ncol, nrow;
	struct ay_arena arena;
	const char **cell;    /* nrow x ncol */
	enum ay_paint *paint; /* of each cell */
};

/* Cells are copied through ay_term_text. paint: of column painted (-1 = none). */
void ay_table_row(struct ay_table *t, const char *const *cell, int painted, enum ay_paint paint);
void ay_table_print(struct ay_str *b, const struct ay_table *t, const struct ay_screen *screen);
/* Columns of a screen on which nothing has to be cut. */
int ay_table_width(const struct ay_table *t);
void ay_table_release(struct ay_table *t);

#endif
