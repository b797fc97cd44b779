/* due: PASS - max(x, 0) as one comparison of bits for every dtype, in tiles, past the caches where the result is
 * large. */
#include <assay/kernel_threads.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { TILE = 8 << 10, LARGE = 16 << 20, GRAIN = 256 }; /* bytes, bytes, tiles a thread */

/* --- the loops ------------------------------------------------------------------------------------------- */

/* Read as an integer, a float that is negative and no NaN is at most the bits of -inf, and an integer at most -1:
 * `top`. */
#define RELU(bits)                                                               \
	static void relu_##bits(const void *from, void *to, size_t n, int64_t t) \
	{                                                                        \
		const int##bits##_t *x = from, top = (int##bits##_t)t;           \
		int##bits##_t *y = to;                                           \
                                                                                 \
		for (size_t i = 0; i < n; i++)                                   \
			y[i] = x[i] <= top ? 0 : x[i];                           \
	}
RELU(8)
RELU(16)
RELU(32)
RELU(64)

/* What is not signed is never negative. */
static void copy_8(const void *from, void *to, size_t n, int64_t top)
{
	(void)top;
	memmove(to, from, n);
}

struct job {
	void (*relu)(const void *from, void *to, size_t n, int64_t top);
	int64_t top;
	size_t item, bytes;
	const char *x;
	char *y;
};

static struct job job_of(const ay_tensor *self)
{
	static void (*const loops[])(const void *, void *, size_t, int64_t) = { relu_8, relu_16, relu_32,
										relu_64 };
	const int width = self->dtype.bits == 8 ? 0 : self->dtype.bits == 16 ? 1 : self->dtype.bits == 32 ? 2 : 3;
	struct job j = { .relu = loops[width], .item = (size_t)self->dtype.bits / 8 };

	switch (ay_dt(self)) {
	case AY_B8:
	case AY_U8: j.relu = copy_8; break;
	case AY_F16: j.top = (int16_t)0xfc00; break;
	case AY_BF16: j.top = (int16_t)0xff80; break;
	case AY_F32: j.top = (int32_t)0xff800000; break;
	case AY_F64: j.top = (int64_t)0xfff0000000000000; break;
	default: j.top = -1;
	}
	return j;
}

static void write_tile(char *dst, const char *src, size_t n, bool past_caches)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; past_caches && (uintptr_t)dst % 16 == 0 && i + 16 <= n; i += 16)
		_mm_stream_si128((__m128i *)(dst + i), _mm_load_si128((const __m128i *)(src + i)));
#endif
	memcpy(dst + i, src + i, n - i);
}

/* Through a tile, so that x and y may be the same. */
static void relu_tiles(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	_Alignas(64) char tile[TILE];

	for (size_t at = (size_t)from * TILE; at < (size_t)to * TILE; at += TILE) {
		const size_t n = j->bytes - at < TILE ? j->bytes - at : TILE;

		j->relu(j->x + at, tile, n / j->item, j->top);
		write_tile(j->y + at, tile, n, j->bytes >= LARGE);
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	struct job j = job_of(self);

	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	if (ay_is_dense(self) && ay_is_dense(out)) {
		j.x = self->data;
		j.y = out->data;
		j.bytes = (size_t)n * j.item;
		ay_parallel_for(relu_tiles, &j, (int64_t)((j.bytes + TILE - 1) / TILE), GRAIN, ctx);
		return AY_OK;
	}
	for (int64_t i = 0; i < n; i++)
		j.relu((const char *)self->data + (size_t)ay_at(self, i) * j.item,
		       (char *)out->data + (size_t)ay_at(out, i) * j.item, 1, j.top);
	return AY_OK;
}
