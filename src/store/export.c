/* SPDX-License-Identifier: Apache-2.0 */
#include "store/export.h"
#include "store/store_internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CELL_MAX = 2000, FAILURES_SHOWN = 200, FAILURES_A_ROW = 3 };

/* --- operator_summary.csv --------------------------------------------------------------------- */

void ay_csv_cell(struct ay_str *b, const char *s)
{
	struct ay_str safe = { 0 };
	bool quote;

	if (*s && strchr("=+-@\t\r\n", *s))
		ay_str_addc(&safe, '\'');
	ay_str_add_safe(&safe, s, strlen(s), CELL_MAX);
	for (size_t i = 0; i < safe.len; i++)
		if (safe.s[i] == '\n' || safe.s[i] == '\t')
			safe.s[i] = ' ';
	quote = strpbrk(ay_str_text(&safe), "\",;") != NULL;
	if (quote)
		ay_str_addc(b, '"');
	for (const char *p = ay_str_text(&safe); *p; p++)
		ay_str_add(b, *p == '"' ? "\"\"" : (char[]){ *p, 0 });
	if (quote)
		ay_str_addc(b, '"');
	ay_str_release(&safe);
}

/* Appends ",x", or an empty cell if x is not positive. */
static void csv_number(struct ay_str *b, double x)
{
	ay_str_addc(b, ',');
	if (x > 0)
		ay_str_addf(b, "%.6g", x);
}

static void csv_speed(struct ay_str *b, const struct ay_summary *s, const struct ay_speed *x)
{
	const struct ay_speed_shown shown = ay_speed_shown(x);

	csv_number(b, x->ns);
	csv_number(b, x->of_floor);
	csv_number(b, shown.speedup);
	csv_number(b, shown.lo);
	csv_number(b, shown.hi);
	ay_str_addc(b, ',');
	ay_csv_cell(b, ay_sum_baseline(s, x));
	ay_str_addf(b, ",%s,%d,%d,%d",
		    !(shown.speedup > 0) ? ""
		    : shown.scored       ? "yes"
					 : "no",
		    x->timed, x->scored, x->overhead);
}

static void csv_line(struct ay_str *b, const struct ay_summary *s, const struct ay_sum_overload *o,
		     const struct ay_sum_row *r)
{
	const int64_t *count = r ? r->count : o->count;

	ay_csv_cell(b, s->op[o->op].name);
	ay_str_addc(b, ',');
	ay_csv_cell(b, o->name);
	ay_str_addc(b, ',');
	ay_csv_cell(b, r && r->file ? r->file : "");
	ay_str_addf(b, ",%s,%lld,%lld,%lld,%lld,%lld,%d,%s,%s,", ay_sum_verdict_name(r ? r->verdict : o->verdict),
		    (long long)(r ? r->cases : 0), (long long)count[AY_VERDICT_PASS],
		    (long long)ay_count_failed(count), (long long)count[AY_VERDICT_SKIPPED],
		    (long long)count[AY_VERDICT_WEAK_CASE], r ? r->attempts : 0, r && r->derived ? "yes" : "no",
		    s->has_suite ? (o->in_suite ? "yes" : "no") : "unknown");
	ay_csv_cell(b, r ? r->kernel_sha256 : "");
	csv_speed(b, s, r ? &r->speed : &o->speed);
	ay_str_add(b, "\r\n");
}

void ay_csv_summary(struct ay_str *b, const struct ay_summary *s)
{
	ay_str_add(b, "operator,overload,file,verdict,cases,passed,failed,skipped,weak,attempts,derived,in_suite,"
		      "kernel_sha256,time_ns,of_floor,speedup,speedup_lo,speedup_hi,baseline,scored,cases_timed,"
		      "cases_scored,cases_overhead_bound\r\n");
	for (int i = 0; i < s->nrow; i++)
		csv_line(b, s, &s->overload[s->row[i].overload], &s->row[i]);
	for (int i = 0; i < s->noverload; i++)
		if (!s->overload[i].rows)
			csv_line(b, s, &s->overload[i], NULL);
}

static int write_csv(const struct ay_folder *d, const struct ay_summary *s, struct ay_err *err)
{
	struct ay_folder_file f;

	if (ay_folder_begin(&f, d, "operator_summary.csv", err))
		return -1;
	ay_csv_summary(&f.buf, s);
	return ay_folder_end(&f, false, err);
}

/* --- results.json ----------------------------------------------------------------------------- */

static json_t *score_json(const struct ay_score *x)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f}", "passed", x->passed, "of", x->of,
			 "judged", x->of - x->missing, "partial", x->partial, "failed", x->failed, "undecided",
			 x->undecided, "missing", x->missing, "not_judged_yet", x->pending, "rate",
			 x->of ? (double)x->passed / x->of : 0.0);
}

static json_t *safe_text(const char *s)
{
	return ay_json_text(s, strlen(s), CELL_MAX);
}

/* Sets a positive number; otherwise leaves the key out, and never writes 0 or 1 for it. */
static void set_positive(json_t *j, const char *key, double x)
{
	if (x > 0)
		json_object_set_new(j, key, json_real(x));
}

static json_t *speed_score_json(const struct ay_speed_score *x)
{
	json_t *j = json_pack("{s:i, s:i, s:i, s:i, s:I, s:I, s:I}", "of", x->of, "correct", x->correct, "scored",
			      x->scored, "overhead_bound", x->overhead, "overhead_bound_cases",
			      (json_int_t)x->overhead_cases, "lowered_cases", (json_int_t)x->lowered_cases,
			      "unknown_cases", (json_int_t)x->unknown_cases);
	json_t *perf = json_array();

	set_positive(j, "speedup", x->speedup);
	set_positive(j, "lo", x->lo);
	set_positive(j, "hi", x->hi);
	for (int i = 0; i < AY_PERF_N; i++)
		json_array_append_new(perf, json_pack("{s:f, s:i, s:i, s:f, s:i, s:f}", "p", ay_perf_p[i], "of",
						      x->of, "above", x->fast[i], "rate",
						      x->of ? (double)x->fast[i] / x->of : 0.0, "surely_above",
						      x->surely[i], "surely_rate",
						      x->of ? (double)x->surely[i] / x->of : 0.0));
	json_object_set_new(j, "perf_at", perf);
	return j;
}

static void set_speed(json_t *j, const struct ay_summary *s, const struct ay_speed *x)
{
	const struct ay_speed_shown shown = ay_speed_shown(x);
	json_t *v;

	if (!x->timed)
		return;
	v = json_pack("{s:i, s:i, s:i, s:i, s:i, s:b, s:o}", "cases", x->timed, "cases_scored", x->scored,
		      "cases_overhead_bound", x->overhead, "cases_without_bound", x->unknown,
		      "cases_not_comparable", x->other, "scored", shown.scored, "baseline",
		      safe_text(ay_sum_baseline(s, x)));
	set_positive(v, "time_ns", x->ns);
	set_positive(v, "of_floor", x->of_floor);
	set_positive(v, "speedup", shown.speedup);
	set_positive(v, "lo", shown.lo);
	set_positive(v, "hi", shown.hi);
	set_positive(v, "counts_as", shown.counts_as);
	json_object_set_new(j, "speed", v);
}

static void set_counts(json_t *j, int64_t cases, const int64_t count[AY_VERDICT_COUNT], int attempts)
{
	json_t *counts = json_object();

	json_object_set_new(j, "cases", json_integer(cases));
	json_object_set_new(j, "passed", json_integer(count[AY_VERDICT_PASS]));
	json_object_set_new(j, "failed", json_integer(ay_count_failed(count)));
	json_object_set_new(j, "skipped", json_integer(count[AY_VERDICT_SKIPPED]));
	json_object_set_new(j, "weak", json_integer(count[AY_VERDICT_WEAK_CASE]));
	json_object_set_new(j, "attempts", json_integer(attempts));
	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (count[v])
			json_object_set_new(counts, ay_verdict_name((enum ay_verdict)v), json_integer(count[v]));
	json_object_set_new(j, "counts", counts);
}

static json_t *best_json(const struct ay_summary *s, const struct ay_sum_best *x)
{
	const struct ay_sum_row *r = &s->row[x->row];

	return json_pack("{s:o, s:s, s:i, s:i, s:b}", "file", safe_text(r->file ? r->file : ""), "kernel_sha256",
			 r->kernel_sha256, "kernels", x->kernels, "passed", x->passed, "certain", x->certain);
}

static json_t *operator_json(const struct ay_summary *s, const struct ay_sum_operator *op)
{
	json_t *j = json_object(), *overloads = json_object();

	json_object_set_new(j, "verdict", json_string(ay_sum_label(op)));
	json_object_set_new(j, "passes", json_boolean(op->passed));
	if (op->file)
		json_object_set_new(j, "file", safe_text(op->file));
	if (s->has_suite)
		json_object_set_new(j, "in_suite", json_boolean(op->in_suite));
	json_object_set_new(j, "kernels", json_integer(op->kernels));
	set_counts(j, op->cases, op->count, op->attempts);
	set_speed(j, s, &op->speed);
	for (int i = op->first; i >= 0; i = s->overload[i].next) {
		const struct ay_sum_overload *o = &s->overload[i];
		json_t *x = json_object();

		json_object_set_new(x, "verdict", json_string(ay_sum_verdict_name(o->verdict)));
		json_object_set_new(x, "derived", json_boolean(o->derived));
		set_counts(x, o->cases, o->count, o->attempts);
		set_speed(x, s, &o->speed);
		if (o->best.row >= 0 && o->best.kernels > 1)
			json_object_set_new(x, "best", best_json(s, &o->best));
		json_object_set_new(overloads, o->name, x);
	}
	json_object_set_new(j, "overloads", overloads);
	return j;
}

json_t *ay_results_json(const struct ay_summary *s)
{
	json_t *j = json_object(), *ops = json_object(), *faults = json_object();

	json_object_set_new(j, "format", json_integer(AY_FORMAT));
	json_object_set_new(j, "scores",
			    json_pack("{s:o, s:o, s:s, s:{s:o, s:o}}", "operators", score_json(&s->operators),
				      "overloads", score_json(&s->overloads), "denominators",
				      s->has_suite ? "suite" : "seen", "speed", "operators",
				      speed_score_json(&s->speed_operators), "overloads",
				      speed_score_json(&s->speed_overloads)));
	if (s->by_calls.calls)
		json_object_set_new(json_object_get(j, "scores"), "by_calls", ay_by_calls_json(&s->by_calls));
	for (int i = 0; i < s->noperator; i++)
		json_object_set_new(ops, s->op[i].name, operator_json(s, &s->op[i]));
	json_object_set_new(j, "operators", ops);
	for (int i = 0; i < AY_FAULT_COUNT; i++)
		if (s->found.fault[i])
			json_object_set_new(faults, ay_fault_text((enum ay_fault)i),
					    json_integer(s->found.fault[i]));
	if (s->drawn)
		json_object_set_new(j, "drawn",
				    json_pack("{s:I,s:I}", "cases", (json_int_t)s->drawn, "not_passed",
					      (json_int_t)s->drawn_bad));
	json_object_set_new(j, "records", json_integer(s->found.records));
	json_object_set_new(j, "duplicates", json_integer(s->duplicates));
	json_object_set_new(j, "errors", json_integer(s->errors));
	json_object_set_new(j, "devices_lost", json_integer(s->devices_lost));
	json_object_set_new(j, "rejected", faults);
	json_object_set(j, "runs", s->runs);
	json_object_set(j, "builds", s->builds);
	return j;
}

static int write_results(const struct ay_folder *d, const struct ay_summary *s, struct ay_err *err)
{
	struct ay_folder_file f;
	json_t *j;

	if (ay_folder_begin(&f, d, "results.json", err))
		return -1;
	j = ay_results_json(s);
	if (json_dump_callback(j, ay_dump_to, &f.buf, JSON_INDENT(1)))
		AY_BUG("results.json could not be printed");
	ay_str_addc(&f.buf, '\n');
	json_decref(j);
	return ay_folder_end(&f, false, err);
}

/* --- one more pass: full_results.json, failed_tests.json, failures for the summary ------------ */

struct pass {
	const struct ay_summary *s;
	struct ay_folder_file full, failed;
	struct ay_str failures;
	struct ay_index seen, shown; /* by seal; by kernel and overload */
	int nfull, nfailed, nshown;
};

static void add_item(struct ay_folder_file *f, int *n, const json_t *rec)
{
	ay_str_add(&f->buf, (*n)++ ? ",\n " : "[\n ");
	if (json_dump_callback(rec, ay_dump_to, &f->buf, JSON_COMPACT))
		AY_BUG("a record could not be printed");
	ay_folder_flush(f);
}

/* Returns true for the first few failures of each kernel and overload. */
static bool is_news(struct pass *p, const json_t *rec)
{
	const char *kernel = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);
	const char *name = ay_record_str(rec, AY_FIELD_OVERLOAD);
	struct ay_index_entry *e;

	if (ay_record_verdict(rec) == AY_VERDICT_SKIPPED || p->nshown >= FAILURES_SHOWN)
		return false;
	if (!name && !ay_record_str(rec, AY_FIELD_DETAIL)) /* the records of its cases say more */
		return false;
	e = ay_index_get(&p->shown, ay_id_case(kernel ? kernel : "", name ? name : ""));
	if (e->attempts++ >= FAILURES_A_ROW)
		return false;
	p->nshown++;
	return true;
}

static bool is_failure(const json_t *rec)
{
	const char *type = ay_record_str(rec, AY_FIELD_TYPE);
	enum ay_verdict v = ay_record_verdict(rec);

	if (!strcmp(type, AY_RECORD_ERROR))
		return true;
	return (!strcmp(type, AY_RECORD_CASE) || !strcmp(type, AY_RECORD_KERNEL)) && v != AY_VERDICT_PASS;
}

static int take_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct pass *p = user;

	(void)err;
	if (l->fault != AY_FAULT_NONE || ay_index_get(&p->seen, ay_id_seal(l->rec))->attempts++)
		return 0;
	add_item(&p->full, &p->nfull, l->rec);
	if (!is_failure(l->rec) || !ay_attempts_counts(&p->s->aside, l->rec))
		return 0;
	add_item(&p->failed, &p->nfailed, l->rec);
	if (ay_record_verdict(l->rec) != AY_VERDICT_NONE && is_news(p, l->rec))
		ay_md_failure(&p->failures, l->rec);
	return 0;
}

static int end_list(struct ay_folder_file *f, int n, struct ay_err *err)
{
	ay_str_add(&f->buf, n ? "\n]\n" : "[]\n");
	return ay_folder_end(f, false, err);
}

static int write_lists(const struct ay_folder *d, struct pass *p, struct ay_err *err)
{
	struct ay_scan scan = { .line = take_line, .user = p };
	int fd = openat(d->fd, AY_RESULTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc;

	if (fd < 0)
		return ay_folder_fail(d, "read", AY_RESULTS_NAME, err);
	rc = ay_folder_begin(&p->full, d, "full_results.json", err);
	if (!rc) {
		rc = ay_folder_begin(&p->failed, d, "failed_tests.json", err);
		if (!rc) {
			rc = ay_scan_fd(&scan, fd, AY_RESULTS_NAME, err);
			rc |= end_list(&p->failed, p->nfailed, err);
		}
		rc |= end_list(&p->full, p->nfull, err);
	}
	close(fd);
	return rc ? -1 : 0;
}

/* --- OVERALL_SUMMARY.md ----------------------------------------------------------------------- */

static int write_markdown(const struct ay_folder *d, const struct ay_summary *s, const struct pass *p,
			  struct ay_err *err)
{
	struct ay_folder_file f;

	if (ay_folder_begin(&f, d, "OVERALL_SUMMARY.md", err))
		return -1;
	ay_md_summary(&f.buf, s);
	ay_str_add(&f.buf, "\n## Failures\n\n");
	if (!p->nfailed)
		ay_str_add(&f.buf, "None.\n");
	else
		ay_str_addf(&f.buf,
			    "%d of %d records that did not pass; all of them are in failed_tests.json. A line is "
			    "the case: `assay check FILE --case \"LINE\"` runs it again.\n\n",
			    p->nshown, p->nfailed);
	ay_str_addn(&f.buf, ay_str_text(&p->failures), p->failures.len);
	return ay_folder_end(&f, false, err);
}

int ay_export(const char *dir, const struct ay_summary *s, struct ay_err *err)
{
	struct ay_folder d = { open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir };
	struct pass p = { .s = s };
	int rc;

	if (d.fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", dir);
	rc = write_lists(&d, &p, err) || write_results(&d, s, err) || write_csv(&d, s, err) ||
	     write_markdown(&d, s, &p, err);
	ay_str_release(&p.failures);
	ay_index_release(&p.seen);
	ay_index_release(&p.shown);
	close(d.fd);
	return rc ? -1 : 0;
}
