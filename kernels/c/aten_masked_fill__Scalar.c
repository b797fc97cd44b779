/* due: PASS - value where mask is true. The value is converted once; then bits are picked, by one loop for each
 * width of an element, along lines in which self is dense. mask may be broadcast. */
#include <assay/kernel_copy.h>

enum { GRAIN = 32 }; /* pieces a thread */

struct job {
	const ay_tensor *self, *mask;
	struct ay_lines lines;
	_Alignas(16) char value[16];
};

#define FILL(name, type)                                                                              \
	static void name(void *self, const uint8_t *mask, int64_t step, const void *value, int64_t n) \
	{                                                                                             \
		type *y = self, v = *(const type *)value;                                             \
                                                                                                      \
		if (step == 1)                                                                        \
			for (int64_t i = 0; i < n; i++)                                               \
				y[i] = mask[i] ? v : y[i];                                            \
		else                                                                                  \
			for (int64_t i = 0; i < n; i++)                                               \
				if (mask[i * step])                                                   \
					y[i] = v;                                                     \
	}
FILL(fill_8, uint8_t)
FILL(fill_16, uint16_t)
FILL(fill_32, uint32_t)
FILL(fill_64, uint64_t)
FILL(fill_128, struct ay_item128)

static void fill_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const struct ay_lines *l = &j->lines;
	const int64_t item = ay_item_size(j->self);
	void (*const fill)(void *, const uint8_t *, int64_t, const void *, int64_t) = item == 1   ? fill_8
										      : item == 2 ? fill_16
										      : item == 4 ? fill_32
										      : item == 8 ? fill_64
												  : fill_128;

	for (struct ay_piece p = ay_piece_at(l, from); p.index < to; ay_next_piece(l, &p))
		fill(ay_address(j->self, p.out), ay_address(j->mask, p.in[0]), l->step[0], j->value, p.n);
}

int aten_masked_fill__Tensor(ay_tensor *self, const ay_tensor *mask, const ay_tensor *value, const ay_ctx *ctx)
{
	struct job j = { .self = self, .mask = mask, .lines = ay_find_lines(self, 1, mask, NULL, AY_PIECE) };
	const ay_tensor one = { .data = j.value, .dtype = self->dtype };

	if (ay_dt(self) == AY_C32 || ay_dt(value) == AY_C32)
		return AY_UNSUPPORTED;
	ay_convert(value, 0, &one, 0);
	ay_parallel_pieces(fill_pieces, &j, &j.lines, GRAIN, ctx);
	return AY_OK;
}

int aten_masked_fill__Scalar(ay_tensor *self, const ay_tensor *mask, ay_scalar value, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&value);

	return aten_masked_fill__Tensor(self, mask, &t, ctx);
}
