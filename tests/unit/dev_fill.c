/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_fill - compares tensor content made by devices (device/dev_fill.h) with that made by the
 * processor (timing/inputs.h): all bits must be equal. On the processor the units and chunks of the
 * CUDA text are tested; with a GPU its kernels too.
 */
#include "device/dev_fill.h"
#include "op/fill.h"
#include "timing/inputs.h"
#include "dev_fill_fixture.h"
#include "test.h"
#include "timing_fixture.h"

#include <stdlib.h>
#include <string.h>

/* A line, and how its operand 0 is made. */
static const struct {
	const char *line;
	enum ay_fill_op_how how;
	bool stress; /* there are stress sets of it */
} cases[] = {
	{ "aten::relu((T([100003], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([100003], bf16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([100003], f32),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([100003], f64),), {})", AY_FILL_OP_MIX, true },
	{ "aten::add.Tensor((T([50001], c64), 1), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([100003], f32, fill=uniform(1, 2)),), {})", AY_FILL_OP_MIX, false },
	/* every kind of tail: less than a line, than a unit, than a word */
	{ "aten::relu((T([1], f32),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([1], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([3], bf16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([13], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([31], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([32], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([61], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([5], f64),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([16384], f16),), {})", AY_FILL_OP_MIX, true }, /* a chunk, to the byte, */
	/* and one element of the next chunk */
	{ "aten::relu((T([16385], f16),), {})", AY_FILL_OP_MIX, true },
	{ "aten::relu((T([20001], i64),), {})", AY_FILL_OP_DRAW, false },
	{ "aten::relu((T([33333], i32),), {})", AY_FILL_OP_DRAW, false },
	{ "aten::relu((T([40005], i16),), {})", AY_FILL_OP_DRAW, false },
	{ "aten::relu((T([70007], u8),), {})", AY_FILL_OP_DRAW, false },
	{ "aten::cosh((T([40001], f16, fill=scales(-40, 20)),), {})", AY_FILL_OP_TOUCH, false },
	{ "aten::cosh((T([40003], bf16, fill=scales(-9, 9)),), {})", AY_FILL_OP_TOUCH, false },
	{ "aten::cosh((T([20003], f32, fill=scales(-9, 9)),), {})", AY_FILL_OP_TOUCH, false },
	{ "aten::cosh((T([20003], f32, fill=turns(2)),), {})", AY_FILL_OP_TOUCH, false }, /* with zeros */
	{ "aten::cosh((T([10001], f64, fill=scales(-9, 9)),), {})", AY_FILL_OP_TOUCH, false },
	{ "aten::relu((T([70007], u8, fill=bool),), {})", AY_FILL_OP_DRAW, false },
	{ "aten::relu((T([10001], i64, fill=sorted(0, 9999)),), {})", AY_FILL_OP_PICK, false },
	{ "aten::relu((T([16384], i32, fill=sorted(0, 9999)),), {})", AY_FILL_OP_PICK, false }, /* whole chunks, */
	{ "aten::relu((T([70007], u8, fill=sorted(0, 200)),), {})", AY_FILL_OP_PICK, false },   /* and odd ends */
};

enum { NCASE = sizeof cases / sizeof *cases, MARGIN = 64, SETS = 5 };

/* What one set of a case should be, and the request for it to a device. */
struct one {
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key;
	struct ay_fill_op k;
	uint64_t bytes;
	uint8_t *want;
};

static void one_init(struct one *o, const char *line)
{
	timing_fixture_init(&o->r, line);
	ay_input_template_init(&o->m, o->r.call);
	o->key = timing_fixture_key();
	o->bytes = ay_operand_bytes(o->r.call->operand[0]);
	o->want = ay_alloc(&o->r.a, o->bytes + 1);
}

static void one_release(struct one *o)
{
	ay_input_template_release(&o->m);
	timing_fixture_release(&o->r);
}

static bool one_set(struct one *o, int set)
{
	ay_input_template_write(&o->m, 0, o->key, set, o->want);
	return ay_input_template_plan(&o->m, 0, o->key, set, &o->k);
}

/* Makes o->k and returns the first byte that differs from what it should be, margins included, or
 * -1. */
static int64_t first_other(struct dev_fill_fixture *g, const struct one *o, struct ay_fill_op k)
{
	uint8_t *got = ay_xrealloc(NULL, o->bytes + 2 * MARGIN), *margin = ay_xrealloc(NULL, MARGIN);
	struct ay_err err = { 0 };
	const uint64_t to = dev_fill_fixture_put(g, NULL, o->bytes + 2 * MARGIN);
	int64_t at = -1;

	k.to = to + MARGIN;
	if (!k.from)
		ay_fill_op_aim(&k,
			       dev_fill_fixture_put(g, ay_input_template_base(&o->m, 0),
						    ay_input_template_base_bytes(&o->m, 0)),
			       dev_fill_fixture_put(g, o->m.noise, AY_NOISE_LINES * AY_LINE));
	CHECKF(!ay_dev_fill(g->d, &k, 1, &err), "%s", err.msg);
	dev_fill_fixture_get(g, got, to, o->bytes + 2 * MARGIN);
	memset(margin, MAKE_RIG_EMPTY, MARGIN);
	if (memcmp(got, margin, MARGIN) || memcmp(got + MARGIN + o->bytes, margin, MARGIN))
		at = -2;
	for (uint64_t i = 0; i < o->bytes && at == -1; i++)
		if (got[MARGIN + i] != o->want[i])
			at = (int64_t)i;
	dev_fill_fixture_clear(g);
	ay_xfree(got);
	ay_xfree(margin);
	return at;
}

static void check_case(struct dev_fill_fixture *g, int i)
{
	int stress = 0, plain = 0;
	struct one o;

	one_init(&o, cases[i].line);
	for (int set = 0; set < 400 && (plain < SETS || stress < (cases[i].stress ? SETS : 0)); set++) {
		const bool is_stress = ay_input_template_is_stress(&o.m, o.key, set);
		int64_t at;

		if ((is_stress ? stress : plain) >= SETS)
			continue;
		CHECKF(one_set(&o, set) && o.k.how == cases[i].how && !!o.k.nstress == is_stress, "%s: set %d",
		       cases[i].line, set);
		at = first_other(g, &o, o.k);
		CHECKF(at == -1, "%s: set %d: byte %lld is another", cases[i].line, set, (long long)at);
		*(is_stress ? &stress : &plain) += 1;
	}
	CHECKF(plain == SETS && stress == (cases[i].stress ? SETS : 0), "%s: %d plain and %d stress sets",
	       cases[i].line, plain, stress);
	one_release(&o);
}

static void check_all(struct dev_fill_fixture *g)
{
	for (int i = 0; i < NCASE; i++)
		check_case(g, i);
}

/* If one of these steps is left out, the result differs, and the test notices. */
static void check_planted(struct dev_fill_fixture *g)
{
	struct one o;
	struct ay_fill_op k;
	int set = 0;

	one_init(&o, "aten::relu((T([5003], f16),), {})");
	/* some stress sets begin so near the end that they have little of it */
	while (!ay_input_template_is_stress(&o.m, o.key, set) || !one_set(&o, set) || o.k.nstress <= 64)
		set++;
	CHECK(first_other(g, &o, o.k) == -1);
	k = o.k, k.start++;
	CHECK(first_other(g, &o, k) >= 0);
	k = o.k, k.nstress = 0;
	CHECK(first_other(g, &o, k) >= 0);
	k = o.k, k.nstress--; /* one element of 5003 */
	CHECK(first_other(g, &o, k) == (int64_t)((k.stress + k.nstress) * 2 + 1) ||
	      first_other(g, &o, k) == (int64_t)((k.stress + k.nstress) * 2));
	k = o.k, k.how = AY_FILL_OP_DRAW, k.nstress = 0;
	CHECK(first_other(g, &o, k) >= 0);
	k = o.k, k.dt = AY_DT_BF16;
	CHECK(first_other(g, &o, k) >= 0);
	k = o.k, k.bytes -= 2; /* the last element is not written */
	k.stress = k.nstress = 0;
	CHECK(first_other(g, &o, k) >= 0);
	one_release(&o);
}

/* --- what needs no template --------------------------------------------------------------------- */

/* Poison at any address, copies; thousands of ranges of all sizes in one call, among them empty
 * ones. */
static void check_many(struct dev_fill_fixture *g)
{
	enum { N = 6000, ROOM = 4096, LARGE = 300 << 10 };
	const uint64_t bytes = (uint64_t)N * ROOM + LARGE + 4096;
	struct ay_fill_op *m = ay_xrealloc(NULL, sizeof *m * N);
	uint8_t *want = ay_xrealloc(NULL, bytes), *got = ay_xrealloc(NULL, bytes), *src = ay_xrealloc(NULL, LARGE);
	const uint64_t to = dev_fill_fixture_put(g, NULL, bytes);
	struct ay_err err = { 0 };
	uint64_t from, at = 0;

	srand(7);
	for (int i = 0; i < LARGE; i++)
		src[i] = (uint8_t)rand();
	from = dev_fill_fixture_put(g, src, LARGE);
	memset(want, MAKE_RIG_EMPTY, bytes);
	for (int i = 0; i < N; i++) {
		const uint64_t n = i == N / 2 ? LARGE - 5
				   : i % 7    ? (uint64_t)rand() % (ROOM - 64)
					      : (uint64_t)(i % 3);
		const uint64_t lead = i % 2 ? (uint64_t)rand() % 64 : 0;

		m[i] = (struct ay_fill_op){ .to = to + at + lead, .bytes = n, .dt = AY_DT_I8 };
		if (i % 2) {
			m[i].start = 0xabcdef00u | (uint32_t)(i % 251); /* its low byte */
			memset(want + at + lead, i % 251, n);
		} else {
			m[i].how = AY_FILL_OP_COPY;
			m[i].from = from;
			memcpy(want + at, src, n);
		}
		at += (lead + n + 64 + 63) / 64 * 64;
	}
	CHECKF(!ay_dev_fill(g->d, m, N, &err), "%s", err.msg);
	dev_fill_fixture_get(g, got, to, bytes);
	CHECK(!memcmp(got, want, bytes));
	/* one range less must be noticed */
	m[N / 2].bytes--;
	dev_fill_fixture_set(g, to, NULL, bytes);
	CHECK(!ay_dev_fill(g->d, m, N, &err));
	dev_fill_fixture_get(g, got, to, bytes);
	CHECK(memcmp(got, want, bytes));
	CHECK(!ay_dev_fill(g->d, m, 0, &err) && !ay_dev_fill(g->d, &(struct ay_fill_op){ 0 }, 1, &err));
	dev_fill_fixture_clear(g);
	ay_xfree(m);
	ay_xfree(want);
	ay_xfree(got);
	ay_xfree(src);
}

/* A bad list is refused before it reaches the device, and the range is named. */
TEST(fill_op_refuses_bad_ranges)
{
	static const uint64_t a = 1 << 20;
	static const struct {
		struct ay_fill_op m;
		const char *words;
	} bad[] = {
		{ { .to = a, .from = a, .bytes = 64, .how = AY_FILL_OP_PICK + 1 }, "no such way" },
		{ { .to = a, .from = a, .bytes = 1ull << 38, .how = AY_FILL_OP_COPY }, "too large" },
		{ { .to = a, .bytes = 64, .how = AY_FILL_OP_COPY }, "missing" },
		{ { .from = a, .bytes = 64, .how = AY_FILL_OP_COPY }, "missing" },
		{ { .bytes = 64 }, "missing" },
		{ { .to = a + 16, .from = a, .bytes = 64, .how = AY_FILL_OP_COPY }, "aligned" },
		{ { .to = a, .from = a + 8, .bytes = 64, .how = AY_FILL_OP_DRAW }, "aligned" },
		{ { .to = a, .from = a, .bytes = 64, .how = AY_FILL_OP_MIX, .dt = AY_DT_F32 }, "missing" },
		{ { .to = a, .from = a, .bytes = 64, .how = AY_FILL_OP_PICK }, "missing" },
		{ { .to = a, .from = a, .with = a + 4, .bytes = 64, .how = AY_FILL_OP_MIX, .dt = AY_DT_F32 },
		  "aligned" },
		{ { .to = a, .from = a, .with = a, .bytes = 64, .how = AY_FILL_OP_MIX, .dt = AY_DT_I32 },
		  "significands" },
		{ { .to = a, .from = a, .bytes = 66, .how = AY_FILL_OP_TOUCH, .dt = AY_DT_F32 }, "significands" },
		{ { .to = a, .from = a, .bytes = 64, .how = AY_FILL_OP_TOUCH, .dt = 99 }, "significands" },
		{ { a, a, a, 64, 0, 10, 7, AY_FILL_OP_MIX, AY_DT_F32 }, "stress" },
		{ { a, a, a, 64, 0, 17, UINT64_MAX, AY_FILL_OP_MIX, AY_DT_F32 }, "stress" },
		{ { a, a, a, 64, 0, 1, 1, AY_FILL_OP_DRAW, AY_DT_F32 }, "stress" },
	};
	static uint8_t room[64] __attribute__((aligned(64)));

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct ay_fill_op m[] = { { .to = (uintptr_t)room, .bytes = 3, .start = 1 }, bad[i].m };
		struct ay_err err = { 0 };

		CHECKF(ay_dev_fill(ay_dev_cpu(), m, 2, &err) && strstr(err.msg, bad[i].words) &&
			       strstr(err.msg, "range 1 of 2"),
		       "%zu: %s", i, err.msg);
	}
	CHECK(!room[0]); /* and no part of it was done */
}

/* --- on the processor, on a fake, on a GPU ------------------------------------------------ */

TEST(dev_fill_on_the_processor_gives_the_bits_of_content)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_cpu(&g);
	check_all(&g);
	check_planted(&g);
	dev_fill_fixture_release(&g);
}

TEST(fill_op_on_the_processor_does_many_ranges)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_cpu(&g);
	check_many(&g);
	dev_fill_fixture_release(&g);
}

/* Tests the list, the launch and its arguments with a fake driver, which runs the same units as a
 * GPU. */
TEST(dev_fill_on_a_fake_device_gives_the_bits_of_content)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_fake(&g);
	check_all(&g);
	check_planted(&g);
	check_many(&g);
	dev_fill_fixture_release(&g);
}

TEST(dev_fill_on_a_gpu_gives_the_bits_of_content)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_gpu(&g);
	check_all(&g);
	check_planted(&g);
	check_many(&g);
	dev_fill_fixture_release(&g);
}
