/* SPDX-License-Identifier: Apache-2.0
 *
 * devices_gpu - tests of several GPUs of the fake driver (tests/cuda/fake.c), whose errors the
 * judge must detect.
 */
#include "device/device.h"
#include "device_fixture.h"
#include "exec/python.h"
#include "help_cc.h"
#include "helpers.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GPU_KERNELS = 5 };

/* Makes a fake driver with `gpus` GPUs, and as many kernels, which differ in their last byte. */
static void make_gpus(struct ay_arena *a, int gpus)
{
	const char *dir = test_dir();
	char *out;

	chmod(dir, 0755); /* executors have uids of their own */
	help_cc(a,
		ay_sprintf(a, "-O1 -Wl,-soname,libcuda.so.1 -D_GNU_SOURCE -DGPUS=%d -Isrc tests/cuda/fake.c",
			   gpus),
		ay_sprintf(a, "%s/libcuda.so.1", dir));
	help_cc(a, "-O1 -Iinclude tests/cuda/kernel.c", ay_sprintf(a, "%s/so", dir));
	CHECKF(!help_run(a,
			 ay_sprintf(a,
				    "mkdir %s/k && for i in 0 1 2 3 4; do (cat %s/so; printf $i) > "
				    "%s/k/aten_relu__$i.so; done 2>&1",
				    dir, dir, dir),
			 60, &out),
	       "%s", out);
}

/* Runs eval on these GPUs; fault: value of $FAKE_CUDA. */
static int eval_gpus(struct ay_arena *a, const char *fault, const char *args, char **out)
{
	return help_run(
		a,
		ay_sprintf(
			a,
			"LD_LIBRARY_PATH=%s FAKE_CUDA='%s' %s/assay eval --suite smoke --ops relu --kernels %s/k "
			"--timing none --cache %s/assay %s 2>&1",
			test_dir(), fault, help_build_dir(), test_dir(), help_cache(), args),
		60, out);
}

TEST(devices_gpus_are_counted_and_named)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found f;
	char *out;
	static const struct {
		const char *args;
		int on[3];
	} due[] = {
		{ "--device cuda", { 1, 1, 1 } },
		{ "--device-count 2 --device cuda", { 1, 1, 0 } },
		{ "--device cuda:1", { 0, 1, 0 } },
		{ "--device cuda:2,0", { 1, 0, 1 } },
		{ "--device cuda --device-count all", { 1, 1, 1 } },
	};

	make_gpus(&a, 3);
	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		CHECKF(!eval_gpus(&a, "", ay_sprintf(&a, "%s --jobs 1 --out %s/%zu", due[i].args, dir, i), &out),
		       "%s: %s", due[i].args, out);
		f = rig_look(&a, ay_sprintf(&a, "%s/%zu", dir, i));
		CHECKF(f.kernels == GPU_KERNELS && f.cases == 2 * GPU_KERNELS && !f.twice && !f.lost,
		       "%d kernels, %d cases", f.kernels, f.cases);
		for (int d = 0; d < 3; d++)
			CHECKF(!f.on[d] == !due[i].on[d], "%s: %d cases on cuda:%d", due[i].args, f.on[d], d);
	}
	CHECKF(eval_gpus(&a, "", "--device cuda --device-count 4", &out) == 2 &&
		       strstr(out, "--device-count 4: the driver shows 3 GPUs"),
	       "%s", out);
	CHECKF(eval_gpus(&a, "", "--device cuda:1,3", &out) == 2 && strstr(out, "there is no cuda:3"), "%s", out);
	CHECKF(eval_gpus(&a, "init", "--device cuda --device-count 2", &out) == 2 &&
		       strstr(out, "the CUDA driver does not start"),
	       "%s", out);
	ay_arena_release(&a);
}

/* A GPU answers with errors when a case or two are through: what the judge did not finish there is
 * done by the other. */
TEST(devices_gpu_that_falls_is_taken_out)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found f;
	char *out;

	make_gpus(&a, 2);
	CHECKF(!eval_gpus(&a, "falls 1:4", ay_sprintf(&a, "--device cuda --jobs 1 --out %s/r", dir), &out), "%s",
	       out);
	CHECKF(strstr(out, "assay: cuda:1 is taken out: the check kernel of the judge does not run: "
			   "CUDA_ERROR_FAKE (214); "
			   "its work goes to the others"),
	       "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == GPU_KERNELS && f.cases == 2 * GPU_KERNELS && !f.twice && !f.after && f.lost == 1 &&
		       !f.errors && f.on[1] <= 4,
	       "%d kernels, %d cases, %d twice, %d after, %d lost, %d errors", f.kernels, f.cases, f.twice,
	       f.after, f.lost, f.errors);
	/* a GPU that cannot even be opened */
	CHECKF(!eval_gpus(&a, "falls 0:0", ay_sprintf(&a, "--device cuda --jobs 2 --out %s/s", dir), &out), "%s",
	       out);
	CHECKF(strstr(out, "assay: cuda:0 is taken out: cannot open the GPU"), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECK(f.cases == 2 * GPU_KERNELS && !f.twice && !f.on[0] && f.lost == 1);
	/* both GPUs fail: the rest is judged when the run is resumed */
	CHECKF(eval_gpus(&a, "falls 0:6,1:4", ay_sprintf(&a, "--device cuda --jobs 1 --out %s/t", dir), &out) == 2,
	       "%s", out);
	CHECKF(strstr(out, "every device was taken out"), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/t", dir));
	CHECKF(f.lost == 2 && f.cases < 2 * GPU_KERNELS && !f.twice, "%d lost, %d cases", f.lost, f.cases);
	CHECKF(!eval_gpus(&a, "", ay_sprintf(&a, "--resume-from %s/t", dir), &out), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/t", dir));
	CHECKF(f.cases == 2 * GPU_KERNELS && f.kernels == GPU_KERNELS && !f.twice, "%d cases, %d kernels", f.cases,
	       f.kernels);
	ay_arena_release(&a);
}

/* What a device that was lost says later is not believed: its memory may have come back, and what
 * it does is not known. */
TEST(devices_gpu_that_was_lost_stays_lost)
{
	const struct ay_need need[] = { { 100, false } };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 }, again = { 0 };
	struct ay_dev_mapping mapping;
	struct ay_dev *d;
	struct ay_pool p;

	make_gpus(&a, 2);
	CHECK(dlopen(ay_sprintf(&a, "%s/libcuda.so.1", test_dir()), RTLD_NOW)); /* from now on found by its name */
	CHECKF(!ay_dev_open(&d, "cuda:1", &err) && !ay_dev_is_well(d, &err), "%s", err.msg);
	setenv("FAKE_CUDA", "falls 0:0", 1); /* the other one */
	CHECKF(!ay_dev_is_well(d, &err), "%s", err.msg);
	setenv("FAKE_CUDA", "falls 1:0", 1);
	CHECK(ay_dev_is_well(d, &err) && strstr(err.msg, "(214)"));
	unsetenv("FAKE_CUDA");
	CHECK(ay_dev_is_well(d, &again) && !strcmp(err.msg, again.msg) && err.code == again.code);
	ay_err_clear(&err);
	CHECK(!ay_pool_init_grain(&p, d->info.grain, 1, need, &err));
	CHECK(ay_dev_map(d, &p, AY_MAP_GUARDED, &mapping, &err) && strstr(err.msg, "was taken out"));
	ay_pool_release(&p);
	ay_dev_close(d);
	ay_arena_release(&a);
}

/* In a jail with one GPU the GPU has number 0, which could hide errors about numbers. */
TEST(devices_gpu_of_a_python_kernel_is_the_first)
{
	struct ay_dev d = { .info = { .kind = AY_DEV_CUDA, .number = 1 } };
	struct ay_python on_cpu = { 0 }, on_gpu = { .device = &d };
	const char *const *env;
	int with = 0, without = 0;

	setenv("CUDA_VISIBLE_DEVICES", "2,3", 1);
	for (env = ay_python_template_environment(&on_cpu); *env; env++)
		with += !strcmp(*env, "CUDA_VISIBLE_DEVICES=2,3");
	for (env = ay_python_template_environment(&on_gpu); *env; env++)
		without += strstr(*env, "CUDA_VISIBLE_DEVICES") != NULL;
	CHECKF(with == 1 && without == 0, "%d, %d", with, without);
	ay_arena_release(&on_cpu.arena);
	ay_arena_release(&on_gpu.arena);
}
