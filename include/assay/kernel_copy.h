/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and fills for a kernel in C, of any strides and item sizes. Dimensions that lie one behind the other, in whatever
 * order, become one; lines are copied as a whole, past the caches where the result is large; a transposed plane goes in
 * squares, so that every cache line is read once and written once.
 */
#ifndef ASSAY_KERNEL_COPY_H
#define ASSAY_KERNEL_COPY_H

#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum {
	AY_MAX_DIM = 66,
	AY_COPY_SQUARE = 16,       /* elements */
	AY_COPY_PIECE = 64 << 10,  /* bytes, as the following */
	AY_COPY_STREAM = 16 << 20, /* copies of that size go past the caches */
	AY_COPY_GRAIN = 1 << 20,   /* of a thread's part */
	AY_FILL_STREAM = 8 << 20,
	AY_FILL_GRAIN = 2 << 20,
};

/* An element of 16 bytes. */
struct ay_item128 {
	uint64_t a, b;
};

/* Copies n bytes. `stream` goes past the caches. */
static inline void ay_copy_bytes(void *to, const void *from, size_t n, bool stream)
{
	char *dst = (char *)to;
	const char *src = (const char *)from;
	size_t i = 0;

	(void)stream; /* without AVX */
#ifdef __AVX__
	if (stream && n >= 256) {
		i = -(uintptr_t)dst % 32;
		memcpy(dst, src, i);
		for (; i + 32 <= n; i += 32)
			_mm256_stream_si256((__m256i *)(dst + i), _mm256_loadu_si256((const __m256i *)(src + i)));
		_mm_sfence();
	}
#endif
	memcpy(dst + i, src + i, n - i);
}

/* --- copying --------------------------------------------------------------------------------------------- */

/* The dimensions of a copy, strides counted in elements; ay_add_copy_dim adds them. */
struct ay_copy_dims {
	int n;
	int64_t size[AY_MAX_DIM], from[AY_MAX_DIM], to[AY_MAX_DIM];
};

/* The last two dimensions are rows and columns of a plane, which is copied in tiles. */
struct ay_copy {
	const char *src;
	char *dst;
	struct ay_copy_dims dims;
	int64_t item, rows, cols, down, across; /* rows, cols: of a tile; down, across: tiles of a plane */
	bool lines, stream;                     /* lines: columns lie in one piece in both */
};

/* Adds a dimension. The largest stride of the destination comes first. Source strides may be negative. */
static inline void ay_add_copy_dim(struct ay_copy_dims *w, int64_t size, int64_t from, int64_t to)
{
	int d = w->n;

	if (size == 1)
		return;
	for (w->n++; d > 0 && w->to[d - 1] < to; d--) {
		w->size[d] = w->size[d - 1];
		w->from[d] = w->from[d - 1];
		w->to[d] = w->to[d - 1];
	}
	w->size[d] = size;
	w->from[d] = from;
	w->to[d] = to;
}

/* Makes one dimension of two that are one line in both tensors. Leaves at least two. */
static inline void ay_merge_copy_dims(struct ay_copy_dims *w)
{
	const struct ay_copy_dims old = *w;
	int n = 2;

	*w = (struct ay_copy_dims){ .size = { 1, 1 } };
	for (int d = 0; d < old.n; d++) {
		if (old.from[d] * old.size[d] != w->from[n - 1] || old.to[d] * old.size[d] != w->to[n - 1])
			w->size[n++] = 1;
		w->size[n - 1] *= old.size[d];
		w->from[n - 1] = old.from[d];
		w->to[n - 1] = old.to[d];
	}
	w->n = n;
}

static inline bool ay_is_unit(int64_t stride)
{
	return stride == 1 || stride == -1;
}

/* Returns true if rows are lines of the source and columns are lines of the destination. */
static inline bool ay_is_transposed(const struct ay_copy_dims *w)
{
	const int c = w->n - 1;

	return ay_is_unit(w->from[c - 1]) && w->from[c] != 1 && w->to[c] == 1;
}

/* Copies a tile of items of one size. A transposed square goes through a buffer; where the source runs backwards, its last
 * row comes first. */
#define AY_COPY_TILE(name, type)                                                                               \
	static inline void name(const struct ay_copy *j, int64_t from, int64_t to, int64_t rows, int64_t cols) \
	{                                                                                                      \
		const int c = j->dims.n - 1, side = AY_COPY_SQUARE;                                            \
		const int64_t fr = j->dims.from[c - 1], fc = j->dims.from[c];                                  \
		const int64_t tr = j->dims.to[c - 1], tc = j->dims.to[c], step = fr < 0 ? -tr : tr;            \
		const type *x = (const type *)j->src + from;                                                   \
		type *y = (type *)j->dst + to, *row = fr < 0 ? y + (side - 1) * tr : y;                        \
		type buf[AY_COPY_SQUARE][AY_COPY_SQUARE];                                                      \
                                                                                                               \
		if (rows == AY_COPY_SQUARE && cols == AY_COPY_SQUARE && ay_is_transposed(&j->dims)) {          \
			for (int i = 0; i < AY_COPY_SQUARE; i++)                                               \
				memcpy(buf[i], x + i * fc - (fr < 0 ? AY_COPY_SQUARE - 1 : 0), sizeof buf[i]); \
			for (int i = 0; i < AY_COPY_SQUARE; i++)                                               \
				for (int k = 0; k < AY_COPY_SQUARE; k++)                                       \
					row[i * step + k] = buf[k][i];                                         \
			return;                                                                                \
		}                                                                                              \
		for (int64_t i = 0; i < rows; i++)                                                             \
			for (int64_t k = 0; k < cols; k++)                                                     \
				y[i * tr + k * tc] = x[i * fr + k * fc];                                       \
	}
AY_COPY_TILE(ay_copy_tile8, uint8_t)
AY_COPY_TILE(ay_copy_tile16, uint16_t)
AY_COPY_TILE(ay_copy_tile32, uint32_t)
AY_COPY_TILE(ay_copy_tile64, uint64_t)
AY_COPY_TILE(ay_copy_tile128, struct ay_item128)
#undef AY_COPY_TILE

static inline void ay_copy_tile(const struct ay_copy *j, int64_t from, int64_t to, int64_t rows, int64_t cols)
{
	const int c = j->dims.n - 1;

	if (j->lines) {
		for (int64_t i = 0; i < rows; i++)
			ay_copy_bytes(j->dst + (to + i * j->dims.to[c - 1]) * j->item,
				      j->src + (from + i * j->dims.from[c - 1]) * j->item,
				      (size_t)(cols * j->item), j->stream);
		return;
	}
	switch (j->item) {
	case 1: ay_copy_tile8(j, from, to, rows, cols); break;
	case 2: ay_copy_tile16(j, from, to, rows, cols); break;
	case 4: ay_copy_tile32(j, from, to, rows, cols); break;
	case 8: ay_copy_tile64(j, from, to, rows, cols); break;
	default: ay_copy_tile128(j, from, to, rows, cols);
	}
}

static inline void ay_copy_tiles(const void *job, int64_t first, int64_t end)
{
	const struct ay_copy *j = (const struct ay_copy *)job;
	const struct ay_copy_dims *w = &j->dims;
	const int c = w->n - 1, r = c - 1;

	for (int64_t t = first; t < end; t++) {
		const int64_t row = t / j->across % j->down * j->rows, col = t % j->across * j->cols;
		int64_t plane = t / j->across / j->down, from = row * w->from[r] + col * w->from[c],
			to = row * w->to[r] + col * w->to[c];

		for (int d = r - 1; d >= 0; d--) {
			from += plane % w->size[d] * w->from[d];
			to += plane % w->size[d] * w->to[d];
			plane /= w->size[d];
		}
		ay_copy_tile(j, from, to, ay_min(w->size[r] - row, j->rows), ay_min(w->size[c] - col, j->cols));
	}
}

/* Makes the dimension along which the source is a line the rows. */
static inline void ay_choose_rows(struct ay_copy_dims *w)
{
	const int r = w->n - 2;

	for (int d = 0; d < r; d++) {
		if (ay_is_unit(w->from[d])) {
			const struct ay_copy_dims old = *w;

			w->size[d] = old.size[r], w->size[r] = old.size[d];
			w->from[d] = old.from[r], w->from[r] = old.from[d];
			w->to[d] = old.to[r], w->to[r] = old.to[d];
		}
	}
}

/* Copies elements of `item` bytes. dims may have no size of 0. */
static inline void ay_copy_elements(void *dst, const void *src, int64_t item, struct ay_copy_dims w,
				    const ay_ctx *ctx)
{
	struct ay_copy j = { .src = (const char *)src, .dst = (char *)dst, .item = item };
	int64_t tiles = 1, all = item, c;

	ay_merge_copy_dims(&w);
	c = w.n - 1;
	j.lines = w.from[c] == 1 && w.to[c] == 1;
	if (!j.lines)
		ay_choose_rows(&w);
	j.cols = ay_is_transposed(&w) ? AY_COPY_SQUARE : AY_COPY_PIECE / item;
	j.rows = ay_is_transposed(&w) ? AY_COPY_SQUARE : w.size[c] < j.cols ? j.cols / w.size[c] : 1;
	j.across = (w.size[c] + j.cols - 1) / j.cols;
	j.down = (w.size[c - 1] + j.rows - 1) / j.rows;
	j.dims = w;
	for (int d = 0; d < w.n; d++) {
		all *= w.size[d];
		tiles *= d < c - 1 ? w.size[d] : 1;
	}
	j.stream = all >= AY_COPY_STREAM;
	ay_parallel_for(ay_copy_tiles, &j, tiles * j.down * j.across, 1 + AY_COPY_GRAIN / (j.rows * j.cols * item),
			ctx);
}

/* Turns the signs of t's elements where one of two tensors is a conjugated or negated view: flags are both's, xored. */
static inline void ay_change_signs(const ay_tensor *t, uint32_t flags)
{
	const int64_t item = ay_item_size(t);

	for (int64_t i = 0; i < ay_numel(t); i++) {
		char *z = (char *)ay_address(t, ay_at(t, i));

		if (flags & AY_NEG && ay_is_complex(t))
			z[item / 2 - 1] ^= (char)0x80;
		if (flags == AY_NEG || flags == AY_CONJ)
			z[item - 1] ^= (char)0x80;
	}
}

static inline void ay_convert_pieces(const void *job, int64_t from, int64_t to)
{
	const struct ay_lines *l = (const struct ay_lines *)job;

	for (struct ay_piece p = ay_piece_at(l, from); p.index < to; ay_next_piece(l, &p))
		for (int64_t e = 0; e < p.n; e++)
			ay_convert(l->in[0], p.in[0] + e * l->step[0], l->out, p.out + e);
}

/* Copies src to dst, which has the same shape and any dtype: equal ones as bytes, others element by element. */
static inline void ay_copy_tensor(const ay_tensor *dst, const ay_tensor *src, const ay_ctx *ctx)
{
	const struct ay_lines l = ay_find_lines(dst, 1, src, NULL, AY_PIECE);
	struct ay_copy_dims w = { 0 };

	if (!l.count)
		return;
	if (ay_dt(src) != ay_dt(dst)) {
		ay_parallel_pieces(ay_convert_pieces, &l, &l, 8, ctx);
		return;
	}
	for (int32_t d = 0; d < dst->ndim; d++)
		ay_add_copy_dim(&w, dst->shape[d], src->strides[d], dst->strides[d]);
	ay_copy_elements(dst->data, src->data, ay_item_size(dst), w, ctx);
	if (src->flags != dst->flags)
		ay_change_signs(dst, src->flags ^ dst->flags);
}

/* --- filling --------------------------------------------------------------------------------------------- */

/* Lines of one element; `item` is repeated to fill 32 bytes. */
struct ay_fill {
	char *data;
	struct ay_copy_dims dims;    /* strides are in `to` */
	int64_t size, piece, pieces; /* bytes of an element; elements of a piece; pieces of a line */
	_Alignas(32) char item[32];
	bool stream;
};

static inline void ay_fill_line(const struct ay_fill *j, char *dst, int64_t n)
{
	int64_t i = 0;

#ifdef __AVX__
	const __m256i x = _mm256_load_si256((const __m256i *)j->item);

	if (j->stream && (uintptr_t)dst % 32 == 0) {
		for (; i + 32 <= n; i += 32)
			_mm256_stream_si256((__m256i *)(dst + i), x);
		_mm_sfence();
	}
	for (; i + 32 <= n; i += 32)
		_mm256_storeu_si256((__m256i *)(dst + i), x);
#endif
	for (; i + 32 <= n; i += 32)
		memcpy(dst + i, j->item, 32);
	memcpy(dst + i, j->item, (size_t)(n - i));
}

static inline void ay_fill_pieces(const void *job, int64_t first, int64_t end)
{
	const struct ay_fill *j = (const struct ay_fill *)job;
	const struct ay_copy_dims *w = &j->dims;
	const int last = w->n - 1;

	for (int64_t p = first; p < end; p++) {
		const int64_t start = p % j->pieces * j->piece, n = ay_min(w->size[last] - start, j->piece);
		int64_t line = p / j->pieces, at = start * w->to[last];

		for (int d = last - 1; d >= 0; d--) {
			at += line % w->size[d] * w->to[d];
			line /= w->size[d];
		}
		if (w->to[last] == 1)
			ay_fill_line(j, j->data + at * j->size, n * j->size);
		for (int64_t e = 0; e < n && w->to[last] != 1; e++)
			memcpy(j->data + (at + e * w->to[last]) * j->size, j->item, (size_t)j->size);
	}
}

/* Writes the element at `item`, which has t's dtype, everywhere in t. */
static inline void ay_fill(const ay_tensor *t, const void *item, const ay_ctx *ctx)
{
	struct ay_fill j = { .data = (char *)t->data, .size = ay_item_size(t) };
	struct ay_copy_dims *w = &j.dims;
	int64_t lines = 1, line;

	if (!ay_numel(t))
		return;
	for (int32_t d = 0; d < t->ndim; d++)
		if (t->strides[d])
			ay_add_copy_dim(w, t->shape[d], t->strides[d], t->strides[d]);
	ay_merge_copy_dims(w);
	if (w->to[w->n - 1] == 0) /* one element */
		w->to[w->n - 1] = 1;
	for (int64_t i = 0; i < 32; i += j.size)
		memcpy(j.item + i, item, (size_t)j.size);
	for (int d = 0; d < w->n - 1; d++)
		lines *= w->size[d];
	line = w->size[w->n - 1];
	j.piece = AY_COPY_PIECE / j.size;
	j.pieces = (line + j.piece - 1) / j.piece;
	j.stream = ay_numel(t) * j.size >= AY_FILL_STREAM;
	ay_parallel_for(ay_fill_pieces, &j, lines * j.pieces, 1 + AY_FILL_GRAIN * j.pieces / (line * j.size), ctx);
}

/* Writes number s, as t's dtype holds it, everywhere in t. */
static inline void ay_fill_scalar(const ay_tensor *t, ay_scalar s, const ay_ctx *ctx)
{
	_Alignas(16) char item[16] = { 0 };
	const ay_tensor from = ay_scalar_tensor(&s), one = { .data = item, .dtype = t->dtype };

	ay_convert(&from, 0, &one, 0);
	ay_fill(t, item, ctx);
}

#endif
