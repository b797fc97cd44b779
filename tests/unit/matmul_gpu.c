/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_gpu - tests of products that are checked on a device. What the device accepts the oracle
 * must accept too, and what the oracle refuses the device must refuse. They run with the fakes of
 * tests/cuda (driver, NVRTC, cuBLAS), and on a GPU if there is one.
 */
#include "timing/inputs_gpu_internal.h"
#include "base/process.h"
#include "device/cuda.h"
#include "device/matmul_check.h"
#include "device/matmul_bound.h"
#include "help_cc.h"
#include "helpers.h"
#include "dev_fill_fixture.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "test.h"
#include "timing/matmul_gpu.h"
#include "timing/verify.h"
#include "timing_fixture.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SETS = 2, POISON = 0x75 };

/* --- one element ------------------------------------------------------------------------------ */

TEST(matmul_gpu_ulps_are_those_of_dtypes)
{
	static const struct {
		enum ay_dt dt;
		uint32_t kind;
	} kinds[] = { { AY_DT_F16, AY_LANES_F16 },
		      { AY_DT_BF16, AY_LANES_BF16 },
		      { AY_DT_F32, AY_LANES_F32 },
		      { AY_DT_F64, AY_LANES_F64 } };

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int e = -1074; e < 1024; e++)
			for (int m = 0; m < 6; m++) {
				const double about = ldexp(1, e), list[] = { about,
									     -1.5 * about,
									     nextafter(about, 0),
									     nextafter(about, INFINITY),
									     m % 2 ? 0.0 : -0.0,
									     m % 2 ? INFINITY : -DBL_MAX };

				CHECKF(ay_ulp_of(kinds[k].kind, list[m]) == ay_dt_ulp(kinds[k].dt, list[m]),
				       "%s of %a", ay_dt_info(kinds[k].dt)->name, list[m]);
			}
	CHECK(isnan(ay_ulp_of(AY_LANES_F32, NAN)));
}

/* --- sets ------------------------------------------------------------------------------------- */

/* Sets of a product on a device; their results are the reference's. */
struct fixture {
	struct dev_fill_fixture g;
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	struct ay_verify v;
	bool asked; /* and the device found everything right */
};

static bool is_right(void *user, int set)
{
	struct fixture *b = user;
	bool right = false;

	CHECKF(!ay_input_sets_are_right(&b->s, b->r.sc.op, set, &right, &b->r.err), "%s", b->r.err.msg);
	b->asked = right;
	return right;
}

static bool bring(void *user, int set, const struct ay_byte_range *need)
{
	struct fixture *b = user;
	bool changed;

	CHECKF(!ay_input_sets_fetch(&b->s, set, need, &changed, &b->r.err), "%s", b->r.err.msg);
	return !changed;
}

static const struct ay_operand *out_of(const struct fixture *b)
{
	return b->r.call->out[0];
}

static uint64_t out_at(const struct fixture *b, int set)
{
	return ay_input_sets_address(&b->s, set * b->r.call->noperand + out_of(b)->ordinal);
}

/* Makes the right answer of a set, on both sides. */
static void produce(struct fixture *b, int set)
{
	struct ay_call *c = b->r.call;
	const struct ay_view *out = &c->out[0]->view;
	struct ay_compare q = { .op = b->r.sc.op, .call = c, .threads = 1 };
	bool changed;

	CHECKF(!ay_input_sets_fetch(&b->s, set, NULL, &changed, &b->r.err) && !changed, "%s", b->r.err.msg);
	for (int i = 0; i < c->noperand; i++) {
		struct ay_operand *o = c->operand[i];
		uint8_t *old = ay_alloc(&b->r.a, ay_operand_bytes(o) + 1);
		const int64_t skip = o->view.offset * ay_dt_info(o->view.dt)->bytes;

		o->view.data = ay_input_sets_at(&b->s, set, i) + skip;
		if (o->role == AY_INOUT)
			ay_input_template_write(&b->m, i, b->s.key, set, old);
		o->old.data = old + skip;
	}
	ay_oracle_produce(&q, &out);
	dev_fill_fixture_set(&b->g, out_at(b, set), ay_input_sets_at(&b->s, set, out_of(b)->ordinal),
			     ay_operand_bytes(out_of(b)));
}

static void load_cublas(struct fixture *b)
{
	help_cc(&b->g.a, "-O2 -Iinclude -Wl,-soname,libcublas.so.13 tests/cuda/cublas.c",
		ay_sprintf(&b->g.a, "%s/libcublas.so.13", test_dir()));
	CHECK(dlopen(ay_sprintf(&b->g.a, "%s/libcublas.so.13", test_dir()), RTLD_NOW | RTLD_LOCAL));
}

static void setup(struct fixture *b, const char *line, void (*prepare)(struct dev_fill_fixture *g), bool cublas)
{
	*b = (struct fixture){ 0 };
	prepare(&b->g);
	if (cublas)
		load_cublas(b);
	timing_fixture_init(&b->r, line);
	ay_input_template_init(&b->m, b->r.call);
	CHECKF(!ay_input_template_to_device(&b->m, b->g.d, &b->r.err) &&
		       !ay_input_sets_init_gpu(&b->s, &b->m, SETS, false, false, false, &b->r.err) &&
		       !ay_input_sets_write(&b->s, timing_fixture_key(), 0, SETS, POISON, &b->r.err),
	       "%s", b->r.err.msg);
	b->v = (struct ay_verify){
		.op = b->r.sc.op, .call = b->r.call, .threads = 1, .fetch = bring, .right = is_right, .user = b
	};
}

static void teardown(struct fixture *b)
{
	ay_verify_release(&b->v);
	ay_input_sets_release(&b->s);
	ay_input_template_release(&b->m);
	timing_fixture_release(&b->r);
	dev_fill_fixture_release(&b->g);
}

/* Judges with the device's check and without it: the verdicts must be equal. */
static enum ay_verified look(struct fixture *b, int set, char text[200])
{
	enum ay_verified with, without;

	text[0] = 0;
	b->asked = false;
	with = ay_verify_set(&b->v, &b->s, b->s.key, set, POISON, text);
	b->v.right = NULL;
	without = ay_verify_set(&b->v, &b->s, b->s.key, set, POISON, text);
	b->v.right = is_right;
	CHECKF(with == without, "%d with the device, %d without: %s", with, without, text);
	return with;
}

/* Sets element i of the results to x; returns its old value. */
static double exchange(struct fixture *b, int set, int64_t i, double x)
{
	const struct ay_view *v = &out_of(b)->view;
	const int64_t item = ay_dt_info(v->dt)->bytes;
	const uint64_t at = out_at(b, set) + (uint64_t)((v->offset + ay_view_at(v, i)) * item);
	uint8_t bits[8];
	double was;

	dev_fill_fixture_get(&b->g, bits, at, (uint64_t)item);
	ay_row_load_d(v->dt, bits, 1, 1, &was);
	ay_row_store_d(v->dt, bits, 1, 1, &x);
	dev_fill_fixture_set(&b->g, at, bits, (uint64_t)item);
	return was;
}

/* Returns the oracle's bound of an element with its present value. */
static double bound_of(struct fixture *b, int set, int64_t i)
{
	struct ay_compare q = { .op = b->r.sc.op, .call = b->r.call, .threads = 1 };
	struct ay_diff d;
	const double was = exchange(b, set, i, 3e4);
	char text[200];

	CHECK(look(b, set, text) == AY_WRONG && !b->asked);
	ay_oracle_compare(&q, &d); /* the element that was just changed */
	CHECKF(d.bad == 1 && d.first == i, "%lld bad, first %lld not %lld", (long long)d.bad, (long long)d.first,
	       (long long)i);
	exchange(b, set, i, was);
	return (double)d.bound;
}

static void check_planted(struct fixture *b)
{
	static const double far[] = { 0, 0.2, -0.2, 0.9, -0.99, 1.02, -1.1, 1.5, 10, -1e3 };
	const int64_t n = ay_numel_of(&out_of(b)->view);
	char text[200];

	for (int t = 0; t < 3; t++) {
		const int64_t i = t ? (int64_t)ay_secret_below((uint64_t)n) : n - 1;
		const double bound = bound_of(b, 1, i), was = exchange(b, 1, i, 0);

		exchange(b, 1, i, was);
		for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
			double got;

			exchange(b, 1, i, was + far[k] * bound);
			got = exchange(b, 1, i, was + far[k] * bound);
			CHECKF(look(b, 1, text) == AY_VERIFIED || fabs(got - was) > 0.45 * bound,
			       "%g of a bound of %g", (got - was) / bound, bound);
			CHECKF(b->asked || fabs(far[k]) > 0.2, "%g of the bound: the device does not know",
			       far[k]);
			CHECKF(!b->asked || fabs(got - was) <= 1.6 * bound,
			       "%g of the bound is right for the device", (got - was) / bound);
		}
		exchange(b, 1, i, NAN);
		CHECK(look(b, 1, text) == AY_WRONG && !b->asked);
		exchange(b, 1, i, was);
		CHECK(look(b, 1, text) == AY_VERIFIED && b->asked);
	}
}

static void check_changed(struct fixture *b)
{
	const struct ay_call *c = b->r.call;

	for (int i = 0; i < c->noperand; i++) {
		const uint64_t at = ay_input_sets_address(&b->s, c->noperand + i) +
				    ay_operand_bytes(c->operand[i]) - 1;
		uint8_t was, other;
		char text[200];

		if (c->operand[i]->role != AY_IN)
			continue;
		dev_fill_fixture_get(&b->g, &was, at, 1);
		other = was ^ 1;
		dev_fill_fixture_set(&b->g, at, &other, 1);
		CHECK(look(b, 1, text) == AY_UNFETCHED && !b->asked);
		dev_fill_fixture_set(&b->g, at, &was, 1);
		CHECK(look(b, 1, text) == AY_VERIFIED && b->asked);
	}
}

static const char *const lines[] = {
	"aten::mm((T([33, 65], f32), T([65, 17], f32)), {})",
	"aten::mm((T([64, 300], f16), T([300, 32], f16, stride=(1, 300))), {})",
	"aten::mm((T([40, 257], bf16, stride=(1, 40)), T([257, 24], bf16)), {})",
	"aten::mm.dtype((T([16, 64], f16), T([64, 48], f16), f32), {})",
	"aten::bmm((T([3, 20, 31], f32), T([3, 31, 9], f32)), {})",
	"aten::matmul((T([5, 1, 12, 40], f16, offset=3), T([2, 40, 8], f16)), {})",
	"aten::matmul((T([30, 200], f32), T([200], f32)), {})",
	"aten::matmul((T([500], f32), T([500, 30], f32)), {})",
	/* large enough to be made on the device */
	"aten::matmul((T([1100, 64], f32), T([64, 16], f32)), {})",
	"aten::linear((T([4, 7, 100], f16), T([33, 100], f16), T([33], f16)), {})",
	"aten::linear((T([50, 64], f32), T([21, 64], f32)), {})",
	"aten::mm((T([33, 64], f32, fill=exact), T([64, 17], f32, fill=exact)), {})",
	"cublas::cublasSgemm_v2(('N', 'T', 33, 21, 65, -0.999, T([65, 33], f32), 33, T([65, 21], f32), 21, 0.5, "
	"T([21, 33], f32), 33), {})",
	"cublas::cublasSgemm_v2(('T', 'N', 33, 21, 65, 1.0, T([33, 70], f32), 70, T([21, 65], f32), 65, 0.0, "
	"T([21, 33], f32, fill=const(nan)), 33), {})",
};

static void check_line(const char *line, void (*prepare)(struct dev_fill_fixture *g), bool fake)
{
	struct fixture b;
	char text[200];

	setup(&b, line, prepare, fake);
	for (int set = 0; set < SETS; set++) {
		CHECK(!is_right(&b, set)); /* poison, or the old content */
		produce(&b, set);
		CHECKF(look(&b, set, text) == AY_VERIFIED && b.asked, "%s: set %d: %s", line, set, text);
	}
	check_planted(&b);
	check_changed(&b);
	teardown(&b);
}

TEST_SLOW(matmul_gpu_on_a_fake_device_agrees_with_the_oracle)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++)
		check_line(lines[t], dev_fill_fixture_fake, true);
}

TEST(matmul_gpu_on_a_gpu_agrees_with_the_oracle)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++)
		check_line(lines[t], dev_fill_fixture_gpu, false);
}

/* Prints how long a check takes on a set that no kernel has written. */
TEST(matmul_gpu_on_a_gpu_takes_some_time)
{
	static const char *const large[] = { "aten::mm((T([2048, 2048], f16), T([2048, 2048], f16)), {})",
					     "aten::mm((T([4096, 4096], f32), T([4096, 4096], f32)), {})",
					     "aten::mm((T([8192, 8192], bf16), T([8192, 8192], bf16)), {})" };

	for (size_t t = 0; t < sizeof large / sizeof *large; t++) {
		double ns[3];
		struct fixture b;

		setup(&b, large[t], dev_fill_fixture_gpu, false);
		if (!ay_input_template_can_multiply(&b.m, b.r.sc.op))
			test_skip("no cuBLAS or NVRTC for the judge");
		for (int i = 0; i < 3; i++) {
			const int64_t begin = ay_now_ns();

			CHECK(!is_right(&b, i % SETS));
			ns[i] = (double)(ay_now_ns() - begin);
		}
		printf("    %s: %.1f ms, then %.1f and %.1f ms\n", large[t], ns[0] / 1e6, ns[1] / 1e6,
		       ns[2] / 1e6);
		teardown(&b);
	}
}

/* --- when it is asked ------------------------------------------------------------------------- */

static const struct {
	const char *line;
	bool can, should; /* expected: it is large enough */
} asked[] = {
	{ "aten::mm((T([600, 700], f16), T([700, 700], f16)), {})", true, true },
	{ "aten::mm((T([64, 64], f16), T([64, 64], f16)), {})", true, false },
	{ "aten::mm((T([64, 64], f64), T([64, 64], f64)), {})", false, false },
	{ "aten::mm((T([64, 64], c64), T([64, 64], c64)), {})", false, false },
	{ "aten::mm((T([64, 64], i32), T([64, 64], i32)), {})", false, false },
	{ "aten::mm.out((T([64, 64], f32), T([64, 64], f32)), {'out': T([64, 64], f32, stride=(128, 2))})", false,
	  false },
	{ "aten::mm((T([64, 0], f32), T([0, 64], f32)), {})", false, false },
	{ "aten::relu((T([1000], f32),), {})", false, false },
	{ "cublas::cublasSgemm_v2(('N', 'N', 16, 16, 16, 1.0, T([16, 16], f32), 16, T([16, 16], f32), 16, 0.0, "
	  "T([16, 20], f32), 20), {})",
	  false, false },
};

TEST_SLOW(matmul_gpu_is_asked_of_a_device_that_can)
{
	struct fixture b;

	for (size_t t = 0; t < sizeof asked / sizeof *asked; t++) {
		setup(&b, asked[t].line, dev_fill_fixture_fake, true);
		CHECKF(ay_input_template_can_multiply(&b.m, b.r.sc.op) == asked[t].should, "%s", asked[t].line);
		if (t && !asked[t].should) {
			bool right;

			produce(&b, 0);
			CHECK(!ay_input_sets_are_right(&b.s, b.r.sc.op, 0, &right, &b.r.err));
			CHECKF(right == asked[t].can, "%s", asked[t].line);
		}
		teardown(&b);
	}
}

/* The operands lie on this side, as those of a judged case do. */
TEST(matmul_gpu_that_lies_here_is_brought_there)
{
	static const char *const calls[] = {
		"aten::mm((T([60, 70], f16), T([70, 50], f16)), {})",
		"aten::mm((T([60, 70], f32, stride=(1, 60), offset=3), T([70, 70], f32)), {})",
		"cublas::cublasSgemm_v2(('N', 'N', 16, 16, 16, 2.0, T([16, 16], f32), 16, T([16, 16], f32), 16, "
		"0.5, "
		"T([16, 16], f32), 16), {})",
	};

	for (size_t t = 0; t < sizeof calls / sizeof *calls; t++) {
		struct fixture b;
		bool right = false;
		uint8_t *last;

		setup(&b, calls[t], dev_fill_fixture_fake, true);
		produce(&b, 0);
		CHECK(!ay_product_is_large(b.r.sc.op, b.r.call));
		CHECKF(!ay_product_is_right(b.g.d, b.r.sc.op, b.r.call, &right, &b.r.err) && right, "%s: %s",
		       calls[t], b.r.err.msg);
		last = (uint8_t *)out_of(&b)->view.data + ay_operand_bytes(out_of(&b)) - 1;
		*last ^= 4; /* of an exponent */
		CHECKF(!ay_product_is_right(b.g.d, b.r.sc.op, b.r.call, &right, &b.r.err) && !right, "%s",
		       calls[t]);
		teardown(&b);
	}
}

TEST(matmul_gpu_is_not_asked_without_cublas)
{
	struct fixture b;
	bool right = true;

	setup(&b, asked[0].line, dev_fill_fixture_fake, false);
	CHECK(!ay_input_template_can_multiply(&b.m, b.r.sc.op));
	CHECK(!ay_input_sets_are_right(&b.s, b.r.sc.op, 0, &right, &b.r.err) && !right);
	teardown(&b);
}

/* --- the whole way ---------------------------------------------------------------------------- */

/* A product that is timed, with all fakes: verdict, and what cuBLAS was asked in the judge's
 * process. */
static char *check_timed(struct ay_arena *a, int wrong_after)
{
	const char *dir = test_dir();
	char *out = "";

	help_run(a,
		 ay_sprintf(
			 a,
			 "cd %s && export LD_LIBRARY_PATH=$PWD XDG_CACHE_HOME=$PWD FAKE_NVRTC_LOG=/dev/null "
			 "FAKE_CUBLAS_LOG=$PWD/log%d && "
			 "cc -shared -fPIC -O3 -DWRONG_AFTER=%d -I$OLDPWD/include -o mm.so "
			 "$OLDPWD/tests/cuda/mm.c && cd $OLDPWD && %s/assay check %s/mm.so --op aten::mm --device "
			 "cuda --timeout 30 --cache '' --timing auto --budget 1 --baseline none --case "
			 "'aten::mm((T([650, 650], f32), T([650, 650], f32)), {}) seed=3' 2>&1; cat %s/log%d",
			 dir, wrong_after, wrong_after, help_build_dir(), dir, dir, wrong_after),
		 120, &out);
	return out;
}

TEST_SLOW(matmul_gpu_that_is_timed_is_looked_at_on_the_device)
{
	struct ay_arena a = { 0 };
	char *out = "";

	if (!getenv("ASSAY_WHOLE"))
		test_skip("the fake takes half a minute for one that is large enough: ASSAY_WHOLE=1");
	chmod(test_dir(), 0755); /* executors have uids of their own */
	CHECKF(!help_run(&a,
			 ay_sprintf(&a,
				    "D=%s; cc -shared -fPIC -O2 -D_GNU_SOURCE -Isrc -o $D/libcuda.so.1 "
				    "tests/cuda/fake.c && cc -shared -fPIC -O1 -o $D/libnvrtc.so.13 "
				    "tests/cuda/fake_nvrtc.c && cc -shared -fPIC -O2 -Iinclude -o "
				    "$D/libcublas.so.13 tests/cuda/cublas.c",
				    test_dir()),
			 60, &out),
	       "%s", out);
	out = check_timed(&a, 0);
	CHECKF(strstr(out, "PASS") && strstr(out, "gemm of 1: 650 650 650"), "%s", out);
	out = check_timed(&a, 2);
	CHECKF(strstr(out, "right when it was judged, wrong when it was timed") &&
		       strstr(out, "gemm of 1: 650 650 650"),
	       "%s", out);
	ay_arena_release(&a);
}
