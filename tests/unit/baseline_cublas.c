/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline_cublas - tests of the baseline `cublas`. Without a GPU, a fake driver and library
 * (tests/cuda) replace NVIDIA's. What the baseline passes to the library is still judged on every
 * quick case. With a GPU the real ones are used.
 */
#include "timing/baseline.h"
#include "base/process.h"
#include "base/str.h"
#include "device/shared_library.h"
#include "exec/python.h"
#include "help_cc.h"
#include "helpers.h"
#include "judge/perf.h"
#include "judge/task.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The outcomes of one task's cases. */
struct count {
	int n[AY_VERDICT_COUNT];
	/* UNSUPPORTED although the library has the dtype and the case has no special strides */
	int plain_refused;
	const char *first,
		/* the first case that neither passed nor was refused; the first plain case that
		 * was refused */
		*refused;
	struct ay_arena *a;
};

static bool has_one(const char *line, const char *const *words)
{
	while (*words && !strstr(line, *words))
		words++;
	return *words;
}

/* cuBLAS has no integers and no conjugate without a transpose; no bias that is one number, complex
 * or of an empty sum. */
static bool is_plain(const char *line)
{
	static const char *const odd[] = { "stride=", "conj=", "i64", "i32", "i16", "i8", "u8", NULL },
				 *const odd_bias[] = { "T([], ", ", 0], ", "c64", "c128", NULL };

	return !has_one(line, odd) &&
	       !(strstr(line, "linear") && !strstr(line, "None") && has_one(line, odd_bias));
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct count *c = user;

	(void)sc, (void)t;
	c->n[rep->verdict]++;
	if (rep->verdict == AY_VERDICT_UNSUPPORTED && is_plain(rep->line)) {
		c->plain_refused++;
		if (!c->refused)
			c->refused = ay_sprintf(c->a, "%s (%s)", rep->line, rep->detail ? rep->detail : "");
	} else if (rep->verdict != AY_VERDICT_PASS && rep->verdict != AY_VERDICT_WEAK_CASE &&
		   rep->verdict != AY_VERDICT_UNSUPPORTED && !c->first) {
		c->first = ay_sprintf(c->a, "%s: %s (%s; %s)", ay_verdict_name(rep->verdict), rep->line,
				      rep->detail ? rep->detail : "", rep->hint ? rep->hint : "");
	}
	return 0;
}

struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_forge f;
	struct ay_dev *dev;
	struct ay_sandbox *sandbox;
	struct ay_baseline b;
};

static void finish_setup(struct fixture *g, const char *python)
{
	if (ay_dev_open(&g->dev, "cuda", &g->err))
		test_skip("%s", g->err.msg);
	CHECKF(!ay_baseline_ask("cublas", python, &g->a, &g->b, &g->err), "%s", g->err.msg);
	if (!g->b.source)
		test_skip("%s", g->b.why);
	if (ay_forge_init(&g->f, ay_sprintf(&g->a, "%s/assay", help_cache()), &g->err) || !g->f.cc)
		test_skip("no compiler");
	if (ay_sandbox_new(&g->sandbox, AY_SANDBOX_FULL, &g->err))
		test_skip("%s", g->err.msg);
	g->f.sandbox = g->sandbox;
}

/* Builds and loads both fakes: from now on they are found by the real libraries' names. */
static void setup_fake(struct fixture *g)
{
	const char *dir = test_dir();

	*g = (struct fixture){ 0 };
	help_fake_gpu(&g->a);
	CHECK(!mkdir(ay_sprintf(&g->a, "%s/blas", dir), 0755));
	help_cc(&g->a, "-O2 -Iinclude -Wl,-soname,libcublas.so.13 tests/cuda/cublas.c",
		ay_sprintf(&g->a, "%s/blas/libcublas.so.13", dir));
	CHECK(dlopen(ay_sprintf(&g->a, "%s/blas/libcublas.so.13", dir), RTLD_NOW | RTLD_LOCAL));
	finish_setup(g, NULL);
	CHECK_STR(g->b.version, "13.99.7");
	CHECK_STR(g->b.path, ay_sprintf(&g->a, "%s/blas/libcublas.so.13", dir));
	CHECK_STR(g->b.folders[0], ay_sprintf(&g->a, "%s/blas", dir));
	CHECK(!g->b.folders[1]);
}

static void setup_gpu(struct fixture *g)
{
	struct ay_err ignored = { 0 };
	const char *python = NULL;
	char why[300];

	*g = (struct fixture){ 0 };
	if (!ay_dev_has_cuda(why, sizeof why))
		test_skip("no GPU: %s", why);
	ay_python_find(&g->a, NULL, &python, &ignored);
	finish_setup(g, python);
	printf("    cuBLAS %s, %s\n", g->b.version, g->b.path);
}

static void teardown(struct fixture *g)
{
	ay_dev_close(g->dev);
	ay_sandbox_free(g->sandbox);
	ay_forge_release(&g->f);
	ay_arena_release(&g->a);
}

/* Judges a source on one line, or on the quick cases of an operator's file if line is NULL. */
static void judge(struct fixture *g, const struct ay_entry_op *op, const char *source, const char *line,
		  struct count *c)
{
	struct ay_task t = {
		.file = "cublas.c", .source = source, .len = strlen(source), .lang = AY_LANG_C, .op = op
	};
	struct ay_task_watch w = { .user = c, .judged = on_judged };
	struct ay_task_result res;

	*c = (struct count){ .a = &g->a };
	t.line = &line;
	t.nline = line ? 1 : 0;
	t.tier = AY_QUICK;
	t.build_timeout_s = 60;
	t.policy = (struct ay_policy){ .threads = 1,
				       .oracle_threads = ay_cpu_count(),
				       .call_timeout_s = 30,
				       .has_seed = true,
				       .seed = 1,
				       .sandbox = g->sandbox,
				       .device = g->dev,
				       .folders = g->b.folders };
	if (ay_task_run(help_registry(), &g->f, &t, &w, &g->a, &res, &g->err))
		test_fail(__FILE__, __LINE__, "%s: %s", op->name, g->err.msg);
	if (res.built.fd >= 0)
		close(res.built.fd);
	CHECKF(res.verdict != AY_VERDICT_BUILD, "%s", res.built.log);
	CHECKF(!res.built.log || !res.built.log[0], "the compiler says: %s", res.built.log);
}

/* Judges sizes that are timed; for them the library uses other kernels than for small ones. */
static void judge_large(struct fixture *g)
{
	static const char *const lines[] = {
		"aten::mm((T([1024, 1024], f16), T([1024, 1024], f16)), {})",
		"aten::mm((T([1, 4096], bf16), T([4096, 4096], bf16)), {})",
		"aten::mm((T([1024, 1024], f32), T([1024, 1024], f32)), {})",
		"aten::bmm((T([16, 256, 256], f32), T([16, 256, 256], f32)), {})",
		"aten::linear((T([512, 768], f16), T([3072, 768], f16), T([3072], f16)), {})",
		"aten::linear((T([1, 4096], bf16), T([4096, 4096], bf16), T([4096], bf16)), {})",
		"aten::linear((T([384, 384], f32), T([384, 384], f32), T([384], f32)), {})",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *name = ay_strndup(&g->a, lines[i], strcspn(lines[i], "("));
		const struct ay_schema *s;
		struct count c;
		bool exact;

		judge(g, ay_registry_find(help_registry(), name, &s, &exact, &g->err), g->b.source, lines[i], &c);
		CHECKF(c.n[AY_VERDICT_PASS] == 1, "%s", c.first ? c.first : lines[i]);
	}
}

/* Prints the cost of a start: one case, with an object that was built before. */
static void say_start(struct fixture *g)
{
	static const char line[] = "aten::mm((T([4, 5], f32), T([5, 6], f32)), {})";
	const struct ay_schema *s;
	struct count c;
	bool exact;
	int64_t begin;

	for (int i = 0; i < 3 && getenv("ASSAY_BENCH"); i++) {
		begin = ay_now_ns();
		judge(g, ay_registry_find(help_registry(), "aten::mm", &s, &exact, &g->err), g->b.source, line,
		      &c);
		printf("    one case: %.2f s\n", (double)(ay_now_ns() - begin) / 1e9);
	}
}

/* Judges every operator of one source for which the baseline has a function, including future
 * ones. */
static void judge_all(struct fixture *g, const char *source, int due)
{
	const struct ay_registry *r = help_registry();
	const char *done = "";
	int files = 0;

	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];
		struct ay_baseline b;
		struct count c;

		CHECK(!ay_baseline_find("cublas", r, e->schema[0], NULL, &g->a, &b, &g->err));
		if ((!b.source && strstr(b.why, "no function")) || strstr(done, e->path) ||
		    strcmp(ay_entry_source(e), source))
			continue;
		done = ay_sprintf(&g->a, "%s %s", done, e->path);
		files++;
		judge(g, e, g->b.source, NULL, &c);
		printf("    %s: %d pass, %d are refused\n", e->path, c.n[AY_VERDICT_PASS],
		       c.n[AY_VERDICT_UNSUPPORTED]);
		CHECKF(!c.first, "%s: %s", e->name, c.first);
		CHECKF(c.n[AY_VERDICT_PASS] >= 100, "%s: only %d cases pass", e->name, c.n[AY_VERDICT_PASS]);
		CHECKF(!c.plain_refused, "%s: %d plain cases are refused: %s", e->name, c.plain_refused,
		       c.refused);
	}
	CHECKF(files == due, "%s: %d files", source, files);
}

TEST_SLOW(baseline_cublas_tells_the_library_what_is_meant)
{
	struct fixture g;

	setup_fake(&g);
	judge_all(&g, "cublas", 3);
	teardown(&g);
}

TEST_SLOW(baseline_cublas_tells_the_library_what_aten_means)
{
	struct fixture g;

	setup_fake(&g);
	judge_all(&g, "aten", 1);
	teardown(&g);
}

TEST_SLOW(baseline_cublas_passes_on_a_gpu)
{
	struct fixture g;

	setup_gpu(&g);
	judge_all(&g, "cublas", 3);
	teardown(&g);
}

TEST_SLOW(baseline_cublas_passes_on_a_gpu_as_aten)
{
	struct fixture g;

	setup_gpu(&g);
	judge_all(&g, "aten", 1);
	judge_large(&g);
	say_start(&g);
	teardown(&g);
}

/* --- defects ---------------------------------------------------------------------------------- */

/* Returns the baseline's source with one text replaced. The text must occur once. */
static const char *planted(struct fixture *g, const char *old, const char *new)
{
	const char *at = strstr(g->b.source, old);

	CHECKF(at && !strstr(at + 1, old), "the source has '%s' not once", old);
	if (!at)
		return g->b.source;
	return ay_sprintf(&g->a, "%.*s%s%s", (int)(at - g->b.source), g->b.source, new, at + strlen(old));
}

#define SQUARE  "T([4, 4], f32)"
#define SQUARES "[T([4, 4], f64), T([4, 4], f64)]"

/* Each line passes without the defect and fails with it. */
static const struct {
	const char *old, *new, *line;
	enum ay_verdict verdict;
} defects[] = {
	{ "be = (float)beta", "be = (float)(0 * beta)",
	  "cublas::cublasSgemm_v2(('N', 'T', 4, 4, 4, 2.0, " SQUARE ", 4, " SQUARE ", 4, 0.5, " SQUARE ", 4), {})",
	  AY_VERDICT_MISMATCH },
	{ "t[0] == 'T' ? OP_T : OP_C", "OP_T",
	  "cublas::cublasCgemv_v2(('C', 4, 3, 1, T([3, 4], c64), 4, T([4], c64), 1, 0, T([3], c64), 1), {})",
	  AY_VERDICT_MISMATCH },
	{ "list[i] = Aarray[i]->data", "list[i] = Aarray[0]->data",
	  "cublas::cublasDgemmBatched(('N', 'N', 4, 4, 4, 1.0, " SQUARES ", 4, " SQUARES ", 4, 0.0, " SQUARES
	  ", 4, 2), {})",
	  AY_VERDICT_MISMATCH },
	{ "diag != 0, (int)n", "0, (int)n",
	  "cublas::cublasStrsv_v2((0, 0, 1, 4, T([4, 4], f32), 4, T([4], f32), 1), {})", AY_VERDICT_MISMATCH },
	{ "q.a.data += at * s->a[i] * p->in->bytes;", "",
	  "aten::matmul((T([2, 1, 3, 4], f32), T([5, 4, 6], f32)), {})", AY_VERDICT_MISMATCH },
	{ "p->b.step = s->b[most]", "p->b.step = 0", "aten::bmm((T([3, 4, 5], f16), T([3, 5, 6], f16)), {})",
	  AY_VERDICT_MISMATCH },
	{ "MATH_DEFAULT | MATH_WHOLE_REDUCTION", "MATH_DEFAULT",
	  "aten::mm((T([4, 5], bf16), T([5, 6], bf16)), {})", AY_VERDICT_UNSUPPORTED },
	{ "DESC_EPILOGUE = 7, DESC_BIAS = 8, EPILOGUE_BIAS = 4",
	  "DESC_EPILOGUE = 7, DESC_BIAS = 8, EPILOGUE_BIAS = 1",
	  "aten::linear((T([2, 5, 33], f16), T([9, 33], f16), T([9], f16)), {})", AY_VERDICT_MISMATCH },
	{ "p->in->bytes == 2 ? NO_SPLIT", "p->in->bytes == 1 ? NO_SPLIT",
	  "aten::linear((T([7, 33], bf16), T([65, 33], bf16), T([65], bf16)), {}) seed=4069868084",
	  AY_VERDICT_MISMATCH },
	{ "define CUBLAS \"/", "define CUBLAS \"/no", "aten::mm((T([4, 5], f32), T([5, 6], f32)), {})",
	  AY_VERDICT_UNSUPPORTED },
};

TEST_SLOW(baseline_cublas_that_is_wrong_is_refused)
{
	struct fixture g;

	setup_fake(&g);
	for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
		const struct ay_schema *s;
		struct count c;
		bool exact;
		const char *name = ay_strndup(&g.a, defects[i].line, strcspn(defects[i].line, "("));
		const struct ay_entry_op *op = ay_registry_find(help_registry(), name, &s, &exact, &g.err);

		CHECKF(op, "%s", g.err.msg);
		judge(&g, op, g.b.source, defects[i].line, &c);
		CHECKF(c.n[AY_VERDICT_PASS] == 1, "%s: %s", defects[i].line, c.first ? c.first : "refused");
		judge(&g, op, planted(&g, defects[i].old, defects[i].new), defects[i].line, &c);
		CHECKF(c.n[defects[i].verdict] == 1, "'%s' was not noticed on %s: %s", defects[i].new,
		       defects[i].line, c.first ? c.first : "-");
	}
	teardown(&g);
}

/* --- where it is ------------------------------------------------------------------------------ */

TEST(baseline_cublas_is_looked_for_in_cudas_places)
{
	struct ay_arena a = { 0 };
	const char *dir = test_dir(), *const * p;
	char *out = "";

	CHECKF(!help_run(
		       &a,
		       ay_sprintf(
			       &a,
			       "cd %s && mkdir -p 'cu,da/lib64' venv/bin venv/lib/python3.12/site-packages/nvidia/"
			       "cu13/lib venv/lib/python3.12/site-packages/nvidia/cublas/lib && touch "
			       "'cu,da/lib64/libcublas.so.12' "
			       "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcublas.so.13 "
			       "venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12 2>&1",
			       dir),
		       10, &out),
	       "%s", out);
	setenv("CUDA_HOME", ay_sprintf(&a, "%s/cu,da", dir), 1);
	unsetenv("CUDA_PATH");
	p = ay_cuda_places(&a, "libcublas", 13, 12, ay_sprintf(&a, "%s/venv/bin/python3", dir));
	CHECK_STR(*p++, "libcublas.so.13");
	while (*p && ay_starts(*p, "/usr/local/cuda"))
		p++;
	CHECK_STR(*p ? *p++ : "-",
		  ay_sprintf(&a, "%s/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcublas.so.13", dir));
	CHECK_STR(*p ? *p++ : "-", "libcublas.so.12");
	CHECK_STR(*p ? *p++ : "-", ay_sprintf(&a, "%s/cu,da/lib64/libcublas.so.12", dir));
	while (*p && ay_starts(*p, "/usr/local/cuda"))
		p++;
	CHECK_STR(*p ? *p++ : "-",
		  ay_sprintf(&a, "%s/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12", dir));
	CHECK(!*p);
	ay_arena_release(&a);
}

/* A file that is not the library is refused, and the reason is reported. */
TEST(baseline_cublas_that_is_something_else_says_so)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_baseline b;
	const char *dir = test_dir();
	char *out = "";

	if (dlopen("libcublas.so.13", RTLD_LAZY) || dlopen("libcublas.so.12", RTLD_LAZY))
		test_skip("the loader finds a cuBLAS here");
	CHECKF(!help_run(&a,
			 ay_sprintf(&a,
				    "mkdir %s/lib64 && echo 'int cublasGetProperty;' | cc -shared -x c - -o "
				    "%s/lib64/libcublas.so.13",
				    dir, dir),
			 20, &out),
	       "%s", out);
	setenv("CUDA_HOME", dir, 1);
	CHECKF(!ay_baseline_ask("cublas", NULL, &a, &b, &err), "%s", err.msg);
	CHECK(!b.source && !b.version && !b.folders);
	CHECKF(b.why && strstr(b.why, "cuBLAS has no cublasCreate_v2: install the CUDA toolkit"), "%s", b.why);
	unlink(ay_sprintf(&a, "%s/lib64/libcublas.so.13", dir));
	CHECKF(!ay_baseline_ask("cublas", NULL, &a, &b, &err), "%s", err.msg);
	CHECKF(b.version || strstr(b.why, "cuBLAS is not installed: install the CUDA toolkit"), "%s", b.why);
	ay_arena_release(&a);
}

TEST(baseline_cublas_has_the_products_and_solves)
{
	static const struct {
		const char *overload;
		bool has;
	} t[] = {
		{ "cublas::cublasSgemm_v2", true },
		{ "cublas::cublasStrsv_v2", true },
		{ "aten::mm", true },
		{ "aten::mm.dtype_out", true },
		{ "aten::bmm.out", true },
		{ "aten::linear", true },
		{ "aten::relu", false },
		{ "aten::add.Tensor", false },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };
		const struct ay_schema *s;
		struct ay_baseline b;
		bool exact;

		CHECK(ay_registry_find(help_registry(), t[i].overload, &s, &exact, &err));
		CHECK(!ay_baseline_find("cublas", help_registry(), s, NULL, &a, &b, &err));
		CHECKF((b.why && strstr(b.why, "cublas has no function for this operator")) == !t[i].has, "%s: %s",
		       t[i].overload, b.why ? b.why : "it has one");
	}
	CHECK(ay_baseline_is_cuda("cublas") && !ay_baseline_is_cuda("openblas"));
	ay_arena_release(&a);
}

/* --- which one a kernel on a GPU is held against ---------------------------------------------- */

TEST(baseline_of_a_kernel_on_a_gpu_is_of_that_gpu)
{
	static const char source[] =
		"#include <assay/kernel.h>\n"
		"int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)\n"
		"{ return AY_UNSUPPORTED; }\n";
	static const struct {
		const char *word, *name, *why;
	} t[] = {
		{ NULL, "cublas", NULL },
		{ "auto", "cublas", NULL },
		{ "cublas", "cublas", NULL },
		{ "openblas", "openblas", "the baseline is for the processor, and the kernel runs on a GPU" },
		{ "kernels/c/aten_mm.c", "aten_mm.c",
		  "the baseline is for the processor, and the kernel runs on a GPU" },
		{ "none", NULL, NULL },
	};
	const struct ay_proto *proto;
	struct ay_proto *made;
	struct ay_report rep;
	struct ay_built built;
	struct ay_policy policy = { .threads = 1, .oracle_threads = 1, .call_timeout_s = 10 };
	struct ay_suite_case sc = { 0 };
	struct ay_judge j;
	struct fixture g;
	bool exact;

	setup_fake(&g);
	sc.op = ay_registry_find(help_registry(), "aten::mm", &sc.schema, &exact, &g.err);
	CHECK(sc.op && !ay_proto_make(&g.a, sc.schema, &made, &g.err));
	proto = made;
	policy.sandbox = g.sandbox;
	policy.device = g.dev;
	CHECK(!ay_forge_build(&g.f, &g.a, source, sizeof source - 1, AY_LANG_C, 1, &proto, 60, &built, &g.err) &&
	      built.ok);
	CHECKF(!ay_judge_init(&j, help_registry(), &policy, built.fd, NULL, &g.a, &rep, &g.err), "%s", g.err.msg);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_perf k = { .policy = { .mode = AY_TIMED_AUTO, .baseline = t[i].word }, .forge = &g.f };
		enum ay_baseline_kind against;

		CHECKF(!ay_perf_choose(&k, &j, &sc, &against, &g.err), "%s", g.err.msg);
		CHECK_STR(k.name ? k.name : "-", t[i].name ? t[i].name : "-");
		CHECK_STR(k.why ? k.why : "-", t[i].why ? t[i].why : "-");
		CHECK((against == AY_BASELINE_KERNEL) == (t[i].name && !t[i].why));
		if (against == AY_BASELINE_KERNEL) {
			CHECK_STR(k.version, "13.99.7");
			CHECK_STR(k.base.policy.folders[0], g.b.folders[0]);
			CHECK(k.base.policy.device == g.dev);
		}
		ay_perf_release(&k);
	}
	ay_judge_release(&j);
	close(built.fd);
	teardown(&g);
}
