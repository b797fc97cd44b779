/* due: PASS - the first difference of dense floats up to f32 is one loop: an element and that which lies `inner` behind it.
 * The rest line by line, floats in double, integers in i64, complex numbers part by part. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { BLOCK = 2048, GRAIN = 256 << 10, MAX_THREADS = 64 }; /* elements */

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

/* --- f32, f16 and bf16 ----------------------------------------------------------------------------------- */

static bool is_float(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16;
}

/* n neighbours from element `at` on. */
static void get_floats(const ay_tensor *t, int64_t at, float *restrict dst, int64_t n)
{
	const uint16_t *h = (const uint16_t *)t->data + at;
	int64_t i = 0;

	if (ay_dt(t) == AY_F32) {
		memcpy(dst, (const float *)t->data + at, (size_t)n * sizeof *dst);
	} else if (ay_dt(t) == AY_BF16) {
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
}

static void put_floats(const ay_tensor *t, int64_t at, const float *restrict src, int64_t n)
{
	uint16_t *h = (uint16_t *)t->data + at;
	int64_t i = 0;

	if (ay_dt(t) == AY_F32) {
		memcpy((float *)t->data + at, src, (size_t)n * sizeof *src);
	} else if (ay_dt(t) == AY_BF16) {
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
}

/* --- first differences ----------------------------------------------------------------------------------- */

/* out is [outer, length], self [outer, length + inner]. */
struct job {
	const ay_tensor *self, *out;
	int64_t length, inner, blocks; /* blocks: of a line */
};

static void subtract(const float *restrict a, const float *restrict b, float *restrict y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = b[i] - a[i];
}

static void subtract_blocks(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	float a[BLOCK], b[BLOCK], y[BLOCK];

	for (int64_t i = from; i < to; i++) {
		const int64_t start = i % j->blocks * BLOCK, row = i / j->blocks,
			      n = j->length - start < BLOCK ? j->length - start : BLOCK;
		const int64_t src = row * (j->length + j->inner) + start, dst = row * j->length + start;

		if (ay_dt(j->self) == AY_F32) {
			const float *x = (const float *)j->self->data + src;

			subtract(x, x + j->inner, (float *)j->out->data + dst, n);
			continue;
		}
		get_floats(j->self, src, a, n);
		get_floats(j->self, src + j->inner, b, n);
		subtract(a, b, y, n);
		put_floats(j->out, dst, y, n);
	}
}

/* --- the rest -------------------------------------------------------------------------------------------- */

/* A line along dim of prepend, self and append joined. */
struct joined {
	const ay_tensor *part[3]; /* in order; NULL: none */
	ay_tensor *out;
	int64_t axis, n; /* n: how often differences are taken */
};

static int64_t size_of(const ay_tensor *t, int64_t axis)
{
	return t ? t->ndim ? t->shape[axis] : 1 : 0;
}

/* Where the line of out's row (o, i) starts in t: the same coordinates in all dimensions but axis. */
static int64_t line_at(const ay_tensor *t, int64_t axis, int64_t line)
{
	int64_t at = 0;

	for (int32_t d = t->ndim - 1; d >= 0; d--) {
		if (d == axis)
			continue;
		at += line % t->shape[d] * t->strides[d];
		line /= t->shape[d];
	}
	return at;
}

static int64_t read_whole(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)ay_read(t, at);
}

/* As out's dtype holds it, where it is a float. */
static double rounded(const ay_tensor *out, double x)
{
	switch (ay_dt(out)) {
	case AY_F16: return ay_from_f16(ay_to_f16((float)x));
	case AY_BF16: return ay_from_bf16(ay_to_bf16((float)x));
	case AY_C64:
	case AY_F32: return (float)x;
	default: return x;
	}
}

static void put_whole(const ay_tensor *out, int64_t at, int64_t x)
{
	switch (ay_dt(out)) {
	case AY_B8: ((uint8_t *)out->data)[at] = x & 1; break; /* of bools the difference is "not equal" */
	case AY_I64: ((int64_t *)out->data)[at] = x; break;
	case AY_I32: ((int32_t *)out->data)[at] = (int32_t)x; break;
	case AY_I16: ((int16_t *)out->data)[at] = (int16_t)x; break;
	default: ((uint8_t *)out->data)[at] = (uint8_t)x;
	}
}

/* The real or the imaginary part. */
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

static void put_part(const ay_tensor *t, int64_t at, int part, double x)
{
	switch (ay_dt(t)) {
	case AY_C128: ((double *)t->data)[2 * at + part] = x; break;
	case AY_C64: ((float *)t->data)[2 * at + part] = (float)x; break;
	case AY_C32: ((uint16_t *)t->data)[2 * at + part] = ay_to_f16((float)x); break;
	default: ay_write(t, at, x);
	}
}

static bool is_whole(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

/* x, whole: room for the line. */
static void difference_line(const struct joined *j, int64_t line, int part, double *x, int64_t *whole)
{
	const int64_t step = j->out->ndim ? j->out->strides[j->axis] : 0, to = line_at(j->out, j->axis, line);
	int64_t n = 0;

	for (int p = 0; p < 3; p++) {
		const ay_tensor *t = j->part[p];

		for (int64_t e = 0; e < size_of(t, j->axis); e++, n++) {
			const int64_t at = line_at(t, j->axis, line) + e * (t->ndim ? t->strides[j->axis] : 0);

			x[n] = rounded(j->out, part_at(t, at, part));
			whole[n] = is_whole(j->out) ? read_whole(t, at) : 0;
		}
	}
	for (int64_t level = 0; level < j->n; level++, n--) {
		for (int64_t e = 0; e + 1 < n; e++) {
			x[e] = rounded(j->out, x[e + 1] - x[e]);
			whole[e] = (int64_t)((uint64_t)whole[e + 1] - (uint64_t)whole[e]);
		}
	}
	for (int64_t e = 0; e < n; e++) {
		if (is_whole(j->out))
			put_whole(j->out, to + e * step, whole[e]);
		else
			put_part(j->out, to + e * step, part, x[e]);
	}
}

static int difference_slowly(const struct joined *j, const ay_ctx *ctx)
{
	const int64_t lines = ay_numel(j->out) / size_of(j->out, j->axis);
	const int64_t room = size_of(j->part[0], j->axis) + size_of(j->part[1], j->axis) +
			     size_of(j->part[2], j->axis);
	double *x = ctx->scratch(ctx, (size_t)room * sizeof *x);
	int64_t *whole = ctx->scratch(ctx, (size_t)room * sizeof *whole);

	if (!x || !whole)
		return AY_UNSUPPORTED;
	for (int part = 0; part <= ay_is_complex(j->out); part++)
		for (int64_t line = 0; line < lines; line++)
			difference_line(j, line, part, x, whole);
	return AY_OK;
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_diff(const ay_tensor *self, int64_t n, int64_t dim, const ay_tensor *prepend, const ay_tensor *append,
	      ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 && self->ndim ? dim + self->ndim : dim;
	const struct joined joined = { { n ? prepend : NULL, self, n ? append : NULL }, out, axis, n };
	struct job j = { .self = self, .out = out, .inner = 1 };

	if (!ay_numel(out))
		return AY_OK;
	if (n != 1 || prepend || append || !is_float(self) || ay_dt(self) != ay_dt(out) || !ay_is_dense(self) ||
	    !ay_is_dense(out))
		return difference_slowly(&joined, ctx);
	for (int64_t d = axis + 1; d < self->ndim; d++)
		j.inner *= self->shape[d];
	j.length = j.inner * (self->shape[axis] - 1);
	j.blocks = (j.length + BLOCK - 1) / BLOCK;
	share(subtract_blocks, &j, ay_numel(out) / j.length * j.blocks,
	      1 + GRAIN / (j.length < BLOCK ? j.length : BLOCK), ctx);
	return AY_OK;
}
