/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/job.h"
#include "base/hash.h"

#include <string.h>

#define TIMEOUT_MAX 1e7 /* seconds; as the options */

static int refuse(struct ay_err *err, const char *field, const char *want)
{
	return ay_fail(err, AY_ERR_PARSE, "field '%s' must be %s", field, want);
}

/* Gets a string without NUL bytes; NULL if the field is missing. */
static int get_text(struct ay_arena *a, const json_t *j, const char *field, const char **out, size_t *len,
		    struct ay_err *err)
{
	const json_t *v = json_object_get(j, field);
	size_t n = json_string_length(v);

	*out = NULL;
	if (!v || json_is_null(v))
		return 0;
	if (!json_is_string(v) || strlen(json_string_value(v)) != n)
		return refuse(err, field, "a string without NUL bytes");
	*out = ay_strndup(a, json_string_value(v), n);
	*len = n;
	return 0;
}

static int get_lang(struct ay_arena *a, const json_t *j, struct ay_job *job, struct ay_err *err)
{
	static const struct {
		const char *name;
		enum ay_lang lang;
	} langs[] = { { "c", AY_LANG_C },       { "c++", AY_LANG_CXX }, { "cxx", AY_LANG_CXX },
		      { "cc", AY_LANG_CXX },    { "so", AY_LANG_SO },   { "py", AY_LANG_PY },
		      { "python", AY_LANG_PY }, { "cu", AY_LANG_CU },   { "cuda", AY_LANG_CU } };
	const char *name;
	size_t len;

	if (get_text(a, j, "lang", &name, &len, err))
		return -1;
	if (!name && job->path)
		return ay_lang_of(job->path, &job->lang, err);
	for (size_t i = 0; name && i < sizeof langs / sizeof *langs; i++) {
		if (!strcmp(langs[i].name, name)) {
			job->lang = langs[i].lang;
			return 0;
		}
	}
	return name ? refuse(err, "lang", "\"c\", \"c++\", \"cuda\", \"so\" or \"py\"") : 0;
}

static int get_cases(struct ay_arena *a, const json_t *j, struct ay_job *job, struct ay_err *err)
{
	const json_t *v = json_object_get(j, "cases");
	const char *name = json_string_value(v);
	size_t n = json_array_size(v);

	if (!v || json_is_null(v))
		return 0;
	if (name && (!strcmp(name, "quick") || !strcmp(name, "full"))) {
		job->tier = !strcmp(name, "full") ? AY_FULL : AY_QUICK;
		return 0;
	}
	if (!json_is_array(v) || !n || n > AY_JOB_CASES)
		return refuse(err, "cases", "\"quick\", \"full\", or a list of 1 to 10000 case lines");
	job->line = AY_NEW_N(a, const char *, n);
	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(v, i));

		if (!s || strlen(s) != json_string_length(json_array_get(v, i)))
			return refuse(err, "cases", "a list of strings");
		job->line[job->ncase++] = ay_strdup(a, s);
	}
	return 0;
}

static int get_drawn(const json_t *j, struct ay_job *job, struct ay_err *err)
{
	const json_t *v = json_object_get(j, "drawn");

	if (!v || json_is_null(v))
		return 0;
	job->drawn = (int)json_integer_value(v);
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > AY_DRAWN_MAX)
		return refuse(err, "drawn", "a number of cases from 0 to 10000");
	return 0;
}

static int get_limits(const json_t *j, struct ay_job *job, struct ay_err *err)
{
	const json_t *t = json_object_get(j, "timeout"), *timing = json_object_get(j, "timing");

	if (t && !json_is_null(t)) {
		job->timeout_s = json_number_value(t);
		if (!json_is_number(t) || !(job->timeout_s > 0) || job->timeout_s > TIMEOUT_MAX)
			return refuse(err, "timeout", "a number of seconds above 0, up to 10000000");
	}
	if (timing && !json_is_null(timing) &&
	    (!json_is_string(timing) || strcmp(json_string_value(timing), "none")))
		return refuse(err, "timing", "\"none\": this version judges correctness alone");
	return 0;
}

static int get_fields(struct ay_arena *a, const json_t *j, struct ay_job *job, struct ay_err *err)
{
	size_t n;

	if (get_text(a, j, "op", &job->op, &n, err) ||
	    get_text(a, j, "source", &job->source, &job->source_len, err) ||
	    get_text(a, j, "path", &job->path, &n, err))
		return -1;
	if (!job->source == !job->path)
		return ay_fail(err, AY_ERR_PARSE, "a job has either 'source' or 'path'");
	return get_lang(a, j, job, err) || get_cases(a, j, job, err) || get_drawn(j, job, err) ||
			       get_limits(j, job, err)
		       ? -1
		       : 0;
}

int ay_job_parse(struct ay_arena *a, const char *text, size_t len, struct ay_job *job, struct ay_err *err)
{
	json_error_t e;
	json_t *j;
	int rc;

	*job = (struct ay_job){ .tier = AY_QUICK, .lang = AY_LANG_C, .drawn = -1 };
	if (len > AY_JOB_MAX)
		return ay_fail(err, AY_ERR_PARSE, "a job of %zu bytes: the limit is %d", len, AY_JOB_MAX);
	j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	if (!j)
		return ay_fail_at(err, AY_ERR_PARSE, e.column, "column %d: not JSON: %s", e.column, e.text);
	if (!json_is_object(j)) {
		json_decref(j);
		return ay_fail(err, AY_ERR_PARSE, "a job is a JSON object");
	}
	job->id = json_deep_copy(json_object_get(j, "id"));
	if (job->id && !json_is_string(job->id) && !json_is_number(job->id) && !json_is_null(job->id)) {
		json_decref(job->id);
		job->id = NULL;
		rc = refuse(err, "id", "a string or a number");
	} else {
		rc = get_fields(a, j, job, err);
	}
	json_decref(j);
	return rc;
}

void ay_job_key(const struct ay_job *job, const char *source, size_t len, const char *salt, char hex[65])
{
	char fixed[100];
	struct ay_hash h;

	snprintf(fixed, sizeof fixed, "job 2 %d %d %d %d %.17g %zu", job->lang, job->tier, job->ncase, job->drawn,
		 job->timeout_s, len);
	ay_hash_init(&h);
	ay_hash_add_str(&h, fixed);
	ay_hash_add_str(&h, salt);
	ay_hash_add_str(&h, job->op ? job->op : "");
	ay_hash_add_str(&h, job->path ? job->path : "");
	ay_hash_add(&h, source, len);
	for (int i = 0; i < job->ncase; i++)
		ay_hash_add_str(&h, job->line[i]);
	ay_hash_end(&h, hex);
}
