/* SPDX-License-Identifier: Apache-2.0
 *
 * case_id - identifies a case across two runs, which may have different kernels and drawn seeds.
 */
#include "store/record.h"

#include <string.h>

/* Returns true if the text is empty or the name of a timed content. */
static bool is_end(const char *p)
{
	static const char timed[] = " timed=";

	return !*p || (!strncmp(p, timed, sizeof timed - 1) &&
		       !p[sizeof timed - 1 + strspn(p + sizeof timed - 1, "0123456789:")]);
}

/* Returns the length of a line without the seed at its end, if it has one. */
static size_t without_seed(const char *line)
{
	static const char seed[] = " seed=";
	size_t n = strlen(line);

	for (const char *p = strstr(line, seed); p; p = strstr(p + 1, seed))
		if (is_end(p + sizeof seed - 1 + strspn(p + sizeof seed - 1, "0123456789")))
			n = (size_t)(p - line);
	return n;
}

struct ay_record_id ay_id_across_runs(const json_t *rec)
{
	const char *asked = ay_record_str(rec, AY_FIELD_CASE), *line = ay_record_str(rec, AY_FIELD_LINE);
	struct ay_str b = { 0 };
	struct ay_record_id id;

	if (!asked)
		ay_str_addn(&b, line, without_seed(line));
	id = ay_id_case(ay_record_str(rec, AY_FIELD_OVERLOAD), asked ? asked : ay_str_text(&b));
	ay_str_release(&b);
	return id;
}
