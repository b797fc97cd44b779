/* SPDX-License-Identifier: Apache-2.0
 *
 * spare - blocks of a GPU's memory that the driver gave because the heap had no room, kept when torch gives them back.
 * The driver waits for all work before it takes a block (with blocks of 250 MB a product lost 0.1 ms of 1.3 a call): torch's
 * own allocator spares its functions that, so a kernel with large temporaries must not pay for it here. Works on numbers
 * alone, as heap.h.
 *
 * Work of a stream is done in its order: what it has given back it may have again at once, and nobody else.
 */
#ifndef AY_TORCH_SPARE_H
#define AY_TORCH_SPARE_H

#include <stdbool.h>
#include <stdint.h>

/* What is kept at most, while others have to do with the rest of the device's memory; more is the driver's when it is
 * given back. */
enum { SPARE_BLOCKS = 64 /* those that torch has included */ };
#define SPARE_BYTES (1ull << 30)

struct spare {
	struct {
		uint64_t at, bytes;
		void *stream;
		bool free, shared;
	} block[SPARE_BLOCKS];
	int n;
	uint64_t bytes; /* of those that are free */
};

/* The driver has given this one, and torch has it. */
void spare_add(struct spare *s, uint64_t at, uint64_t bytes, void *stream);
/* One that this stream gave back, at most twice as large as asked for; 0: there is none. */
uint64_t spare_take(struct spare *s, uint64_t bytes, void *stream);
/* Torch gives it back. False: it is not kept, and the driver's. */
bool spare_give(struct spare *s, uint64_t at);
/* Work of another stream goes on in this block: only the driver knows when it is over. */
void spare_share(struct spare *s, uint64_t at, void *stream);
/* One that is free, for the driver to take; 0: there is none. */
uint64_t spare_drop(struct spare *s);

#endif
