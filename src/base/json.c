/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/err.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

json_t *ay_json_text(const char *s, size_t n, size_t max)
{
	struct ay_str b = { 0 };
	json_t *j;

	ay_str_add_safe(&b, s, n, max);
	j = json_stringn(ay_str_text(&b), b.len);
	if (!j)
		AY_BUG("escaped text is not UTF-8");
	ay_str_release(&b);
	return j;
}

json_t *ay_json_name(const char *s)
{
	const size_t n = strlen(s);

	return ay_json_text(s, n, n);
}

json_t *ay_json_real(double x)
{
	if (isfinite(x))
		return json_real(x);
	return json_string(isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
}

json_t *ay_json_wide(long double x)
{
	if (isfinite(x) && x == rintl(x) && x != (long double)(double)x && fabsl(x) < 0x1p63L)
		return json_integer((json_int_t)x);
	return ay_json_real((double)x);
}

long double ay_json_number(const json_t *j)
{
	if (json_is_integer(j))
		return (long double)json_integer_value(j);
	if (json_is_real(j))
		return json_real_value(j);
	if (!json_is_string(j) || !strstr(json_string_value(j), "inf"))
		return NAN;
	return json_string_value(j)[0] == '-' ? -INFINITY : INFINITY;
}

int ay_json_line(FILE *f, const json_t *j)
{
	if (json_dumpf(j, f, JSON_COMPACT | JSON_ENCODE_ANY) && !ferror(f))
		AY_BUG("a JSON value could not be written");
	fputc('\n', f);
	return ferror(f) ? -1 : 0;
}
