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
 * Each is replaced whole. What a record says is text of strangers: cut, control bytes escaped, and made harmless
 * for the format it goes into. Not for two processes at once on one folder.
 */
#ifndef AY_STORE_EXPORT_H
#define AY_STORE_EXPORT_H

#include "store/summary.h"

/* s: of the same folder, just read. */
int ay_export(const char *dir, const struct ay_summary *s, struct ay_err *err);

/* What the files hold, as text: operator_summary.csv; results.json (a new reference). */
void ay_csv_summary(struct ay_str *b, const struct ay_summary *s);
json_t *ay_results_json(const struct ay_summary *s);

/* A CSV cell by RFC 4180, on one line; a leading = + - @ is disarmed by an apostrophe. */
void ay_csv_cell(struct ay_str *b, const char *s);
/* Inline Markdown that shows the text as it is, on one line, in a table cell too: at most max bytes of it. */
void ay_md_text(struct ay_str *b, const char *s, size_t max);
/* An indented code block. */
void ay_md_block(struct ay_str *b, const char *s, size_t max);
/* OVERALL_SUMMARY.md but its failures. */
void ay_md_summary(struct ay_str *b, const struct ay_summary *s);
/* One failure. */
void ay_md_failure(struct ay_str *b, const json_t *rec);

#endif
