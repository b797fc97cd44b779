/* SPDX-License-Identifier: Apache-2.0
 *
 * block_cache - keeps blocks of a GPU's memory that the driver gave because the heap was full,
 * after torch has freed them. The driver waits for all work before it frees a block: with blocks of
 * 250 MB a matrix product lost 0.1 ms of 1.3 ms a call. torch's own allocator avoids that cost, so
 * a kernel with large temporaries must not pay it here. Works on numbers alone, as heap.h does.
 *
 * A stream does its work in order. So a block that a stream has freed may be given to that stream
 * at once, and to no other.
 */
#ifndef AY_TORCH_SPARE_H
#define AY_TORCH_SPARE_H

#include <stdbool.h>
#include <stdint.h>

/* The most that is kept, because others use the rest of the device's memory. A freed block beyond
 * it goes back to the driver. */
enum { SPARE_BLOCKS = 64 /* free blocks and blocks in use */ };
#define SPARE_BYTES (1ull << 30)

struct spare {
	struct {
		uint64_t at, bytes;
		void *stream;
		bool free, shared;
	} block[SPARE_BLOCKS];
	int n;
	uint64_t bytes; /* of the free blocks */
};

/* Records a block that the driver allocated and torch uses. */
void spare_add(struct spare *s, uint64_t at, uint64_t bytes, void *stream);
/* Returns a block that this stream freed and that is at most twice as large as `bytes`; 0: there is
 * none. */
uint64_t spare_take(struct spare *s, uint64_t bytes, void *stream);
/* Frees a block of torch's. Returns false if it is not kept; the caller must then free it with the
 * driver. */
bool spare_give(struct spare *s, uint64_t at);
/* Records that another stream works on this block: then only the driver knows when that work is
 * over. */
void spare_share(struct spare *s, uint64_t at, void *stream);
/* Removes a free block, which the caller must free with the driver, and returns it; 0: there is
 * none. */
uint64_t spare_drop(struct spare *s);

#endif
