/* due: PASS - whatever lies in one piece is one line, written past the caches where it is large. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { MAX_DIM = 66, PIECE = 64 << 10, LARGE = 8 << 20, GRAIN = 2 << 20, MAX_THREADS = 64 }; /* bytes */

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

/* --- filling --------------------------------------------------------------------------------------------- */

/* Lines of one number. Dimensions that lie one behind the other, in whatever order, are one; the last is the line. */
struct job {
	char *data;
	int64_t item, piece, pieces; /* elements of a piece; pieces of a line */
	int dims;
	int64_t size[MAX_DIM], step[MAX_DIM];
	_Alignas(32) char number[32]; /* as often as it fits */
	bool large;
};

static void fill_line(const struct job *j, char *dst, int64_t n)
{
	int64_t i = 0;

#ifdef __AVX__
	const __m256i x = _mm256_load_si256((const __m256i *)j->number);

	if (j->large && (uintptr_t)dst % 32 == 0) { /* past the caches: it would only sweep them out */
		for (; i + 32 <= n; i += 32)
			_mm256_stream_si256((__m256i *)(dst + i), x);
		_mm_sfence();
	}
	for (; i + 32 <= n; i += 32)
		_mm256_storeu_si256((__m256i *)(dst + i), x);
#endif
	for (; i + 32 <= n; i += 32)
		memcpy(dst + i, j->number, 32);
	memcpy(dst + i, j->number, (size_t)(n - i));
}

static void fill_pieces(const void *job, int64_t first, int64_t end)
{
	const struct job *j = job;
	const int last = j->dims - 1;

	for (int64_t p = first; p < end; p++) {
		const int64_t start = p % j->pieces * j->piece,
			      n = j->size[last] - start < j->piece ? j->size[last] - start : j->piece;
		int64_t line = p / j->pieces, at = start * j->step[last];

		for (int d = last - 1; d >= 0; d--) {
			at += line % j->size[d] * j->step[d];
			line /= j->size[d];
		}
		if (j->step[last] == 1)
			fill_line(j, j->data + at * j->item, n * j->item);
		for (int64_t e = 0; e < n && j->step[last] != 1; e++)
			memcpy(j->data + (at + e * j->step[last]) * j->item, j->number, (size_t)j->item);
	}
}

/* t's dimensions, the largest step first. */
static void sort_dims(struct job *j, const ay_tensor *t)
{
	for (int32_t i = 0; i < t->ndim; i++) {
		int d = j->dims;

		if (t->shape[i] == 1 || !t->strides[i])
			continue;
		for (j->dims++; d > 0 && j->step[d - 1] < t->strides[i]; d--) {
			j->size[d] = j->size[d - 1];
			j->step[d] = j->step[d - 1];
		}
		j->size[d] = t->shape[i];
		j->step[d] = t->strides[i];
	}
}

/* number: the element's bytes. */
static void fill(const ay_tensor *t, const void *number, const ay_ctx *ctx)
{
	struct job all = { .data = t->data, .item = t->dtype.bits / 8 }, j;
	int64_t lines = 1;

	sort_dims(&all, t);
	j = all;
	j.dims = 1;
	j.size[0] = j.step[0] = 1;
	for (int d = 0; d < all.dims; d++) {
		const int last = j.dims - 1;

		if (d && j.step[last] != all.size[d] * all.step[d])
			j.size[j.dims++] = 1;
		j.size[j.dims - 1] *= all.size[d];
		j.step[j.dims - 1] = all.step[d];
	}
	for (int64_t i = 0; i < 32; i += j.item)
		memcpy(j.number + i, number, (size_t)j.item);
	for (int d = 0; d < j.dims - 1; d++)
		lines *= j.size[d];
	j.piece = PIECE / j.item;
	j.pieces = (j.size[j.dims - 1] + j.piece - 1) / j.piece;
	j.large = ay_numel(t) * j.item >= LARGE;
	if (ay_numel(t))
		share(fill_pieces, &j, lines * j.pieces, 1 + GRAIN * j.pieces / (j.size[j.dims - 1] * j.item),
		      ctx);
}

/* --- the number ------------------------------------------------------------------------------------------ */

static void fill_ones(ay_tensor *t, const ay_ctx *ctx)
{
	_Alignas(16) char one[16] = { 0 };
	ay_tensor first = *t;

	first.data = one;
	if (ay_is_complex(t)) /* the real part */
		first.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	ay_write(&first, 0, 1);
	fill(t, one, ctx);
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_ones_like(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		   const bool *pin_memory, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)dtype, (void)layout, (void)device, (void)pin_memory,
		(void)memory_format; /* out has them */
	fill_ones(out, ctx);
	return AY_OK;
}
