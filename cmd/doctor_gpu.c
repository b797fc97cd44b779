/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"
#include "base/json.h"
#include "base/process.h"
#include "device/gpu.h"
#include "device/shared_library.h"
#include "judge/task.h"
#include "sandbox/sandbox.h"
#include "timing/baseline.h"
#include "timing/ceiling_gpu.h"
#include "device/perf_lock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OLDEST_CUDA = 11 };

/* Finds "release 13.0, V13.0.88" in the output of `nvcc --version`; "" if it is not there. */
static const char *nvcc_release(struct app *app, const char *nvcc)
{
	const char *argv[] = { nvcc, "--version", NULL }, *at, *text = "";
	struct ay_run_spec spec = { .argv = argv, .timeout_s = 20, .output_max = 4096 };
	struct ay_run_result res;
	struct ay_err err = { 0 };
	struct ay_str safe = { 0 };

	if (ay_process_run(&spec, &res, &err))
		return text;
	at = strstr(ay_str_text(&res.output), "release ");
	if (at && !res.status) {
		ay_str_add_safe(&safe, at, strcspn(at, "\n"), 100);
		text = ay_strdup(app->arena, ay_str_text(&safe));
	}
	ay_str_release(&safe);
	ay_str_release(&res.output);
	return text;
}

static struct finding find_nvcc(struct app *app, const struct ay_forge *f)
{
	const char *release;

	if (!f->nvcc)
		return (struct finding){ "nvcc", NOTE, "missing: CUDA kernels (.cu) cannot be built",
					 "install the CUDA toolkit; ASSAY_NVCC names nvcc if it is not in $PATH" };
	release = nvcc_release(app, f->nvcc);
	if (!release[0])
		return (struct finding){ "nvcc", NOTE, ay_sprintf(app->arena, "'%s --version' fails", f->nvcc),
					 NULL };
	return (struct finding){ "nvcc", FINE,    ay_sprintf(app->arena, "%s (%s)", f->nvcc, release),
				 NULL,   f->nvcc, release };
}

/* --- libraries -------------------------------------------------------------------------------- */

/* Reads NVRTC's version. Returns non-zero if that fails. */
static int nvrtc_version(void *so, int *v)
{
	int (*ask)(int *major, int *minor) = NULL;
	void *f = dlsym(so, "nvrtcVersion");

	memcpy(&ask, &f, sizeof f);
	return ask ? ask(&v[0], &v[1]) : -1;
}

static struct finding find_library(struct app *app, const struct ay_dev_info *d, const char *name,
				   const char *stem, int (*version)(void *so, int *v), const char *cost)
{
	const char *path = "", *text;
	void *so = ay_cuda_library(app->arena, stem, d->driver / 1000, OLDEST_CUDA, &path);
	int v[3] = { 0 };

	if (!so)
		return (struct finding){
			name, NOTE, ay_sprintf(app->arena, "missing: %s", cost),
			"install the CUDA toolkit; CUDA_HOME names its folder if it is not /usr/local/cuda"
		};
	if (version(so, v))
		return (struct finding){ name, NOTE, ay_sprintf(app->arena, "%s does not say its version", path),
					 NULL, path };
	text = ay_sprintf(app->arena, v[2] ? "%d.%d.%d" : "%d.%d", v[0], v[1], v[2]);
	return (struct finding){ name, FINE, ay_sprintf(app->arena, "%s (%s)", path, text), NULL, path, text };
}

/* --- the device ------------------------------------------------------------------------------- */

static struct finding find_device(struct app *app, const struct ay_dev_info *v)
{
	return (struct finding){
		"GPU", FINE,
		ay_sprintf(app->arena, "cuda:%d %s, %.1f GiB, sm_%d%d, %d SMs, %.0f MiB of L2, CUDA %d.%d",
			   v->number, v->name, (double)v->bytes / (1 << 30), v->major, v->minor, v->sms,
			   (double)v->l2_bytes / (1 << 20), v->driver / 1000, v->driver % 1000 / 10),
		NULL,
		.data = json_pack("{s:i,s:s,s:I,s:i,s:i,s:i,s:I,s:i}", "number", v->number, "gpu", v->name,
				  "bytes", (json_int_t)v->bytes, "major", v->major, "minor", v->minor, "sms",
				  v->sms, "l2_bytes", (json_int_t)v->l2_bytes, "cuda", v->driver)
	};
}

/* Looks for cuBLAS, which only serves as a baseline. */
static struct finding find_cublas(struct app *app)
{
	struct ay_err err = { 0 };
	struct ay_baseline b = { 0 };
	const char *python = NULL;

	ay_python_find(app->arena, NULL, &python, &err); /* finds only interpreters with torch */
	err = (struct ay_err){ 0 };
	if (ay_baseline_ask("cublas", python, app->arena, &b, &err))
		return (struct finding){ "cuBLAS", NOTE, ay_strdup(app->arena, err.msg), NULL };
	if (b.why)
		return (struct finding){ "cuBLAS", NOTE,
					 "missing: no library to time products and solves on the GPU against",
					 b.why };
	return (struct finding){ "cuBLAS", FINE, ay_sprintf(app->arena, "%s (%s)", b.version, b.path), NULL };
}

/* Returns the longest time of several readings of the clocks, 10 ms apart; a measurement pays that
 * time. The first reading starts NVML and does not count. */
static double look_ns(struct ay_dev *d)
{
	const struct timespec batch = { 0, 10000000 };
	struct ay_gpu_state s;
	double most = 0;

	for (int i = 0; i < 6; i++) {
		const int64_t begin = ay_now_ns();

		if (ay_gpu_state(d, &s))
			return 0;
		most = i ? fmax(most, (double)(ay_now_ns() - begin)) : 0;
		nanosleep(&batch, NULL);
	}
	return most;
}

/* Reports the clocks, and why they are not higher. Low clocks of an idle GPU are normal. */
static struct finding find_clocks(struct app *app, struct ay_dev *d)
{
	char why[300] = "", words[AY_THROTTLE_WORDS] = "";
	const double cost = look_ns(d);
	struct ay_nvml m;
	bool throttled;

	if (ay_nvml_read(d->info.bus, &m, why, sizeof why))
		return (struct finding){
			"NVML", NOTE,
			ay_sprintf(app->arena, "no clocks are known, nor whether they are throttled: %s", why),
			"NVML comes with the driver (libnvidia-ml.so.1)"
		};
	/* throttle reasons stay set for a second after their cause (seen); at full clocks they are
	 * ignored */
	throttled = m.throttled > 0 && m.throttled & ~(int64_t)AY_THROTTLE_NOT &&
		    (m.sm_mhz < m.sm_max_mhz || m.memory_mhz < m.memory_max_mhz);
	ay_gpu_throttle_words(m.throttled > 0 ? (uint64_t)m.throttled : 0, words);
	return (struct finding){
		"NVML",
		throttled ? NOTE : FINE,
		ay_sprintf(app->arena,
			   "driver %s; SM at %d of %d MHz, memory at %d of %d; %d C, %d of %d W; %s%s; a look "
			   "takes %.0f us",
			   m.driver, m.sm_mhz, m.sm_max_mhz, m.memory_mhz, m.memory_max_mhz, m.celsius, m.watts,
			   m.watts_most,
			   throttled  ? "throttled: "
			   : words[0] ? "not throttled: "
				      : "not throttled",
			   words, cost / 1e3),
		throttled ? "times that are taken now are too long: give it less to do, or more air" : NULL,
		.version = ay_strdup(app->arena, m.driver),
		.data = json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:s,s:b,s:f}", "sm_mhz", m.sm_mhz,
				  "sm_max_mhz", m.sm_max_mhz, "memory_mhz", m.memory_mhz, "memory_max_mhz",
				  m.memory_max_mhz, "celsius", m.celsius, "watts", m.watts, "watts_most",
				  m.watts_most, "reasons", (json_int_t)m.throttled, "words", words, "throttled",
				  throttled, "look_ns", cost)
	};
}

static struct finding find_mps(void)
{
	if (ay_gpu_mps_runs())
		return (struct finding){ "MPS", NOTE,
					 "the multi-process service runs: kernels of several processes share the "
					 "GPU, so none is timed",
					 "echo quit | nvidia-cuda-mps-control" };
	return (struct finding){ "MPS", FINE, "the multi-process service does not run", NULL };
}

/* Reports which parts of the device an executor's jail contains. */
static struct finding find_jail(struct app *app, const struct ay_dev_info *v)
{
	struct ay_str b = { 0 };
	const char *missing = NULL;
	struct finding f;

	for (int i = 0; v->node[i]; i++) {
		ay_str_addf(&b, "%s%s", i ? ", " : "", v->node[i]);
		if (access(v->node[i], R_OK | W_OK))
			missing = v->node[i];
	}
	for (int i = 0; v->folder[i]; i++)
		ay_str_addf(&b, "%s%s", i ? ", " : "; libraries in ", v->folder[i]);
	f = (struct finding){ "GPU nodes", FINE, ay_strdup(app->arena, ay_str_text(&b)), NULL };
	if (missing)
		f = (struct finding){ "GPU nodes", MISSING,
				      ay_sprintf(app->arena, "%s cannot be opened: no kernel can use the GPU",
						 missing),
				      "a container must be given all nodes of its GPU" };
	ay_str_release(&b);
	return f;
}

/* --- how fast it is at best ------------------------------------------------------------------- */

static void add_products(struct ay_str *b, const struct ay_gpu_figures *g)
{
	bool any = false;

	for (int i = 0; i < AY_PRODUCT_COUNT; i++) {
		if (!g->product[i])
			continue;
		ay_str_addf(b, "%s %s %.0f", any ? "," : "; products:", ay_product_name((enum ay_product)i),
			    g->product[i] / 1e12);
		any = true;
	}
	if (any)
		ay_str_add(b, " TFLOP/s");
}

static json_t *ceilings_json(const struct ay_ceilings *c)
{
	const struct ay_gpu_figures *g = &c->gpu;
	json_t *curve = json_array(), *products = json_object();

	for (int i = 0; i < c->row[0].n; i++)
		json_array_append_new(curve,
				      json_pack("[f,f]", c->row[0].point[i].bytes, c->row[0].point[i].per_s));
	for (int i = 0; i < AY_PRODUCT_COUNT; i++)
		if (g->product[i])
			json_object_set_new(products, ay_product_name((enum ay_product)i),
					    json_real(g->product[i]));
	return json_pack("{s:s,s:s,s:b,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:i,s:f,s:o,s:o}", "gpu", c->cpu,
			 "when", c->when, "quick", c->quick, "read_bytes_per_s", g->read, "write_bytes_per_s",
			 g->write, "copy_bytes_per_s", g->copy, "l2_bytes_per_s", c->row[0].point[0].per_s,
			 "f32_flops_per_s", c->row[0].f32, "f64_flops_per_s", c->row[0].f64, "launch_ns",
			 g->launch_ns, "kernel_ns", g->kernel_ns, "latency_ns", g->latency_ns, "sm_mhz", g->sm_mhz,
			 "memory_mhz", g->memory_mhz, "wall_s", g->wall_s, "product_flops_per_s", products,
			 "bytes_and_bytes_per_s", curve);
}

static const char *ceilings_text(struct ay_arena *a, const struct ay_ceilings *c)
{
	const struct ay_gpu_figures *g = &c->gpu;
	struct ay_str b = { 0 };
	const char *text;

	ay_str_addf(&b,
		    "memory: read %.0f, write %.0f, copy %.0f GB/s; L2 %.0f GB/s; f32 %.1f, f64 %.1f TFLOP/s; a "
		    "launch "
		    "%.1f us, an empty kernel %.1f us, until it is known to be over %.1f us",
		    g->read / 1e9, g->write / 1e9, g->copy / 1e9, c->row[0].point[0].per_s / 1e9,
		    c->row[0].f32 / 1e12, c->row[0].f64 / 1e12, g->launch_ns / 1e3, g->kernel_ns / 1e3,
		    g->latency_ns / 1e3);
	add_products(&b, g);
	ay_str_addf(&b, "; measured %s%s in %.1f s", c->when, c->quick ? ", quickly," : "", g->wall_s);
	if (g->sm_mhz)
		ay_str_addf(&b, ", SM at %d MHz, memory at %d", g->sm_mhz, g->memory_mhz);
	text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

static void say_waiting(void *user)
{
	(void)user;
	fprintf(stderr, "assay: another measurement is running on this GPU; waiting for it\n");
}

/* Measures the GPU while no other process uses it. quick: as the first timing does. */
static int measure(struct ay_ceilings *c, struct ay_dev *d, bool quick, struct ay_err *err)
{
	struct ay_perf_lock lock;
	int rc;

	if (ay_perf_lock_gpu(&lock, d->info.uuid, say_waiting, NULL, err))
		return -1;
	rc = quick ? ay_ceilings_get_gpu(c, d, err) : ay_ceilings_measure_gpu(c, d, false, err);
	ay_perf_unlock(&lock);
	return rc;
}

static struct finding find_ceilings(struct app *app, struct ay_dev *d, bool quick)
{
	struct ay_err err = { 0 };
	struct ay_ceilings c;
	const bool found = ay_ceilings_find_gpu(&c, d);

	if (quick && !found)
		return (struct finding){ "GPU ceilings", NOTE, "not measured: the first timing will, quickly",
					 "assay doctor --calibrate" };
	if (!found && measure(&c, d, true, &err))
		return (struct finding){ "GPU ceilings", NOTE, ay_strdup(app->arena, err.msg),
					 "without them no kernel is timed on this GPU" };
	return (struct finding){ "GPU ceilings", FINE, ceilings_text(app->arena, &c),
				 c.quick ? "assay doctor --calibrate takes more care, and multiplies matrices"
					 : NULL,
				 .data = ceilings_json(&c) };
}

int calibrate_gpu(struct ay_dev *d, bool json, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	struct ay_ceilings c;
	json_t *j;

	if (measure(&c, d, false, err))
		return -1;
	if (json) {
		j = ceilings_json(&c);
		json_object_set_new(j, "name", json_string("GPU ceilings"));
		ay_json_line(stdout, j);
		json_decref(j);
	} else {
		printf("%s\n%s\n", c.cpu, ceilings_text(&a, &c));
		for (int i = 0; i < c.row[0].n; i++)
			printf("%12.1f MB %9.0f GB/s\n", c.row[0].point[i].bytes / 1e6,
			       c.row[0].point[i].per_s / 1e9);
	}
	ay_arena_release(&a);
	return ay_ceilings_save(&c, err);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* Judges the smallest kernel, to test everything: compiler, jail, driver, shared device memory, one
 * call. */
static int judge_one(struct app *app, struct ay_dev *d, struct ay_forge *f, struct ay_task_result *r,
		     struct ay_err *err)
{
	static const char source[] =
		"static __global__ void relu(const float *x, float *y, int64_t n)\n{\n"
		"\tint64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n"
		"\tif (i < n)\n\t\ty[i] = x[i] < 0 ? 0 : x[i];\n}\n"
		"int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n{\n"
		"\tconst int64_t n = ay_numel(self);\n"
		"\trelu<<<(n + 255) / 256, 256, 0, (cudaStream_t)ctx->stream>>>((const float *)self->data, "
		"(float *)out->data, n);\n\treturn AY_OK;\n}\n";
	static const char *const line[] = { "aten::relu((T([3], f32),), {})" };
	const struct ay_schema *s;
	bool exact;
	struct ay_task t = { .file = "aten_relu.cu",
			     .source = source,
			     .len = sizeof source - 1,
			     .lang = AY_LANG_CU,
			     .op = ay_registry_find(app->registry, "aten::relu", &s, &exact, err),
			     .line = line,
			     .nline = 1,
			     .build_timeout_s = 60,
			     .policy = { .threads = 1, .oracle_threads = 1, .call_timeout_s = 10, .device = d } };
	struct ay_task_watch w = { 0 };
	int rc;

	if (!t.op || ay_sandbox_new(&t.policy.sandbox, AY_SANDBOX_FULL, err))
		return -1;
	rc = ay_task_run(app->registry, f, &t, &w, app->arena, r, err);
	if (r->built.fd >= 0)
		close(r->built.fd);
	ay_sandbox_free(t.policy.sandbox);
	f->sandbox = NULL;
	return rc;
}

static struct finding find_judging(struct app *app, struct ay_dev *d, struct ay_forge *f)
{
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_err err = { 0 };
	const int64_t begin = ay_now_ns();

	if (judge_one(app, d, f, &r, &err))
		return (struct finding){ "CUDA kernels", MISSING, ay_strdup(app->arena, err.msg), NULL };
	if (r.verdict != AY_VERDICT_PASS)
		return (struct finding){ "CUDA kernels", MISSING,
					 ay_sprintf(app->arena, "one that is right is called %s: %s",
						    ay_verdict_name(r.verdict),
						    r.detail      ? r.detail
						    : !r.built.ok ? r.built.log
								  : ay_verdict_text(r.verdict)),
					 NULL };
	return (struct finding){ "CUDA kernels", FINE,
				 ay_sprintf(app->arena, "one was built and judged in %.2f s (nvcc %.2f s%s)",
					    (double)(ay_now_ns() - begin) / 1e9, r.built.wall_s,
					    r.built.cached ? ", built before" : ""),
				 NULL };
}

int find_gpu(struct app *app, struct ay_forge *f, const char *wish, bool quick, struct finding *list)
{
	struct ay_err err = { 0 };
	struct ay_dev *d;
	int n = 0;

	if (ay_dev_open(&d, wish, &err)) {
		list[n++] = (struct finding){ "GPU", NOTE, ay_strdup(app->arena, err.msg),
					      "CUDA kernels (.cu) need one; all else does not" };
		list[n++] = find_nvcc(app, f);
		return n;
	}
	list[n++] = find_device(app, &d->info);
	list[n++] = find_clocks(app, d);
	list[n++] = find_mps();
	list[n++] = find_nvcc(app, f);
	list[n++] = find_library(app, &d->info, "NVRTC", "libnvrtc", nvrtc_version,
				 "the judge cannot build its own kernels, so nothing is timed on the GPU");
	list[n++] = find_cublas(app);
	list[n++] = find_ceilings(app, d, quick);
	list[n++] = find_jail(app, &d->info);
	if (f->nvcc && !quick)
		list[n++] = find_judging(app, d, f);
	AY_ASSERT(n <= FIND_GPU_MAX);
	ay_dev_close(d);
	return n;
}
