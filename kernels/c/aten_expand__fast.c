/* due: PASS - the longest runs of the result that are neighbours in self, or one element repeated, piece by piece. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { PIECE = 16 << 10, LARGE = 16 << 20, GRAIN = 1 << 20, MAX_THREADS = 64 }; /* bytes */

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

/* out, which is dense, is cut into runs of `run` elements; self goes on by `step`, 0 or 1, within one. */
struct job {
	const ay_tensor *self, *out;
	size_t item;
	int64_t run, step, piece, pieces; /* elements of a piece, pieces of a run */
	bool large;
};

/* The stride of self, stretched to out's shape, along out's dimension d. */
static int64_t stride_at(const ay_tensor *t, const ay_tensor *out, int32_t d)
{
	const int32_t k = d - (out->ndim - t->ndim);

	return k >= 0 && t->shape[k] != 1 ? t->strides[k] : 0;
}

static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		at += i % out->shape[d] * stride_at(t, out, d);
		i /= out->shape[d];
	}
	return at;
}

static void find_runs(struct job *j)
{
	j->run = 1;
	for (int32_t d = j->out->ndim - 1; d >= 0; d--) {
		const int64_t stride = stride_at(j->self, j->out, d);

		if (j->out->shape[d] == 1)
			continue;
		if (j->run == 1 && stride >> 1 == 0)
			j->step = stride;
		if (stride != j->step * j->run)
			break;
		j->run *= j->out->shape[d];
	}
}

/* src repeated n times, by doubling. */
static void repeat(char *dst, const char *src, size_t item, int64_t n)
{
	size_t done = item, all = (size_t)n * item;

	for (memcpy(dst, src, item); done < all; done += done)
		memcpy(dst + done, dst, done < all - done ? done : all - done);
}

static void copy_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	_Alignas(64) char tile[PIECE];

	for (int64_t p = from; p < to; p++) {
		const int64_t at = p / j->pieces * j->run, off = p % j->pieces * j->piece;
		const int64_t n = j->run - off < j->piece ? j->run - off : j->piece;
		const char *src = (const char *)j->self->data +
				  (size_t)(stretched_at(j->self, j->out, at) + off * j->step) * j->item;

		if (!j->step) {
			repeat(tile, src, j->item, n);
			src = tile;
		}
		copy((char *)j->out->data + (size_t)(at + off) * j->item, src, (size_t)n * j->item, j->large);
	}
}

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out);
	struct job j = { .self = self, .out = out, .item = (size_t)self->dtype.bits / 8 };

	(void)size, (void)n_size, (void)implicit; /* out has the shape already */
	if (!n)
		return AY_OK;
	find_runs(&j);
	j.large = n * (int64_t)j.item >= LARGE;
	j.piece = PIECE / (int64_t)j.item;
	j.pieces = (j.run + j.piece - 1) / j.piece;
	share(copy_pieces, &j, n / j.run * j.pieces,
	      1 + GRAIN / (int64_t)j.item / (j.run < j.piece ? j.run : j.piece), ctx);
	return AY_OK;
}
