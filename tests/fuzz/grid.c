/* SPDX-License-Identifier: Apache-2.0
 *
 * Template and grid, split at the first NUL: every case that comes out must be a line that reads back as itself.
 */
#include "op/grid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	const struct ay_template *t;
	int points;
};

static void check(struct ay_arena *a, const struct ay_case *c)
{
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_case *again;

	ay_case_print(&b, c);
	if (b.len <= AY_LINE_MAX && (ay_case_parse(a, b.s, b.len, &again, &err) || !ay_case_equal(c, again)))
		abort();
	ay_str_release(&b);
}

static int point(void *user, const struct ay_scope *s)
{
	struct state *st = user;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *c;

	if (!ay_template_expand(&a, st->t, s, &c, &err))
		check(&a, c);
	else if (err.code != AY_ERR_PARSE || err.col < 1)
		abort();
	ay_arena_release(&a);
	return ++st->points == MAX_POINTS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *line = ay_strndup(&a, (const char *)data, size);
	size_t n = strlen(line);
	const char *grid = n < size ? ay_strdup(&a, line + n + 1) : "";
	struct ay_template *t;
	int64_t count = ay_grid_count(&a, grid, &err);

	ay_err_clear(&err);
	if (!ay_template_parse(&a, line, &t, &err)) {
		struct state st = { .t = t };
		int rc = ay_grid_each(&a, grid, point, &st, &err);

		if (rc == 0 && count != st.points)
			abort();
	} else if (err.code != AY_ERR_PARSE || err.col < 1) {
		abort();
	}
	ay_arena_release(&a);
	return 0;
}
