/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timing_json.h"

#include <math.h>
#include <string.h>

enum { TEXT_MAX = 2000, COUNT_MAX = 1000000000, SAMPLES_MAX = 10000 };

#define SAMPLES  "samples"
#define OF_FLOOR "of_floor"

const struct ay_timing_field ay_timing_fields[] = {
#define F(name, kind) { #name, AY_TIMING_##kind, offsetof(struct ay_timing, name) },
	AY_TIMING_FIELDS(F)
#undef F
		{ 0 },
};

/* Returns AY_LEVEL_COUNT for an unknown name. */
static enum ay_level find_level(const char *name)
{
	int l = 0;

	while (l < AY_LEVEL_COUNT && strcmp(name, ay_level_name((enum ay_level)l)))
		l++;
	return (enum ay_level)l;
}

/* --- writing ---------------------------------------------------------------------------------- */

static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : NULL;
}

static json_t *field_json(const struct ay_timing_field *f, const struct ay_timing *t)
{
	const void *p = (const char *)t + f->at;
	const char *text;

	switch (f->kind) {
	case AY_TIMING_PACE: return json_string(ay_pace_name(*(const enum ay_pace *)p));
	case AY_TIMING_LEVEL: return json_string(ay_level_name(*(const enum ay_level *)p));
	case AY_TIMING_TEXT:
		text = *(const char *const *)p;
		return text ? ay_json_text(text, strlen(text), TEXT_MAX) : NULL;
	case AY_TIMING_BOOL: return json_boolean(*(const bool *)p);
	case AY_TIMING_INT: return json_integer(*(const int *)p);
	case AY_TIMING_REAL: return real(*(const double *)p);
	}
	return NULL;
}

/* Writes samples rounded to six decimals, a millionth of the time. */
static json_t *samples_json(const struct ay_timing *t)
{
	json_t *a = json_array();

	for (int i = 0; i < t->nsample && i < SAMPLES_MAX; i++)
		if (isfinite(t->sample[i]))
			json_array_append_new(a, json_real(round(t->sample[i] * 1e6) / 1e6));
	return a;
}

json_t *ay_timing_json_write(const struct ay_timing *t)
{
	json_t *j = json_object();

	for (const struct ay_timing_field *f = ay_timing_fields; f->name; f++) {
		json_t *v = field_json(f, t);

		if (v)
			json_object_set_new(j, f->name, v);
	}
	if (t->ns > 0 && isfinite(t->floor_ns / t->ns))
		json_object_set_new(j, OF_FLOOR, json_real(t->floor_ns / t->ns));
	json_object_set_new(j, SAMPLES, samples_json(t));
	return j;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_pace(const char *s)
{
	return ay_pace_find(s) != AY_PACE_NONE || !strcmp(s, ay_pace_name(AY_PACE_NONE));
}

static bool kind_ok(const json_t *v, enum ay_timing_kind kind)
{
	const char *s = json_string_value(v);
	const json_int_t n = json_integer_value(v);

	switch (kind) {
	case AY_TIMING_PACE: return s && is_pace(s);
	case AY_TIMING_LEVEL: return s && find_level(s) != AY_LEVEL_COUNT;
	case AY_TIMING_TEXT: return s && strlen(s) == json_string_length(v);
	case AY_TIMING_BOOL: return json_is_boolean(v);
	case AY_TIMING_INT: return json_is_integer(v) && n >= 0 && n <= COUNT_MAX;
	case AY_TIMING_REAL: return json_is_number(v);
	}
	return false;
}

static bool samples_ok(const json_t *a)
{
	size_t i;
	json_t *v;

	if (!json_is_array(a) || json_array_size(a) > SAMPLES_MAX)
		return false;
	json_array_foreach(a, i, v) if (!json_is_number(v)) return false;
	return true;
}

const char *ay_timing_json_wrong(const json_t *timing)
{
	const struct ay_timing_field *pace = &ay_timing_fields[0];
	const json_t *v;

	if (!json_object_get(timing, pace->name)) /* also true if timing is no object */
		return pace->name;
	for (const struct ay_timing_field *f = ay_timing_fields; f->name; f++)
		if ((v = json_object_get(timing, f->name)) && !kind_ok(v, f->kind))
			return f->name;
	if ((v = json_object_get(timing, OF_FLOOR)) && !json_is_number(v))
		return OF_FLOOR;
	return (v = json_object_get(timing, SAMPLES)) && !samples_ok(v) ? SAMPLES : NULL;
}

void ay_timing_json_read(const json_t *timing, struct ay_timing *t)
{
	*t = (struct ay_timing){ .nsample = (int)json_array_size(json_object_get(timing, SAMPLES)) };
	for (const struct ay_timing_field *f = ay_timing_fields; f->name; f++) {
		const json_t *v = json_object_get(timing, f->name);
		void *p = (char *)t + f->at;

		if (!v)
			continue;
		switch (f->kind) {
		case AY_TIMING_PACE: *(enum ay_pace *)p = ay_pace_find(json_string_value(v)); break;
		case AY_TIMING_LEVEL: *(enum ay_level *)p = find_level(json_string_value(v)); break;
		case AY_TIMING_TEXT: *(const char **)p = json_string_value(v); break;
		case AY_TIMING_BOOL: *(bool *)p = json_is_true(v); break;
		case AY_TIMING_INT: *(int *)p = (int)json_integer_value(v); break;
		case AY_TIMING_REAL: *(double *)p = json_number_value(v); break;
		}
	}
}
