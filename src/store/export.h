/* SPDX-License-Identifier: Apache-2.0
 *
 * export - files for people and other programs, derived from results.jsonl:
 *
 *   results.json           scores; operators, their overloads, counts
 *   full_results.json      every record
 *   failed_tests.json      every record that did not pass (of a generation track: of the chosen kernels)
 *   operator_summary.csv   a row per overload and kernel
 *   OVERALL_SUMMARY.md     the run's facts, both scores, a table, failures with their lines
 *
 * Each file is replaced as a whole. Text in records is untrusted: it is cut to length, control
 * bytes are escaped, and the rest is escaped for the format of the file. Two processes must not
 * export one folder at the same time.
 */
#ifndef AY_STORE_EXPORT_H
#define AY_STORE_EXPORT_H

#include "store/summary.h"

/* Writes all files. `s` must just have been read from the same folder. */
int ay_export(const char *dir, const struct ay_summary *s, struct ay_err *err);

/* Appends the content of operator_summary.csv; returns the content of results.json (a new
 * reference). */
void ay_csv_summary(struct ay_str *b, const struct ay_summary *s);
json_t *ay_results_json(const struct ay_summary *s);

/* Appends a CSV cell by RFC 4180, on one line. A leading = + - @ gets an apostrophe before it, so
 * that spreadsheets do not run it as a formula. */
void ay_csv_cell(struct ay_str *b, const char *s);
/* Appends at most max bytes of the text as inline Markdown on one line. It shows the text
 * literally, also in a table cell. */
void ay_md_text(struct ay_str *b, const char *s, size_t max);
/* Appends an indented code block. */
void ay_md_block(struct ay_str *b, const char *s, size_t max);
/* Appends OVERALL_SUMMARY.md without its failures. */
void ay_md_summary(struct ay_str *b, const struct ay_summary *s);
/* Appends the Markdown text of one failure. */
void ay_md_failure(struct ay_str *b, const json_t *rec);

#endif
