/* SPDX-License-Identifier: Apache-2.0
 *
 * aten - compares the oracle of every operator in the catalogue with ATen on the CPU, over its
 * grid: all overloads, dtypes and layouts. Two independent implementations must agree, or the
 * operator's file says why ATen differs, and the difference is listed here.
 */
#include "test.h"
#include "base/file.h"
#include "helpers.h"
#include "judge/task.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The accepted differences of ATen, as the operators' files give them. A reason that a file gives
 * but this list lacks fails. So does a listed reason that no case needs. */
static const char *const known[][2] = {
	{ "ops/aten/add.c", "numbers, and alpha * other, are rounded to half types before the sum" },
	{ "ops/aten/div.c", "a number that is divided is rounded to half types first" },
	{ "ops/aten/backwards.c", "the buffer is not optional" },
	{ "ops/aten/backwards.c", "grad_output * exp(beta * self) overflows before it is divided" },
	{ "ops/aten/affine_grid_generator.c", "coordinates are computed in half types" },
	{ "ops/aten/im2col.c", "im2col.out takes every out for a contiguous one" },
	{ "ops/aten/arange.c", "the first number of every vector is rounded to half types" },
	{ "ops/aten/index_put.c", "sums are rounded to half types after every addition" },
	{ "ops/aten/logit.c", "bounds and quotient are rounded to half types before the logarithm" },
	{ "ops/aten/losses.c", "out is resized to hold the terms" },
	{ "ops/aten/losses.c", "exp(-target * self) overflows" },
	{ "ops/aten/matmul.c", "matmul.out gives a strided out new strides where self is a vector" },
	{ "ops/aten/polygamma.c", "digamma takes the tangent of pi times a fraction near -1" },
	{ "ops/aten/polygamma.c", "trigamma's series ends where f32 needs no more" },
	{ "ops/aten/polygamma.c", "trigamma rounds pi x before the sine, so that poles below 0 are finite" },
	{ "ops/aten/polygamma.c", "zeta is rounded to half types before the product with n!" },
	{ "ops/aten/polygamma.c", "zeta of infinity is NaN" },
	{ "ops/aten/mul.c", "a number that stands first is rounded to half types" },
	{ "ops/aten/matmul.c", "out_dtype is not implemented" },
	{ "ops/aten/matmul.c", "a bias beside a weight of one dimension is refused where input has two" },
	{ "ops/aten/matmul.c", "the product is rounded to half types before the bias is added" },
	{ "ops/aten/pow.c", "x * x is rounded to bf16 on the way to x^3 and x^-2" },
	{ "ops/aten/rrelu_with_noise.c", "training is not implemented for f16" },
	{ "ops/aten/rrelu_with_noise.c", "noise is taken for a contiguous one" },
	{ "ops/aten/reflection_pad1d_backward.c", "sums of three are rounded to half types after every addition" },
	{ "ops/aten/softmax.c", "half_to_float is not implemented" },
	{ "ops/aten/softmax.c", "_softmax.out takes every out for a contiguous one" },
	{ "ops/aten/softmax.c",
	  "exponentials are rounded to half types before the quotient, unless dim is the last" },
	{ "ops/aten/unary_exact.c", "complex numbers are subtracted from 0, which gives no -0" },
	{ "ops/aten/unary_math.c", "I0 overflows where the exponential does, and is NaN at infinity" },
	{ "ops/aten/unary_math.c", "cosh overflows where the exponential does" },
	{ "ops/aten/unary_math.c", "the logarithm is rounded to half types before the product" },
	{ "ops/aten/unary_math.c", "the root is rounded to half types before its reciprocal" },
	{ "ops/aten/views.c", "the negatives of complex zeros lose their sign in vectors" },
};
enum { KNOWN = sizeof known / sizeof *known, SEED = 1 };

static const char said[] = "known of ATen on the CPU: ";

/* Shared with the child. */
struct count {
	int cases, used[KNOWN];
};

struct aten_oracle {
	const struct ay_entry_op *op;
	struct count *count;
	enum ay_verdict got; /* of the last case */
};

static int known_reason(const char *path, const char *detail)
{
	const size_t n = sizeof said - 1;

	for (int i = 0; detail && i < KNOWN && !strncmp(detail, said, n); i++)
		if (!strcmp(known[i][0], path) && !strcmp(known[i][1], detail + n))
			return i;
	return -1;
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct aten_oracle *w = user;
	const int reason = known_reason(sc->op->path, rep->detail);
	const bool small = rep->verdict == AY_VERDICT_SKIPPED && rep->detail && !strncmp(rep->detail, "needs ", 6);

	(void)t;
	__atomic_add_fetch(&w->count->cases, 1, __ATOMIC_RELAXED);
	if (reason >= 0)
		__atomic_add_fetch(&w->count->used[reason], 1, __ATOMIC_RELAXED);
	CHECKF(rep->verdict == AY_VERDICT_PASS || rep->verdict == AY_VERDICT_WEAK_CASE || reason >= 0 || small,
	       "%s: %s: %s", rep->line, ay_verdict_name(rep->verdict), rep->detail ? rep->detail : "");
	return 0;
}

static int on_last(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		   const struct ay_report *rep)
{
	(void)sc, (void)t;
	((struct aten_oracle *)user)->got = rep->verdict;
	return 0;
}

/* Checks that no overload is left out. Some have cases in the whole grid only. */
static void check_overloads(const struct ay_entry_op *op, const struct ay_task_result *res)
{
	for (int k = 0; k < op->nschema; k++) {
		bool there = false;

		for (int n = 0; n < res->ntally; n++)
			there |= res->tally[n].schema == op->schema[k];
		CHECKF(there, "%s.%s has no case", op->name, op->schema[k]->overload);
	}
}

/* Judges one file of operators by ATen; line NULL: on its grid. */
static void judge_aten(const struct ay_registry *r, const struct ay_entry_op *op, enum ay_tier tier,
		       const char *line, struct ay_python *python, struct aten_oracle *w)
{
	struct ay_task t = { .file = "aten",
			     .source = "aten",
			     .len = 4,
			     .lang = AY_LANG_ATEN,
			     .op = op,
			     .line = &line,
			     .nline = line ? 1 : 0,
			     .tier = tier };
	struct ay_task_watch watch = { .user = w, .judged = line ? on_last : on_judged };
	struct ay_task_result res;
	struct ay_forge forge = { 0 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };

	/* a seed, so that rare roundings do not depend on chance */
	t.policy = (struct ay_policy){ .threads = 1,
				       .oracle_threads = 1,
				       .call_timeout_s = 60,
				       .has_seed = true,
				       .seed = SEED,
				       .python = python };
	w->op = op;
	CHECKF(!ay_task_run(r, &forge, &t, &watch, &a, &res, &err), "%s: %s", op->name, err.msg);
	for (int i = 0; i < r->n && tier == AY_FULL && !err.code; i++)
		if (!strcmp(r->op[i].path, op->path))
			check_overloads(&r->op[i], &res);
	ay_arena_release(&a);
}

/* Judges every second file, beginning with the first or the second. */
static void judge_half(enum ay_tier tier, int half, struct count *count)
{
	const struct ay_registry *r = help_registry();
	struct ay_python python = { .wish = help_python() };
	struct aten_oracle w = { .count = count };
	const char *last = "";
	int turn = 0;

	for (int i = 0; i < r->n; i++) {
		if (strcmp(r->op[i].schema[0]->ns, "aten") || !strcmp(r->op[i].path, last) ||
		    !help_is_meant(&r->op[i]))
			continue;
		last = r->op[i].path;
		if (turn++ % 2 == half)
			judge_aten(r, &r->op[i], tier, NULL, &python, &w);
	}
	ay_python_close(&python);
}

/* Two processes, two cores. */
static void judge_catalogue(enum ay_tier tier, int at_least)
{
	struct count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	help_python();
	fflush(stdout);
	child = fork();
	judge_half(tier, !child, count);
	if (!child) {
		fflush(stdout);
		_exit(test_failures() ? 1 : 0);
	}
	waitpid(child, &status, 0);
	CHECKF(!status, "see above");
	if (getenv("ASSAY_OP"))
		return;
	CHECKF(count->cases >= at_least, "only %d cases", count->cases);
	for (int i = 0; i < KNOWN; i++)
		CHECKF(count->used[i], "%s: never needed: %s", known[i][0], known[i][1]);
}

TEST_SLOW(aten_agrees_with_the_oracles_on_quick_cases)
{
	judge_catalogue(AY_QUICK, 2500);
}

TEST_SLOW(aten_agrees_with_the_oracles_on_their_whole_grids)
{
	if (!getenv("ASSAY_WHOLE"))
		test_skip("it takes ten minutes: ASSAY_WHOLE=1");
	alarm(0);
	judge_catalogue(AY_FULL, 5000);
}

/* --- on a GPU --------------------------------------------------------------------------------- */

static const char *known_on_cuda(struct ay_arena *a, const char *line)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), a, line, &err);

	CHECKF(c, "%s: %s", line, err.msg);
	return c && c->op->cuda_differs ? c->op->cuda_differs(c) : NULL;
}

/* Checks results that were seen on a GPU; no GPU is needed. */
TEST(aten_has_a_reason_for_what_was_seen_on_a_gpu)
{
	static const char *const none[] = {
		"aten::cumsum((T([129], f32), -1), {})",
		"aten::mm((T([9, 1024], f32), T([1024, 13], f32)), {})",
		"aten::scatter.src((T([7, 33], f16), 0, T([5, 20], i64), T([6, 21], f16)), {})",
		"aten::_softmax.out((T([7], f32), 0, False), {'out': T([7], f32)})",
		"aten::hardsigmoid((T([7], f32),), {})",
	};
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *text, *save = NULL;
	size_t len;
	int n = 0;

	CHECKF(!ay_file_read(&a, "tests/data/cuda_differs.lines", 1 << 20, &text, &len, &err), "%s", err.msg);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line[0] == '#')
			continue;
		CHECKF(known_on_cuda(&a, line), "no reason: %s", line);
		n++;
	}
	CHECK(n > 80);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECKF(!known_on_cuda(&a, none[i]), "%s", none[i]);
	ay_arena_release(&a);
}

/* The program skips cases with a listed reason and fails otherwise. */
TEST_SLOW(aten_on_a_gpu_agrees_with_the_oracles)
{
	struct ay_arena a = { 0 };
	char *out = "";

	if (access("/dev/nvidiactl", R_OK | W_OK))
		test_skip("no NVIDIA GPU here");
	CHECKF(!help_run(
		       &a,
		       ay_sprintf(&a,
				  "%s/assay eval --suite kernelgenbench-aten --quick --backend aten --device cuda "
				  "--jobs 6 --timing none --python %s --out %s/run 2>&1",
				  help_build_dir(), help_python(), test_dir()),
		       280, &out),
	       "%.3000s", out);
	ay_arena_release(&a);
}

/* --- and could disagree ----------------------------------------------------------------------- */

static const struct ay_op_file *find_file(const char *stem)
{
	for (const struct ay_op_file *f = ay_op_files; f->path; f++)
		if (!strcmp(f->stem, stem))
			return f;
	AY_BUG("no operators '%s'", stem);
}

/* Judges aten::add with another oracle (that of relu), or without its listed reason. */
static enum ay_verdict judge_add(struct ay_python *python, const char *line, bool wrong, bool no_excuse)
{
	const struct ay_op_file *add = find_file("add"), *relu = find_file("relu");
	struct ay_op_file files[2] = { *add };
	struct ay_op op[AY_NUM_COUNT][2] = { 0 };
	struct aten_oracle w = { .got = AY_VERDICT_NONE };
	struct ay_registry r = { 0 };
	struct ay_err err = { 0 };

	for (int k = 0; k < AY_NUM_COUNT; k++) {
		op[k][0] = add->table[k][0];
		if (wrong)
			op[k][0].reference = relu->table[k][0].reference;
		if (no_excuse)
			op[k][0].aten_differs = NULL;
		files[0].table[k] = op[k];
	}
	CHECKF(!ay_registry_init(&r, files, &err), "%s", err.msg);
	judge_aten(&r, &r.op[0], AY_QUICK, line, python, &w);
	ay_registry_release(&r);
	return w.got;
}

TEST(aten_disagrees_with_a_wrong_oracle)
{
	const char *plain = "aten::add.Tensor((T([3, 65], f32), T([3, 65], f32)), {})";
	const char *rounded = "aten::add.Tensor((T([3, 65], f16), T([3, 65], f16)), {'alpha': -0.999})";
	struct ay_python python = { .wish = help_python() };

	CHECK(judge_add(&python, plain, false, false) == AY_VERDICT_PASS);
	CHECK(judge_add(&python, plain, true, false) == AY_VERDICT_MISMATCH);
	CHECK(judge_add(&python, rounded, false, false) == AY_VERDICT_SKIPPED);
	CHECK(judge_add(&python, rounded, false, true) == AY_VERDICT_MISMATCH);
	ay_python_close(&python);
}

/* --- one process for all ---------------------------------------------------------------------- */

/* Returns the verdict on torch's own function, in an idle executor, which is idle again
 * afterwards. */
static enum ay_verdict judge_with(struct ay_exec **spare, struct ay_idle_memory *memory, struct ay_python *python,
				  const char *name, const char *line)
{
	const struct ay_registry *r = help_registry();
	struct aten_oracle w = { .got = AY_VERDICT_NONE };
	struct ay_task t = {
		.file = "aten", .source = "aten", .len = 4, .lang = AY_LANG_ATEN, .line = &line, .nline = 1
	};
	struct ay_task_watch watch = { .user = &w, .judged = on_last };
	struct ay_task_result res;
	struct ay_forge forge = { 0 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const struct ay_schema *s;
	bool exact;

	t.op = ay_registry_find(r, name, &s, &exact, &err);
	t.policy = (struct ay_policy){ .threads = 1,
				       .oracle_threads = 1,
				       .call_timeout_s = 60,
				       .python = python,
				       .spare = spare,
				       .memory = memory };
	CHECKF(t.op && !ay_task_run(r, &forge, &t, &watch, &a, &res, &err), "%s: %s", name, err.msg);
	ay_arena_release(&a);
	return w.got;
}

static enum ay_verdict judge_in(struct ay_exec **spare, struct ay_python *python, const char *name,
				const char *line)
{
	return judge_with(spare, NULL, python, name, line);
}

/* The next operator reuses the memory of the one before, even if its tensors differ. */
TEST(aten_keeps_its_memory_from_operator_to_operator)
{
	struct ay_python python = { .wish = help_python() };
	struct ay_idle_memory memory = { 0 };
	struct ay_exec *spare = NULL;
	const uint8_t *pool, *copy;

	CHECK(judge_with(&spare, &memory, &python, "aten::add",
			 "aten::add.Tensor((T([99, 99], f32), T([99, 99], f32)), {})") == AY_VERDICT_PASS);
	pool = memory.pool.mem[0], copy = memory.copy;
	CHECK(pool && copy);
	CHECK(judge_with(&spare, &memory, &python, "aten::relu", "aten::relu((T([999], f32),), {})") ==
	      AY_VERDICT_PASS);
	CHECK(memory.pool.mem[0] == pool && memory.copy == copy);
	ay_pool_release(&memory.pool);
	ay_xfree(memory.copy);
	ay_exec_stop(spare);
	ay_python_close(&python);
}

TEST(aten_keeps_its_process_from_operator_to_operator)
{
	struct ay_python python = { .wish = help_python() };
	struct ay_exec *spare = NULL;
	pid_t first;

	CHECK(judge_in(&spare, &python, "aten::add",
		       "aten::add.Tensor((T([9], f32), T([9], f32)), {'alpha': 3})") == AY_VERDICT_PASS);
	CHECK(spare);
	first = spare ? ay_exec_pid(spare) : 0;
	CHECK(judge_in(&spare, &python, "aten::relu", "aten::relu((T([9], f32),), {})") == AY_VERDICT_PASS);
	CHECK(judge_in(&spare, &python, "aten::cat", "aten::cat(([T([9], f32), T([3], f32)],), {})") ==
	      AY_VERDICT_PASS);
	CHECK(spare && first > 0 && ay_exec_pid(spare) == first);
	/* an executor that has ended is not waited for */
	if (spare)
		kill(ay_exec_pid(spare), SIGKILL);
	CHECK(judge_in(&spare, &python, "aten::add", "aten::add.Tensor((T([9], f32), T([9], f32)), {})") ==
	      AY_VERDICT_PASS);
	CHECK(spare && ay_exec_pid(spare) != first);
	ay_exec_stop(spare);
	ay_python_close(&python);
}
