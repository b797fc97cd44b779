/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers.h"
#include "test.h"
#include "base/process.h"
#include "op/fill.h"

#include <string.h>
#include <unistd.h>

const struct ay_registry *help_registry(void)
{
	static struct ay_registry r;
	struct ay_err err = { 0 };

	if (!r.n && ay_registry_init(&r, ay_op_files, &err))
		test_fail(__FILE__, __LINE__, "%s", err.msg);
	return &r;
}

struct ay_call *help_bind(const struct ay_registry *r, struct ay_arena *a, const char *text, struct ay_err *err)
{
	const struct ay_schema *s;
	const struct ay_entry_op *e;
	struct ay_case *line;
	struct ay_call *c;

	if (ay_case_parse(a, text, strlen(text), &line, err) || !(e = ay_registry_find_case(r, line, &s, err)) ||
	    ay_call_bind(a, e->op[0], s, line, &c, err))
		return NULL;
	return c;
}

void help_memory(struct ay_arena *a, struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		struct ay_operand *o = c->operand[i];
		size_t item = (size_t)ay_dt_info(o->view.dt)->bytes,
		       bytes = (size_t)ay_view_extent(&o->view) * item;
		uint8_t *mem = ay_alloc(a, bytes + 1), *old = ay_alloc(a, bytes + 1);

		if (o->role == AY_IN || o->role == AY_INOUT)
			ay_fill_storage(c, o, mem);
		memcpy(old, mem, bytes);
		o->view.data = mem + (size_t)o->view.offset * item;
		o->old.data = old + (size_t)o->view.offset * item;
	}
}

const char *help_build_dir(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = 0;
	if (strrchr(path, '/'))
		*strrchr(path, '/') = 0;
	return path;
}

int help_run(struct ay_arena *a, const char *cmd, double timeout_s, char **output)
{
	const char *argv[] = { "/bin/sh", "-c", cmd, NULL };
	extern char **environ;
	struct ay_run_spec spec = {
		.argv = argv, .env = (const char *const *)environ, .timeout_s = timeout_s, .output_max = 1 << 20
	};
	struct ay_run_result res;
	struct ay_err err = { 0 };

	*output = ay_strdup(a, "");
	if (ay_process_run(&spec, &res, &err)) {
		*output = ay_strdup(a, err.msg);
		return -1;
	}
	*output = ay_strdup(a, ay_str_text(&res.output));
	ay_str_release(&res.output);
	return res.timed_out ? -1 : res.status;
}
