/* SPDX-License-Identifier: Apache-2.0
 *
 * heap - one stretch of a GPU's memory, cut into blocks for torch. Works on numbers alone: nothing here touches that
 * memory, the driver or Python.
 *
 * Theory of operation. A block is some grains of 512 bytes. What is free lies in lists by size, one set of lists for
 * each stream and one for nobody's: work of a stream is done in its order, so what a stream has given back that stream
 * may have again at once, another one only when the device has nothing left to do, which heap_settle is told. Neighbours
 * that are free for the same become one block. The record of a block lies in a table at the number of its first grain;
 * pages of the table that are never touched cost nothing. Taking and giving back touch a few records and two words of
 * bits: 20 to 60 ns.
 *
 * Who calls sees to it that only one thread is in here.
 */
#ifndef AY_TORCH_HEAP_H
#define AY_TORCH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HEAP_GRAIN = 512,     /* as torch's own allocator */
	HEAP_STREAMS = 8,     /* with lists of their own; what others give back waits */
	HEAP_ROWS = 32,       /* of lists: a power of two each, */
	HEAP_COLUMNS = 8,     /* in as many steps */
	HEAP_LOOKS = 8,       /* blocks of the right list that are looked at for one that is large enough */
	HEAP_NONE = UINT8_MAX /* no list: this stream came when all were taken */
};

#define HEAP_MOST (1ull << 40) /* bytes of a stretch */

enum heap_state {
	HEAP_INSIDE, /* no block begins here */
	HEAP_FREE,
	HEAP_TAKEN,
	HEAP_WAITING, /* given back, but others may still be at work on it */
};

enum { HEAP_SHARED = 1 /* with another stream */, HEAP_KEPT = 2 /* by a graph, which comes back to it */ };

struct heap_block {
	uint32_t n;          /* grains */
	uint32_t before;     /* the block that ends here; its own number: it is the first */
	uint32_t prev, next; /* in its list; UINT32_MAX: there is none */
	uint8_t state, owner, flags;
};

/* Free blocks by size; a bit for each list that is not empty. */
struct heap_lists {
	uint32_t rows;
	uint8_t columns[HEAP_ROWS];
	uint32_t head[HEAP_ROWS][HEAP_COLUMNS];
};

struct heap {
	uint64_t at, bytes;
	uint32_t n, touched;      /* grains; those behind `touched` were never handed out since heap_clean */
	uint64_t taken, most;     /* bytes handed out now, and at most */
	struct heap_block *block; /* n of them */
	void *stream[HEAP_STREAMS];
	int nstream;
	struct heap_lists lists[1 + HEAP_STREAMS]; /* nobody's first */
};

/* Bytes of the table of a stretch; it begins as zeros. */
size_t heap_table_bytes(uint64_t bytes);
/* at and bytes are multiples of a grain; table is the caller's. */
void heap_open(struct heap *h, uint64_t at, uint64_t bytes, void *table);

/* An address, for work on this stream; 0: there is no such block. flags: HEAP_KEPT or 0. */
uint64_t heap_take(struct heap *h, uint64_t bytes, void *stream, unsigned flags);
/* False: no block that was handed out begins there. */
bool heap_give(struct heap *h, uint64_t p);
/* Work of another stream goes on in this block. */
void heap_share(struct heap *h, uint64_t p, void *stream);
/* The device has nothing left to do: what is free is free for all. graphs: some are left that come back to their memory. */
void heap_settle(struct heap *h, bool graphs);

/* The next free stretch from grain *from on, in which something may have been written since heap_clean; false: none. */
bool heap_next_dirty(const struct heap *h, uint32_t *from, uint64_t *p, uint64_t *bytes);
void heap_clean(struct heap *h);

#endif
