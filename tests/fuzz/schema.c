/* SPDX-License-Identifier: Apache-2.0
 *
 * A schema that parses prints to something that parses to the same print; the questions about it have answers.
 */
#include "op/schema.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct ay_schema *s)
{
	struct ay_str b = { 0 };

	ay_schema_signature(&b, s);
	ay_str_release(&b);
	for (int i = 0; i < s->nret; i++)
		if (ay_schema_ret_arg(s, i) >= s->narg)
			abort();
	if (ay_schema_is_kernel(s) + ay_schema_out(s) + ay_schema_inplace(s) > 3)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_str once = { 0 }, twice = { 0 };
	struct ay_schema *s;

	if (!ay_schema_parse(&a, ay_strndup(&a, (const char *)data, size), &s, &err)) {
		ay_schema_print(&once, s);
		ask(s);
		if (ay_schema_parse(&a, ay_str_text(&once), &s, &err))
			abort();
		ay_schema_print(&twice, s);
		if (strcmp(once.s, twice.s))
			abort();
	} else if (err.code != AY_ERR_PARSE || err.col < 1) {
		abort();
	}
	ay_str_release(&once);
	ay_str_release(&twice);
	ay_arena_release(&a);
	return 0;
}
