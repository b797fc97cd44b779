/* SPDX-License-Identifier: Apache-2.0
 *
 * failures - prints what did not pass, case by case. The summary knows the place of the worst
 * record of each case and kernel. Records are read again one by one, so the memory needed does not
 * depend on the size of the run.
 */
#include "report/run_report.h"
#include "store/export.h"

#include <string.h>

enum { TEXT_SHOWN = 8000, LOG_SHOWN = 4000 };

/* --- for a shell ------------------------------------------------------------------------------ */

bool ay_is_package(const char *backend)
{
	return backend && (!strcmp(backend, "aten") || !strcmp(backend, "flag_gems"));
}

void ay_again(struct ay_str *b, const json_t *rec)
{
	const char *file = ay_record_str(rec, AY_FIELD_FILE), *line = ay_record_str(rec, AY_FIELD_LINE);
	const char *backend = ay_record_str(rec, AY_FIELD_BACKEND), *ref = ay_record_str(rec, AY_FIELD_REF);

	if (ay_is_package(backend) && line) { /* a package has no file to check */
		ay_str_add(b, "echo ");
		ay_shell_word(b, line);
		ay_str_addf(b, " > again.lines && assay eval --suite again.lines --backend %s", backend);
		return;
	}
	ay_str_add(b, "assay check ");
	ay_shell_word(b, file ? file : "FILE");
	if (line) {
		ay_str_add(b, " --case ");
		ay_shell_word(b, line);
	}
	if (ref) {
		ay_str_add(b, " --ref ");
		ay_shell_word(b, ref);
	}
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_lines(struct ay_str *b, const char *s, size_t max)
{
	struct ay_str safe = { 0 };

	ay_str_add_safe(&safe, s, strlen(s), max);
	ay_str_add(b, "  ");
	for (const char *p = ay_str_text(&safe); *p; p++) {
		ay_str_addc(b, *p);
		if (*p == '\n' && p[1])
			ay_str_add(b, "  ");
	}
	if (!safe.len || safe.s[safe.len - 1] != '\n')
		ay_str_addc(b, '\n');
	ay_str_release(&safe);
}

static const char *text_of(const json_t *rec, enum ay_field f)
{
	const char *s = ay_record_str(rec, f);

	return s ? s : "";
}

static const char *name_of(const json_t *rec)
{
	return ay_record_str(rec, AY_FIELD_OVERLOAD) ? ay_record_str(rec, AY_FIELD_OVERLOAD)
						     : text_of(rec, AY_FIELD_OPERATOR);
}

static void failure_text(struct ay_str *b, const json_t *rec)
{
	const char *file = ay_record_str(rec, AY_FIELD_FILE);
	const char *detail = ay_record_str(rec, AY_FIELD_DETAIL), *hint = ay_record_str(rec, AY_FIELD_HINT);

	ay_term_text(b, name_of(rec), TEXT_SHOWN);
	ay_str_addf(b, "  %s", ay_sum_verdict_name(ay_record_verdict(rec)));
	if (file) {
		ay_str_add(b, "  ");
		ay_term_text(b, file, TEXT_SHOWN);
	}
	ay_str_addc(b, '\n');
	add_lines(b, detail ? detail : ay_verdict_text(ay_record_verdict(rec)), LOG_SHOWN);
	if (ay_record_str(rec, AY_FIELD_AT)) {
		ay_str_add(b, "  ");
		ay_term_text(b, text_of(rec, AY_FIELD_OUT), TEXT_SHOWN);
		ay_term_text(b, text_of(rec, AY_FIELD_AT), TEXT_SHOWN);
		ay_str_add(b, ": ");
		ay_record_mismatch(b, rec);
		ay_str_addc(b, '\n');
	}
	if (hint) {
		ay_str_add(b, "  hint: ");
		ay_term_text(b, hint, LOG_SHOWN);
		ay_str_addc(b, '\n');
	}
	ay_str_add(b, "  again: ");
	ay_again(b, rec);
	ay_str_add(b, "\n\n");
}

/* --- csv and all of them ---------------------------------------------------------------------- */

static const enum ay_field csv_fields[] = { AY_FIELD_FILE, AY_FIELD_OUT,   AY_FIELD_AT,   AY_FIELD_WANT,
					    AY_FIELD_GOT,  AY_FIELD_BOUND, AY_FIELD_LINE, AY_FIELD_DETAIL };
enum { CSV_FIELDS = sizeof csv_fields / sizeof *csv_fields };

static void csv_head(struct ay_str *b)
{
	ay_str_add(b, "name,verdict");
	for (int i = 0; i < CSV_FIELDS; i++)
		ay_str_addf(b, ",%s", ay_field_name(csv_fields[i]));
	ay_str_add(b, "\r\n");
}

static void failure_csv(struct ay_str *b, const json_t *rec)
{
	ay_csv_cell(b, name_of(rec));
	ay_str_addf(b, ",%s", ay_sum_verdict_name(ay_record_verdict(rec)));
	for (int i = 0; i < CSV_FIELDS; i++) {
		const json_t *v = json_object_get(rec, ay_field_name(csv_fields[i]));

		ay_str_addc(b, ',');
		if (json_is_integer(v))
			ay_str_addf(b, "%lld", (long long)json_integer_value(v));
		else if (json_is_real(v))
			ay_str_add_real(b, json_real_value(v));
		else if (json_is_string(v))
			ay_csv_cell(b, json_string_value(v));
	}
	ay_str_add(b, "\r\n");
}

static void failure_json(struct ay_str *b, const json_t *rec, bool first)
{
	ay_str_add(b, first ? "[\n " : ",\n ");
	if (json_dump_callback(rec, ay_dump_to, b, JSON_COMPACT | JSON_ENSURE_ASCII))
		AY_BUG("a record could not be printed");
}

static void add_failure(struct ay_str *b, const json_t *rec, enum ay_format f, bool first)
{
	switch (f) {
	case AY_FORMAT_MD: ay_md_failure(b, rec); return;
	case AY_FORMAT_CSV: failure_csv(b, rec); return;
	case AY_FORMAT_JSON: failure_json(b, rec, first); return;
	default: failure_text(b, rec);
	}
}

static bool is_failure(enum ay_verdict v)
{
	return v != AY_VERDICT_PASS && v != AY_VERDICT_SKIPPED && v != AY_VERDICT_WEAK_CASE &&
	       v != AY_VERDICT_NONE;
}

static bool is_asked(const struct ay_row_filter *filter, enum ay_verdict v)
{
	return filter->verdicts ? ay_row_filter_takes_verdict(filter, v) : is_failure(v);
}

int ay_report_failures(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *filter,
		       enum ay_format f)
{
	int n = 0;

	if (f == AY_FORMAT_CSV)
		csv_head(b);
	for (int i = 0; i < s->nkernel + s->ncase; i++) {
		const struct ay_sum_kernel *k = i < s->nkernel ? &s->kernel[i] : NULL;
		const struct ay_sum_case *c = k ? NULL : &s->cases[i - s->nkernel];
		json_t *rec;

		if (!is_asked(filter, k ? k->verdict : c->verdict))
			continue;
		rec = ay_summary_record(s, k ? k->offset : c->offset, k ? k->len : c->len);
		/* if a kernel's cases failed, their records say more than its own */
		if (rec && ay_row_filter_takes_name(filter, name_of(rec)) &&
		    ay_row_filter_takes_dtype(filter, rec) && (c || ay_record_str(rec, AY_FIELD_DETAIL)))
			add_failure(b, rec, f, !n++);
		json_decref(rec);
	}
	if (f == AY_FORMAT_JSON)
		ay_str_add(b, n ? "\n]\n" : "[]\n");
	return n;
}
