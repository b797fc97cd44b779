/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. Checks go from cheap to dear and from bytes to meaning: length, NUL bytes
 * and depth are looked at before the parser runs, so that nothing about a line can cost more than
 * its length. The seal is compared before the fields are looked at: a line that was altered is
 * called so whatever it says.
 */
#include "store/record.h"
#include "store/timing_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	enum ay_field_kind kind;
} fields[] = {
#define F(name, text, kind) { text, AY_KIND_##kind },
	AY_FIELDS(F)
#undef F
};

static const char *const faults[] = {
#define F(name, text) text,
	AY_FAULTS(F)
#undef F
};

const char *ay_field_name(enum ay_field f)
{
	return fields[f].name;
}

const char *ay_fault_text(enum ay_fault f)
{
	return faults[f];
}

const char *ay_record_str(const json_t *rec, enum ay_field f)
{
	return json_string_value(json_object_get(rec, fields[f].name));
}

int64_t ay_record_int(const json_t *rec, enum ay_field f)
{
	return json_integer_value(json_object_get(rec, fields[f].name));
}

enum ay_verdict ay_record_verdict(const json_t *rec)
{
	const char *s = ay_record_str(rec, AY_FIELD_VERDICT);

	return s ? ay_verdict_find(s) : AY_VERDICT_NONE;
}

static long double number_of(const json_t *rec, enum ay_field f)
{
	return ay_json_number(json_object_get(rec, fields[f].name));
}

void ay_record_mismatch(struct ay_str *b, const json_t *rec)
{
	ay_str_add_mismatch(b, number_of(rec, AY_FIELD_WANT), number_of(rec, AY_FIELD_GOT),
			    (double)number_of(rec, AY_FIELD_BOUND));
}

/* --- shape ------------------------------------------------------------------------------------ */

bool ay_is_sha256(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static bool is_hash(const json_t *v)
{
	const char *s = json_string_value(v);

	return s && (!*s || ay_is_sha256(s));
}

static bool kind_ok(const json_t *v, enum ay_field_kind kind)
{
	switch (kind) {
	case AY_KIND_STR: return json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
	case AY_KIND_HASH: return is_hash(v);
	case AY_KIND_VERDICT: return json_is_string(v) && ay_verdict_find(json_string_value(v)) != AY_VERDICT_NONE;
	case AY_KIND_COUNT: return json_is_integer(v) && json_integer_value(v) >= 0;
	case AY_KIND_NUMBER: return json_is_number(v) || json_is_string(v); /* "nan", "inf" */
	default: return true;
	}
}

/* { overload: { verdict, cases, counts: { VERDICT: n }, derived } } */
static bool overloads_ok(const json_t *all)
{
	const char *name, *verdict;
	json_t *o, *n;

	json_object_foreach((json_t *)all, name, o)
	{
		json_t *counts = json_object_get(o, fields[AY_FIELD_COUNTS].name);

		if (!json_is_object(o) || ay_record_verdict(o) == AY_VERDICT_NONE ||
		    (counts && !json_is_object(counts)))
			return false;
		json_object_foreach(counts, verdict, n) if (!kind_ok(n, AY_KIND_COUNT)) return false;
	}
	return json_is_object(all);
}

/* { operator: [overload, ...] } */
static bool operators_ok(const json_t *all)
{
	const char *name;
	json_t *list, *o;
	size_t i;

	json_object_foreach((json_t *)all, name, list)
	{
		if (!json_is_array(list))
			return false;
		json_array_foreach(list, i, o) if (!json_is_string(o)) return false;
	}
	return json_is_object(all);
}

/* { overload: calls } */
static bool calls_ok(const json_t *all)
{
	const char *name;
	json_t *n;

	json_object_foreach((json_t *)all, name, n) if (!kind_ok(n, AY_KIND_COUNT)) return false;
	return json_is_object(all);
}

static const enum ay_field case_needs[] = { AY_FIELD_OVERLOAD, AY_FIELD_LINE, AY_FIELD_VERDICT,
					    AY_FIELD_KERNEL_SHA256, AY_FIELD_TYPE };
static const enum ay_field kernel_needs[] = { AY_FIELD_OPERATOR, AY_FIELD_VERDICT, AY_FIELD_KERNEL_SHA256,
					      AY_FIELD_TYPE };
static const enum ay_field suite_needs[] = { AY_FIELD_OPERATORS, AY_FIELD_TYPE };
static const enum ay_field attempt_needs[] = { AY_FIELD_PROBLEM, AY_FIELD_ATTEMPT, AY_FIELD_TYPE };
static const enum ay_field chosen_needs[] = { AY_FIELD_PROBLEM, AY_FIELD_OPERATOR, AY_FIELD_KERNEL_SHA256,
					      AY_FIELD_TYPE };
static const enum ay_field other_needs[] = { AY_FIELD_TYPE };

/* Returns the first field of a list that the record lacks, or AY_FIELD_COUNT. The list ends with
 * AY_FIELD_TYPE. */
static enum ay_field first_missing(const json_t *rec, const enum ay_field *need)
{
	for (;; need++) {
		if (!json_object_get(rec, fields[*need].name))
			return *need;
		if (*need == AY_FIELD_TYPE)
			return AY_FIELD_COUNT;
	}
}

/* Returns the first missing or wrong field, or AY_FIELD_COUNT. */
static enum ay_field first_wrong(const json_t *rec)
{
	const char *type = ay_record_str(rec, AY_FIELD_TYPE);
	const json_t *v;

	for (int f = 0; f < AY_FIELD_COUNT; f++)
		if ((v = json_object_get(rec, fields[f].name)) && !kind_ok(v, fields[f].kind))
			return (enum ay_field)f;
	if (!type)
		return AY_FIELD_TYPE;
	if (!strcmp(type, AY_RECORD_CASE)) {
		v = json_object_get(rec, fields[AY_FIELD_TIMING].name);
		return v && ay_timing_json_wrong(v) ? AY_FIELD_TIMING : first_missing(rec, case_needs);
	}
	if (!strcmp(type, AY_RECORD_KERNEL)) {
		v = json_object_get(rec, fields[AY_FIELD_OVERLOADS].name);
		return v && !overloads_ok(v) ? AY_FIELD_OVERLOADS : first_missing(rec, kernel_needs);
	}
	if (!strcmp(type, AY_RECORD_SUITE)) {
		v = json_object_get(rec, fields[AY_FIELD_CALLS_BY].name);
		if (v && !calls_ok(v))
			return AY_FIELD_CALLS_BY;
		v = json_object_get(rec, fields[AY_FIELD_OPERATORS].name);
		return v && !operators_ok(v) ? AY_FIELD_OPERATORS : first_missing(rec, suite_needs);
	}
	return first_missing(rec, !strcmp(type, AY_RECORD_ATTEMPT)  ? attempt_needs
				  : !strcmp(type, AY_RECORD_CHOSEN) ? chosen_needs
								    : other_needs);
}

static bool too_deep(const char *s, size_t n)
{
	bool text = false;
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (text && s[i] == '\\')
			i++;
		else if (s[i] == '"')
			text = !text;
		else if (!text && (s[i] == '{' || s[i] == '['))
			depth++;
		else if (!text && (s[i] == '}' || s[i] == ']'))
			depth--;
		if (depth > AY_RECORD_DEPTH)
			return true;
	}
	return false;
}

/* --- seal ------------------------------------------------------------------------------------- */

int ay_dump_to(const char *s, size_t n, void *b)
{
	ay_str_addn(b, s, n);
	return 0;
}

void ay_sha256(const void *s, size_t n, char hex[AY_SHA256_HEX])
{
	struct ay_hash h;

	ay_hash_init(&h);
	ay_hash_add(&h, s, n);
	ay_hash_end(&h, hex);
}

static void set_str(json_t *rec, enum ay_field f, const char *s)
{
	json_object_set_new(rec, fields[f].name, json_string(s));
}

/* Hashes the whole record, which must not have the field "sha256" now. */
static int seal_of(const json_t *rec, char hex[AY_SHA256_HEX])
{
	struct ay_str b = { 0 };
	int rc = json_dump_callback(rec, ay_dump_to, &b, JSON_COMPACT | JSON_SORT_KEYS);

	ay_sha256(ay_str_text(&b), b.len, hex);
	ay_str_release(&b);
	return rc;
}

int ay_record_seal(json_t *rec, const char *build_sha256, struct ay_str *b, struct ay_err *err)
{
	const char *line = ay_record_str(rec, AY_FIELD_LINE);
	size_t begin = b->len;
	enum ay_field wrong;
	char hex[AY_SHA256_HEX];

	if (!json_is_object(rec))
		AY_BUG("a record is a JSON object");
	if (line) {
		ay_sha256(line, strlen(line), hex);
		set_str(rec, AY_FIELD_LINE_SHA256, hex);
	}
	set_str(rec, AY_FIELD_BUILD_SHA256, build_sha256);
	json_object_del(rec, fields[AY_FIELD_SHA256].name);
	wrong = first_wrong(rec);
	if (wrong != AY_FIELD_COUNT)
		return ay_fail(err, AY_ERR_IO, "a record cannot be kept: its field '%s' is missing or wrong",
			       fields[wrong].name);
	if (seal_of(rec, hex))
		AY_BUG("a record could not be printed");
	set_str(rec, AY_FIELD_SHA256, hex); /* as the last field, for people who read the file */
	if (json_dump_callback(rec, ay_dump_to, b, JSON_COMPACT))
		AY_BUG("a record could not be printed");
	if (b->len - begin > AY_RECORD_MAX || too_deep(b->s + begin, b->len - begin)) {
		ay_fail(err, AY_ERR_IO,
			"a record cannot be kept: it has %zu bytes (limit %d), or is nested over %d deep",
			b->len - begin, AY_RECORD_MAX, AY_RECORD_DEPTH);
		b->len = begin;
		return -1;
	}
	ay_str_addc(b, '\n');
	return 0;
}

/* --- open ------------------------------------------------------------------------------------- */

static enum ay_fault check_seal(json_t *rec)
{
	const char *name = fields[AY_FIELD_SHA256].name;
	json_t *seal = json_incref(json_object_get(rec, name));
	const char *line = ay_record_str(rec, AY_FIELD_LINE), *of_line = ay_record_str(rec, AY_FIELD_LINE_SHA256);
	enum ay_fault fault = AY_FAULT_NONE;
	char hex[AY_SHA256_HEX];

	json_object_del(rec, name);
	if (!json_is_string(seal))
		fault = AY_FAULT_UNSEALED;
	else if (seal_of(rec, hex) || strcmp(hex, json_string_value(seal)))
		fault = AY_FAULT_ALTERED;
	if (seal)
		json_object_set_new(rec, name, seal);
	if (fault == AY_FAULT_NONE && line) {
		ay_sha256(line, strlen(line), hex);
		if (!of_line || strcmp(hex, of_line))
			fault = AY_FAULT_ALTERED;
	}
	return fault;
}

enum ay_fault ay_record_open(const char *s, size_t n, json_t **rec)
{
	enum ay_fault fault;
	json_t *j;

	*rec = NULL;
	if (n > AY_RECORD_MAX)
		return AY_FAULT_LONG;
	if (memchr(s, 0, n))
		return AY_FAULT_NUL;
	if (too_deep(s, n))
		return AY_FAULT_DEEP;
	j = json_loadb(s, n, JSON_REJECT_DUPLICATES, NULL);
	fault = json_is_object(j) ? check_seal(j) : AY_FAULT_JSON;
	if (fault == AY_FAULT_NONE && first_wrong(j) != AY_FIELD_COUNT)
		fault = AY_FAULT_SHAPE;
	if (fault == AY_FAULT_NONE)
		*rec = j;
	else
		json_decref(j);
	return fault;
}

/* --- identity --------------------------------------------------------------------------------- */

/* Makes an id from the first 128 bits of a SHA-256. */
static struct ay_record_id id_from(const char hex[AY_SHA256_HEX])
{
	struct ay_record_id id;
	char half[17] = { 0 };

	for (int i = 0; i < 2; i++) {
		memcpy(half, hex + 16 * i, 16);
		id.k[i] = strtoull(half, NULL, 16);
	}
	return id;
}

static struct ay_record_id id_of(const char *what, const char *a, const char *b)
{
	struct ay_hash h;
	char hex[AY_SHA256_HEX];

	ay_hash_init(&h);
	ay_hash_add_str(&h, what);
	ay_hash_add_str(&h, a);
	ay_hash_add_str(&h, b);
	ay_hash_end(&h, hex);
	return id_from(hex);
}

struct ay_record_id ay_id_case(const char *kernel_sha256, const char *line)
{
	return id_of(AY_RECORD_CASE, kernel_sha256, line);
}

struct ay_record_id ay_id_kernel(const char *kernel_sha256, const char *operator_name)
{
	return id_of(AY_RECORD_KERNEL, kernel_sha256, operator_name);
}

struct ay_record_id ay_id_job(const char *job)
{
	return id_of(fields[AY_FIELD_JOB].name, job, "");
}

struct ay_record_id ay_id_seal(const json_t *rec)
{
	return id_from(ay_record_str(rec, AY_FIELD_SHA256));
}

bool ay_record_id(const json_t *rec, struct ay_record_id *id)
{
	const char *type = ay_record_str(rec, AY_FIELD_TYPE), *kernel = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);
	const char *asked = ay_record_str(rec, AY_FIELD_CASE);

	if (type && kernel && !strcmp(type, AY_RECORD_CASE))
		*id = ay_id_case(kernel, asked ? asked : ay_record_str(rec, AY_FIELD_LINE));
	else if (type && kernel && !strcmp(type, AY_RECORD_KERNEL))
		*id = ay_id_kernel(kernel, ay_record_str(rec, AY_FIELD_OPERATOR));
	else
		return false;
	return true;
}

int ay_build_sha256(char hex[AY_SHA256_HEX], struct ay_err *err)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct ay_hash h;
	char buf[1 << 16];
	ssize_t n;

	if (fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read /proc/self/exe, the program that judges");
	ay_hash_init(&h);
	while ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			ay_hash_add(&h, buf, (size_t)n);
	ay_hash_end(&h, hex);
	close(fd);
	return n ? ay_fail_errno(err, AY_ERR_IO, "cannot read /proc/self/exe, the program that judges") : 0;
}
