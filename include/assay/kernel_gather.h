/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies by lists of places for a kernel in C: for every place of the dimensions that are not indexed and every entry of two
 * lists, a line of neighbours is copied.
 */
#ifndef ASSAY_KERNEL_GATHER_H
#define ASSAY_KERNEL_GATHER_H

#include <assay/kernel_copy.h>

enum { AY_GATHER_GRAIN = 128 << 10 }; /* elements */

/* dst[to[i] + e * line_to] = src[from[i] + e * line_from] for i < entries, e < n, and that for all dimensions. Everything
 * is counted in elements. */
struct ay_gather {
	const char *src;
	char *dst;
	int64_t item, n, line_from, line_to, entries;
	const int64_t *from, *to;
	int dims;
	int64_t size[AY_MAX_DIM], step_from[AY_MAX_DIM], step_to[AY_MAX_DIM];
	bool stream, straight; /* straight: a line is one element, entry i goes to place i */
};

#define AY_GATHER_ENTRIES(name, type)                                                                      \
	static inline void name(const struct ay_gather *j, int64_t from, int64_t to, int64_t i, int64_t n) \
	{                                                                                                  \
		const type *x = (const type *)j->src + from;                                               \
		type *restrict y = (type *)j->dst + to;                                                    \
                                                                                                           \
		for (; j->straight && n > 0; n--, i++)                                                     \
			y[i] = x[j->from[i]];                                                              \
		for (; n-- > 0; i++)                                                                       \
			for (int64_t e = 0; e < j->n; e++)                                                 \
				y[j->to[i] + e * j->line_to] = x[j->from[i] + e * j->line_from];           \
	}
AY_GATHER_ENTRIES(ay_gather8, uint8_t)
AY_GATHER_ENTRIES(ay_gather16, uint16_t)
AY_GATHER_ENTRIES(ay_gather32, uint32_t)
AY_GATHER_ENTRIES(ay_gather64, uint64_t)
AY_GATHER_ENTRIES(ay_gather128, struct ay_item128)
#undef AY_GATHER_ENTRIES

/* Copies n entries from entry i on. */
static inline void ay_gather_entries(const struct ay_gather *j, int64_t from, int64_t to, int64_t i, int64_t n)
{
	if (j->line_from == 1 && j->line_to == 1 && j->n * j->item >= 32) {
		for (; n-- > 0; i++)
			ay_copy_bytes(j->dst + (to + j->to[i]) * j->item, j->src + (from + j->from[i]) * j->item,
				      (size_t)(j->n * j->item), j->stream);
		return;
	}
	switch (j->item) {
	case 1: ay_gather8(j, from, to, i, n); break;
	case 2: ay_gather16(j, from, to, i, n); break;
	case 4: ay_gather32(j, from, to, i, n); break;
	case 8: ay_gather64(j, from, to, i, n); break;
	default: ay_gather128(j, from, to, i, n);
	}
}

static inline void ay_gather_part(const void *job, int64_t first, int64_t end)
{
	const struct ay_gather *j = (const struct ay_gather *)job;

	while (first < end) {
		const int64_t i = first % j->entries, n = ay_min(j->entries - i, end - first);
		int64_t place = first / j->entries, from = 0, to = 0;

		for (int d = j->dims - 1; d >= 0; d--) {
			from += place % j->size[d] * j->step_from[d];
			to += place % j->size[d] * j->step_to[d];
			place /= j->size[d];
		}
		ay_gather_entries(j, from, to, i, n);
		first += n;
	}
}

/* Adds a dimension that is not indexed, from the last on. One behind the indexed ones becomes the line, or lengthens it. */
static inline void ay_add_gather_dim(struct ay_gather *j, int64_t size, int64_t from, int64_t to, bool behind)
{
	if (size == 1)
		return;
	if (j->n == 1 && behind) {
		j->line_from = from;
		j->line_to = to;
		j->n = size;
	} else if (behind && !j->dims && from == j->n * j->line_from && to == j->n * j->line_to) {
		j->n *= size;
	} else { /* the outermost comes first */
		memmove(j->size + 1, j->size, sizeof j->size - sizeof *j->size);
		memmove(j->step_from + 1, j->step_from, sizeof j->step_from - sizeof *j->step_from);
		memmove(j->step_to + 1, j->step_to, sizeof j->step_to - sizeof *j->step_to);
		j->size[0] = size;
		j->step_from[0] = from;
		j->step_to[0] = to;
		j->dims++;
	}
}

/* Copies all of the `numel` elements that j describes. */
static inline void ay_gather(struct ay_gather *j, int64_t numel, const ay_ctx *ctx)
{
	j->stream = numel * j->item >= AY_COPY_STREAM;
	j->straight = j->n == 1;
	for (int64_t i = 0; i < j->entries && j->straight; i++)
		j->straight = j->to[i] == i;
	ay_parallel_for(ay_gather_part, j, numel / j->n, 1 + AY_GATHER_GRAIN / j->n, ctx);
}

#endif
