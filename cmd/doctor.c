/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - what was found on this machine, and what each missing part costs.
 */
#include "cmd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "forge/forge.h"
#include "sandbox/sandbox.h"
#include "tensor/buffer.h"
#include "timing/baseline.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct usage usage = {
	"assay doctor [--json]",
	"Says what this machine has, what is missing, and what to do about it.",
	"  assay doctor\n",
};

enum state { FINE, MISSING, NOTE };

struct finding {
	const char *name;
	enum state state;
	const char *what, *advice; /* advice NULL: nothing to do */
};

static struct finding find_compiler(struct app *app, struct ay_forge *f)
{
	struct ay_err err = { 0 };
	const char *version;

	if (ay_forge_init(f, NULL, &err) || !f->cc)
		return (struct finding){ "C compiler", MISSING, "none found: no kernel can be built",
					 "apt-get install clang (or gcc)" };
	version = ay_forge_version(app->arena, f->cc, &err);
	if (!version)
		return (struct finding){ "C compiler", MISSING, ay_strdup(app->arena, err.msg),
					 "apt-get install clang (or gcc)" };
	return (struct finding){ "C compiler", FINE, ay_sprintf(app->arena, "%s (%s)", f->cc, version),
				 strstr(f->cc, "clang")
					 ? NULL
					 : "clang builds some kernels to faster code: apt-get install clang" };
}

static struct finding find_cxx(struct app *app, const struct ay_forge *f)
{
	if (!f->cxx)
		return (struct finding){ "C++ compiler", MISSING, "none found: C++ kernels cannot be built",
					 "apt-get install g++" };
	return (struct finding){ "C++ compiler", FINE, ay_strdup(app->arena, f->cxx), NULL };
}

static struct finding find_cache(struct app *app, const struct ay_forge *f)
{
	if (!f->cache_dir)
		return (struct finding){ "cache", MISSING,
					 "no folder for compiled kernels: every check compiles anew",
					 "set HOME or XDG_CACHE_HOME to a folder that can be written" };
	return (struct finding){ "cache", FINE, ay_strdup(app->arena, f->cache_dir), NULL };
}

/* A pool is memfds with seals: what the judge's memory rests on. */
static struct finding find_memory(struct app *app)
{
	struct ay_need need = { .bytes = AY_PAGE, .written = false };
	struct ay_err err = { 0 };
	struct ay_pool p;
	double gib = (double)ay_memory_available() / (1 << 30);

	if (ay_pool_init(&p, 1, &need, &err))
		return (struct finding){
			"shared memory", MISSING, ay_strdup(app->arena, err.msg),
			"a Linux kernel of 5.1 or later with memfd_create and F_SEAL_FUTURE_WRITE is needed"
		};
	ay_pool_release(&p);
	return (struct finding){ "shared memory", FINE,
				 ay_sprintf(app->arena, "sealed memfds work; %.1f GiB are free", gib), NULL };
}

static struct finding find_machine(struct app *app, const struct ay_forge *f)
{
	struct utsname u;

	uname(&u);
	return (struct finding){ "machine", FINE,
				 ay_sprintf(app->arena, "%d cores, %s, %s %s", ay_cpu_count(),
					    f->cpu ? f->cpu : u.machine, u.sysname, u.release),
				 NULL };
}

/* Nothing is judged by it: without it BLAS operators are timed against nothing. */
static struct finding find_openblas(struct app *app)
{
	struct ay_baseline b = { 0 };
	struct ay_err err = { 0 };

	if (ay_baseline_ask("openblas", app->arena, &b, &err))
		return (struct finding){ "OpenBLAS", NOTE, ay_strdup(app->arena, err.msg), NULL };
	if (b.why)
		return (struct finding){ "OpenBLAS", NOTE, "missing: no library to time BLAS operators against",
					 b.why };
	return (struct finding){ "OpenBLAS", FINE, ay_sprintf(app->arena, "%s (version, core)", b.version), NULL };
}

/* One of two does: a uid of its own (root) or a user namespace. */
static bool other_does(unsigned layers, unsigned layer)
{
	return (layer == AY_LAYER_UID && layers & AY_LAYER_USER) ||
	       (layer == AY_LAYER_USER && layers & AY_LAYER_UID);
}

static struct finding find_layer(struct app *app, const struct ay_sandbox *s, enum ay_layer_index i)
{
	const struct ay_layer_info *l = &ay_layer_infos[i];
	unsigned layers = ay_sandbox_layers(s);
	int why = ay_sandbox_why(s, i);

	if (layers >> i & 1)
		return (struct finding){ l->name, FINE, ay_sprintf(app->arena, "active: %s", l->stops), NULL };
	if (other_does(layers, 1u << i))
		return (struct finding){ l->name, FINE,
					 i == AY_LAYER_I_UID ? "not used: user namespaces do the same"
							     : "not used: an own uid does the same",
					 NULL };
	return (struct finding){ l->name, NOTE,
				 ay_sprintf(app->arena, "missing%s%s%s: %s", why ? " (" : "",
					    why ? strerror(why) : "", why ? ")" : "", l->stops),
				 l->get };
}

/* The whole in one line, then layer by layer. Gives how many findings. */
static int find_sandbox(struct app *app, struct finding *list)
{
	struct ay_sandbox *s = NULL;
	struct ay_err err = { 0 }, refused = { 0 };
	int n = 0;

	if (!ay_sandbox_new(&s, AY_SANDBOX_FULL, &refused))
		list[n++] = (struct finding){ "sandbox", FINE, ay_sandbox_text(s, app->arena), NULL };
	else
		list[n++] = (struct finding){ "sandbox", MISSING, ay_strdup(app->arena, refused.msg),
					      "what is missing is listed below" };
	if (!s && ay_sandbox_new(&s, AY_SANDBOX_UNSAFE, &err))
		return n;
	for (int i = 0; i < AY_LAYER_COUNT; i++)
		list[n++] = find_layer(app, s, (enum ay_layer_index)i);
	ay_sandbox_free(s);
	return n;
}

static void print(const struct finding *f, bool json)
{
	static const char *const marks[] = { "ok", "missing", "note" };
	json_t *j;

	if (!json) {
		printf("%-8s %-14s %s\n", marks[f->state], f->name, f->what);
		if (f->advice)
			printf("%-8s %-14s -> %s\n", "", "", f->advice);
		return;
	}
	j = json_object();
	json_object_set_new(j, "name", json_string(f->name));
	json_object_set_new(j, "state", json_string(marks[f->state]));
	json_object_set_new(j, "what", ay_json_text(f->what, strlen(f->what), 1000));
	if (f->advice)
		json_object_set_new(j, "advice", json_string(f->advice));
	ay_json_line(stdout, j);
	json_decref(j);
}

int cmd_doctor(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	bool json = false;
	const struct opt opts[] = { { "json", OPT_FLAG, &json, NULL, "one JSON object a line" }, { 0 } };
	int n = opt_parse(argc, argv, opts, &usage, err), missing = 0;
	struct ay_forge f = { 0 };
	struct finding list[8 + AY_LAYER_COUNT];
	int count = 0;

	if (n < 0)
		return opt_status(n);
	list[count++] = find_compiler(app, &f);
	list[count++] = find_cxx(app, &f);
	list[count++] = find_cache(app, &f);
	list[count++] = find_memory(app);
	list[count++] = find_machine(app, &f);
	list[count++] = find_openblas(app);
	count += find_sandbox(app, list + count);
	for (int i = 0; i < count; i++) {
		print(&list[i], json);
		missing += list[i].state == MISSING;
	}
	ay_forge_release(&f);
	return missing ? EXIT_FAILED : EXIT_PASSED;
}
