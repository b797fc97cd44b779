/* due: PASS - what a tensor gives to one row of the result is copied in one piece; other dtypes and strides are
 * converted element by element. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { PIECE = 64 << 10, LARGE = 16 << 20, GRAIN = 16, MAX_THREADS = 64 }; /* bytes, bytes, pieces a thread */

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

/* Rows of `bytes`, that far apart in dst. */
struct job {
	const char *src;
	char *dst;
	size_t bytes, apart, pieces; /* pieces: of a row */
	bool large;
};

static void copy_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (size_t p = (size_t)from; p < (size_t)to; p++) {
		const size_t row = p / j->pieces, at = p % j->pieces * PIECE;

		copy(j->dst + row * j->apart + at, j->src + row * j->bytes + at,
		     j->bytes - at < PIECE ? j->bytes - at : PIECE, j->large);
	}
}

/* --- other dtypes and strides ---------------------------------------------------------------------------- */

static double part_at(const ay_tensor *t, int64_t at, int part)
{
	switch (ay_dt(t)) {
	case AY_C128: return ((const double *)t->data)[2 * at + part];
	case AY_C64: return ((const float *)t->data)[2 * at + part];
	case AY_C32: return ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	default: return part ? 0 : ay_read(t, at);
	}
}

static void convert(const ay_tensor *src, int64_t from, ay_tensor *dst, int64_t to)
{
	const size_t item = (size_t)dst->dtype.bits / 8;

	if (ay_dt(src) == ay_dt(dst) && !src->flags) {
		memcpy((char *)dst->data + (size_t)to * item, (const char *)src->data + (size_t)from * item, item);
	} else if (ay_is_complex(dst)) {
		ay_tensor part = *dst; /* a complex tensor is two real ones that lie between each other */

		part.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(dst->dtype.bits / 2), 1 };
		ay_write(&part, 2 * to, part_at(src, from, 0));
		ay_write(&part, 2 * to + 1, part_at(src, from, 1) * (src->flags & AY_CONJ ? -1 : 1));
	} else { /* promotion never narrows: whoever becomes i64 fits into a double */
		ay_write(dst, to, ay_read(src, from));
	}
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + out->ndim : dim;
	const size_t item = (size_t)out->dtype.bits / 8, all = (size_t)ay_numel(out) * item;
	int64_t start = 0, rows = 1;

	for (int64_t d = 0; d < axis; d++)
		rows *= out->shape[d];
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[k];
		const size_t bytes = (size_t)ay_numel(t) * item;
		ay_tensor window = *out; /* the part of out that t fills */

		if (!bytes)
			continue;
		window.data = (char *)out->data + (size_t)(start * out->strides[axis]) * item;
		window.shape = t->shape;
		if (ay_dt(t) == ay_dt(out) && !t->flags && ay_is_dense(t) && ay_is_dense(out)) {
			struct job j = { t->data, window.data, bytes / (size_t)rows, all / (size_t)rows,
					 0,       all >= LARGE };

			j.pieces = (j.bytes + PIECE - 1) / PIECE;
			share(copy_pieces, &j, rows * (int64_t)j.pieces,
			      1 + (int64_t)(GRAIN * PIECE * j.pieces / j.bytes), ctx);
		} else {
			for (int64_t i = 0; i < ay_numel(t); i++)
				convert(t, ay_at(t, i), &window, ay_at(&window, i));
		}
		start += t->shape[axis];
	}
	return AY_OK;
}
