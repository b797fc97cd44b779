/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"
#include "base/process.h"
#include "device/gpu.h"
#include "judge/task.h"
#include "sandbox/sandbox.h"
#include "timing/baseline.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "release 13.0, V13.0.88" out of what `nvcc --version` prints; "" if it does not. */
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

/* The first of a NULL-ended list of names that the loader finds. */
static struct finding find_library(struct app *app, const char *name, const char *const *so, const char *cost)
{
	for (; *so; so++) {
		void *lib = dlopen(*so, RTLD_LAZY | RTLD_LOCAL);

		if (!lib)
			continue;
		dlclose(lib);
		return (struct finding){ name, FINE, *so, NULL };
	}
	return (struct finding){
		name, NOTE, ay_sprintf(app->arena, "missing: %s", cost),
		"install the CUDA toolkit, and add its lib folder to LD_LIBRARY_PATH or ld.so.conf"
	};
}

/* Nothing is judged by it. */
static struct finding find_cublas(struct app *app)
{
	struct ay_err err = { 0 };
	struct ay_baseline b = { 0 };
	const char *python = NULL;

	ay_python_find(app->arena, NULL, &python, &err); /* one without torch is none */
	err = (struct ay_err){ 0 };
	if (ay_baseline_ask("cublas", python, app->arena, &b, &err))
		return (struct finding){ "cuBLAS", NOTE, ay_strdup(app->arena, err.msg), NULL };
	if (b.why)
		return (struct finding){ "cuBLAS", NOTE,
					 "missing: no library to time products and solves on the GPU against",
					 b.why };
	return (struct finding){ "cuBLAS", FINE, ay_sprintf(app->arena, "%s (%s)", b.version, b.path), NULL };
}

static struct finding find_device(struct app *app, const struct ay_dev_info *v, const struct ay_nvml *m)
{
	struct ay_str b = { 0 };
	struct finding f;

	ay_str_addf(&b, "cuda:%d %s, %.1f GiB, sm_%d%d, %d SMs, %.0f MiB of L2, CUDA %d.%d", v->number, v->name,
		    (double)v->bytes / (1 << 30), v->major, v->minor, v->sms, (double)v->l2_bytes / (1 << 20),
		    v->driver / 1000, v->driver % 1000 / 10);
	if (m->driver[0])
		ay_str_addf(&b, ", driver %s", m->driver);
	if (m->sm_mhz >= 0)
		ay_str_addf(&b, "; SM at %d of %d MHz, memory at %d of %d", m->sm_mhz, m->sm_max_mhz,
			    m->memory_mhz, m->memory_max_mhz);
	if (m->celsius >= 0)
		ay_str_addf(&b, ", %d C", m->celsius);
	f = (struct finding){ "GPU", FINE, ay_strdup(app->arena, ay_str_text(&b)), NULL };
	ay_str_release(&b);
	return f;
}

/* The whole way, with the smallest kernel: compiler, jail, driver, lent memory, one call. */
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

int find_gpu(struct app *app, struct ay_forge *f, bool quick, struct finding *list)
{
	static const char *const nvrtc[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL };
	struct ay_err err = { 0 };
	struct ay_nvml m;
	struct ay_dev *d;
	char why[300];
	int n = 0;

	if (ay_dev_open(&d, "cuda", &err)) {
		list[n++] = (struct finding){ "GPU", NOTE, ay_strdup(app->arena, err.msg),
					      "CUDA kernels (.cu) need one; all else does not" };
		list[n++] = find_nvcc(app, f);
		return n;
	}
	if (ay_nvml_read(d->info.bus, &m, why, sizeof why))
		list[n++] = (struct finding){ "NVML", NOTE, ay_sprintf(app->arena, "no clocks are known: %s", why),
					      NULL };
	list[n++] = find_device(app, &d->info, &m);
	list[n++] = find_nvcc(app, f);
	list[n++] = find_library(app, "NVRTC", nvrtc,
				 "the judge has no kernels of its own yet: nothing is lost today");
	list[n++] = find_cublas(app);
	if (f->nvcc && !quick)
		list[n++] = find_judging(app, d, f);
	AY_ASSERT(n <= FIND_GPU_MAX);
	ay_dev_close(d);
	return n;
}
