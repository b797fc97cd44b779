/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/interpreter.h"

#include "base/json.h"
#include "base/process.h"
#include "base/str.h"
#include "exec/python.h"

#include <stdint.h>

extern const uint8_t ay_embedded_python[], ay_embedded_python_end[];

enum { ASK_S = 30 };

static const char ask[] =
	"import importlib.metadata as m, importlib.util, json, os, sys\n"
	"def version(name):\n"
	"    try:\n"
	"        return m.version(name)\n"
	"    except m.PackageNotFoundError:\n"
	"        return None\n"
	"def uncompiled(name):\n"
	"    s = importlib.util.find_spec(name)\n"
	"    file = s.origin if s and s.origin and s.origin.endswith('.py') else None\n"
	"    if file and not os.path.exists(importlib.util.cache_from_source(file)):\n"
	"        return os.path.dirname(file)\n"
	"print(json.dumps({'python': sys.version.split()[0], 'uncompiled': uncompiled('torch'),\n"
	"                  **{n: version(n) for n in ('torch', 'triton', 'numpy')}}))\n";

bool ay_python_is_built(void)
{
	return ay_embedded_python_end - ay_embedded_python > 0;
}

static const char *text_of(struct ay_arena *a, const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? ay_strdup(a, s) : NULL;
}

static int ask_versions(struct ay_arena *a, struct ay_interpreter *i, struct ay_err *err)
{
	const char *const argv[] = { i->path, "-c", ask, NULL };
	const struct ay_run_spec spec = {
		.argv = argv, .env = ay_python_environment(a), .dir = "/", .timeout_s = ASK_S, .output_max = 10000
	};
	struct ay_run_result r = { 0 };
	json_t *o = NULL;

	if (ay_process_run(&spec, &r, err))
		return -1;
	if (!r.status && !r.timed_out)
		o = json_loadb(ay_str_text(&r.output), r.output.len, 0, NULL);
	i->version = text_of(a, o, "python");
	i->torch = text_of(a, o, "torch");
	i->triton = text_of(a, o, "triton");
	i->numpy = text_of(a, o, "numpy");
	i->uncompiled = text_of(a, o, "uncompiled");
	json_decref(o);
	ay_str_release(&r.output);
	return i->version ? 0 : ay_fail(err, AY_ERR_EXEC, "'%s' does not say its version", i->path);
}

int ay_interpreter_look(struct ay_arena *a, const char *wish, struct ay_interpreter *i, struct ay_err *err)
{
	struct ay_python_choice c;
	const int rc = ay_python_choose(a, wish, &c, err);

	*i = (struct ay_interpreter){ .path = c.path, .why = c.why, .named = c.named, .seen = c.seen };
	return rc ? -1 : ask_versions(a, i, err);
}
