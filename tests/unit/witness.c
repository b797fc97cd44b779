/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answers for operators outside the catalogue: the processor or a GPU. Where there is none, a driver that only looks
 * like one (tests/cuda/fake.c) gives the judge a device and an executor that has it, in which torch then computes on the
 * processor: everything but the arithmetic is as on a GPU.
 */
#include "judge/clock.h"
#include "judge/foreign.h"
#include "judge/trial.h"
#include "exec/launch.h"
#include "helpers.h"
#include "test.h"
#include "timing/libtorch.h"
#include "timing_rig.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct ay_op_file ay_op_files[];

enum { FAILURES = 3, HELD_NS = 1500000000 };

static const char schemas[] =
	"my::shift(Tensor x) -> Tensor\t\n"
	"aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor\tpointwise\n"
	"aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor\tpointwise\n"
	"aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
	"Tensor\t\n"
	"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)\tcore "
	"nondeterministic_seeded\n";

/* Of operators of the torchbench trace. */
static const char *const lines[] = {
	"aten::silu_backward((T([1024, 512], f16), T([1024, 512], f16)), {}) seed=1",
	"aten::threshold_backward((T([8, 256, 256], f32), T([8, 256, 256], f32), 0), {}) seed=2",
	"aten::hardswish_backward((T([1024, 512], bf16), T([1024, 512], bf16)), {}) seed=3",
	"aten::native_batch_norm((T([16, 64, 32, 33], f32), T([64], f32), T([64], f32), T([64], f32), T([64], "
	"f32), "
	"True, 0.1, 1e-05), {}) seed=4",
	"aten::convolution((T([8, 16, 96, 96], f32), T([8, 16, 3, 3], f32), T([8], f32), [1, 1], [1, 1], [1, 1], "
	"False, "
	"[0, 0], 1), {}) seed=5",
	"aten::convolution_backward((T([8, 8, 64, 64], f32), T([8, 32, 64, 64], f32), T([8, 32, 1, 1], f32), [0], "
	"[1, "
	"1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, False]), {}) seed=6",
	"aten::_log_softmax_backward_data((T([640, 1000], f32), T([640, 1000], f32), 1, f32), {}) seed=7",
	"aten::max_pool2d_with_indices((T([4, 32, 96, 96], f32), [3, 3], [2, 2], [1, 1]), {}) seed=8",
	"aten::constant_pad_nd((T([4, 3, 320, 320], f16), [0, 0, 0, 1], 0.0), {}) seed=9",
	"aten::avg_pool2d_backward((T([8, 21, 60, 60], f32, stride=(151200, 3600, 60, 1)), T([8, 21, 60, 60], "
	"f32), [3, "
	"3], [1, 1], [1, 1], False, False, None), {}) seed=10",
	"aten::leaky_relu_((T([1024, 1100], f32), 0.1), {}) seed=11",
	"aten::silu_backward((T([1024, 600], f64), T([1024, 600], f64)), {}) seed=12",
	"aten::new_full((T([1100000], f16), [3, 5], 2), {}) seed=13",
};

static const char large[] = "my::shift((T([1048576], f32, fill=zeros),), {}) seed=1",
		  small[] = "my::shift((T([1048575], f32, fill=zeros),), {}) seed=1";

struct rig {
	struct ay_arena a;
	struct ay_err err;
	struct ay_registry r;
	struct ay_dev *d;
	struct ay_python python;
	struct ay_sandbox *sandbox;
	struct ay_witness w;
	const char *why;
};

/* With the operators of an interpreter's torch, unless it is NULL. */
static void open_registry(struct rig *g, struct ay_python *python)
{
	CHECKF(!ay_registry_init(&g->r, ay_op_files, &g->err) &&
		       (!python || !ay_foreign_load(&g->r, python, help_cache(), &g->err)) &&
		       !ay_registry_extend(&g->r, schemas, sizeof schemas - 1, &g->err),
	       "%s", g->err.msg);
}

/* fake: a device that is none. */
static void setup(struct rig *g, bool fake)
{
	*g = (struct rig){ .python = { .wish = help_python() } };
	open_registry(g, &g->python);
	if (fake)
		help_fake_gpu(&g->a);
	if (ay_dev_open(&g->d, "cuda", &g->err) || ay_sandbox_new(&g->sandbox, AY_SANDBOX_FULL, &g->err))
		test_skip("%s", g->err.msg);
	g->python.device = g->d;
}

static void teardown(struct rig *g)
{
	ay_python_close(&g->python);
	ay_sandbox_free(g->sandbox);
	ay_dev_close(g->d);
	ay_registry_release(&g->r);
	ay_arena_release(&g->a);
}

/* source: of the user's own reference; NULL: ATen. device NULL: the processor alone. */
static void begin(struct rig *g, const char *source, struct ay_dev *device)
{
	g->w = (struct ay_witness){
		.python = &g->python, .sandbox = g->sandbox, .threads = 1, .device = device, .place = "cpu"
	};
	if (source) {
		g->w.ref_fd = ay_launch_memfd("ref", source, strlen(source), 0);
		g->w.ref_file = "ref.py";
	}
}

static void end(struct rig *g)
{
	ay_witness_release(&g->w);
	if (g->w.ref_fd > 0)
		close(g->w.ref_fd);
}

static const struct ay_entry_op *op_of(struct rig *g, const char *line, struct ay_call **c)
{
	const struct ay_schema *s;
	bool exact;

	*c = help_bind(&g->r, &g->a, line, &g->err);
	CHECKF(*c, "%s: %s", line, g->err.msg);
	return ay_registry_find(&g->r, ay_strndup(&g->a, line, strcspn(line, "(")), &s, &exact, &g->err);
}

/* NULL: there is no answer, and g->why says why. */
static const struct ay_given *ask(struct rig *g, const char *line)
{
	struct ay_call *c;
	const struct ay_entry_op *op = op_of(g, line, &c);
	const int rc = c ? ay_witness_answer(&g->w, op, c, &g->a, &g->why, &g->err) : -1;

	CHECKF(rc >= 0, "%s: %s", line, g->err.msg);
	return rc ? NULL : c->given;
}

/* The first number of the answer. */
static double first(const struct ay_given *g)
{
	return g ? *(const double *)g->answer[0].want.data : -1;
}

/* --- the choice ------------------------------------------------------------------------------------------------- */

static bool is_chosen(struct rig *g, const char *line)
{
	struct ay_call *c;
	const struct ay_entry_op *op = op_of(g, line, &c);

	return c && ay_witness_is_for_gpu(&g->w, op, c);
}

TEST(witness_asks_the_gpu_for_what_is_large_and_fits)
{
	struct rig g = { 0 };
	struct ay_call *c;

	open_registry(&g, NULL);
	help_fake_gpu(&g.a);
	CHECKF(!ay_dev_open(&g.d, "cuda", &g.err), "%s", g.err.msg);
	g.w.device = g.d;
	CHECK(is_chosen(&g, large) && !is_chosen(&g, small));
	/* all arguments count, by their elements, however few lie in memory */
	CHECK(is_chosen(&g, "aten::silu_backward((T([524288], f16), T([524288], f16)), {})"));
	CHECK(!is_chosen(&g, "aten::silu_backward((T([524288], f16), T([524287], f16)), {})"));
	CHECK(is_chosen(&g, "my::shift((T([1024, 1024], f32, stride=(0, 1)),), {})"));
	/* it has 7 GiB free, of which half may be asked for: 72 bytes an element */
	CHECK(!is_chosen(&g, "my::shift((T([60000000], f32),), {})"));
	/* where torch is known to differ on a GPU */
	CHECK(is_chosen(&g,
			"aten::_softmax_backward_data((T([1024, 1024], f32), T([1024, 1024], f32), 1, f32), {})"));
	CHECK(!is_chosen(
		&g, "aten::_softmax_backward_data((T([1024, 1024], f16), T([1024, 1024], f16), 1, f16), {})"));
	g.w.failed = op_of(&g, large, &c);
	g.w.failures = FAILURES - 1;
	CHECK(is_chosen(&g, large));
	g.w.failures = FAILURES;
	CHECK(!is_chosen(&g, large) && is_chosen(&g, lines[1]));
	g.w.device = ay_dev_cpu();
	CHECK(!is_chosen(&g, lines[1]));
	g.w.device = NULL;
	CHECK(!is_chosen(&g, lines[1]));
	ay_dev_close(g.d);
	ay_registry_release(&g.r);
	ay_arena_release(&g.a);
}

/* --- answers ---------------------------------------------------------------------------------------------------- */

#define ON_GPU "from assay import boot\nimport os, torch\ngpu = boot.device == 'cuda'\ncalls = 0\n"

/* A reference is called twice for an answer: the first one concurs, those after it tell where they come from. */
static const char marked[] = ON_GPU "def reference(x):\n    global calls\n    calls += 1\n"
				    "    return x + (1000 if gpu and calls > 2 else 0)\n";

/* Other content for a call that is closed: zeros, but for the first. */
static void show(struct rig *g, struct ay_call *c, float x)
{
	for (int i = 0; i < c->noperand; i++) {
		float *data = AY_NEW_N(&g->a, float, 1 << 20);

		memset(data, 0, sizeof *data << 20);
		data[0] = x;
		c->operand[i]->view.data = data;
	}
}

TEST(witness_believes_the_gpu_when_both_have_concurred)
{
	struct rig g;
	struct ay_call *c;
	const struct ay_entry_op *op;

	setup(&g, true);
	begin(&g, marked, g.d);
	CHECK(first(ask(&g, small)) == 0 && !g.w.on_gpu && !g.w.gpu.exec);
	CHECK(first(ask(&g, large)) == 0 && !g.w.on_gpu && g.w.gpu.exec); /* asked of both */
	CHECK(first(ask(&g, large)) == 1000 && g.w.on_gpu);
	CHECK(first(ask(&g, small)) == 0 && !g.w.on_gpu);
	CHECK(!g.w.failures);
	/* of every dtype */
	CHECK(first(ask(&g, "my::shift((T([1048576], f16, fill=zeros),), {})")) == 0 && !g.w.on_gpu);
	CHECK(g.w.failures == FAILURES && !g.w.gpu.exec); /* for its 1000 was another answer */
	end(&g);

	begin(&g, marked, g.d);
	op = op_of(&g, large, &c);
	ask(&g, large);
	CHECK(!ay_witness_answer(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.on_gpu);
	show(&g, c, 7);
	CHECK(!ay_witness_again(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.on_gpu && first(c->given) == 1007);
	end(&g);
	teardown(&g);
}

/* Whoever differs is not believed, and not asked again. */
TEST_SLOW(witness_does_not_believe_a_gpu_that_differs)
{
	static const char *const sources[] = {
		ON_GPU "def reference(x):\n    return x + (1e-6 if gpu else 0)\n", /* another value */
		ON_GPU "def reference(x):\n    return x[1:] if gpu else x\n",      /* shape */
		ON_GPU "def reference(x):\n    return x.half() if gpu else x\n",   /* dtype */
		ON_GPU "def reference(x):\n    return x + (float('nan') if gpu else 0)\n",
		ON_GPU "def reference(x):\n    return (x > 0).long() if gpu else x.long() - 1\n",
	};
	struct rig g;

	setup(&g, true);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		begin(&g, sources[i], g.d);
		for (int k = 0; k < 2; k++) {
			const struct ay_given *got = ask(&g, large);

			CHECKF(got && got->answer[0].meta.shape[0] == 1 << 20 && !g.w.on_gpu, "source %zu", i);
			CHECKF(g.w.failures == FAILURES && !g.w.gpu.exec, "source %zu: %d failures", i,
			       g.w.failures);
		}
		end(&g);
	}
	teardown(&g);
}

/* Of the shapes that the call was closed with the processor's are right. */
TEST_SLOW(witness_asks_the_processor_where_shapes_change)
{
	struct rig g;
	struct ay_call *c;
	const struct ay_entry_op *op;

	setup(&g, true);
	begin(&g,
	      ON_GPU "def reference(x):\n    global calls\n    calls += 1\n"
		     "    return x[1:] if gpu and calls > 2 else x\n",
	      g.d);
	op = op_of(&g, large, &c);
	CHECK(!ay_witness_answer(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.nconcord == 1);
	show(&g, c, 0);
	CHECK(!ay_witness_again(&g.w, op, c, &g.a, &g.why, &g.err) && !g.w.on_gpu);
	CHECK(g.w.failures == 1);
	end(&g);
	teardown(&g);
}

/* Whatever a reference sets, or leaves behind: its answers are made without short cuts, and what was made for the one before
 * is gone. */
TEST_SLOW(witness_computes_fully_and_keeps_nothing)
{
	static const char flags[] = ON_GPU
		"all = [(torch.backends.cudnn, 'allow_tf32'), (torch.backends.cudnn, 'benchmark')]\n"
		"all += [(torch.backends.cuda.matmul, 'allow_' + n) for n in ('tf32', "
		"'fp16_reduced_precision_reduction', 'bf16_reduced_precision_reduction')]\n"
		"for where, name in all:\n    setattr(where, name, True)\n"
		"def reference(x):\n    assert not gpu or not any(getattr(w, n) for w, n in all)\n    return x\n";
	static const char left[] = ON_GPU
		"import weakref\nkept, hoard = [], []\ndef reference(x):\n    global calls, kept\n    calls += 1\n"
		"    if calls % 2:\n        assert not any(r() is not None for r in kept)\n        kept = []\n"
		"    y = x + 0\n    kept += [weakref.ref(x), weakref.ref(y)]\n"
		"    if gpu and calls == 4:\n        raise ValueError\n"
		"    if gpu and calls > 6:\n        hoard.append(y)\n    return y\n";
	static const bool on_gpu[] = { false, false, true, true, false };
	struct rig g;

	setup(&g, true);
	begin(&g, flags, g.d);
	CHECK(ask(&g, large) && ask(&g, large) && g.w.on_gpu);
	end(&g);
	begin(&g, left, g.d);
	for (size_t i = 0; i < sizeof on_gpu / sizeof *on_gpu;
	     i++) /* the last one finds what the one before hoards */
		CHECKF(ask(&g, large) && g.w.on_gpu == on_gpu[i], "answer %zu: %s", i, g.why);
	end(&g);
	teardown(&g);
}

/* --- failures --------------------------------------------------------------------------------------------------- */

TEST_SLOW(witness_asks_the_processor_when_the_gpu_fails)
{
	static const struct {
		const char *source;
		bool survives;
	} t[] = {
		/* a fourth time they would answer */
		{ ON_GPU "def reference(x):\n    global calls\n    calls += 1\n    if gpu and calls <= 3:\n"
			 "        raise RuntimeError('not implemented for Double')\n    return x\n",
		  true },
		{ ON_GPU "def reference(x):\n    if gpu:\n        raise NotImplementedError\n    return x\n",
		  true },
		{ ON_GPU "def reference(x):\n    return 'x' if gpu else x\n", true },
		{ ON_GPU "def reference(x):\n    if gpu:\n        raise RuntimeError('CUDA out of memory')\n"
			 "    return x\n",
		  false },
		{ ON_GPU "def reference(x):\n    if gpu:\n        os._exit(3)\n    return x\n", false },
		{ ON_GPU "if gpu:\n    raise ImportError('there')\ndef reference(x):\n    return x\n", false },
	};
	struct rig g;

	setup(&g, true);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		begin(&g, t[i].source, g.d);
		for (int k = 1; k <= FAILURES + 1; k++) {
			CHECKF(first(ask(&g, large)) == 0 && !g.w.on_gpu, "%zu: %d: %s", i, k, g.why);
			CHECKF(g.w.failures == (k < FAILURES ? k : FAILURES), "%zu: %d failures", i, g.w.failures);
			CHECKF(!g.w.gpu.exec == (k >= FAILURES || !t[i].survives), "%zu: %d: alive?", i, k);
		}
		end(&g);
	}
	teardown(&g);
}

/* A refusal that is about the case is in the processor's words, and no failure of the GPU's. */
TEST_SLOW(witness_refuses_as_it_would_without_a_gpu)
{
	static const char *const sources[] = {
		ON_GPU "def reference(x):\n    raise ValueError('not this one')\n",
		ON_GPU "def reference(x):\n    return x if x.dtype == torch.float32 else x[1:]\n", /* Unsuitable */
		ON_GPU "def reference(x):\n    return (x + x.dtype.itemsize).long()\n",
	};
	struct rig g;

	setup(&g, true);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const char *why;

		begin(&g, sources[i], NULL);
		CHECK(!ask(&g, large));
		why = g.why;
		end(&g);
		begin(&g, sources[i], g.d);
		for (int k = 0; k < FAILURES + 1; k++) {
			CHECKF(!ask(&g, large) && g.w.gpu.exec && !g.w.failures, "source %zu", i);
			CHECK_STR(g.why, why);
		}
		end(&g);
	}
	begin(&g, "import os\ndef reference(x):\n    os._exit(3)\n", g.d);
	CHECK(!ask(&g, large) && g.w.failures == 1); /* but each death costs a context */
	end(&g);
	begin(&g, NULL, g.d);
	CHECK(!ask(&g, "aten::native_dropout((T([1048576], f32), 0.5, True), {})") && !g.w.gpu.exec);
	CHECK(strstr(g.why, "random"));
	end(&g);
	teardown(&g);
}

/* As it is in earnest: torch itself cannot use this device. */
TEST_SLOW(witness_does_without_a_gpu_that_torch_cannot_use)
{
	struct rig g;

	setup(&g, true);
	begin(&g, NULL, g.d);
	g.w.place = NULL;
	for (int k = 1; k <= 2; k++)
		CHECK(ask(&g, lines[1]) && !g.w.on_gpu && g.w.failures == k);
	end(&g);
	teardown(&g);
}

/* --- in turn ---------------------------------------------------------------------------------------------------- */

/* Somebody times on the device from now on, for a while; *over is set before he leaves. */
static pid_t take_the_clock(struct rig *g, volatile int *over)
{
	const struct timespec hold = { HELD_NS / 1000000000, HELD_NS % 1000000000 };
	struct ay_quiet_lock lock;
	int ready[2];
	pid_t pid;
	char c;

	*over = 0;
	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		if (ay_quiet_take_gpu(&lock, g->d->info.uuid, NULL, NULL, &g->err) || write(ready[1], "x", 1) != 1)
			_exit(1);
		nanosleep(&hold, NULL);
		*over = 1;
		ay_quiet_leave(&lock);
		_exit(0);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

TEST_SLOW(witness_touches_the_gpu_in_turn)
{
	volatile int *over = mmap(NULL, sizeof *over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ay_quiet_lock lock;
	struct ay_judge j = { 0 };
	struct rig g;
	pid_t pid;

	setup(&g, true);
	j.policy.device = g.d;
	j.policy.beside_clock = true;
	begin(&g, marked, g.d);
	g.w.judge = &j;
	pid = take_the_clock(&g, over);
	CHECK(ask(&g, large) && *over && g.w.gpu.exec);
	waitpid(pid, NULL, 0);
	pid = take_the_clock(&g, over);
	CHECK(ask(&g, small) && !*over); /* what is small waits for nobody */
	CHECK(ask(&g, large) && *over && g.w.on_gpu && !j.entered);
	waitpid(pid, NULL, 0);
	/* who has the GPU to himself is let in */
	CHECK(!ay_quiet_take_gpu(&lock, g.d->info.uuid, NULL, NULL, &g.err));
	j.entered = true;
	CHECK(ask(&g, large) && g.w.on_gpu && j.entered);
	j.entered = false;
	ay_quiet_leave(&lock);
	pid = take_the_clock(&g, over);
	end(&g);
	CHECK(*over);
	waitpid(pid, NULL, 0);
	teardown(&g);
}

/* Timed calls are checked while the clock has the GPU to itself: a witness who waited for that to end would wait for
 * ever. */
TEST_SLOW(witness_is_in_while_the_clock_runs)
{
	static const char kernel[] =
		"#include <assay/kernel.h>\n"
		"int my_shift(const ay_tensor *x, ay_tensor *out, const ay_ctx *ctx)\n{\n"
		"	const float *p = x->data; float *q = out->data;\n"
		"	for (int64_t i = 0; i < ay_numel(x); i++) q[i] = p[i];\n	return 0;\n}\n",
			  ref[] = "def reference(x):\n    return x + 0\n";
	struct ay_policy policy = {
		.threads = 1, .oracle_threads = 1, .call_timeout_s = 20, .beside_clock = true
	};
	struct ay_clock k = { .policy = { .mode = AY_TIMED_AUTO, .budget_s = 0.6, .baseline = "none" },
			      .has_ceilings = true,
			      .ceilings = timing_rig_kind };
	struct ay_forge f = { 0 };
	struct ay_built b = { .fd = -1 };
	struct ay_suite_case sc = { 0 };
	struct ay_report rep;
	struct ay_judge j;
	struct ay_proto *p;
	struct ay_call *c;
	struct rig g;

	setup(&g, true);
	if (ay_forge_init(&f, ay_sprintf(&g.a, "%s/assay", help_cache()), &g.err) || !f.cc)
		test_skip("no compiler: %s", g.err.msg);
	f.sandbox = policy.sandbox = g.sandbox;
	policy.python = &g.python;
	policy.device = g.d;
	policy.ref_fd = ay_launch_memfd("ref", ref, sizeof ref - 1, 0);
	policy.ref_file = "ref.py";
	k.forge = &f;
	sc.op = op_of(&g, "my::shift((T([1024, 1024], f32),), {})", &c);
	sc.schema = c->s;
	sc.line = c->line;
	CHECK(!ay_proto_make(&g.a, c->s, &p, &g.err));
	CHECKF(!ay_forge_build(&f, &g.a, kernel, sizeof kernel - 1, AY_LANG_C, 1,
			       (const struct ay_proto *const *)&p, 60, &b, &g.err) &&
		       b.ok,
	       "%s%s", g.err.msg, b.log);
	CHECKF(!ay_judge_init(&j, &g.r, &policy, b.fd, NULL, &g.a, &rep, &g.err), "%s", g.err.msg);
	j.witness.place = "cpu";
	for (int i = 0; i < 2; i++) {
		CHECKF(!ay_judge_case(&j, &sc, &g.a, &rep, &g.err) && rep.verdict == AY_VERDICT_PASS, "%s%s",
		       g.err.msg, rep.detail ? rep.detail : "");
		CHECK_STR(rep.oracle_device, i ? "cuda" : "cpu");
	}
	j.witness.on_gpu = false;
	CHECKF(!ay_clock_case(&k, &j, &sc, &g.a, &rep, &g.err), "%s", g.err.msg);
	CHECKF(rep.timing && rep.timing->ns > 0 && j.witness.on_gpu && !j.entered, "%s",
	       rep.timing && rep.timing->why ? rep.timing->why : "");
	ay_clock_release(&k);
	ay_judge_release(&j);
	close(b.fd);
	close(policy.ref_fd);
	ay_forge_release(&f);
	teardown(&g);
}

/* --- the same answers ------------------------------------------------------------------------------------------- */

/* Bit by bit. */
static bool is_same(const struct ay_given *x, const struct ay_given *y)
{
	bool same = ay_witness_agrees(x, y);

	for (int i = 0; same && i < x->n; i++) {
		const struct ay_answer *p = &x->answer[i], *q = &y->answer[i];
		const size_t n = (size_t)ay_numel_of(&p->want);

		same = p->meta.may_alias == q->meta.may_alias && p->want.dt == q->want.dt && !p->mag == !q->mag &&
		       (!n || !memcmp(p->want.data, q->want.data, n * (size_t)ay_dt_info(p->want.dt)->bytes)) &&
		       (!n || !p->mag || !memcmp(p->mag, q->mag, n * sizeof *p->mag));
	}
	return same;
}

/* All lines, by the processor and by the other. The second time it is alone. */
static void compare(struct rig *g, const char *place,
		    bool (*is_right)(const struct ay_given *, const struct ay_given *))
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const struct ay_given *want, *got;

		begin(g, NULL, NULL);
		want = ask(g, lines[i]);
		CHECKF(want, "%s: %s", lines[i], g->why);
		end(g);
		begin(g, NULL, g->d);
		g->w.place = place;
		ask(g, lines[i]);
		got = ask(g, lines[i]);
		CHECKF(got && g->w.on_gpu, "%s: %d failures, %s", lines[i], g->w.failures, g->why);
		CHECKF(want && got && is_right(want, got), "%s", lines[i]);
		end(g);
	}
}

TEST_SLOW(witness_answers_come_over_as_they_are)
{
	const struct ay_given *one, *other;
	struct rig g;

	setup(&g, true);
	compare(&g, "cpu", is_same);
	begin(&g, NULL, NULL);
	one = ask(&g, "aten::leaky_relu_((T([9], f32), 0.1), {}) seed=1");
	other = ask(&g, "aten::leaky_relu_((T([9], f32), 0.1), {}) seed=2");
	CHECK(is_same(one, one) && !is_same(one, other)); /* what is another one is seen to be */
	end(&g);
	teardown(&g);
}

TEST_SLOW(witness_on_a_gpu_agrees_with_the_processor)
{
	struct rig g;
	char why[300];

	help_python();
	if (!ay_dev_has_cuda(why, sizeof why))
		test_skip("no GPU: %s", why);
	setup(&g, false);
	CHECKF(!ay_python_open(&g.python, &g.err), "%s", g.err.msg);
	if (!g.python.library || !ay_libtorch_cuda(&g.a, g.python.library))
		test_skip("torch %s has no CUDA", g.python.torch);
	compare(&g, NULL, ay_witness_concurs);
	teardown(&g);
}
