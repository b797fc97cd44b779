/* SPDX-License-Identifier: Apache-2.0
 *
 * run_report - prints what a run found, for people and for programs: a table, its failures, JUnit.
 * comparison.h prints the changes between two runs.
 *
 * All functions append to a string. Untrusted text is escaped for its format: by ay_term_text of
 * base/str.h, ay_md_* and ay_csv_cell of the store, ay_xml_text here, and jansson for JSON.
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

/* Returns AY_FORMAT_COUNT if the name is unknown. */
enum ay_format ay_format_find(const char *name);

/* Properties of the terminal. */
struct ay_screen {
	int width; /* in columns; 0: lines may have any length */
	bool colour;
	/* do not cut names: the output goes to a pipe, so a program may read it */
	bool whole_names;
};

/* Prints one run: as text a table and totals; else OVERALL_SUMMARY.md, operator_summary.csv,
 * results.json or JUnit. */
void ay_report_run(struct ay_str *b, const struct ay_summary *s, enum ay_format f, const struct ay_screen *screen);
/* Prints the selected part of a run as text. */
void ay_report_text(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		    const struct ay_screen *screen);
/* Prints the run's failures, each with its first wrong element and the command that repeats it. If
 * the filter names verdicts, prints the cases with these verdicts, failures or not. Supports all
 * formats but JUnit. Returns the number of cases and kernels printed. */
int ay_report_failures(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *filter,
		       enum ay_format f);
void ay_report_junit(struct ay_str *b, const struct ay_summary *s);

/* --- parts of reports ------------------------------------------------------------------------- */

/* Returns true if the backend is a Python package, whose kernels are not files. */
bool ay_is_package(const char *backend);
/* Appends the command that runs a record's case again. */
void ay_again(struct ay_str *b, const json_t *rec);
/* Appends at most max bytes as the content of an XML element or of an attribute in double
 * quotes. */
void ay_xml_text(struct ay_str *b, const char *s, size_t max);

enum ay_paint { AY_PAINT_NONE, AY_PAINT_GOOD, AY_PAINT_BAD, AY_PAINT_POOR };

/* Where a cell that is too long is cut. Names often differ only at their ends, so they are cut in
 * the middle. */
enum ay_cut { AY_CUT_END, AY_CUT_WORD, AY_CUT_NAME };

struct ay_column {
	const char *head;
	bool right;
	int least; /* on a narrow screen the column may be cut to this many characters; 0 = never */
	enum ay_cut cut;
	/* if cutting does not suffice, columns are dropped in the order of this number; 0 =
	 * never */
	int drop;
};

/* A text table. The caller sets .col and .ncol, the rest is {0}. Columns without content are left
 * out. */
struct ay_table {
	const struct ay_column *col;
	int ncol, nrow;
	struct ay_arena arena;
	const char **cell;    /* nrow x ncol */
	enum ay_paint *paint; /* of each cell */
};

/* Adds a row. Cells are copied through ay_term_text. The cell of column `painted` gets the colour
 * (-1 = no cell). */
void ay_table_row(struct ay_table *t, const char *const *cell, int painted, enum ay_paint paint);
void ay_table_print(struct ay_str *b, const struct ay_table *t, const struct ay_screen *screen);
/* Returns the width in columns at which no cell has to be cut. */
int ay_table_width(const struct ay_table *t);
void ay_table_release(struct ay_table *t);

#endif
