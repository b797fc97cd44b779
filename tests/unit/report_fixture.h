/* SPDX-License-Identifier: Apache-2.0
 *
 * report_fixture - runs with short records, for tests of reports.
 */
#ifndef AY_TEST_REPORT_RIG_H
#define AY_TEST_REPORT_RIG_H

#include "store/export.h"

/* SHA-256 of two kernels. */
#define REPORT_RIG_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define REPORT_RIG_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct ay_run *report_fixture_create(const char *name);
/* Adds a record and frees it. */
void report_fixture_add_json(struct ay_run *r, json_t *j);
/* Returns the record of an overload's case with n elements. */
json_t *report_fixture_case_of(const char *kernel, const char *overload, int n, const char *verdict);
/* Adds such a case of kernel A. */
void report_fixture_add(struct ay_run *r, const char *overload, int n, const char *verdict);
/* Add a case that passed in ns +- half: of kernel A, or of another kernel. */
void report_fixture_add_timed(struct ay_run *r, const char *overload, int n, double ns, double half, int threads);
void report_fixture_add_timed_of(struct ay_run *r, const char *kernel, const char *overload, int n, double ns,
				 double half, int threads);
/* Adds the record of kernel B. */
void report_fixture_add_kernel(struct ay_run *r, const char *op, const char *verdict, const char *detail);
/* Closes the run and reads it. */
void report_fixture_read_run(const char *name, struct ay_run *r, struct ay_summary *s);

#endif
