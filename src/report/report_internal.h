/* SPDX-License-Identifier: Apache-2.0
 *
 * report_internal - pieces of a report in text, shared by its files.
 */
#ifndef AY_REPORT_REPORT_INTERNAL_H
#define AY_REPORT_REPORT_INTERNAL_H

#include "report/run_report.h"

/* Wraps text of ours, whose following lines are indented, and ends the line. */
void ay_report_line(struct ay_str *b, const char *text, const struct ay_screen *screen);
/* Scores, speed-ups, records. */
void ay_report_totals(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen);
/* "without a kernel", "not implemented by aten". */
void ay_report_absent(struct ay_str *b, const struct ay_summary *s);
/* Where the filter asks for cases: what they are, by operator. */
void ay_report_selection(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
			 const struct ay_screen *screen);
const char *ay_report_basename(const char *file);

#endif
