/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs with records of a few words each, for the tests of reports.
 */
#ifndef AY_TEST_REPORT_RIG_H
#define AY_TEST_REPORT_RIG_H

#include "store/export.h"

/* Two kernels. */
#define REPORT_RIG_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define REPORT_RIG_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct ay_run *report_rig_create(const char *name);
/* Takes the record. */
void report_rig_add_json(struct ay_run *r, json_t *j);
/* The case of n elements of an overload. */
json_t *report_rig_case_of(const char *kernel, const char *overload, int n, const char *verdict);
/* Such a case of kernel A, */
void report_rig_add(struct ay_run *r, const char *overload, int n, const char *verdict);
/* which passed in ns, give or take `half`; or of another kernel. */
void report_rig_add_timed(struct ay_run *r, const char *overload, int n, double ns, double half, int threads);
void report_rig_add_timed_of(struct ay_run *r, const char *kernel, const char *overload, int n, double ns,
			     double half, int threads);
/* What became of kernel B. */
void report_rig_add_kernel(struct ay_run *r, const char *op, const char *verdict, const char *detail);
/* Closes the run and reads it. */
void report_rig_read_run(const char *name, struct ay_run *r, struct ay_summary *s);

#endif
