/* SPDX-License-Identifier: Apache-2.0 */
#include "report_fixture.h"
#include "helpers.h"
#include "test.h"
#include "store/timing_json.h"

#include <stdlib.h>

struct ay_run *report_fixture_create(const char *name)
{
	struct ay_err err = { 0 };
	struct ay_run *r;
	json_t *h = json_pack("{s:s}", "command", "eval");

	CHECKF(!ay_run_create(help_path(name), h, &r, &err), "%s", err.msg);
	json_decref(h);
	return r;
}

void report_fixture_add_json(struct ay_run *r, json_t *j)
{
	struct ay_err err = { 0 };

	CHECKF(j && !ay_run_add(r, j, &err), "%s", err.msg);
	json_decref(j);
}

json_t *report_fixture_case_of(const char *kernel, const char *overload, int n, const char *verdict)
{
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:f}", "type", "case", "overload", overload, "line",
			 json_sprintf("%s((T([%d], f32),), {}) seed=%d", overload, n, rand() % 1000), "verdict",
			 verdict, "kernel_sha256", kernel, "file", "k.c", "wall_s", 0.25);
}

void report_fixture_add(struct ay_run *r, const char *overload, int n, const char *verdict)
{
	report_fixture_add_json(r, report_fixture_case_of(REPORT_RIG_A, overload, n, verdict));
}

void report_fixture_add_timed_of(struct ay_run *r, const char *kernel, const char *overload, int n, double ns,
				 double half, int threads)
{
	const struct ay_timing t = { .pace = AY_PACE_FASTER,
				     .baseline = "openblas",
				     .version = "0.3",
				     .scored = true,
				     .threads = threads,
				     .ns = ns,
				     .ns_lo = ns - half,
				     .ns_hi = ns + half,
				     .floor_ns = ns / 4,
				     .speedup = 2,
				     .lo = 1.9,
				     .hi = 2.1 };
	json_t *j = report_fixture_case_of(kernel, overload, n, "PASS");

	json_object_set_new(j, "timing", ay_timing_json_write(&t));
	report_fixture_add_json(r, j);
}

void report_fixture_add_timed(struct ay_run *r, const char *overload, int n, double ns, double half, int threads)
{
	report_fixture_add_timed_of(r, REPORT_RIG_A, overload, n, ns, half, threads);
}

void report_fixture_add_kernel(struct ay_run *r, const char *op, const char *verdict, const char *detail)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "kernel", "operator", op, "verdict", verdict,
			      "kernel_sha256", REPORT_RIG_B, "file", "b.c");

	if (detail)
		json_object_set_new(j, "detail", json_string(detail));
	report_fixture_add_json(r, j);
}

void report_fixture_read_run(const char *name, struct ay_run *r, struct ay_summary *s)
{
	struct ay_err err = { 0 };

	*s = (struct ay_summary){ 0 };
	CHECK(!ay_run_close(r, &err));
	CHECKF(!ay_summary_read(help_path(name), s, &err), "%s", err.msg);
}
