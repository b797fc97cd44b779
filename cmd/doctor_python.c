/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"
#include "exec/interpreter.h"
#include "judge/task.h"
#include "sandbox/sandbox.h"
#include "base/process.h"
#include "report/run_report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct finding find_extension(void)
{
	if (ay_python_is_built())
		return (struct finding){ "extension", FINE, "Python's executor is in this binary", NULL };
	return (struct finding){ "extension", NOTE,
				 "built without Python's headers: no Python kernel can be judged, no torch timed",
				 "apt-get install python3-dev, then build assay again" };
}

static struct finding find_package(struct app *app, const char *name, const char *version, const char *cost,
				   const char *advice)
{
	if (version)
		return (struct finding){ name, FINE, ay_strdup(app->arena, version), NULL, .version = version };
	return (struct finding){ name, NOTE, ay_sprintf(app->arena, "missing: %s", cost), advice };
}

/* Reports torch's bytecode. A jail keeps no files, so without stored bytecode every start of a
 * Python kernel compiles torch: some seconds of a core. */
static struct finding find_torch(struct app *app, const struct ay_interpreter *i)
{
	struct finding f = find_package(app, "torch", i->torch, "its version cannot be told", NULL);
	struct ay_str folder = { 0 };

	if (!i->torch || !i->uncompiled)
		return f;
	ay_shell_word(&folder, i->uncompiled);
	f.state = NOTE;
	f.what = ay_sprintf(app->arena, "%s, without bytecode: each start of Python compiles it anew", i->torch);
	f.advice = ay_sprintf(app->arena, "as its owner: %s -m compileall -q %s", i->path, ay_str_text(&folder));
	ay_str_release(&folder);
	return f;
}

/* Judges the smallest kernel, to test everything: zygote, fork, jail, one call, its result. */
static int judge_one(struct app *app, struct ay_python *python, struct ay_task_result *r, struct ay_err *err)
{
	static const char source[] = "import torch\n\ndef relu(self):\n"
				     "    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)\n";
	static const char *const line[] = { "aten::relu((T([3], f32),), {})" };
	const struct ay_schema *s;
	bool exact;
	struct ay_task t = { .file = "relu.py",
			     .source = source,
			     .len = sizeof source - 1,
			     .lang = AY_LANG_PY,
			     .op = ay_registry_find(app->registry, "aten::relu", &s, &exact, err),
			     .line = line,
			     .nline = 1,
			     .policy = {
				     .threads = 1, .oracle_threads = 1, .call_timeout_s = 10, .python = python } };
	struct ay_task_watch w = { 0 };
	struct ay_forge f = { 0 };
	int rc;

	if (!t.op || ay_sandbox_new(&t.policy.sandbox, AY_SANDBOX_FULL, err))
		return -1;
	rc = ay_task_run(app->registry, &f, &t, &w, app->arena, r, err);
	if (r->built.fd >= 0)
		close(r->built.fd);
	ay_sandbox_free(t.policy.sandbox);
	return rc;
}

static struct finding find_judging(struct app *app, const char *wish, enum doctor_state bad)
{
	struct ay_python python = { .wish = wish };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_err err = { 0 };
	const int64_t begin = ay_now_ns();
	int64_t warm;
	struct finding f;

	if (ay_python_open(&python, &err))
		return (struct finding){ "Python kernels", bad, ay_strdup(app->arena, err.msg), NULL };
	warm = ay_now_ns();
	if (judge_one(app, &python, &r, &err))
		f = (struct finding){ "Python kernels", bad, ay_strdup(app->arena, err.msg), NULL };
	else if (r.verdict != AY_VERDICT_PASS)
		f = (struct finding){ "Python kernels", bad,
				      ay_sprintf(app->arena, "one that is right is called %s: %s",
						 ay_verdict_name(r.verdict),
						 r.detail ? r.detail : ay_verdict_text(r.verdict)),
				      NULL };
	else
		f = (struct finding){ "Python kernels", FINE,
				      ay_sprintf(app->arena, "one was judged in %.0f ms, after %.1f s for torch",
						 (double)(ay_now_ns() - warm) / 1e6, (double)(warm - begin) / 1e9),
				      NULL };
	ay_python_close(&python);
	return f;
}

/* Reports that no interpreter is usable. */
static struct finding find_none(struct app *app, const struct ay_interpreter *i, const struct ay_err *err)
{
	static const char use[] =
		"kernels in Python and Triton, and torch as a baseline or backend, need one; all "
		"else does not";

	if (i->named)
		return (struct finding){ "Python", MISSING, ay_sprintf(app->arena, "%s: %s", i->why, err->msg),
					 use };
	if (!i->seen)
		return (struct finding){ "Python", NOTE, ay_strdup(app->arena, err->msg), use };
	return (struct finding){ "Python", NOTE,
				 ay_sprintf(app->arena, "no python3 with torch was found (%s): %s", i->seen, use),
				 ay_python_get(app->arena) };
}

static const char *pip_install(struct app *app, const struct ay_interpreter *i, const char *package)
{
	struct ay_str b = { 0 };
	const char *command;

	ay_shell_word(&b, i->path);
	ay_str_addf(&b, " -m pip install %s", package);
	command = ay_strdup(app->arena, ay_str_text(&b));
	ay_str_release(&b);
	return command;
}

int find_python(struct app *app, const char *wish, bool quick, struct finding *list)
{
	struct ay_interpreter i;
	struct ay_err err = { 0 };
	int n = 0;

	list[n++] = find_extension();
	if (ay_interpreter_look(app->arena, wish, &i, &err)) {
		list[n++] = find_none(app, &i, &err);
		return n;
	}
	list[n++] = (struct finding){
		"Python", FINE,   ay_sprintf(app->arena, "%s (%s), %s", i.path, i.version, i.why),
		NULL,     i.path, i.version
	};
	list[n++] = find_torch(app, &i);
	list[n++] = find_package(app, "Triton", i.triton, "kernels that import triton are LOAD",
				 pip_install(app, &i, "triton"));
	list[n++] = find_package(app, "numpy", i.numpy, "kernels that import numpy are LOAD",
				 pip_install(app, &i, "numpy"));
	if (ay_python_is_built() && !quick)
		list[n++] = find_judging(app, wish, MISSING);
	AY_ASSERT(n <= FIND_PYTHON_MAX);
	return n;
}
