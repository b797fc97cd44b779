/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <string.h>

#define NO_BLOCK UINT32_MAX

enum { SHARED = 0 /* index of the shared lists */ };

size_t heap_table_bytes(uint64_t bytes)
{
	return (size_t)(bytes / HEAP_GRAIN) * sizeof(struct heap_block);
}

/* --- lists ------------------------------------------------------------------------------------------------- */

/* Sizes below 8 grains have a list each; above, each power of two is divided into 8 lists. */
static void list_of(uint32_t n, int *row, int *column)
{
	const int log = 31 - __builtin_clz(n);

	*row = n < HEAP_COLUMNS ? 0 : log - 2;
	*column = n < HEAP_COLUMNS ? (int)n : (int)(n >> (log - 3)) - HEAP_COLUMNS;
}

static void put_in(struct heap *h, uint32_t b)
{
	struct heap_lists *l = &h->lists[h->block[b].owner];
	int row, column;
	uint32_t *head;

	list_of(h->block[b].n, &row, &column);
	head = &l->head[row][column];
	h->block[b].prev = NO_BLOCK;
	h->block[b].next = *head;
	if (*head != NO_BLOCK)
		h->block[*head].prev = b;
	*head = b;
	l->rows |= 1u << row;
	l->columns[row] |= (uint8_t)(1u << column);
}

static void take_out(struct heap *h, uint32_t b)
{
	struct heap_lists *l = &h->lists[h->block[b].owner];
	const uint32_t prev = h->block[b].prev, next = h->block[b].next;
	int row, column;

	if (next != NO_BLOCK)
		h->block[next].prev = prev;
	if (prev != NO_BLOCK) {
		h->block[prev].next = next;
		return;
	}
	list_of(h->block[b].n, &row, &column);
	l->head[row][column] = next;
	if (next != NO_BLOCK)
		return;
	l->columns[row] &= (uint8_t) ~(1u << column);
	if (!l->columns[row])
		l->rows &= ~(1u << row);
}

/* Returns a free block of n grains or more. In the list of size n some blocks may be too small; in
 * the lists after it none is. */
static uint32_t find(const struct heap *h, const struct heap_lists *l, uint32_t n)
{
	uint32_t rows, b;
	unsigned columns;
	int row, column;

	list_of(n, &row, &column);
	b = l->head[row][column];
	for (int i = 0; i < HEAP_LOOKS && b != NO_BLOCK; i++, b = h->block[b].next)
		if (h->block[b].n >= n)
			return b;
	columns = l->columns[row] & ~((2u << column) - 1);
	if (columns)
		return l->head[row][__builtin_ctz(columns)];
	rows = row < HEAP_ROWS - 1 ? l->rows & ~((2u << row) - 1) : 0;
	if (!rows)
		return NO_BLOCK;
	row = __builtin_ctz(rows);
	return l->head[row][__builtin_ctz(l->columns[row])];
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

static uint32_t behind(const struct heap *h, uint32_t b)
{
	return b + h->block[b].n;
}

static void lay(struct heap *h, uint32_t b, uint32_t n, uint32_t before, int owner)
{
	h->block[b] = (struct heap_block){ .n = n, .before = before, .state = HEAP_FREE, .owner = (uint8_t)owner };
	if (b + n < h->n)
		h->block[b + n].before = b;
}

/* Makes the second block a part of the first. */
static void merge(struct heap *h, uint32_t b, uint32_t second)
{
	h->block[b].n += h->block[second].n;
	h->block[second].state = HEAP_INSIDE;
	if (behind(h, b) < h->n)
		h->block[behind(h, b)].before = b;
}

static void clear_lists(struct heap *h)
{
	memset(h->lists, 0, sizeof h->lists);
	for (int i = 0; i < 1 + HEAP_STREAMS; i++)
		memset(h->lists[i].head, 0xff, sizeof h->lists[i].head);
}

void heap_open(struct heap *h, uint64_t at, uint64_t bytes, void *table)
{
	memset(h, 0, sizeof *h);
	h->at = at;
	h->bytes = bytes;
	h->n = (uint32_t)(bytes / HEAP_GRAIN);
	h->touched = h->n; /* the content is not known */
	h->block = table;
	clear_lists(h);
	lay(h, 0, h->n, 0, SHARED);
	put_in(h, 0);
}

/* Returns the index of a stream's lists. */
static int owner_of(struct heap *h, void *stream)
{
	for (int i = 0; i < h->nstream; i++)
		if (h->stream[i] == stream)
			return i + 1;
	if (h->nstream == HEAP_STREAMS)
		return HEAP_NONE;
	h->stream[h->nstream++] = stream;
	return h->nstream;
}

uint64_t heap_take(struct heap *h, uint64_t bytes, void *stream, unsigned flags)
{
	const int owner = owner_of(h, stream);
	uint32_t n, b = NO_BLOCK;

	if (!bytes || bytes > h->bytes)
		return 0;
	n = (uint32_t)((bytes + HEAP_GRAIN - 1) / HEAP_GRAIN);
	if (owner != HEAP_NONE)
		b = find(h, &h->lists[owner], n);
	if (b == NO_BLOCK)
		b = find(h, &h->lists[SHARED], n);
	if (b == NO_BLOCK)
		return 0;
	take_out(h, b);
	if (h->block[b].n > n) {
		lay(h, b + n, h->block[b].n - n, b, h->block[b].owner);
		put_in(h, b + n);
		h->block[b].n = n;
	}
	h->block[b].state = HEAP_TAKEN;
	h->block[b].owner = (uint8_t)owner;
	h->block[b].flags = (uint8_t)flags;
	h->taken += (uint64_t)n * HEAP_GRAIN;
	h->most = h->taken > h->most ? h->taken : h->most;
	h->touched = b + n > h->touched ? b + n : h->touched;
	return h->at + (uint64_t)b * HEAP_GRAIN;
}

/* Returns the block in use at this address, or NO_BLOCK. */
static uint32_t taken_at(const struct heap *h, uint64_t p)
{
	const uint64_t off = p - h->at;

	return off < h->bytes && off % HEAP_GRAIN == 0 && h->block[off / HEAP_GRAIN].state == HEAP_TAKEN
		       ? (uint32_t)(off / HEAP_GRAIN)
		       : NO_BLOCK;
}

static bool is_free_for(const struct heap *h, uint32_t b, int owner)
{
	return h->block[b].state == HEAP_FREE && h->block[b].owner == owner;
}

bool heap_give(struct heap *h, uint64_t p)
{
	uint32_t b = taken_at(h, p), other;
	int owner;

	if (b == NO_BLOCK)
		return false;
	h->taken -= (uint64_t)h->block[b].n * HEAP_GRAIN;
	owner = h->block[b].owner;
	if (h->block[b].flags || owner == HEAP_NONE) {
		h->block[b].state = HEAP_WAITING;
		return true;
	}
	h->block[b].state = HEAP_FREE;
	other = behind(h, b);
	if (other < h->n && is_free_for(h, other, owner)) {
		take_out(h, other);
		merge(h, b, other);
	}
	other = h->block[b].before;
	if (other != b && is_free_for(h, other, owner)) {
		take_out(h, other);
		merge(h, other, b);
		b = other;
	}
	put_in(h, b);
	return true;
}

void heap_share(struct heap *h, uint64_t p, void *stream)
{
	const uint32_t b = taken_at(h, p);

	if (b != NO_BLOCK && owner_of(h, stream) != h->block[b].owner)
		h->block[b].flags |= HEAP_SHARED;
}

static bool can_settle(const struct heap_block *b, bool graphs)
{
	return b->state == HEAP_FREE || (b->state == HEAP_WAITING && !(graphs && b->flags & HEAP_KEPT));
}

void heap_settle(struct heap *h, bool graphs)
{
	clear_lists(h);
	for (uint32_t b = 0; b < h->n; b = behind(h, b)) {
		if (!can_settle(&h->block[b], graphs))
			continue;
		while (behind(h, b) < h->n && can_settle(&h->block[behind(h, b)], graphs))
			merge(h, b, behind(h, b));
		lay(h, b, h->block[b].n, h->block[b].before, SHARED);
		put_in(h, b);
	}
}

/* --- memory to overwrite ------------------------------------------------------------------------------------- */

bool heap_next_dirty(const struct heap *h, uint32_t *from, uint64_t *p, uint64_t *bytes)
{
	for (uint32_t b = *from; b < h->touched; b = behind(h, b)) {
		uint32_t end = behind(h, b);

		if (h->block[b].state != HEAP_FREE)
			continue;
		*from = end;
		end = end < h->touched ? end : h->touched;
		*p = h->at + (uint64_t)b * HEAP_GRAIN;
		*bytes = (uint64_t)(end - b) * HEAP_GRAIN;
		return true;
	}
	return false;
}

void heap_clean(struct heap *h)
{
	h->touched = 0;
	for (uint32_t b = 0; b < h->n; b = behind(h, b))
		if (h->block[b].state != HEAP_FREE)
			h->touched = behind(h, b); /* its user may write to it and free it later */
}
