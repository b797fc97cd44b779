/* SPDX-License-Identifier: Apache-2.0
 *
 * heap - tests of the Python executor's allocator on a GPU; the addresses are invented. A model of
 * what may be allocated, and an audit of the allocator's tables, check it. Both are also tested
 * with planted defects.
 */
#include "../../torch/exec/heap.h"
#include "base/process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAINS = 4096, LIVE = 200, ROUNDS = 60000, STREAMS = 3 };
/* owner of a grain, or else the number of a stream */
enum { ANY_STREAM = -1, NO_STREAM = -2, GRAPHS = -3 };

#define AT (7ull << 40)

struct model {
	struct heap h;
	void *table;
	struct {
		uint64_t p, bytes;
		int stream;
		bool late, kept;
	} live[LIVE];
	int nlive;
	int came[64], ncame; /* streams with their own lists: the first ones used */
	bool held[GRAINS];   /* the owner of each grain */
	int whose[GRAINS];
	char why[200];
};

static void begin(struct model *m)
{
	memset(m, 0, sizeof *m);
	m->table = calloc(1, heap_table_bytes(GRAINS * HEAP_GRAIN));
	if (!m->table)
		test_skip("no memory");
	heap_open(&m->h, AT, GRAINS * HEAP_GRAIN, m->table);
	for (int i = 0; i < GRAINS; i++)
		m->whose[i] = ANY_STREAM;
}

static void *stream_of(int i)
{
	return (void *)(uintptr_t)(i * 16); /* the first is the default stream: NULL */
}

static bool has_lists(struct model *m, int stream)
{
	for (int i = 0; i < m->ncame; i++)
		if (m->came[i] == stream)
			return true;
	if (m->ncame < HEAP_STREAMS)
		m->came[m->ncame++] = stream;
	return m->ncame && m->came[m->ncame - 1] == stream;
}

static void say(struct model *m, const char *why, uint64_t at)
{
	if (!m->why[0])
		snprintf(m->why, sizeof m->why, "%s at grain %llu", why, (unsigned long long)at);
}

/* --- the model -------------------------------------------------------------------------------- */

static void note_taken(struct model *m, uint64_t p, uint64_t bytes, int stream, bool kept)
{
	const uint64_t first = (p - AT) / HEAP_GRAIN, n = (bytes + HEAP_GRAIN - 1) / HEAP_GRAIN;

	if (p < AT || (p - AT) % HEAP_GRAIN || first + n > GRAINS) {
		say(m, "outside of the heap", first);
		return;
	}
	for (uint64_t i = first; i < first + n; i++) {
		if (m->held[i])
			say(m, "handed out twice", i);
		if (m->whose[i] != ANY_STREAM && m->whose[i] != stream)
			say(m, "another stream may be at work", i);
		m->held[i] = true;
	}
	m->live[m->nlive].p = p;
	m->live[m->nlive].bytes = bytes;
	m->live[m->nlive].stream = stream;
	m->live[m->nlive].kept = kept;
	m->live[m->nlive++].late = !has_lists(m, stream);
}

static void take(struct model *m, uint64_t bytes, int stream, bool kept)
{
	uint64_t p;

	if (m->nlive == LIVE)
		return;
	has_lists(m, stream);
	p = heap_take(&m->h, bytes, stream_of(stream), kept ? HEAP_KEPT : 0);
	if (p)
		note_taken(m, p, bytes, stream, kept);
}

static void give(struct model *m, int k)
{
	const uint64_t p = m->live[k].p, first = (p - AT) / HEAP_GRAIN;
	const uint64_t n = (m->live[k].bytes + HEAP_GRAIN - 1) / HEAP_GRAIN;

	for (uint64_t i = first; i < first + n; i++) {
		m->held[i] = false;
		m->whose[i] = m->live[k].kept ? GRAPHS : m->live[k].late ? NO_STREAM : m->live[k].stream;
	}
	m->live[k] = m->live[--m->nlive];
	if (!heap_give(&m->h, p))
		say(m, "not taken back", first);
	if (heap_give(&m->h, p))
		say(m, "taken back twice", first);
}

static void settle(struct model *m, bool graphs)
{
	for (int i = 0; i < GRAINS; i++)
		if (m->whose[i] != GRAPHS || !graphs)
			m->whose[i] = ANY_STREAM;
	heap_settle(&m->h, graphs);
}

/* --- the audit -------------------------------------------------------------------------------- */

static int count_lists(struct model *m)
{
	int n = 0;

	for (int i = 0; i <= HEAP_STREAMS; i++)
		for (int at = 0; at < HEAP_ROWS * HEAP_COLUMNS; at++) {
			uint32_t b = m->h.lists[i].head[at / HEAP_COLUMNS][at % HEAP_COLUMNS];
			const bool bit = m->h.lists[i].columns[at / HEAP_COLUMNS] >> at % HEAP_COLUMNS & 1;

			if (bit != (b != UINT32_MAX) || (bit && !(m->h.lists[i].rows >> at / HEAP_COLUMNS & 1)))
				say(m, "a list and its bit differ", (uint64_t)at);
			for (; b != UINT32_MAX && n <= GRAINS; b = m->h.block[b].next, n++)
				if (b >= GRAINS || m->h.block[b].state != HEAP_FREE || m->h.block[b].owner != i)
					say(m, "a block in a list that is not its own", b);
		}
	return n;
}

static void audit(struct model *m)
{
	uint32_t before = 0, nfree = 0;

	for (uint32_t b = 0; b < GRAINS && !m->why[0]; b += m->h.block[b].n) {
		const struct heap_block *k = &m->h.block[b], *last = &m->h.block[before];

		if (!k->n || k->n > GRAINS - b || k->state == HEAP_INSIDE) {
			say(m, "no block", b);
			return;
		}
		if (k->before != before)
			say(m, "a wrong neighbour", b);
		if (b && k->state == HEAP_FREE && last->state == HEAP_FREE && k->owner == last->owner)
			say(m, "two free blocks that are not one", b);
		nfree += k->state == HEAP_FREE;
		before = b;
	}
	if (!m->why[0] && count_lists(m) != (int)nfree)
		say(m, "a free block in no list", nfree);
}

/* --- at work ---------------------------------------------------------------------------------- */

enum defect {
	HONEST,
	TWICE,
	STREAMS_MIXED,
	TOO_LONG,
	NOT_MERGED,
	LOST,
	GRAPH_FORGOTTEN,
	SHARE_FORGOTTEN,
	DEFECTS
};

/* Plants a defect, as an allocator with an error would have. Returns true once that was
 * possible. */
static bool plant(struct model *m, enum defect d)
{
	uint32_t b = 0;

	while (b < GRAINS && m->h.block[b].state != HEAP_FREE)
		b += m->h.block[b].n;
	switch (d) {
	case HONEST: return true;
	case TWICE: return m->nlive && heap_give(&m->h, m->live[m->nlive - 1].p);
	case STREAMS_MIXED:
		if (m->h.nstream < 2)
			return false;
		m->h.stream[0] = stream_of(1);
		m->h.stream[1] = stream_of(0);
		return true;
	case TOO_LONG:
		if (b + m->h.block[b].n + 1 < GRAINS)
			m->h.block[b].n++;
		return b + m->h.block[b].n + 1 < GRAINS;
	/* the second half of a free block becomes a block of its own, in no list */
	case NOT_MERGED:
		if (b >= GRAINS || m->h.block[b].n < 2)
			return false;
		m->h.block[b + 1] = m->h.block[b];
		m->h.block[b + 1].n--;
		m->h.block[b + 1].before = b;
		if (b + m->h.block[b].n < GRAINS)
			m->h.block[b + m->h.block[b].n].before = b + 1;
		m->h.block[b].n = 1;
		return true;
	case LOST: /* as if its list lacked it */
		if (b < GRAINS)
			m->h.lists[m->h.block[b].owner].rows = 0;
		return b < GRAINS;
	case GRAPH_FORGOTTEN: heap_settle(&m->h, false); return false; /* each time again */
	default:
		for (int i = 0; i < m->nlive; i++)
			m->h.block[(m->live[i].p - AT) / HEAP_GRAIN].flags = 0;
		return false;
	}
}

static void work(struct model *m, int streams, enum defect d, uint64_t seed)
{
	uint64_t x = seed | 1;
	bool planted = d == HONEST;

	for (int i = 0; i < ROUNDS && !m->why[0]; i++) {
		uint64_t v;

		/* xorshift: an equal sequence every time */
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		v = x >> 8;
		if (v % 8 < 4)
			take(m, 1 + (v >> 8) % (v % 64 < 4 ? 300000 : 9000), (int)(v >> 40) % streams,
			     v % 32 == 1);
		else if (v % 8 < 7 && m->nlive)
			give(m, (int)((v >> 8) % (uint64_t)m->nlive));
		else if (v % 512 == 7)
			settle(m, v & 512);
		else if (v % 64 == 15 && m->nlive) {
			const int k = (int)((v >> 8) % (uint64_t)m->nlive), other = (int)(v >> 40) % streams;

			has_lists(m, other);
			heap_share(&m->h, m->live[k].p, stream_of(other));
			m->live[k].late |= other != m->live[k].stream;
		}
		if (!planted && i > 1000)
			planted = plant(m, d);
		if (i % 64 == 0)
			audit(m);
	}
}

static void end(struct model *m)
{
	free(m->table);
	free(m);
}

TEST(heap_hands_out_what_is_nobodys)
{
	static const int streams[] = { 1, STREAMS, HEAP_STREAMS + 4 };

	for (int i = 0; i < 3; i++) {
		struct model *m = malloc(sizeof *m);

		begin(m);
		work(m, streams[i], HONEST, 77 + (uint64_t)i);
		CHECKF(!m->why[0], "%d streams: %s", streams[i], m->why);
		while (m->nlive)
			give(m, m->nlive - 1);
		settle(m, false);
		audit(m);
		CHECKF(!m->why[0], "%d streams, at the end: %s", streams[i], m->why);
		CHECK(m->h.block[0].n == GRAINS && m->h.block[0].state == HEAP_FREE && !m->h.taken);
		CHECK(m->h.most > GRAINS * HEAP_GRAIN / 2); /* or it had nothing to do */
		end(m);
	}
}

TEST(heap_defects_are_found)
{
	for (int d = HONEST + 1; d < DEFECTS; d++) {
		struct model *m = malloc(sizeof *m);

		begin(m);
		work(m, STREAMS, (enum defect)d, 5);
		CHECKF(m->why[0], "defect %d is not found", d);
		end(m);
	}
}

TEST(heap_temporaries_are_used_again)
{
	struct model *m = malloc(sizeof *m);
	uint64_t p, q;

	begin(m);
	p = heap_take(&m->h, 5000, NULL, 0);
	CHECK(p == AT && m->h.taken == 5120);
	CHECK(heap_give(&m->h, p));
	CHECK(heap_take(&m->h, 5001, NULL, 0) == p); /* by its own stream, at once */
	CHECK(heap_give(&m->h, p));
	q = heap_take(&m->h, 5000, stream_of(1), 0); /* another has to wait */
	CHECK(q && q != p);
	CHECK(heap_give(&m->h, q));
	heap_settle(&m->h, false);
	CHECK(heap_take(&m->h, 5000, stream_of(1), 0) == p);
	heap_share(&m->h, p, NULL);
	CHECK(heap_give(&m->h, p));
	CHECK(heap_take(&m->h, 5000, stream_of(1), 0) != p);
	CHECK(heap_take(&m->h, 5000, NULL, 0) != p);
	CHECK(!heap_take(&m->h, GRAINS * HEAP_GRAIN, NULL, 0) && !heap_take(&m->h, 0, NULL, 0));
	CHECK(!heap_take(&m->h, UINT64_MAX, NULL, 0));
	CHECK(!heap_give(&m->h, p + 512) && !heap_give(&m->h, AT - 512) && !heap_give(&m->h, p + 1) &&
	      !heap_give(&m->h, AT + GRAINS * HEAP_GRAIN) && !heap_give(&m->h, 0));
	end(m);
}

/* Free memory is reported once, and again only where a kernel may have written. */
TEST(heap_says_what_may_be_dirty)
{
	struct model *m = malloc(sizeof *m);
	uint64_t p, q, at, n;
	uint32_t from = 0;

	begin(m);
	CHECK(heap_next_dirty(&m->h, &from, &at, &n) && at == AT && n == GRAINS * HEAP_GRAIN);
	CHECK(!heap_next_dirty(&m->h, &from, &at, &n));
	heap_clean(&m->h);
	from = 0;
	CHECK(!heap_next_dirty(&m->h, &from, &at, &n));
	p = heap_take(&m->h, 512, NULL, 0);
	q = heap_take(&m->h, 1024, NULL, 0);
	heap_give(&m->h, p);
	CHECK(heap_next_dirty(&m->h, &from, &at, &n) && at == p && n == 512);
	CHECK(!heap_next_dirty(&m->h, &from, &at, &n));
	heap_clean(&m->h); /* q is still allocated */
	heap_give(&m->h, q);
	heap_settle(&m->h, false);
	from = 0;
	CHECK(heap_next_dirty(&m->h, &from, &at, &n) && at == AT && n == 1536);
	end(m);
}

/* ASSAY_BENCH=1: measures torch's cost of a tensor. */
TEST(heap_bench)
{
	enum { N = 2000000 };
	struct model *m;
	int64_t t;

	if (!getenv("ASSAY_BENCH"))
		test_skip("ASSAY_BENCH is not set");
	m = malloc(sizeof *m);
	begin(m);
	for (int i = 0; i < 20; i++)
		take(m, 4096, 0, false);
	t = ay_now_ns();
	for (int i = 0; i < N; i++)
		heap_give(&m->h, heap_take(&m->h, 1 + (uint64_t)i % 100000, NULL, 0));
	printf("heap: %.1f ns a block taken and given back\n", (double)(ay_now_ns() - t) / N);
	end(m);
}
