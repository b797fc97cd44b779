/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_oracle - tests of where operators outside the catalogue are computed: on the processor or a
 * GPU.
 */
#include "helpers.h"
#include "judge/aten_crosscheck.h"
#include "test.h"
#include "timing/libtorch.h"
#include "aten_oracle_fixture.h"

#include <string.h>

enum { FAILURES = WITNESS_FAILURES };

/* Calls of operators of the torchbench trace. */
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
	"aten::_softmax_backward_data((T([1024, 1024], f16), T([1024, 1024], f16), 1, f16), {}) seed=14",
};

enum { NLINE = sizeof lines / sizeof *lines };

/* --- the choice ------------------------------------------------------------------------------- */

static bool is_chosen(struct aten_oracle_fixture *g, const char *line)
{
	struct ay_call *c;
	const struct ay_entry_op *op = aten_oracle_fixture_bind(g, line, &c);

	return c && ay_aten_oracle_is_for_gpu(&g->w, op, c);
}

TEST(aten_oracle_asks_the_gpu_for_what_is_large_and_fits)
{
	struct aten_oracle_fixture g = { 0 };
	struct ay_call *c;

	aten_oracle_fixture_registry(&g, NULL);
	help_fake_gpu(&g.a);
	CHECKF(!ay_dev_open(&g.d, "cuda", &g.err), "%s", g.err.msg);
	g.w.device = g.d;
	CHECK(is_chosen(&g, WITNESS_LARGE) && !is_chosen(&g, WITNESS_SMALL));
	/* all arguments count by their elements, even if they have less memory */
	CHECK(is_chosen(&g, "aten::silu_backward((T([524288], f16), T([524288], f16)), {})"));
	CHECK(!is_chosen(&g, "aten::silu_backward((T([524288], f16), T([524287], f16)), {})"));
	CHECK(is_chosen(&g, "my::shift((T([1024, 1024], f32, stride=(0, 1)),), {})"));
	/* the GPU has 7 GiB free, of which half may be used: 72 bytes an element */
	CHECK(!is_chosen(&g, "my::shift((T([60000000], f32),), {})"));
	g.w.failed = aten_oracle_fixture_bind(&g, WITNESS_LARGE, &c);
	g.w.failures = FAILURES - 1;
	CHECK(is_chosen(&g, WITNESS_LARGE));
	g.w.failures = FAILURES;
	CHECK(!is_chosen(&g, WITNESS_LARGE) && is_chosen(&g, lines[1]));
	g.w.device = ay_dev_cpu();
	CHECK(!is_chosen(&g, lines[1]));
	g.w.device = NULL;
	CHECK(!is_chosen(&g, lines[1]));
	ay_dev_close(g.d);
	ay_registry_release(&g.r);
	ay_arena_release(&g.a);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Gives a bound call other content: zeros, except the first element. */
static void show(struct aten_oracle_fixture *g, struct ay_call *c, float x)
{
	for (int i = 0; i < c->noperand; i++) {
		float *data = AY_NEW_N(&g->a, float, 1 << 20);

		memset(data, 0, sizeof *data << 20);
		data[0] = x;
		c->operand[i]->view.data = data;
	}
}

TEST(aten_oracle_believes_the_gpu_when_both_have_concurred)
{
	/* what makes a call another one than the usual: dimensions, None, dtypes, flags; not
	 * numbers */
	static const char usual[] = "my::flagged((T([1048577], f32, fill=zeros), T([2], f32)), {})";
	static const char *const others[] = {
		"my::flagged((T([2048, 513], f32, fill=zeros), T([2], f32)), {})",
		"my::flagged((T([1048577], f32, fill=zeros),), {})",
		"my::flagged((T([1048577], f32, fill=zeros), T([2], f16)), {})",
		"my::flagged((T([1048577], f32, fill=zeros), T([2], f32), True), {})",
		"my::flagged((T([1048579], f32, fill=zeros), T([2], f32), False, 3), {})",
	};
	struct aten_oracle_fixture g;
	struct ay_call *c;
	const struct ay_entry_op *op;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, WITNESS_SMALL)) == 0 && !g.w.on_gpu &&
	      !g.w.gpu.exec);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, WITNESS_LARGE)) == 0 && !g.w.on_gpu &&
	      g.w.gpu.exec); /* asked of both */
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, WITNESS_LARGE)) == 1000 && g.w.on_gpu);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, WITNESS_SMALL)) == 0 && !g.w.on_gpu);
	CHECK(!g.w.failures);
	aten_oracle_fixture_end(&g);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
		CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, usual)) == 0 &&
		      aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, usual)) == 1000);
		CHECKF((aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, others[i])) == 0) == (i < 4), "%s",
		       others[i]);
		CHECKF(g.w.failures == (i < 4 ? FAILURES : 0), "%s", others[i]);
		aten_oracle_fixture_end(&g);
	}

	aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
	op = aten_oracle_fixture_bind(&g, WITNESS_LARGE, &c);
	aten_oracle_fixture_ask(&g, WITNESS_LARGE);
	CHECK(!ay_aten_oracle_answer(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.on_gpu);
	show(&g, c, 7);
	CHECK(!ay_aten_oracle_again(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.on_gpu &&
	      aten_oracle_fixture_first(c->given) == 1007);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* If torch returns another dtype on a GPU, the GPU alone answers, however small the call. */
TEST_SLOW(aten_oracle_asks_the_gpu_for_what_is_its_own)
{
	static const char half
		[] = "aten::native_layer_norm((T([9, 5], f16), [5], T([5], f16), T([5], f16), 1e-05), {}) seed=1",
	    single[] =
		    "aten::native_layer_norm((T([9, 5], f32), [5], T([5], f32), T([5], f32), 1e-05), {}) seed=1";
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, NULL, g.d);
	CHECKF(aten_oracle_fixture_ask(&g, half) && g.w.on_gpu && !g.w.cpu.exec, "%s", g.why ? g.why : "");
	CHECKF(aten_oracle_fixture_ask(&g, single) && !g.w.on_gpu, "%s", g.why ? g.why : "");
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_begin(&g, NULL, NULL); /* the GPU has no answer */
	CHECKF(aten_oracle_fixture_ask(&g, half) && !g.w.on_gpu, "%s", g.why ? g.why : "");
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* A GPU whose answer differs is not trusted and not used again. */
TEST_SLOW(aten_oracle_does_not_believe_a_gpu_that_differs)
{
	static const char *const sources[] = {
		WITNESS_ON_GPU "def reference(x):\n    return x + (1e-6 if gpu else 0)\n", /* another value */
		WITNESS_ON_GPU "def reference(x):\n    return x[1:] if gpu else x\n",      /* shape */
		WITNESS_ON_GPU "def reference(x):\n    return x.half() if gpu else x\n",   /* dtype */
		WITNESS_ON_GPU "def reference(x):\n    return x + (float('nan') if gpu else 0)\n",
		/* the bound is wide, so the answer is wrong only in float */
		WITNESS_ON_GPU
		"def reference(x):\n    return x + (1e-5 if gpu and x.dtype == torch.float32 else 0)\n",
		WITNESS_ON_GPU "def reference(x):\n    return (x > 0).long() if gpu else x.long() - 1\n",
	};
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		aten_oracle_fixture_begin(&g, sources[i], g.d);
		for (int k = 0; k < 2; k++) {
			const struct ay_expected *got = aten_oracle_fixture_ask(&g, WITNESS_LARGE);

			CHECKF(got && got->answer[0].meta.shape[0] == 1 << 20 && !g.w.on_gpu, "source %zu", i);
			CHECKF(g.w.failures == FAILURES && !g.w.gpu.exec, "source %zu: %d failures", i,
			       g.w.failures);
		}
		aten_oracle_fixture_end(&g);
	}
	aten_oracle_fixture_release(&g);
}

/* The call was bound with shapes from the processor, and these are right. */
TEST_SLOW(aten_oracle_asks_the_processor_where_shapes_change)
{
	struct aten_oracle_fixture g;
	struct ay_call *c;
	const struct ay_entry_op *op;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g,
				  WITNESS_ON_GPU "def reference(x):\n    global calls\n    calls += 1\n"
						 "    return x[1:] if gpu and calls > 2 else x\n",
				  g.d);
	op = aten_oracle_fixture_bind(&g, WITNESS_LARGE, &c);
	CHECK(!ay_aten_oracle_answer(&g.w, op, c, &g.a, &g.why, &g.err) && g.w.ncrosscheck == 1);
	show(&g, c, 0);
	CHECK(!ay_aten_oracle_again(&g.w, op, c, &g.a, &g.why, &g.err) && !g.w.on_gpu);
	CHECK(g.w.failures == 1);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* Whatever a reference sets or leaves behind, the next answers are computed without its short cuts,
 * and its data are gone. */
TEST_SLOW(aten_oracle_computes_fully_and_keeps_nothing)
{
	static const char flags[] = WITNESS_ON_GPU
		"all = [(torch.backends.cudnn, 'allow_tf32'), (torch.backends.cudnn, 'benchmark')]\n"
		"all += [(torch.backends.cuda.matmul, 'allow_' + n) for n in ('tf32', "
		"'fp16_reduced_precision_reduction', 'bf16_reduced_precision_reduction')]\n"
		"for where, name in all:\n    setattr(where, name, True)\n"
		"def reference(x):\n    assert not gpu or not any(getattr(w, n) for w, n in all)\n    return x\n";
	static const char left[] = WITNESS_ON_GPU
		"import weakref\nkept, hoard = [], []\ndef reference(x):\n    global calls, kept\n    calls += 1\n"
		"    if calls % 2:\n        assert not any(r() is not None for r in kept)\n        kept = []\n"
		"    y = x + 0\n    kept += [weakref.ref(x), weakref.ref(y)]\n"
		"    if gpu and calls == 4:\n        raise ValueError\n"
		"    if gpu and calls > 6:\n        hoard.append(y)\n    return y\n";
	static const bool on_gpu[] = { false, false, true, true, false };
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, flags, g.d);
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && aten_oracle_fixture_ask(&g, WITNESS_LARGE) &&
	      g.w.on_gpu);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_begin(&g, left, g.d);
	for (size_t i = 0; i < sizeof on_gpu / sizeof *on_gpu;
	     i++) /* the last reference finds the memory that the one before left */
		CHECKF(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && g.w.on_gpu == on_gpu[i], "answer %zu: %s", i,
		       g.why);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* --- failures --------------------------------------------------------------------------------- */

TEST_SLOW(aten_oracle_asks_the_processor_when_the_gpu_fails)
{
	static const struct {
		const char *source;
		bool survives;
	} t[] = {
		/* only the fourth request would be answered */
		{ WITNESS_ON_GPU
		  "def reference(x):\n    global calls\n    calls += 1\n    if gpu and calls <= 3:\n"
		  "        raise RuntimeError('not implemented for Double')\n    return x\n",
		  true },
		{ WITNESS_ON_GPU
		  "def reference(x):\n    if gpu:\n        raise NotImplementedError\n    return x\n",
		  true },
		{ WITNESS_ON_GPU "def reference(x):\n    return 'x' if gpu else x\n", true },
		{ WITNESS_ON_GPU
		  "def reference(x):\n    if gpu:\n        raise RuntimeError('CUDA out of memory')\n"
		  "    return x\n",
		  false },
		{ WITNESS_ON_GPU "def reference(x):\n    if gpu:\n        os._exit(3)\n    return x\n", false },
		{ WITNESS_ON_GPU "if gpu:\n    raise ImportError('there')\ndef reference(x):\n    return x\n",
		  false },
	};
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		aten_oracle_fixture_begin(&g, t[i].source, g.d);
		for (int k = 1; k <= FAILURES + 1; k++) {
			CHECKF(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, WITNESS_LARGE)) == 0 &&
				       !g.w.on_gpu,
			       "%zu: %d: %s", i, k, g.why);
			CHECKF(g.w.failures == (k < FAILURES ? k : FAILURES), "%zu: %d failures", i, g.w.failures);
			CHECKF(!g.w.gpu.exec == (k >= FAILURES || !t[i].survives), "%zu: %d: alive?", i, k);
		}
		aten_oracle_fixture_end(&g);
	}
	aten_oracle_fixture_release(&g);
}

/* If the reference refuses the case, the processor's message is used, and the GPU has not
 * failed. */
TEST_SLOW(aten_oracle_refuses_as_it_would_without_a_gpu)
{
	static const char *const sources[] = {
		WITNESS_ON_GPU "def reference(x):\n    raise ValueError('not this one')\n",
		WITNESS_ON_GPU
		"def reference(x):\n    return x if x.dtype == torch.float32 else x[1:]\n", /* Unsuitable */
		WITNESS_ON_GPU "def reference(x):\n    return (x + x.dtype.itemsize).long()\n",
	};
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const char *why;

		aten_oracle_fixture_begin(&g, sources[i], NULL);
		CHECK(!aten_oracle_fixture_ask(&g, WITNESS_LARGE));
		why = g.why;
		aten_oracle_fixture_end(&g);
		aten_oracle_fixture_begin(&g, sources[i], g.d);
		for (int k = 0; k < FAILURES + 1; k++) {
			CHECKF(!aten_oracle_fixture_ask(&g, WITNESS_LARGE) && g.w.gpu.exec && !g.w.failures,
			       "source %zu", i);
			CHECK_STR(g.why, why);
		}
		aten_oracle_fixture_end(&g);
	}
	aten_oracle_fixture_begin(&g, "import os\ndef reference(x):\n    os._exit(3)\n", g.d);
	/* but each death costs a GPU context */
	CHECK(!aten_oracle_fixture_ask(&g, WITNESS_LARGE) && g.w.failures == 1);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_begin(&g, NULL, g.d);
	CHECK(!aten_oracle_fixture_ask(&g, "aten::native_dropout((T([1048576], f32), 0.5, True), {})") &&
	      !g.w.gpu.exec);
	CHECK(strstr(g.why, "random"));
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* The real situation with a fake GPU: torch itself cannot use this device. */
TEST_SLOW(aten_oracle_does_without_a_gpu_that_torch_cannot_use)
{
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, NULL, g.d);
	g.w.place = NULL;
	for (int k = 1; k <= 2; k++)
		CHECK(aten_oracle_fixture_ask(&g, lines[1]) && !g.w.on_gpu && g.w.failures == k);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

/* --- the same answers ------------------------------------------------------------------------- */

/* Bit by bit. */
static bool is_same(const struct ay_expected *x, const struct ay_expected *y)
{
	bool same = ay_aten_crosscheck_agree(x, y);

	for (int i = 0; same && i < x->n; i++) {
		const struct ay_answer *p = &x->answer[i], *q = &y->answer[i];
		const size_t n = (size_t)ay_numel_of(&p->want);

		same = p->meta.may_alias == q->meta.may_alias && p->want.dt == q->want.dt && !p->mag == !q->mag &&
		       (!n || !memcmp(p->want.data, q->want.data, n * (size_t)ay_dt_info(p->want.dt)->bytes)) &&
		       (!n || !p->mag || !memcmp(p->mag, q->mag, n * sizeof *p->mag));
	}
	return same;
}

/* Compares the first n lines between the processor and the other place. The second time only the
 * other place answers. */
static void compare(struct aten_oracle_fixture *g, const char *place, int n,
		    bool (*is_right)(const struct ay_expected *, const struct ay_expected *))
{
	for (int i = 0; i < n; i++) {
		const struct ay_expected *want, *got;

		aten_oracle_fixture_begin(g, NULL, NULL);
		want = aten_oracle_fixture_ask(g, lines[i]);
		CHECKF(want, "%s: %s", lines[i], g->why);
		aten_oracle_fixture_end(g);
		aten_oracle_fixture_begin(g, NULL, g->d);
		g->w.place = place;
		aten_oracle_fixture_ask(g, lines[i]);
		got = aten_oracle_fixture_ask(g, lines[i]);
		CHECKF(got && g->w.on_gpu, "%s: %d failures, %s", lines[i], g->w.failures, g->why);
		CHECKF(want && got && is_right(want, got), "%s", lines[i]);
		aten_oracle_fixture_end(g);
	}
}

TEST_SLOW(aten_oracle_answers_come_over_as_they_are)
{
	const struct ay_expected *one, *other;
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	/* the last line is not affected by the GPU's own error */
	compare(&g, "cpu", NLINE - 1, is_same);
	aten_oracle_fixture_begin(&g, NULL, NULL);
	one = aten_oracle_fixture_ask(&g, "aten::leaky_relu_((T([9], f32), 0.1), {}) seed=1");
	other = aten_oracle_fixture_ask(&g, "aten::leaky_relu_((T([9], f32), 0.1), {}) seed=2");
	CHECK(is_same(one, one) && !is_same(one, other)); /* a different answer is detected */
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

TEST_SLOW(aten_oracle_on_a_gpu_agrees_with_the_processor)
{
	struct aten_oracle_fixture g;
	char why[300];

	help_python();
	if (!ay_dev_has_cuda(why, sizeof why))
		test_skip("no GPU: %s", why);
	aten_oracle_fixture_init(&g, false);
	CHECKF(!ay_python_open(&g.python, &g.err), "%s", g.err.msg);
	if (!g.python.library || !ay_libtorch_cuda(&g.a, g.python.library))
		test_skip("torch %s has no CUDA", g.python.torch);
	compare(&g, NULL, NLINE, ay_aten_crosscheck_concur);
	aten_oracle_fixture_release(&g);
}

/* --- from one operator to the next ------------------------------------------------------------ */

/* Both executors load the functions of the next operator and answer as new executors do. An
 * executor with a user's reference is never shared. */
TEST_SLOW(aten_oracle_keeps_its_executors_from_operator_to_operator)
{
	const struct ay_expected *want, *got;
	struct ay_exec *spare[2] = { NULL, NULL };
	const uint8_t *mem = NULL;
	struct aten_oracle_fixture g;
	pid_t pid[2];

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, NULL, NULL);
	want = aten_oracle_fixture_ask(&g, lines[1]);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
	g.w.spare = spare;
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && g.w.gpu.exec);
	aten_oracle_fixture_end(&g);
	CHECK(!spare[0] && !spare[1]);
	aten_oracle_fixture_begin(&g, NULL, g.d);
	g.w.spare = spare;
	CHECK(aten_oracle_fixture_ask(&g, lines[0]) && (mem = g.w.pool.mem[0]) &&
	      aten_oracle_fixture_ask(&g, lines[0]));
	CHECK(g.w.on_gpu && g.w.pool.mem[0] == mem); /* and the memory is unchanged */
	pid[0] = ay_exec_pid(g.w.cpu.exec);
	pid[1] = ay_exec_pid(g.w.gpu.exec);
	aten_oracle_fixture_end(&g);
	CHECK(spare[0] && spare[1] && ay_exec_pid(spare[0]) == pid[0] && ay_exec_pid(spare[1]) == pid[1]);
	aten_oracle_fixture_begin(&g, NULL, g.d);
	g.w.spare = spare;
	got = aten_oracle_fixture_ask(&g, lines[1]);
	/* for another operator both devices are needed again */
	CHECK(want && got && !g.w.on_gpu && is_same(want, got));
	got = aten_oracle_fixture_ask(&g, lines[1]);
	CHECK(want && got && g.w.on_gpu && is_same(want, got));
	CHECK(!spare[0] && !spare[1]);
	CHECK(ay_exec_pid(g.w.cpu.exec) == pid[0] && ay_exec_pid(g.w.gpu.exec) == pid[1]);
	aten_oracle_fixture_end(&g);
	for (int i = 0; i < 2; i++)
		ay_exec_stop(spare[i]);
	aten_oracle_fixture_release(&g);
}
