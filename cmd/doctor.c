/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - reports what this machine has, and what each missing part costs.
 */
#include "doctor.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "forge/forge.h"
#include "llm/http.h"
#include "sandbox/sandbox.h"
#include "tensor/buffer.h"
#include "timing/baseline.h"
#include "timing/ceiling.h"
#include "device/perf_lock.h"
#include "timing/cpuset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct usage usage = {
	"assay doctor [--calibrate] [--quick] [--device D] [--python P] [--json]",
	"Says what this machine has, what is missing, and what to do about it.",
	"  assay doctor\n"
	"  assay doctor --quick          # nothing that takes seconds: no Python kernel is judged\n"
	"  assay doctor --calibrate      # measure how fast memory and arithmetic are at best, and keep it\n"
	"  assay doctor --calibrate --device cuda:1        # of that GPU alone\n",
};

enum { FINDINGS_MAX = 12 + FIND_GPU_MAX + FIND_PYTHON_MAX + AY_LAYER_COUNT };

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

/* Checks for sealed memfds, on which the judge's memory pools depend. */
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

/* Checks what every Linux has but a bare chroot may lack. Without it no kernel can be started or
 * loaded. */
static struct finding find_system(void)
{
	if (access("/dev/null", R_OK | W_OK))
		return (struct finding){ "system", MISSING, "there is no /dev/null: no kernel can be started",
					 "in a chroot: mount --bind /dev/null ROOT/dev/null" };
	if (access("/proc/self/fd", R_OK | X_OK))
		return (struct finding){ "system", MISSING, "there is no /proc: no kernel can be loaded",
					 "in a chroot: mount -t proc proc ROOT/proc" };
	return (struct finding){ "system", FINE, "/proc and /dev/null are there", NULL };
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

/* Looks for OpenBLAS. Verdicts do not need it, but without it BLAS operators have no baseline. */
static struct finding find_openblas(struct app *app)
{
	struct ay_baseline b = { 0 };
	struct ay_err err = { 0 };

	if (ay_baseline_ask("openblas", NULL, app->arena, &b, &err))
		return (struct finding){ "OpenBLAS", NOTE, ay_strdup(app->arena, err.msg), NULL };
	if (b.why)
		return (struct finding){ "OpenBLAS", NOTE, "missing: no library to time BLAS operators against",
					 b.why };
	return (struct finding){ "OpenBLAS", FINE, ay_sprintf(app->arena, "%s (version, core)", b.version), NULL };
}

/* Returns true if the other of two layers suffices: a separate uid (root) or a user namespace. */
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

/* Reports the sandbox in one line, then each layer. Returns the number of findings. */
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

/* --- ceilings --------------------------------------------------------------------------------- */

/* Returns the bandwidth in bytes per second in the middle of a memory level, for one row of the
 * table. */
static double level_speed(const struct ay_ceilings *c, int threads, enum ay_level l)
{
	double pool = l == AY_LEVEL_MEMORY ? INFINITY : (double)c->cache[l] / 2;

	return ay_ceiling_bytes_per_s(c, threads, l < AY_LEVEL_L3 ? pool * threads : pool);
}

static bool has_level(const struct ay_ceilings *c, enum ay_level l)
{
	return l == AY_LEVEL_MEMORY || c->cache[l];
}

static struct finding find_curl(struct app *app)
{
	struct ay_err err = { 0 };
	const char *version;
	size_t n;

	if (ay_http_version(app->arena, &version, &err))
		return (struct finding){ "libcurl", NOTE, "missing: no language model can be asked",
					 "apt-get install libcurl4" };
	n = strcspn(version, " ");
	/* the names of libcurl and of its TLS library */
	n += version[n] ? 1 + strcspn(version + n + 1, " ") : 0;
	return (struct finding){ "libcurl", FINE, ay_strndup(app->arena, version, n), NULL };
}

static struct finding find_ceilings(struct app *app)
{
	struct ay_ceilings c;
	struct ay_str b = { 0 };
	struct ay_err err = { 0 };
	struct finding f;
	bool found;

	if (ay_ceilings_load(&c, &found, &err) || !found)
		return (struct finding){ "ceilings", NOTE, "not measured: the first timing will, quickly",
					 "assay doctor --calibrate (5 s)" };
	for (int l = 0; l < AY_LEVEL_COUNT; l++)
		if (has_level(&c, (enum ay_level)l))
			ay_str_addf(&b, "%s%s %.0f", b.len ? ", " : "", ay_level_name((enum ay_level)l),
				    level_speed(&c, c.cpus, (enum ay_level)l) / 1e9);
	ay_str_addf(&b, " GB/s; %.0f GFLOP/s in f32, %.0f in f64; %d threads, measured %s%s",
		    ay_ceiling_flops(&c, c.cpus, AY_DT_F32) / 1e9, ay_ceiling_flops(&c, c.cpus, AY_DT_F64) / 1e9,
		    c.cpus, c.when, c.quick ? ", quickly" : "");
	f = (struct finding){ "ceilings", FINE, ay_strdup(app->arena, ay_str_text(&b)),
			      c.quick ? "assay doctor --calibrate takes more care (5 s)" : NULL };
	ay_str_release(&b);
	return f;
}

static void print_ceilings(const struct ay_ceilings *c)
{
	printf("%s, %d CPUs, measured %s\n%-18s", c->cpu, c->cpus, c->when, "threads");
	for (int i = 0; i < c->nthread; i++)
		printf(" %9d", c->row[i].threads);
	for (int l = 0; l < AY_LEVEL_COUNT; l++) {
		if (!has_level(c, (enum ay_level)l))
			continue;
		printf("\n%-6s", ay_level_name((enum ay_level)l));
		if (l == AY_LEVEL_MEMORY)
			printf(" %11s", "");
		else
			printf(" %7llu KiB", (unsigned long long)c->cache[l] >> 10);
		for (int i = 0; i < c->nthread; i++)
			printf(" %9.1f", level_speed(c, c->row[i].threads, (enum ay_level)l) / 1e9);
		printf("  GB/s");
	}
	for (int f64 = 0; f64 < 2; f64++) {
		printf("\n%-18s", f64 ? "f64" : "f32");
		for (int i = 0; i < c->nthread; i++)
			printf(" %9.1f", (f64 ? c->row[i].f64 : c->row[i].f32) / 1e9);
		printf("  GFLOP/s");
	}
	printf("\n");
}

static void print_ceilings_json(const struct ay_ceilings *c)
{
	for (int i = 0; i < c->nthread; i++) {
		const struct ay_ceiling_row *r = &c->row[i];
		json_t *j = json_pack("{s:s,s:s,s:i,s:f,s:f}", "name", "ceilings", "when", c->when, "threads",
				      r->threads, "f32_flops_per_s", r->f32, "f64_flops_per_s", r->f64);
		json_t *curve = json_array();

		for (int k = 0; k < r->n; k++)
			json_array_append_new(curve, json_pack("[f,f]", r->point[k].bytes, r->point[k].per_s));
		json_object_set_new(j, "bytes_and_bytes_per_s", curve);
		ay_json_line(stdout, j);
		json_decref(j);
	}
}

static void say_waiting(void *user)
{
	(void)user;
	fprintf(stderr, "assay: another measurement is running on these CPUs; waiting for it\n");
}

static int calibrate_cpu(bool json, struct ay_err *err)
{
	struct ay_perf_lock lock;
	struct ay_ceilings c;
	cpu_set_t all, judge;
	bool spare;
	int rc;

	ay_cpuset_choose(ay_cpu_count(), &all, &judge, &spare);
	if (ay_perf_lock_cpus(&lock, &all, say_waiting, NULL, err))
		return EXIT_FAILED;
	rc = ay_ceilings_measure(&c, false, err);
	ay_perf_unlock(&lock);
	if (rc)
		return EXIT_FAILED;
	if (json)
		print_ceilings_json(&c);
	else
		print_ceilings(&c);
	return ay_ceilings_save(&c, err) ? EXIT_FAILED : EXIT_PASSED;
}

/* Calibrates the named device, or without a name all devices present. A GPU that was not named may
 * be missing. */
static int calibrate(const char *wish, bool json, struct ay_err *err)
{
	struct ay_err none = { 0 };
	struct ay_dev *d = NULL;
	int rc = EXIT_PASSED;

	if (!wish || !strcmp(wish, "cpu"))
		rc = calibrate_cpu(json, err);
	if (rc != EXIT_PASSED || (wish && !strcmp(wish, "cpu")))
		return rc;
	if (ay_dev_open(&d, wish ? wish : "cuda", wish ? err : &none))
		return wish ? EXIT_FAILED : EXIT_PASSED;
	if (calibrate_gpu(d, json, err))
		rc = EXIT_FAILED;
	ay_dev_close(d);
	return rc;
}

/* --- the command ------------------------------------------------------------------------------ */

/* Names of files in the text may have any bytes. */
static void print_words(const char *mark, const char *name, const char *arrow, const char *text)
{
	struct ay_str b = { 0 };

	ay_str_add_safe(&b, text, strlen(text), strlen(text));
	printf("%-8s %-14s %s%s\n", mark, name, arrow, ay_str_text(&b));
	ay_str_release(&b);
}

static void print(const struct finding *f, bool json)
{
	static const char *const marks[] = { "ok", "missing", "note" };
	json_t *j;

	if (!json) {
		print_words(marks[f->state], f->name, "", f->what);
		if (f->advice)
			print_words("", "", "-> ", f->advice);
		return;
	}
	j = json_object();
	json_object_set_new(j, "name", json_string(f->name));
	json_object_set_new(j, "state", json_string(marks[f->state]));
	json_object_set_new(j, "what", ay_json_text(f->what, strlen(f->what), 1000));
	if (f->advice)
		json_object_set_new(j, "advice", ay_json_name(f->advice));
	if (f->path)
		json_object_set_new(j, "path", ay_json_text(f->path, strlen(f->path), 4096));
	if (f->version)
		json_object_set_new(j, "version", ay_json_text(f->version, strlen(f->version), 100));
	if (f->data)
		json_object_set(j, "data", f->data);
	ay_json_line(stdout, j);
	json_decref(j);
}

int cmd_doctor(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	bool json = false, measure = false, quick = false;
	const char *python = NULL, *device = NULL;
	const struct opt opts[] = {
		{ "calibrate", OPT_FLAG, &measure, NULL,
		  "measure the ceilings of this machine (5 s, a GPU's 10 s), keep and print them" },
		{ "device", OPT_TEXT, &device, "D",
		  "cuda:N: look at that GPU; with --calibrate it, or cpu, alone" },
		{ "quick", OPT_FLAG, &quick, NULL, "leave out what takes seconds" },
		{ "python", OPT_TEXT, &python, "P", "the interpreter for Python kernels" },
		{ "json", OPT_FLAG, &json, NULL, "one JSON object a line" },
		{ 0 }
	};
	int n = opt_parse(argc, argv, opts, &usage, err), missing = 0;
	struct ay_forge f = { 0 };
	struct finding list[FINDINGS_MAX];
	int count = 0;

	if (n < 0)
		return opt_status(n);
	if (device && ay_dev_check_wish(device, err))
		return EXIT_FAILED;
	if (device && !strcmp(device, "auto"))
		device = NULL;
	if (measure)
		return calibrate(device, json, err);
	list[count++] = find_compiler(app, &f);
	list[count++] = find_cxx(app, &f);
	list[count++] = find_cache(app, &f);
	list[count++] = find_memory(app);
	list[count++] = find_system();
	list[count++] = find_machine(app, &f);
	list[count++] = find_openblas(app);
	list[count++] = find_curl(app);
	list[count++] = find_ceilings(app);
	count += find_gpu(app, &f, device && strcmp(device, "cpu") ? device : "cuda", quick, list + count);
	count += find_python(app, python, quick, list + count);
	AY_ASSERT(count + 1 + AY_LAYER_COUNT <= FINDINGS_MAX);
	count += find_sandbox(app, list + count);
	for (int i = 0; i < count; i++) {
		print(&list[i], json);
		json_decref(list[i].data);
		missing += list[i].state == MISSING;
	}
	ay_forge_release(&f);
	return missing ? EXIT_FAILED : EXIT_PASSED;
}
