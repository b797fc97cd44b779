/* SPDX-License-Identifier: Apache-2.0
 *
 * Each line of the input, alone and through the reader: what parses must print to an equal case whose print is the
 * same; what does not must name a column.
 */
#include "op/caseline.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct ay_arena *a, const struct ay_case *c)
{
	struct ay_err err = { 0 };
	struct ay_str once = { 0 }, twice = { 0 };
	struct ay_case *again;

	ay_case_print(&once, c);
	if (once.len <= AY_LINE_MAX) {
		if (ay_case_parse(a, once.s, once.len, &again, &err) || !ay_case_equal(c, again))
			abort();
		ay_case_print(&twice, again);
		if (strcmp(once.s, twice.s))
			abort();
	}
	ay_str_release(&once);
	ay_str_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_reader r = { .text = (const char *)data, .len = size };
	struct ay_case *c;
	int rc;

	if (!ay_case_parse(&a, (const char *)data, size, &c, &err))
		check(&a, c);
	else if (err.code != AY_ERR_PARSE || err.col < 1 || (size_t)err.col > size + 1)
		abort();
	for (ay_err_clear(&err); (rc = ay_reader_next(&r, &a, &c, &err)); ay_err_clear(&err)) {
		if (rc == 1)
			check(&a, c);
		else if (err.code != AY_ERR_PARSE || err.col < 1)
			abort();
	}
	ay_arena_release(&a);
	return 0;
}
