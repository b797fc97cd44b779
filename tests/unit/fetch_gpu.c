/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch_gpu - tests of timed sets that are copied from a device: whole or in part, with a check
 * that their inputs are unchanged. They run with the fake driver of tests/cuda/fake.c, and on a GPU
 * if there is one.
 */
#include "timing/inputs_gpu_internal.h"
#include "base/process.h"
#include "device/cuda.h"
#include "op/fill.h"
#include "dev_fill_fixture.h"
#include "test.h"
#include "timing_fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 3, POISON = 0x75, EMPTY = 0x11 };

/* Sets of a case on a device; each output is a different pattern. */
struct fixture {
	struct dev_fill_fixture g;
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	uint8_t *want;
};

static uint8_t pattern(int set, uint64_t i)
{
	return (uint8_t)(i * 7 + i / 4096 + (uint64_t)set * 31);
}

static uint64_t bytes_of(const struct fixture *b, int i)
{
	return ay_operand_bytes(b->r.call->operand[i]);
}

static bool is_input(const struct fixture *b, int i)
{
	return b->r.call->operand[i]->role == AY_IN;
}

static uint64_t address(const struct fixture *b, int set, int i)
{
	return ay_input_sets_address(&b->s, set * b->r.call->noperand + i);
}

/* Returns what operand i of a set should be after the copy. */
static const uint8_t *wanted(struct fixture *b, int set, int i)
{
	if (is_input(b, i))
		ay_input_template_write(&b->m, i, b->s.key, set, b->want);
	for (uint64_t k = 0; k < bytes_of(b, i) && !is_input(b, i); k++)
		b->want[k] = pattern(set, k);
	return b->want;
}

static void setup(struct fixture *b, const char *line, void (*prepare)(struct dev_fill_fixture *g))
{
	uint64_t most = 0;

	*b = (struct fixture){ 0 };
	prepare(&b->g);
	timing_fixture_init(&b->r, line);
	ay_input_template_init(&b->m, b->r.call);
	CHECKF(!ay_input_template_to_device(&b->m, b->g.d, &b->r.err) &&
		       !ay_input_sets_init_gpu(&b->s, &b->m, SETS, false, false, false, &b->r.err) &&
		       !ay_input_sets_write(&b->s, timing_fixture_key(), 0, SETS, POISON, &b->r.err),
	       "%s", b->r.err.msg);
	for (int i = 0; i < b->r.call->noperand; i++)
		most = bytes_of(b, i) > most ? bytes_of(b, i) : most;
	b->want = ay_xrealloc(NULL, most + 1);
	for (int k = 0; k < SETS * b->r.call->noperand; k++)
		if (!is_input(b, k % b->r.call->noperand))
			dev_fill_fixture_set(&b->g, ay_input_sets_address(&b->s, k),
					     wanted(b, k / b->r.call->noperand, k % b->r.call->noperand),
					     bytes_of(b, k % b->r.call->noperand));
}

static void teardown(struct fixture *b)
{
	ay_xfree(b->want);
	ay_input_sets_release(&b->s);
	ay_input_template_release(&b->m);
	timing_fixture_release(&b->r);
	dev_fill_fixture_release(&b->g);
}

static bool fetch(struct fixture *b, int set, const struct ay_byte_range *need)
{
	bool changed = true;

	for (int i = 0; i < b->r.call->noperand; i++)
		memset(ay_input_sets_at(&b->s, set, i), EMPTY, bytes_of(b, i));
	CHECKF(!ay_input_sets_fetch(&b->s, set, need, &changed, &b->r.err), "%s", b->r.err.msg);
	return changed;
}

/* Returns true if these bytes of an operand are what they should be. */
static bool has(struct fixture *b, int set, int i, uint64_t lo, uint64_t hi)
{
	return !memcmp(ay_input_sets_at(&b->s, set, i) + lo, wanted(b, set, i) + lo, hi - lo);
}

static const char *const lines[] = {
	"aten::relu((T([1000], f32),), {})",
	"aten::relu((T([1300, 1021], f32),), {})",           /* 5 MiB: two pieces */
	"aten::relu((T([600003], f16, fill=special),), {})", /* large, and made here */
	"aten::relu((T([400003], i32),), {})",
	"aten::add.Tensor((T([700, 1001], bf16), T([1001], f32)), {})",
	"aten::add_.Tensor((T([300, 1000], f32), T([300, 1000], f64)), {})",
	"aten::cosh((T([200003], f32, fill=scales(-9, 9)),), {})",
};

static void check_whole(struct fixture *b)
{
	for (int set = SETS - 1; set >= 0; set--) {
		CHECK(!fetch(b, set, NULL));
		for (int i = 0; i < b->r.call->noperand; i++)
			CHECKF(has(b, set, i, 0, bytes_of(b, i)), "set %d, operand %d", set, i);
	}
}

/* Flips one bit of an input at every kind of place, and checks that only it is reported. */
static void check_changed(struct fixture *b)
{
	for (int i = 0; i < b->r.call->noperand; i++) {
		const uint64_t n = bytes_of(b, i), places[] = { 0, ay_secret_below(n), n - 1 };

		for (int k = 0; k < 3 && is_input(b, i); k++) {
			const uint64_t at = address(b, 1, i) + places[k];
			const struct ay_byte_range none[8] = { 0 };
			uint8_t was, other;

			dev_fill_fixture_get(&b->g, &was, at, 1);
			other = was ^ 4;
			dev_fill_fixture_set(&b->g, at, &other, 1);
			CHECKF(fetch(b, 1, NULL), "operand %d, byte %llu", i, (unsigned long long)places[k]);
			CHECK(has(b, 1, i, 0, n)); /* the content made here is still there */
			CHECKF(fetch(b, 1, none), "operand %d, byte %llu", i, (unsigned long long)places[k]);
			CHECK(!fetch(b, 0, NULL) && !fetch(b, 2, NULL));
			dev_fill_fixture_set(&b->g, at, &was, 1);
			CHECK(!fetch(b, 1, NULL));
		}
	}
}

TEST_SLOW(fetch_gpu_brings_what_was_made_and_finds_what_was_changed)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++) {
		struct fixture b;

		setup(&b, lines[t], dev_fill_fixture_fake);
		check_whole(&b);
		check_changed(&b);
		teardown(&b);
	}
}

/* Any part of each: what is asked for is there, and of large ones little else was written or
 * crossed the bus. */
static void check_parts(struct fixture *b, const uint64_t *brought)
{
	struct ay_byte_range need[8];

	for (int t = 0; t < 24; t++) {
		const int set = t % SETS;
		uint64_t least = 0, before = brought ? *brought : 0, large = 0;

		for (int i = 0; i < b->r.call->noperand; i++) {
			const uint64_t n = bytes_of(b, i);

			need[i].lo = ay_secret_below(n);
			need[i].hi = need[i].lo + ay_secret_below(t < 16 ? 5000 : 2 * n);
			large += n > 256 << 10;
			least += is_input(b, i) && n <= 256 << 10 ? n : 5000;
		}
		CHECK(!fetch(b, set, need));
		if (brought && t < 16 && large)
			CHECKF(*brought - before < least + 4096, "%llu bytes",
			       (unsigned long long)(*brought - before));
		for (int i = 0; i < b->r.call->noperand; i++) {
			const uint64_t n = bytes_of(b, i), hi = need[i].hi < n ? need[i].hi : n;
			const uint8_t *at = ay_input_sets_at(&b->s, set, i);

			CHECKF(need[i].lo >= hi || has(b, set, i, need[i].lo, hi),
			       "set %d, operand %d: %llu to %llu", set, i, (unsigned long long)need[i].lo,
			       (unsigned long long)hi);
			/* after the unit in which it ends the memory is unchanged */
			if (n > 256 << 10 && hi + 17 < n)
				CHECKF(at[hi + 16] == EMPTY && !memcmp(at + hi + 16, at + hi + 17, n - hi - 17),
				       "operand %d, behind byte %llu", i, (unsigned long long)hi);
		}
	}
}

TEST_SLOW(fetch_gpu_brings_parts)
{
	/* all but the large operand, which is made on this side */
	static const int some[] = { 0, 1, 3, 4, 5, 6 };

	for (size_t t = 0; t < sizeof some / sizeof *some; t++) {
		struct fixture b;

		setup(&b, lines[some[t]], dev_fill_fixture_fake);
		check_parts(&b, dlsym(b.g.cu->library, "fake_brought"));
		teardown(&b);
	}
}

/* Reads whole pieces and a remainder, with and without pinned memory. */
static void check_reads(struct dev_fill_fixture *g)
{
	enum { MIB = 1 << 20 };
	static const uint64_t sizes[] = { 0, 1, MIB - 1, MIB, 4 * MIB, 4 * MIB + 1, 8 * MIB, 13 * MIB + 77 };
	const uint64_t room = 14 * MIB;
	uint8_t *data = ay_xrealloc(NULL, room), *got = ay_xrealloc(NULL, room);
	const uint64_t at = dev_fill_fixture_put(g, NULL, room);
	struct ay_err err = { 0 };

	for (uint64_t i = 0; i < room; i++)
		data[i] = pattern(1, i);
	dev_fill_fixture_set(g, at, data, room);
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (uint64_t lead = 0; lead < 40; lead += 13) {
			memset(got, EMPTY, room);
			CHECKF(!ay_dev_read(g->d, at + lead, got, sizes[k], &err), "%s", err.msg);
			CHECKF(!memcmp(got, data + lead, sizes[k]) && got[sizes[k]] == EMPTY,
			       "%llu bytes from %llu", (unsigned long long)sizes[k], (unsigned long long)lead);
		}
	dev_fill_fixture_clear(g);
	ay_xfree(data);
	ay_xfree(got);
}

TEST(fetch_gpu_reads_in_pieces)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_fake(&g);
	check_reads(&g);
	dev_fill_fixture_release(&g);
	dev_fill_fixture_fake(&g);
	setenv("FAKE_CUDA", "unpinned", 1);
	check_reads(&g);
	unsetenv("FAKE_CUDA");
	dev_fill_fixture_release(&g);
}

/* Tensors that end where a grain ends, wherever they were drawn to begin. Shared memory must not
 * exceed its slot, or the executor cannot map it. */
TEST(fetch_gpu_lends_no_more_than_a_slot)
{
	enum { DRAWS = 24 }; /* of four places to begin at; one is the start */

	for (int i = 0; i < DRAWS; i++) {
		struct fixture b;

		setup(&b, "aten::relu((T([524288], f32),), {})", dev_fill_fixture_fake);
		CHECK(bytes_of(&b, 0) % b.g.d->info.grain == 0);
		for (int k = 0; k < b.s.mems.n; k++)
			CHECK(b.s.mems.mem[k].offset + b.s.mems.mem[k].bytes <= b.s.pool.slot[k].bytes);
		teardown(&b);
	}
}

/* The states of random generators lie in host memory that the executor only reads. */
TEST(fetch_gpu_states_of_generators_are_on_the_host)
{
	struct fixture b;
	const struct ay_slot *slot;

	setup(&b, "aten::exponential_((T([1000], f32),), {})", dev_fill_fixture_fake);
	slot = &b.s.pool.slot[b.s.rng.slot];
	CHECK(b.s.has_rng && slot->host && !slot->written && slot->mem);
	CHECK(b.s.rng.offset % AY_ALIGN == 0 && b.s.rng.offset + SETS * sizeof(ay_rng) <= slot->bytes);
	for (int set = 0; set < SETS; set++) {
		const ay_rng want = ay_input_rng(b.s.key, set);

		CHECK(!memcmp(slot->mem + b.s.rng.offset + (size_t)set * sizeof want, &want, sizeof want));
	}
	teardown(&b);
}

/* How fast, for people. */
static void tell_speed(struct dev_fill_fixture *g)
{
	const uint64_t n = 64 << 20, at = dev_fill_fixture_put(g, NULL, n);
	uint8_t *to = ay_xrealloc(NULL, n);
	struct ay_err err = { 0 };
	int64_t begin = 0, ns;

	for (int i = 0; i < 5; i++) {
		begin = ay_now_ns();
		CHECKF(!ay_dev_read(g->d, at, to, n, &err), "%s", err.msg);
	}
	ns = ay_now_ns() - begin;
	begin = ay_now_ns();
	CHECK(!g->cu->copy_out(to, at, n));
	printf("    64 MiB are read at %.1f GB/s, by the driver alone at %.1f GB/s\n", (double)n / (double)ns,
	       (double)n / (double)(ay_now_ns() - begin));
	dev_fill_fixture_clear(g);
	ay_xfree(to);
}

TEST(fetch_gpu_on_a_gpu)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++) {
		struct fixture b;

		setup(&b, lines[t], dev_fill_fixture_gpu);
		if (!t)
			tell_speed(&b.g);
		check_reads(&b.g);
		check_whole(&b);
		check_changed(&b);
		if (t != 2)
			check_parts(&b, NULL);
		teardown(&b);
	}
}
