/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels against themselves, and against kernels that do a known multiple of their work.
 *
 *	build/bench-aa [BUDGET [ROUNDS [PART]]]	(make bench-aa; from the top of the tree)
 *
 * PART: only kernels whose file has it in its name, and no known multiples; "aten": torch against itself, in Python
 *
 * A comparison of a kernel with itself that is called FASTER or SLOWER is a false call: at most 3 of 60 are
 * accepted, and the median half-width of the intervals must be at most 1.5 %. Nothing is
 * left out but this: blocks during which the host took CPU time away are discarded for both executors, and counted; a
 * comparison that lost more than a tenth of its blocks so is run again, twice at most, whatever it said.
 */
#include "bench_help.h"

#include "base/process.h"
#include "exec/python.h"
#include "timing/ab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 400, AGAIN = 2 };

static struct ay_sandbox *sandbox;
static struct ay_ceilings ceilings;
static double budget = 20;

static void compare(struct ay_call *c, const struct ay_suite_case *sc, struct ay_impl a, struct ay_impl b,
		    int threads, struct ay_timing *t)
{
	struct ay_ab_spec s = { .op = sc->op,
				.call = c,
				.kernel = a,
				.against = AY_BASELINE_KERNEL,
				.base = b,
				.threads = threads,
				.budget_s = budget,
				.call_timeout_s = 20,
				.thorough = true,
				.sandbox = sandbox,
				.ceilings = &ceilings };
	struct ay_ab_report r;
	struct ay_err err = { 0 };

	if (ay_ab_time(&s, &arena, t, &r, &err))
		die(&err);
	if (r.fault != AY_AB_NONE) {
		fprintf(stderr, "bench: %s\n", r.text[0] ? r.text : r.outcome.text);
		exit(1);
	}
	t->baseline = "itself";
}

static struct ay_impl native(const struct ay_suite_case *sc, int fd)
{
	return (struct ay_impl){ help_proto(sc->schema), fd };
}

static double half_width(const struct ay_timing *t)
{
	return (t->hi - t->lo) / 2 / t->speedup;
}

static void print(const char *what, int threads, const struct ay_timing *t)
{
	printf("%-52s %d  %10.2f us  %.4f [%.4f, %.4f] %-7s %3d blocks %2d void, batch %5.1f ms, gate %4.0f us, "
	       "slack %.2f %%%s%s%s\n",
	       what, threads, t->ns / 1e3, t->speedup, t->lo, t->hi, ay_pace_name(t->pace), t->blocks,
	       t->discarded, t->ns * t->sets / 1e6, t->gate_ns / 1e3, 100 * t->slack, t->cold ? ", cold" : "",
	       t->disturbed ? ", disturbed" : "", t->audited ? ", audited" : "");
}

/* --- against itself -------------------------------------------------------------------------------------- */

static const struct {
	const char *kernel, *line;
	int threads; /* bit 0: with one, bit 1: with two */
} same[] = {
	{ "kernels/c/aten_relu.c", "aten::relu((T([1000], f32),), {})", 1 },
	{ "kernels/c/aten_relu.c", "aten::relu((T([65536], f32),), {})", 1 },
	{ "kernels/c/aten_relu.c", "aten::relu((T([1024, 1024], f32),), {})", 3 },
	{ "kernels/c/aten_relu__fast.c", "aten::relu((T([1024, 1024], f32),), {})", 3 },
	{ "kernels/c/aten_add_Tensor.c", "aten::add.Tensor((T([256, 256], f16), T([256, 256], f16)), {})", 1 },
	{ "kernels/c/aten_sum_dim_IntList.c", "aten::sum.dim_IntList((T([512, 512], f32), [1]), {})", 1 },
	{ "kernels/c/aten__softmax.c", "aten::_softmax((T([256, 256], f32), 1, False), {})", 1 },
	{ "kernels/c/aten_sort.c", "aten::sort((T([8, 2048], f32), -1), {})", 1 },
	{ "kernels/c/cublas_cublasSgemm_v2__fast.c",
	  "cublas::cublasSgemm_v2(('N', 'N', 256, 256, 256, 1.0, T([256, 256], f32), 256, T([256, 256], f32), "
	  "256, 0.0, "
	  "T([256, 256], f32), 256), {})",
	  3 },
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int against_itself(int rounds, const char *part)
{
	double width[MOST];
	int n = 0, false_calls = 0;

	for (int r = 0; r < rounds; r++) {
		for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
			struct ay_suite_case sc;
			struct ay_call *c;
			int fd;

			if (!strstr(same[i].kernel, part))
				continue;
			c = help_bind(same[i].line, &sc);
			fd = help_build_file(same[i].kernel, sc.op);

			for (int threads = 1; threads <= 2 && n < MOST; threads++) {
				struct ay_timing t;

				if (!(same[i].threads >> (threads - 1) & 1) || threads > ay_cpu_count())
					continue;
				for (int again = 0; again <= AGAIN; again++) {
					compare(c, &sc, native(&sc, fd), native(&sc, fd), threads, &t);
					if (t.discarded * 10 <= t.blocks)
						break;
				}
				print(same[i].line, threads, &t);
				width[n++] = half_width(&t);
				false_calls += t.pace == AY_PACE_FASTER || t.pace == AY_PACE_SLOWER;
			}
			close(fd);
		}
	}
	qsort(width, (size_t)n, sizeof *width, by_size);
	printf("against itself: %d comparisons, %d false calls, half-width median %.2f %%, from %.2f to %.2f %%\n",
	       n, false_calls, 100 * width[n / 2], 100 * width[0], 100 * width[n - 1]);
	return false_calls > 3 * n / 60 || width[n / 2] > 0.015;
}

/* --- against a known multiple ---------------------------------------------------------------------------- */

/* WORK dependent multiply-adds, then the answer, which is nothing beside them. */
static const char worker[] = "#include <assay/kernel.h>\n"
			     "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n"
			     "{\n"
			     "	const float *x = self->data;\n"
			     "	float *y = out->data;\n"
			     "	volatile double keep = 0;\n"
			     "	double z = x[0];\n"
			     "	(void)ctx;\n"
			     "	for (long i = 0; i < WORK; i++)\n"
			     "		z = z * 0.999999 + 0.0000015;\n"
			     "	keep = z;\n"
			     "	(void)keep;\n"
			     "	for (int64_t i = 0; i < ay_numel(self); i++)\n"
			     "		y[i] = x[i] < 0 ? 0 : x[i];\n"
			     "	return AY_OK;\n"
			     "}\n";

static int build_worker(long work, const struct ay_entry_op *op)
{
	const char *s = ay_sprintf(&arena, "#define WORK %ldL\n%s", work, worker);

	return help_build(s, strlen(s), op);
}

static int against_multiples(void)
{
	static const double ratios[] = { 1.05, 1.5, 3 };
	struct ay_suite_case sc;
	struct ay_call *c = help_bind("aten::relu((T([4], f32),), {})", &sc);
	const long work = 2000000; /* 2.4 ms: what a call costs besides (1 us) does not show */
	const int one = build_worker(work, sc.op);
	int missed = 0;

	for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
		const int more = build_worker((long)(work * ratios[i]), sc.op);

		for (int turn = 0; turn < 2; turn++) {
			const double truth = turn ? 1 / ratios[i] : ratios[i];
			struct ay_timing t;
			bool inside;

			compare(c, &sc, native(&sc, turn ? more : one), native(&sc, turn ? one : more), 1, &t);
			inside = t.lo <= truth && truth <= t.hi;
			missed += !inside;
			print(ay_sprintf(&arena, "known ratio %.4f: %s", truth, inside ? "inside" : "OUTSIDE"), 1,
			      &t);
		}
		close(more);
	}
	close(one);
	return missed;
}

/* --- torch against itself -------------------------------------------------------------------------------- */

static const char *const torch_lines[] = {
	"aten::relu((T([16], f32),), {})",
	"aten::relu((T([1000], f32),), {})",
	"aten::relu((T([256, 256], f32),), {})",
	"aten::relu((T([1024, 1024], f32),), {})",
	"aten::relu_((T([256, 256], f32),), {})",
	"aten::add.Tensor((T([256, 256], f16), T([256, 256], f16)), {})",
	"aten::add.Tensor((T([512, 512], f32), T([512, 512], f32)), {})",
	"aten::sum.dim_IntList((T([512, 512], f32), [1]), {})",
	"aten::_softmax((T([256, 256], f32), 1, False), {})",
	"aten::sort((T([8, 2048], f32), -1), {})",
	"aten::cumsum((T([256, 256], f32), 1), {})",
	"aten::matmul((T([128, 128], f32), T([128, 128], f32)), {})",
};

static int torch_against_itself(int rounds)
{
	struct ay_python python = { 0 };
	struct ay_err err = { 0 };
	double width[MOST];
	int n = 0, false_calls = 0;

	if (ay_python_open(&python, &err))
		die(&err);
	for (int r = 0; r < rounds; r++) {
		for (size_t i = 0; i < sizeof torch_lines / sizeof *torch_lines && n < MOST; i++) {
			struct ay_suite_case sc;
			struct ay_call *c = help_bind(torch_lines[i], &sc);
			const struct ay_proto *p = help_proto(sc.schema);
			const struct ay_python_kernel about = { .backend = "aten", .n = 1, .proto = &p };
			const struct ay_impl who = { .proto = p,
						     .so_fd = -1,
						     .python = &python,
						     .about = ay_python_about(&arena, &about),
						     .aten = true };
			struct ay_timing t;

			compare(c, &sc, who, who, 1, &t);
			print(torch_lines[i], 1, &t);
			if (t.pace != AY_PACE_NONE)
				width[n++] = half_width(&t);
			false_calls += t.pace == AY_PACE_FASTER || t.pace == AY_PACE_SLOWER;
		}
	}
	ay_python_close(&python);
	qsort(width, (size_t)n, sizeof *width, by_size);
	printf("torch against itself: %d comparisons, %d false calls, half-width median %.2f %%\n", n, false_calls,
	       n ? 100 * width[n / 2] : 0);
	return false_calls > (3 * n + 59) / 60;
}

int main(int argc, char **argv)
{
	struct ay_err err = { 0 };
	int rounds = argc > 2 ? atoi(argv[2]) : 5, bad;

	budget = argc > 1 ? atof(argv[1]) : budget;
	setvbuf(stdout, NULL, _IOLBF, 0); /* it takes a while: the reader of its file sees how far it is */
	help_start();
	help_head("Kernels against themselves and against known multiples of their work");
	if (ay_sandbox_new(&sandbox, AY_SANDBOX_FULL, &err) || ay_ceilings_get(&ceilings, &err))
		die(&err);
	if (argc > 3 && !strcmp(argv[3], "aten")) {
		bad = torch_against_itself(rounds);
	} else {
		bad = argc > 3 ? 0 : against_multiples();
		bad += against_itself(rounds, argc > 3 ? argv[3] : "");
	}
	ay_sandbox_free(sandbox);
	return bad > 0;
}
