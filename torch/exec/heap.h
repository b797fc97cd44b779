/* SPDX-License-Identifier: Apache-2.0
 *
 * heap - one range of a GPU's memory, cut into blocks for torch. Works on numbers alone: it touches
 * neither that memory nor the driver nor Python.
 *
 * Theory of operation. A block is a number of grains of 512 bytes. Free blocks are in lists by
 * size: one set of lists for each stream, and one shared set. A stream does its work in order. So a
 * block that a stream has freed may be given to that stream at once, and to another stream only
 * when the device is idle (heap_settle). Free neighbours of one set become one block. The record of
 * a block lies in a table at the number of the block's first grain. Pages of the table that are
 * never touched cost nothing. Taking or freeing a block touches a few records and two words of
 * bits: 20 to 60 ns.
 *
 * The caller makes sure that only one thread is in here.
 */
#ifndef AY_TORCH_HEAP_H
#define AY_TORCH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HEAP_GRAIN = 512, /* as in torch's own allocator */
	/* streams with lists of their own; blocks that other streams free wait for heap_settle */
	HEAP_STREAMS = 8,
	HEAP_ROWS = 32,       /* rows of lists: one for each power of two, */
	HEAP_COLUMNS = 8,     /* in 8 steps */
	HEAP_LOOKS = 8,       /* blocks of the first list that are tested for sufficient size */
	HEAP_NONE = UINT8_MAX /* no lists: this stream came after HEAP_STREAMS others */
};

#define HEAP_MOST (1ull << 40) /* largest number of bytes of a heap */

enum heap_state {
	HEAP_INSIDE, /* no block begins here */
	HEAP_FREE,
	HEAP_TAKEN,
	HEAP_WAITING, /* freed, but other work may still use it */
};

/* SHARED: also used by another stream. KEPT: allocated during a graph's capture; the graph uses it
 * again. */
enum { HEAP_SHARED = 1, HEAP_KEPT = 2 };

struct heap_block {
	uint32_t n; /* grains */
	/* the block that ends where this one begins; its own number: this is the first block */
	uint32_t before;
	uint32_t prev, next; /* neighbours in its list; UINT32_MAX: none */
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
	/* grains; those from `touched` on were not handed out since heap_clean */
	uint32_t n, touched;
	uint64_t taken, most;     /* bytes handed out now, and the maximum so far */
	struct heap_block *block; /* n of them */
	void *stream[HEAP_STREAMS];
	int nstream;
	struct heap_lists lists[1 + HEAP_STREAMS]; /* the shared set is first */
};

/* Returns the bytes of the table of a heap of `bytes`. The caller allocates the table, as zeros. */
size_t heap_table_bytes(uint64_t bytes);
/* Initializes a heap. at and bytes are multiples of a grain. The caller owns the table. */
void heap_open(struct heap *h, uint64_t at, uint64_t bytes, void *table);

/* Returns the address of a block for work on this stream; 0: no free block is large enough. flags:
 * HEAP_KEPT or 0. */
uint64_t heap_take(struct heap *h, uint64_t bytes, void *stream, unsigned flags);
/* Frees a block. Returns false if no block in use begins at p. */
bool heap_give(struct heap *h, uint64_t p);
/* Records that another stream works on this block. */
void heap_share(struct heap *h, uint64_t p, void *stream);
/* The device is idle: moves all free blocks to the shared set. graphs: graphs exist that may use
 * their memory again. */
void heap_settle(struct heap *h, bool graphs);

/* Finds the next free range from grain *from on that may have been written to since heap_clean.
 * Returns false if there is none. */
bool heap_next_dirty(const struct heap *h, uint32_t *from, uint64_t *p, uint64_t *bytes);
/* Records that all free memory was overwritten. */
void heap_clean(struct heap *h);

#endif
