/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the judge's own kernels are on a GPU: compiling them, making content, comparing. Best of several calls as the
 * judge makes them, the list's upload and the wait included.
 *
 *	make build/bench-gpu_make && build/bench-gpu_make
 */
#include "bench_help.h"

#include "base/process.h"
#include "base/rng.h"
#include "device/dev_compare.h"
#include "device/cuda.h"
#include "device/gpu.h"
#include "device/dev_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 12, MOST = 6000 };

static const uint64_t GIB = 1ull << 30;

/* How often a byte of a stretch goes over the device's memory: written, and read. */
static const struct {
	const char *name;
	enum ay_fill_op_how how;
	enum ay_dt dt;
	bool hard;
	int passes;
} kinds[] = {
	{ "poison", AY_FILL_OP_POISON, AY_DT_U8, false, 1 },
	{ "copy", AY_FILL_OP_COPY, AY_DT_U8, false, 2 },
	{ "draw", AY_FILL_OP_DRAW, AY_DT_I64, false, 2 },
	{ "mix f16", AY_FILL_OP_MIX, AY_DT_F16, false, 2 },
	{ "mix f32", AY_FILL_OP_MIX, AY_DT_F32, false, 2 },
	{ "mix f32, hard", AY_FILL_OP_MIX, AY_DT_F32, true, 2 },
	{ "touch f16", AY_FILL_OP_TOUCH, AY_DT_F16, false, 2 },
	{ "touch f32", AY_FILL_OP_TOUCH, AY_DT_F32, false, 2 },
};

static const struct {
	uint64_t bytes; /* of a stretch, and of the master */
	int n;
} sizes[] = { { 4, MOST }, { 4096, MOST }, { 1 << 20, 2048 }, { 64 << 20, 64 }, { 1 << 30, 4 } };

static struct ay_err err;

static double seconds_since(int64_t begun)
{
	return (double)(ay_now_ns() - begun) * 1e-9;
}

static void compiling(struct ay_dev *d, const char *what)
{
	const int64_t begun = ay_now_ns();
	void *f;

	if (ay_judge_kernel_id(d, AY_JUDGE_KERNEL_MAKE, &f, &err))
		die(&err);
	printf("%-34s %8.1f ms\n", what, seconds_since(begun) * 1e3);
}

static uint64_t memory(const struct ay_cuda *cu, uint64_t bytes)
{
	uint64_t at = 0;

	if (cu->memory_alloc(&at, bytes)) {
		ay_fail(&err, AY_ERR_MEMORY, "the GPU has not got %llu GiB", (unsigned long long)(bytes >> 30));
		die(&err);
	}
	return at;
}

static void making(struct ay_dev *d, uint64_t to, uint64_t from, uint64_t noise)
{
	static struct ay_fill_op m[MOST];

	printf("\n%-14s %12s %6s %12s %10s %10s\n", "content", "bytes", "times", "us a call", "written",
	       "traffic");
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			const double bytes = (double)sizes[s].bytes * sizes[s].n;
			double best = 1e9;

			for (int i = 0; i < sizes[s].n; i++)
				m[i] = (struct ay_fill_op){ .to = to +
								  (uint64_t)i * ((sizes[s].bytes + 63) / 64 * 64),
							    .from = from,
							    .noise = noise,
							    .bytes = sizes[s].bytes,
							    .start = ay_secret_u64(),
							    .nhard = kinds[k].hard ? sizes[s].bytes / 32 : 0,
							    .how = kinds[k].how,
							    .dt = kinds[k].dt };
			for (int i = 0; i < CALLS; i++) {
				const int64_t begun = ay_now_ns();

				if (ay_dev_fill(d, m, sizes[s].n, &err))
					die(&err);
				best = seconds_since(begun) < best ? seconds_since(begun) : best;
			}
			printf("%-14s %12llu %6d %12.1f %7.0f GB/s %5.0f GB/s\n", kinds[k].name,
			       (unsigned long long)sizes[s].bytes, sizes[s].n, best * 1e6, bytes / best * 1e-9,
			       bytes * kinds[k].passes / best * 1e-9);
		}
}

static void comparing(struct ay_dev *d, uint64_t x, uint64_t y, uint64_t zeros)
{
	const int64_t n = (int64_t)(GIB / 8);
	double same = 1e9, compare = 1e9;
	struct ay_dev_diff diff;
	int64_t first;

	for (int i = 0; i < CALLS; i++) {
		int64_t begun = ay_now_ns();

		if (ay_dev_same(d, x, y, GIB, &first, &err))
			die(&err);
		same = seconds_since(begun) < same ? seconds_since(begun) : same;
		if (first != -1)
			printf("byte %lld differs\n", (long long)first);
		begun = ay_now_ns();
		if (ay_dev_compare(d, &(struct ay_dev_numbers){ zeros, zeros, zeros, n, AY_DT_F32 }, &diff, &err))
			die(&err);
		compare = seconds_since(begun) < compare ? seconds_since(begun) : compare;
	}
	printf("\nsame, 1 GiB against 1 GiB: %.1f us, %.0f GB/s\n", same * 1e6, 2 * (double)GIB / same * 1e-9);
	printf("compare, %lld f32: %.1f us, %.0f GB/s\n", (long long)n, compare * 1e6,
	       20 * (double)n / compare * 1e-9);
}

int main(void)
{
	struct ay_dev *d;
	const struct ay_cuda *cu;
	uint64_t to, from, noise;
	char empty[] = P_tmpdir "/assay-gpu-make.XXXXXX";

	/* NVRTC has a cache too */
	if (!mkdtemp(empty) || setenv("XDG_CACHE_HOME", empty, 1) || setenv("CUDA_CACHE_DISABLE", "1", 1) ||
	    ay_dev_open(&d, "cuda", &err))
		die(&err);
	compiling(d, "compiling and loading");
	ay_dev_close(d);
	if (ay_dev_open(&d, "cuda", &err))
		die(&err);
	compiling(d, "loading what is in the cache");
	cu = ay_gpu_driver(d);
	to = memory(cu, 4 * GIB);
	from = memory(cu, GIB);
	noise = memory(cu, AY_NOISE_LINES * AY_LINE);
	if (ay_dev_fill(d, &(struct ay_fill_op){ .to = from, .bytes = GIB, .start = 0x3c }, 1, &err))
		die(&err);
	making(d, to, from, noise);
	if (ay_dev_fill(d, (struct ay_fill_op[]){ { .to = to, .bytes = 2 * GIB } }, 1, &err))
		die(&err);
	comparing(d, to, to + GIB, to);
	ay_dev_close(d);
	return 0;
}
