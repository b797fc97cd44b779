/* SPDX-License-Identifier: Apache-2.0
 *
 * report_internal - functions that print parts of a text report, shared by the files of src/report.
 */
#ifndef AY_REPORT_REPORT_INTERNAL_H
#define AY_REPORT_REPORT_INTERNAL_H

#include "report/run_report.h"

/* Wraps a trusted text, indents its second and further lines, and ends the last line. */
void ay_report_line(struct ay_str *b, const char *text, const struct ay_screen *screen);
/* Prints scores, speed-ups and record counts. */
void ay_report_totals(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen);
/* Appends how the run names operators without a kernel: "without a kernel" or "not implemented by
 * aten". */
void ay_report_absent(struct ay_str *b, const struct ay_summary *s);
/* If the filter selects single cases, prints how many there are and their verdicts, by operator. */
void ay_report_selection(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
			 const struct ay_screen *screen);
const char *ay_report_basename(const char *file);

#endif
