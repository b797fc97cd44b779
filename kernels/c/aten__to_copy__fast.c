/* due: PASS - between dense floats in tiles that stay in the first cache, past the caches where the result is large;
 * equal dtypes as bytes; the rest element by element. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#if defined(__SSE2__) || defined(__F16C__)
#include <immintrin.h>
#endif

enum { TILE = 1024, LARGE = 8 << 20, GRAIN = 128, MAX_THREADS = 64 }; /* elements, bytes, tiles a thread */

/* --- threads --------------------------------------------------------------------------------------------- */

struct part {
	void (*work)(const void *job, int64_t from, int64_t to);
	const void *job;
	int64_t from, to;
};

static void *run_part(void *arg)
{
	const struct part *p = arg;

	p->work(p->job, p->from, p->to);
	return NULL;
}

/* work on 0 .. n - 1, shared by threads that have at least `grain` each: to start one takes about 20 us. */
static void share(void (*work)(const void *, int64_t, int64_t), const void *job, int64_t n, int64_t grain,
		  const ay_ctx *ctx)
{
	int64_t k = ctx->threads < MAX_THREADS ? ctx->threads : MAX_THREADS;
	struct part part[MAX_THREADS];
	pthread_t id[MAX_THREADS];
	bool runs[MAX_THREADS] = { false };

	k = n / grain < k ? n / grain : k;
	k = k < 1 ? 1 : k;
	for (int64_t i = k - 1; i >= 0; i--) {
		part[i] = (struct part){ work, job, n * i / k, n * (i + 1) / k };
		runs[i] = i && !pthread_create(&id[i], NULL, run_part, &part[i]);
		if (!runs[i])
			run_part(&part[i]);
	}
	for (int64_t i = 1; i < k; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
}

/* --- floats, a tile at a time ---------------------------------------------------------------------------- */

static bool is_float(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16 || ay_dt(t) == AY_F64;
}

/* Through f32, as PyTorch does from f64 to half types. */
static const void *get_floats(int32_t dt, const void *src, float *restrict dst, int64_t n)
{
	const uint16_t *h = src;
	int64_t i = 0;

	if (dt == AY_F64) {
		for (; i < n; i++)
			dst[i] = (float)((const double *)src)[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			dst[i] = ay_from_bf16(h[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i))));
#endif
		for (; i < n; i++)
			dst[i] = ay_from_f16(h[i]);
	}
	return dst;
}

static const void *put_floats(int32_t dt, const float *restrict src, void *dst, int64_t n)
{
	uint16_t *h = dst;
	int64_t i = 0;

	if (dt == AY_F64) {
		for (; i < n; i++)
			((double *)dst)[i] = src[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			h[i] = ay_to_bf16(src[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm_storeu_si128((__m128i *)(h + i),
					 _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
#endif
		for (; i < n; i++)
			h[i] = ay_to_f16(src[i]);
	}
	return dst;
}

static void write_tile(char *dst, const char *src, size_t n, bool past_caches)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; past_caches && (uintptr_t)dst % 16 == 0 && i + 16 <= n; i += 16)
		_mm_stream_si128((__m128i *)(dst + i), _mm_loadu_si128((const __m128i *)(src + i)));
#endif
	memcpy(dst + i, src + i, n - i);
}

struct job {
	const ay_tensor *self, *out;
	int64_t n;
};

static void copy_tiles(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t a = ay_dt(j->self), b = ay_dt(j->out);
	const int64_t item_a = j->self->dtype.bits / 8, item_b = j->out->dtype.bits / 8;
	_Alignas(64) float floats[TILE];
	_Alignas(64) double made[TILE]; /* the widest there is */

	for (int64_t at = from * TILE; at < to * TILE && at < j->n; at += TILE) {
		const int64_t n = j->n - at < TILE ? j->n - at : TILE;
		const void *src = (const char *)j->self->data + at * item_a;

		if (a != b && a != AY_F32)
			src = get_floats(a, src, floats, n);
		if (a != b && b != AY_F32)
			src = put_floats(b, src, made, n);
		write_tile((char *)j->out->data + at * item_b, src, (size_t)(n * item_b), j->n * item_b >= LARGE);
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
}

/* --- one element of any dtype ---------------------------------------------------------------------------- */

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static void convert_int(const ay_tensor *src, int64_t from, const ay_tensor *dst, int64_t to)
{
	const int64_t x = ay_dt(src) == AY_I64 ? ((const int64_t *)src->data)[from] : (int64_t)ay_read(src, from);

	switch (ay_dt(dst)) {
	case AY_B8: ((uint8_t *)dst->data)[to] = x != 0; break;
	case AY_I64: ((int64_t *)dst->data)[to] = x; break;
	case AY_I32: ((uint32_t *)dst->data)[to] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)dst->data)[to] = (uint16_t)x; break;
	default: ((uint8_t *)dst->data)[to] = (uint8_t)x;
	}
}

static double part_at(const ay_tensor *t, int64_t at, int part)
{
	const double sign = part && t->flags & AY_CONJ ? -1 : 1;

	switch (ay_dt(t)) {
	case AY_C128: return sign * ((const double *)t->data)[2 * at + part];
	case AY_C64: return sign * ((const float *)t->data)[2 * at + part];
	case AY_C32: return sign * ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	default: return part ? 0 : ay_read(t, at);
	}
}

static void write_part(const ay_tensor *t, int64_t at, int part, double x)
{
	switch (ay_dt(t)) {
	case AY_C128: ((double *)t->data)[2 * at + part] = x; break;
	case AY_C64: ((float *)t->data)[2 * at + part] = (float)x; break;
	case AY_C32: ((uint16_t *)t->data)[2 * at + part] = ay_to_f16((float)x); break;
	default: ay_write(t, at, x);
	}
}

static void convert(const ay_tensor *src, int64_t from, const ay_tensor *dst, int64_t to)
{
	const size_t item = (size_t)src->dtype.bits / 8;

	if (ay_dt(src) == ay_dt(dst) && !src->flags)
		memcpy((char *)dst->data + (size_t)to * item, (const char *)src->data + (size_t)from * item, item);
	else if (is_integral(src) && is_integral(dst))
		convert_int(src, from, dst, to);
	else if (ay_dt(src) == AY_I64 && ay_dt(dst) == AY_F32) /* a double would round first */
		((float *)dst->data)[to] = (float)((const int64_t *)src->data)[from];
	else
		for (int part = 0; part <= ay_is_complex(dst); part++)
			write_part(dst, to, part, part_at(src, from, part));
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	const struct job j = { self, out, ay_numel(out) };
	const int64_t line = out->ndim ? out->shape[out->ndim - 1] : 1;

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format;
	if (ay_is_dense(self) && ay_is_dense(out) && !self->flags &&
	    (ay_dt(self) == ay_dt(out) || (is_float(self) && is_float(out)))) {
		share(copy_tiles, &j, (j.n + TILE - 1) / TILE, GRAIN, ctx);
		return AY_OK;
	}
	for (int64_t i = 0; i < j.n; i += line) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);

		for (int64_t e = 0; e < line; e++)
			convert(self, from + e * (out->ndim ? self->strides[out->ndim - 1] : 0), out,
				to + e * (out->ndim ? out->strides[out->ndim - 1] : 0));
	}
	return AY_OK;
}
