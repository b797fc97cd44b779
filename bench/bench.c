/* SPDX-License-Identifier: Apache-2.0
 *
 * What the judge itself costs. Every figure is the median of several rounds, with the fastest and the slowest
 *beside it.
 *
 *	build/bench [kernel.c]		(make bench)
 */
#include "bench_help.h"

#include "base/process.h"
#include "base/rng.h"
#include "judge/judge.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 9 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(const char *what, const char *unit, double *x)
{
	qsort(x, ROUNDS, sizeof *x, by_size);
	printf("%-44s %12.1f %-10s (%.1f to %.1f, %d rounds)\n", what, x[ROUNDS / 2], unit, x[0], x[ROUNDS - 1],
	       ROUNDS);
}

/* --- the whole way: line, inputs, executor, oracle, verdict ---------------------------------------------- */

static void bench_cases(const char *path, const char *line_text, const char *what)
{
	struct ay_policy policy = { .threads = 1, .oracle_threads = 1, .call_timeout_s = 10 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_suite_case sc = { 0 };
	struct ay_report rep;
	struct ay_judge j;
	struct ay_case *line;
	double rate[ROUNDS];
	int per_round = 2000;

	if (ay_case_parse(&arena, line_text, strlen(line_text), &line, &err) ||
	    !(sc.op = ay_registry_find_case(&registry, line, &sc.schema, &err)))
		die(&err);
	sc.line = line;
	if (ay_judge_init(&j, &registry, &policy, help_build_file(path, sc.op), NULL, &arena, &rep, &err))
		die(&err);
	for (int r = 0; r < ROUNDS; r++) {
		int64_t begin = ay_now_ns();

		for (int i = 0; i < per_round; i++) {
			ay_arena_clear(&a);
			if (ay_judge_case(&j, &sc, &a, &rep, &err))
				die(&err);
			if (rep.verdict != AY_VERDICT_PASS)
				fprintf(stderr, "%s\n", rep.line), exit(2);
		}
		rate[r] = per_round / ((double)(ay_now_ns() - begin) / 1e9);
	}
	report(what, "cases/s", rate);
	ay_judge_release(&j);
	ay_arena_release(&a);
}

/* --- parts ----------------------------------------------------------------------------------------------- */

static struct ay_call *bind(const char *text, const struct ay_entry_op **e)
{
	const struct ay_schema *s;
	struct ay_err err = { 0 };
	struct ay_case *line;
	struct ay_call *c;

	if (ay_case_parse(&arena, text, strlen(text), &line, &err) ||
	    !(*e = ay_registry_find_case(&registry, line, &s, &err)) ||
	    ay_call_bind(&arena, (*e)->op[0], s, line, &c, &err))
		die(&err);
	return c;
}

static void bench_fill(const char *fill, const char *dt, int mi)
{
	const struct ay_entry_op *e;
	struct ay_call *c = bind(
		ay_sprintf(&arena, "aten::relu((T([%d, 1048576], %s, fill=%s),), {})", mi, dt, fill), &e);
	void *mem = ay_alloc(&arena, ay_operand_bytes(c->operand[0]));
	double ns[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		int64_t begin = ay_now_ns();

		ay_fill_storage(c, c->operand[0], mem);
		ns[r] = (double)(ay_now_ns() - begin) / (mi << 20);
	}
	report(ay_sprintf(&arena, "fill %s %s, %d Mi", fill, dt, mi), "ns/elem", ns);
}

/* A dense row against the same numbers two apart, which only the plain rule converts: the best of many turns of each,
 * one after the other. */
static void bench_row(enum ay_dt dt, bool store)
{
	enum { N = 4096, TURNS = 2000 };
	static double x[N];
	static uint8_t mem[2 * N * 8];
	int64_t best[2] = { INT64_MAX, INT64_MAX };

	for (int i = 0; i < N; i++)
		x[i] = (i * 7919 % N - N / 2) / 999.0;
	ay_row_store_d(dt, mem, 1, N, x);
	for (int i = 0; i < 2 * TURNS; i++) {
		const int64_t stride = 1 + i % 2, begin = ay_now_ns();

		if (store)
			ay_row_store_d(dt, mem, stride, N, x);
		else
			ay_row_load_d(dt, mem, stride, N, x);
		if (ay_now_ns() - begin < best[i % 2])
			best[i % 2] = ay_now_ns() - begin;
	}
	printf("%-5s %-4s %33s %12.2f ns/elem    (plain %.2f: %.1f times)\n", store ? "store" : "load",
	       ay_dt_info(dt)->name, "", (double)best[0] / N, (double)best[1] / N,
	       (double)best[1] / (double)best[0]);
}

/* Blocks in a run against blocks one by one. */
static void bench_philox(void)
{
	enum { N = 2048, TURNS = 500 };
	static uint64_t out[N][4];
	const struct ay_key key = { { 1, 2 } };
	int64_t best[2] = { INT64_MAX, INT64_MAX };

	for (int i = 0; i < 2 * TURNS; i++) {
		const int64_t begin = ay_now_ns();
		uint64_t counter[4] = { (uint64_t)i, 1, 0, 1 };

		if (i % 2 == 0)
			ay_philox_run(key, counter, N, out);
		for (int k = 0; k < N && i % 2; k++, counter[0]++)
			ay_philox(key, counter, out[k]);
		if (ay_now_ns() - begin < best[i % 2])
			best[i % 2] = ay_now_ns() - begin;
	}
	printf("%-44s %12.2f ns/block   (one by one %.2f: %.1f times)\n", "blocks of the generator",
	       (double)best[0] / N, (double)best[1] / N, (double)best[1] / (double)best[0]);
}

static void bench_oracle(const char *what, const char *line, double elements)
{
	const struct ay_entry_op *e;
	struct ay_call *c = bind(line, &e);
	struct ay_compare q = { .op = e, .call = c, .threads = 1 };
	const struct ay_view *dst[4];
	struct ay_diff d[4];
	double ns[ROUNDS];

	ay_fill_call(&arena, c);
	for (int k = 0; k < c->nout; k++)
		dst[k] = &c->out[k]->view;
	ay_oracle_produce(&q, dst);
	for (int r = 0; r < ROUNDS; r++) {
		int64_t begin = ay_now_ns();

		ay_oracle_compare(&q, d);
		ns[r] = (double)(ay_now_ns() - begin) / elements;
	}
	report(ay_sprintf(&arena, "oracle and comparison, %s", what), "ns/elem", ns);
}

static void bench_parse(void)
{
	static const char line[] =
		"aten::add.Tensor((T([20, 320, 15], f16), T([15], f16, stride=(2,))), {'alpha': 0.5}) seed=7";
	double rate[ROUNDS];
	struct ay_arena a = { 0 };

	for (int r = 0; r < ROUNDS; r++) {
		int64_t begin = ay_now_ns();

		for (int i = 0; i < 20000; i++) {
			struct ay_err err = { 0 };
			struct ay_case *c;

			ay_arena_clear(&a);
			if (ay_case_parse(&a, line, sizeof line - 1, &c, &err))
				die(&err);
		}
		rate[r] = 20000 / ((double)(ay_now_ns() - begin) / 1e9) / 1000;
	}
	report("case lines parsed", "1000/s", rate);
	ay_arena_release(&a);
}

int main(void)
{
	help_start();
	bench_cases("kernels/c/aten_relu.c", "aten::relu((T([7], f32),), {})", "judged: relu f32 [7]");
	bench_cases("kernels/c/aten_add_Tensor.c", "aten::add.Tensor((T([3, 65], f16), T([3, 65], f16)), {})",
		    "judged: add f16 [3, 65]");
	bench_cases("kernels/c/aten_add_Tensor.c", "aten::add.Tensor((T([32, 32], f32), T([32, 32], f32)), {})",
		    "judged: add f32 [32, 32]");
	bench_parse();
	bench_philox();
	for (int k = 0; k < 2; k++) {
		bench_row(AY_DT_F16, k);
		bench_row(AY_DT_BF16, k);
		bench_row(AY_DT_F32, k);
	}
	bench_fill("normal", "f32", 1);
	bench_fill("normal", "f16", 1);
	bench_fill("normal", "bf16", 1);
	bench_fill("normal", "f16", 64); /* lines of the first repeated */
	bench_fill("index(100)", "i64", 1);
	bench_oracle("add f32", "aten::add.Tensor((T([1048576], f32), T([1048576], f32)), {})", 1 << 20);
	bench_oracle("add f16", "aten::add.Tensor((T([1048576], f16), T([1048576], f16)), {})", 1 << 20);
	bench_oracle("sum f32 over 1024", "aten::sum.dim_IntList((T([1024, 1024], f32), [1]), {})", 1 << 20);
	bench_oracle("_softmax f32 over 1024", "aten::_softmax((T([1024, 1024], f32), 1, False), {})", 1 << 20);
	bench_oracle("matmul f32 256^3, per product", "aten::matmul((T([256, 256], f32), T([256, 256], f32)), {})",
		     1 << 24);
	ay_arena_release(&arena);
	ay_registry_release(&registry);
	return 0;
}
