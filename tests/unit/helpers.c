/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers.h"
#include "help_cc.h"
#include "base/file.h"
#include "test.h"
#include "base/process.h"
#include "exec/interpreter.h"
#include "exec/python.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

const char *help_build_dir(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = 0;
	if (strrchr(path, '/'))
		*strrchr(path, '/') = 0;
	return path;
}

const char *help_cache(void)
{
	static char path[4200];
	const char *given = getenv("ASSAY_TEST_CACHE");

	snprintf(path, sizeof path, "%s%s", given ? given : help_build_dir(), given ? "" : "/cache");
	return path;
}

const char *help_path(const char *name)
{
	static char path[16][4200];
	static int turn;

	turn = (turn + 1) % 16;
	snprintf(path[turn], sizeof path[turn], "%s/%s", test_dir(), name);
	return path[turn];
}

char *help_slurp(struct ay_arena *a, const char *path, size_t *n)
{
	struct ay_err err = { 0 };
	size_t unasked;
	char *data;

	n = n ? n : &unasked;
	if (!ay_file_read(a, path, 64 << 20, &data, n, &err))
		return data;
	test_fail(__FILE__, __LINE__, "%s", err.msg);
	*n = 0;
	return ay_strdup(a, "");
}

void help_spill(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, n, f) != n || fclose(f))
		test_fail(__FILE__, __LINE__, "cannot write %s", path);
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

const char *help_python(void)
{
	static struct ay_arena a;
	const char *path, *why = getenv("ASSAY_NO_TORCH");
	struct ay_err err = { 0 };

	if (!getenv("ASSAY_PYTHON") && why && why[0])
		test_skip("%s", why);
	if (ay_python_find(&a, NULL, &path, &err))
		test_skip("%s", err.msg);
	if (!ay_python_is_built())
		test_skip("this assay was built without Python's headers");
	return path;
}

const struct ay_entry_op *help_operator(const char *name, struct ay_err *err)
{
	const struct ay_schema *s;
	bool exact;

	return ay_registry_find(help_registry(), name, &s, &exact, err);
}

void help_list_operators(test_add_value_fn add)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++)
		if (help_is_meant(&r->op[i]))
			add(r->op[i].name);
}

void help_list_files(const char *pattern, test_add_value_fn add)
{
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		add(g.gl_pathv[i]);
	globfree(&g);
}

bool help_is_torch(const struct ay_entry_op *e)
{
	return !strcmp(ay_entry_source(e), "aten") || !strcmp(ay_entry_source(e), "extra");
}

bool help_is_meant(const struct ay_entry_op *e)
{
	const char *part = getenv("ASSAY_OP");

	return !part || strstr(e->path, part);
}

void help_fake_library(struct ay_arena *a, const char *files, const char *name)
{
	const char *path = ay_sprintf(a, "%s/%s", test_dir(), name);

	CHECK(ay_file_exists(path) || /* of this test, made before */
	      help_cc(a, ay_sprintf(a, "-O1 -D_GNU_SOURCE -Isrc -Wl,-soname,%s %s", name, files), path));
	CHECK(dlopen(path, RTLD_NOW | RTLD_LOCAL));
}

void help_fake_gpu(struct ay_arena *a)
{
	chmod(test_dir(), 0755); /* executors have uids of their own */
	help_fake_library(a, "tests/cuda/fake.c", "libcuda.so.1");
}

const char *help_container(struct ay_arena *a)
{
	const char *program = ay_sprintf(a, "%s/container", test_dir());
	char *out;

	if (geteuid())
		test_skip("a container of Docker's is made by root");
	if (help_run(a, ay_sprintf(a, "cc -O1 -o %s tests/container.c -lseccomp", program), 60, &out))
		test_skip("tests/container.c: %s", out);
	if (help_run(a, ay_sprintf(a, "%s true", program), 10, &out))
		test_skip("this machine is a container itself: %s", out);
	CHECK(help_run(a, ay_sprintf(a, "%s unshare -U true", program), 10, &out));
	return program;
}
