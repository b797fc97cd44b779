/* due: PASS - rows of the table, each copied as a whole where it lies in one piece. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { LARGE = 16 << 20, GRAIN = 1 << 20, MAX_THREADS = 64 }; /* bytes: of a large result, of a thread's part */

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
/* --- copying --------------------------------------------------------------------------------------------- */

/* memcpy, past the caches if the result is large: it would only sweep them out. */
static void copy(char *dst, const char *src, size_t n, bool large)
{
	size_t i = 0;

	(void)large; /* without AVX */
#ifdef __AVX__
	if (large && n >= 256) {
		i = -(uintptr_t)dst % 32;
		memcpy(dst, src, i);
		for (; i + 32 <= n; i += 32)
			_mm256_stream_si256((__m256i *)(dst + i), _mm256_loadu_si256((const __m256i *)(src + i)));
		_mm_sfence();
	}
#endif
	memcpy(dst + i, src + i, n - i);
}

/* --- the operator ---------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *weight, *indices, *out;
	int64_t width;
	bool whole, large; /* whole: rows lie in one piece */
};

static void copy_rows(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const size_t item = (size_t)j->weight->dtype.bits / 8;
	const int64_t step = j->out->strides[j->out->ndim - 1];

	for (int64_t i = from; i < to; i++) {
		const int64_t at = ay_at(j->indices, i);
		const int64_t row = ay_dt(j->indices) == AY_I64 ? ((const int64_t *)j->indices->data)[at]
								: ((const int32_t *)j->indices->data)[at];
		const char *src = (const char *)j->weight->data + (size_t)(row * j->weight->strides[0]) * item;
		char *dst = (char *)j->out->data + (size_t)ay_at(j->out, i * j->width) * item;

		if (j->whole)
			copy(dst, src, (size_t)j->width * item, j->large);
		for (int64_t e = 0; e < j->width && !j->whole; e++)
			memcpy(dst + (size_t)(e * step) * item, src + (size_t)(e * j->weight->strides[1]) * item,
			       item);
	}
}

int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx, bool scale_grad_by_freq,
		   bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t width = weight->shape[1], row_bytes = width * weight->dtype.bits / 8;
	struct job j = { weight, indices, out, width, false, ay_numel(indices) * row_bytes >= LARGE };

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse; /* they are for the gradient */
	j.whole = weight->strides[1] == 1 && out->strides[out->ndim - 1] == 1;
	if (width)
		share(copy_rows, &j, ay_numel(indices), GRAIN / row_bytes + 1, ctx);
	return AY_OK;
}
