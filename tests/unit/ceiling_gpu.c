/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_gpu - tests of a GPU's ceilings: measured on a fake GPU of known speeds
 * (tests/cuda/fake_clock.c), stored, repaired.
 */
#include "base/file.h"
#include "helpers.h"
#include "test.h"
#include "timing/ceiling_gpu.h"
#include "timing/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct ay_arena a;
	const char *dir;
	struct ay_dev *d;
};

static void setup(struct fixture *r)
{
	struct ay_err err = { 0 };

	*r = (struct fixture){ .dir = test_dir() };
	setenv("XDG_CACHE_HOME", r->dir, 1);
	setenv("FAKE_NVRTC_LOG", ay_sprintf(&r->a, "%s/log", r->dir), 1);
	setenv("FAKE_NVML", "init", 1); /* clocks are unknown unless a test sets them */
	help_fake_library(&r->a, "tests/cuda/fake.c tests/cuda/fake_clock.c", "libcuda.so.1");
	help_fake_library(&r->a, "tests/cuda/fake_nvrtc.c", "libnvrtc.so.13");
	help_fake_library(&r->a, "tests/cuda/fake_nvml.c", "libnvidia-ml.so.1");
	CHECKF(!ay_dev_open(&r->d, "cuda", &err), "%s", err.msg);
}

static void finish(struct fixture *r)
{
	ay_dev_close(r->d);
	ay_arena_release(&r->a);
}

static bool is_about(double x, double due)
{
	return fabs(x - due) <= 0.003 * due;
}

/* Finds the fake GPU's speeds. Its first thousand windows are slow and do not count. */
TEST(ceiling_gpu_finds_known_speeds)
{
	struct ay_err err = { 0 };
	struct ay_ceilings c;
	struct fixture r;
	const struct ay_ceiling_row *row = &c.row[0];

	setup(&r);
	CHECKF(!ay_ceilings_measure_gpu(&c, r.d, true, &err), "%s", err.msg);
	CHECK(c.cache[AY_LEVEL_L3] == 4 << 20 && !c.cache[AY_LEVEL_L1] && !c.cache[AY_LEVEL_L2]);
	CHECK(c.nthread == 1 && row->threads == 1 && row->n == 10 && c.quick);
	CHECK(row->point[0].bytes == (4 << 20) / 8.0 && row->point[9].bytes == 32.0 * (4 << 20));
	CHECKF(is_about(row->point[0].per_s, 1000e9) && is_about(row->point[4].per_s, 1000e9), "%g %g",
	       row->point[0].per_s, row->point[4].per_s);
	CHECKF(is_about(c.gpu.read, 100e9) && is_about(c.gpu.write, 80e9) && is_about(c.gpu.copy, 90e9),
	       "%g %g %g", c.gpu.read, c.gpu.write, c.gpu.copy);
	CHECKF(is_about(row->f32, 1000e9) && is_about(row->f64, 500e9), "%g %g", row->f32, row->f64);
	CHECK(c.gpu.launch_ns > 0 && c.gpu.kernel_ns > 0 && c.gpu.latency_ns > 0 && !c.gpu.sm_mhz);
	CHECK(!strncmp(c.cpu, "GPU-07070707-0707-0707-0707-070707070707 ", 41) && strstr(c.cpu, "Fake GPU"));
	CHECK(ay_ceiling_level(&c, 8 << 20) == AY_LEVEL_L3 &&
	      ay_ceiling_level(&c, (8 << 20) + 1) == AY_LEVEL_MEMORY);
	finish(&r);
}

/* Bytes that the L2 may have held are not counted as memory traffic. */
TEST(ceiling_gpu_counts_what_the_l2_may_have_held)
{
	struct ay_ceilings c = { .cpus = 1, .nthread = 1, .cache = { 0, 0, 1 << 20 } };
	double due;

	c.row[0] = (struct ay_ceiling_row){
		1,
		4,
		{ { 1 << 19, 900e9 }, { 1 << 20, 1000e9 }, { 1 << 22, 100e9 }, { 1 << 25, 100e9 } },
		1e12,
		1e12
	};
	ay_ceilings_repair_gpu(&c);
	CHECK(c.row[0].point[0].per_s == 1000e9 && c.row[0].point[1].per_s == 1000e9);
	due = 1 / (0.75 / 100e9 + 0.25 / 1000e9);
	CHECKF(is_about(c.row[0].point[2].per_s, due), "%g", c.row[0].point[2].per_s);
	due = 1 / (31 / 32.0 / 100e9 + 1 / 32.0 / 1000e9);
	CHECKF(is_about(c.row[0].point[3].per_s, due), "%g", c.row[0].point[3].per_s);
	/* a kernel that finds a quarter of its pool in the L2 is still above its floor */
	CHECK(4e6 / ay_ceiling_bytes_per_s(&c, 1, 1 << 22) <= 3e6 / 100e9 + 1e6 / 1000e9 + 1e-12);
}

/* A GPU whose clocks were low during the measurement can be faster. */
TEST(ceiling_gpu_allows_for_clocks)
{
	struct ay_err err = { 0 };
	struct ay_ceilings c;
	struct fixture r;

	setup(&r);
	unsetenv("FAKE_NVML"); /* at 1500 of 1980 MHz, and 3000 of 3201 */
	CHECKF(!ay_ceilings_measure_gpu(&c, r.d, true, &err), "%s", err.msg);
	CHECK(c.gpu.sm_mhz == 1500 && c.gpu.memory_mhz == 3000);
	CHECKF(is_about(c.row[0].point[0].per_s, 1320e9), "%g", c.row[0].point[0].per_s);
	CHECKF(c.row[0].point[9].per_s > 106.6e9 && c.row[0].point[9].per_s < 112e9, "%g",
	       c.row[0].point[9].per_s);
	CHECK(is_about(c.gpu.read, 100e9)); /* the report has the measured values */
	finish(&r);
}

/* Measures products by the best of cuBLAS's algorithms, or not at all if it has none. */
TEST(ceiling_gpu_multiplies_matrices)
{
	static const double due[AY_PRODUCT_COUNT] = {
		[AY_PRODUCT_F64] = 1e12,   [AY_PRODUCT_F32] = 50e12,   [AY_PRODUCT_TF32] = 400e12,
		[AY_PRODUCT_F16] = 800e12, [AY_PRODUCT_BF16] = 790e12, [AY_PRODUCT_F8] = 1500e12
	};
	struct ay_err err = { 0 };
	struct ay_ceilings c;
	struct fixture r;

	setup(&r);
	help_fake_library(&r.a, "tests/cuda/fake_cublaslt.c", "libcublasLt.so.13");
	CHECKF(!ay_ceilings_measure_gpu(&c, r.d, true, &err), "%s", err.msg);
	CHECK(!c.gpu.product[AY_PRODUCT_F16]); /* not quickly */
	CHECKF(!ay_ceilings_measure_gpu(&c, r.d, false, &err), "%s", err.msg);
	for (int i = 0; i < AY_PRODUCT_COUNT; i++)
		CHECKF(fabs(c.gpu.product[i] - due[i]) <= 0.01 * due[i], "%s: %g",
		       ay_product_name((enum ay_product)i), c.gpu.product[i]);
	finish(&r);
}

/* Measured once; the file also holds the processor's figures. */
TEST(ceiling_gpu_is_kept)
{
	struct ay_ceilings c, again, cpu;
	struct ay_err err = { 0 };
	struct fixture r;
	bool found;

	setup(&r);
	CHECK(!ay_ceilings_find_gpu(&c, r.d));
	setenv("XDG_CACHE_HOME", help_cache(), 1); /* other tests have measured this machine */
	CHECKF(!ay_ceilings_get(&cpu, &err), "%s", err.msg);
	setenv("XDG_CACHE_HOME", r.dir, 1);
	CHECKF(!ay_ceilings_save(&cpu, &err), "%s", err.msg);
	CHECKF(!ay_ceilings_get_gpu(&c, r.d, &err), "%s", err.msg);
	setenv("FAKE_CUDA", "events", 1); /* from now on measuring would fail */
	CHECKF(!ay_ceilings_get_gpu(&again, r.d, &err), "%s", err.msg);
	CHECK(!memcmp(&c, &again, sizeof c));
	CHECK(!ay_ceilings_load(&again, &found, &err) && found && !memcmp(&cpu, &again, sizeof cpu));
	c.gpu.product[AY_PRODUCT_BF16] = 8e14;
	c.quick = false;
	CHECK(!ay_ceilings_save(&c, &err) && ay_ceilings_find_gpu(&again, r.d) && !memcmp(&c, &again, sizeof c));
	/* another GPU or driver needs its own measurement */
	r.d->info.uuid[15] ^= 1;
	CHECK(!ay_ceilings_find_gpu(&again, r.d));
	finish(&r);
}

TEST(ceiling_gpu_says_what_is_wrong)
{
	struct ay_err err = { 0 };
	struct ay_ceilings c;
	struct fixture r;

	setup(&r);
	setenv("FAKE_CUDA", "events", 1);
	CHECK(ay_ceilings_get_gpu(&c, r.d, &err) && strstr(err.msg, "makes no events"));
	ay_err_clear(&err);
	setenv("FAKE_CUDA", "instant", 1);
	CHECK(ay_ceilings_get_gpu(&c, r.d, &err));
	CHECKF(strstr(err.msg, "too fast to be measured"), "%s", err.msg);
	ay_err_clear(&err);
	unsetenv("FAKE_CUDA");
	CHECK(!ay_ceilings_find_gpu(&c, r.d)); /* nothing of that was kept */
	CHECK(ay_ceilings_measure_gpu(&c, ay_dev_cpu(), true, &err) && strstr(err.msg, "no GPU"));
	finish(&r);
}

/* Values that other programs may have written. */
TEST(ceiling_gpu_believes_no_nonsense)
{
	static const char *const bad[][2] = {
		{ "\"read\"", "\"raed\"" },
		{ "\"products\"", "\"product\"" },
		{ "\"f16\": 9", "\"f16\": -9" },
		{ "\"f16\": 9", "\"f16\": 9e99, \"x\": 9" },
		{ "\"f16\": ", "\"f16\": \"\", \"x\": " },
		{ "\"sm_mhz\": 1980", "\"sm_mhz\": 1980.5" },
		{ "\"gpu\": {", "\"gpu\": [], \"x\": {" },
	};
	struct ay_err err = { 0 };
	struct ay_ceilings c, got;
	char *path, *text, *at;
	struct fixture r;
	size_t len;

	setup(&r);
	CHECKF(!ay_ceilings_get_gpu(&c, r.d, &err), "%s", err.msg);
	c.gpu.sm_mhz = 1980;
	c.gpu.product[AY_PRODUCT_F16] = 9e14;
	CHECK(!ay_ceilings_save(&c, &err) && ay_ceilings_find_gpu(&got, r.d));
	path = ay_sprintf(&r.a, "%s/assay/ceilings.json", r.dir);
	CHECK(!ay_file_read(&r.a, path, 1 << 20, &text, &len, &err));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *other;

		at = strstr(text, bad[i][0]);
		CHECKF(at, "%s is not in %s", bad[i][0], text);
		if (!at)
			continue;
		other = ay_sprintf(&r.a, "%.*s%s%s", (int)(at - text), text, bad[i][1], at + strlen(bad[i][0]));
		CHECK(!ay_file_write(path, other, strlen(other), &err));
		CHECKF(!ay_ceilings_find_gpu(&got, r.d), "%s was believed", bad[i][1]);
	}
	CHECK(!ay_file_write(path, text, len, &err) && ay_ceilings_find_gpu(&got, r.d));
	finish(&r);
}

/* The peak of a product depends on its dtype. */
TEST(ceiling_gpu_knows_dtypes)
{
	struct ay_ceilings c = { .cpus = 1,
				 .nthread = 1,
				 .row[0] = { .threads = 1, .n = 1, .point = { { 1, 1 } }, .f32 = 60, .f64 = 30 },
				 .gpu = { .read = 1 } };
	double *p = c.gpu.product;

	CHECK(ay_ceiling_flops(&c, 1, AY_DT_F32) == 60 && ay_ceiling_flops(&c, 1, AY_DT_F64) == 30);
	CHECK(!ay_ceiling_flops(&c, 1, AY_DT_F16)); /* not known yet */
	p[AY_PRODUCT_F64] = 65, p[AY_PRODUCT_F32] = 50, p[AY_PRODUCT_TF32] = 400, p[AY_PRODUCT_F16] = 800;
	p[AY_PRODUCT_BF16] = 790, p[AY_PRODUCT_I8] = 1500, p[AY_PRODUCT_F8] = 1400;
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_F32) == 60 && ay_ceiling_flops(&c, 1, AY_DT_C128) == 65);
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_F16) == 800 && ay_ceiling_flops(&c, 1, AY_DT_BF16) == 790);
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_I8) == 1500 && ay_ceiling_flops(&c, 1, AY_DT_F8E5M2) == 1400);
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_I64) == 60);
	c.gpu = (struct ay_gpu_figures){ 0 }; /* a processor has no tensor units */
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_F16) == 60 && ay_ceiling_flops(&c, 1, AY_DT_F64) == 30);
}
