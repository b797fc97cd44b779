/* due: PASS - the places that the index tensors name, as offsets in a list; for each a line of what is not indexed
 * behind them is copied. Masks become lists of their true places first. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { MAX_DIM = 66, LARGE = 16 << 20, GRAIN = 128 << 10, MAX_THREADS = 64 }; /* LARGE: bytes; GRAIN: elements */

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

/* --- copying by lists ------------------------------------------------------------------------------------ */

/* For every place of an odometer over `dims` dimensions and every entry of the lists, a line of n elements:
 * out[to + e * line_to] = self[from + e * line_from]. Everything is counted in elements. */
struct job {
	const char *self;
	char *out;
	int64_t item, n, line_from, line_to, entries;
	const int64_t *from, *to; /* the lists */
	int dims;
	int64_t size[MAX_DIM], step_from[MAX_DIM], step_to[MAX_DIM];
	bool large, straight; /* straight: a line is one element, entry i goes to place i */
};

struct pair {
	uint64_t a, b;
};

#define COPY(name, type)                                                                         \
	static void name(const struct job *j, int64_t from, int64_t to, int64_t i, int64_t n)    \
	{                                                                                        \
		const type *x = (const type *)j->self + from;                                    \
		type *restrict y = (type *)j->out + to;                                          \
                                                                                                 \
		for (; j->straight && n > 0; n--, i++)                                           \
			y[i] = x[j->from[i]];                                                    \
		for (; n-- > 0; i++)                                                             \
			for (int64_t e = 0; e < j->n; e++)                                       \
				y[j->to[i] + e * j->line_to] = x[j->from[i] + e * j->line_from]; \
	}
COPY(copy_8, uint8_t)
COPY(copy_16, uint16_t)
COPY(copy_32, uint32_t)
COPY(copy_64, uint64_t)
COPY(copy_128, struct pair)

/* memcpy, past the caches if the result is large: it would only sweep them out. */
static void copy_line(char *dst, const char *src, size_t n, bool large)
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

/* n entries from entry i on. */
static void copy_entries(const struct job *j, int64_t from, int64_t to, int64_t i, int64_t n)
{
	if (j->line_from == 1 && j->line_to == 1 && j->n * j->item >= 32) {
		for (; n-- > 0; i++)
			copy_line(j->out + (to + j->to[i]) * j->item, j->self + (from + j->from[i]) * j->item,
				  (size_t)(j->n * j->item), j->large);
		return;
	}
	switch (j->item) {
	case 1: copy_8(j, from, to, i, n); break;
	case 2: copy_16(j, from, to, i, n); break;
	case 4: copy_32(j, from, to, i, n); break;
	case 8: copy_64(j, from, to, i, n); break;
	default: copy_128(j, from, to, i, n);
	}
}

static void copy_part(const void *job, int64_t first, int64_t end)
{
	const struct job *j = job;

	while (first < end) {
		const int64_t i = first % j->entries,
			      n = j->entries - i < end - first ? j->entries - i : end - first;
		int64_t place = first / j->entries, from = 0, to = 0;

		for (int d = j->dims - 1; d >= 0; d--) {
			from += place % j->size[d] * j->step_from[d];
			to += place % j->size[d] * j->step_to[d];
			place /= j->size[d];
		}
		copy_entries(j, from, to, i, n);
		first += n;
	}
}

static void copy_all(struct job *j, int64_t numel, const ay_ctx *ctx)
{
	j->large = numel * j->item >= LARGE;
	j->straight = j->n == 1;
	for (int64_t i = 0; i < j->entries && j->straight; i++)
		j->straight = j->to[i] == i;
	share(copy_part, j, numel / j->n, 1 + GRAIN / j->n, ctx);
}

/* A dimension that is not indexed, from the last on. One behind the indexed ones is the line, or lengthens it. */
static void add_dim(struct job *j, int64_t size, int64_t from, int64_t to, bool behind)
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

static int64_t index_at(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : ((const int32_t *)t->data)[at];
}

/* --- the operator ---------------------------------------------------------------------------------------- */

/* One dimension's index: its places have the strides of the shape that all are broadcast to. */
struct index {
	int32_t dim;
	const int64_t *places; /* of a mask: those of its true elements, `count` of them; else NULL */
	int64_t count;
	const ay_tensor *t;
};

struct plan {
	struct index index[MAX_DIM];
	int n;
	int32_t b_dims, b_first,
		covered; /* dimensions of B, the first of them in out; dimensions of self that have an entry */
	int64_t entries;
	const ay_tensor *out;
};

/* A mask as one list for each of its dimensions. */
static bool add_mask(struct plan *p, const ay_tensor *mask, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(mask);
	int64_t count = 0, *places;

	for (int64_t i = 0; i < n; i++)
		count += ((const uint8_t *)mask->data)[ay_at(mask, i)] != 0;
	places = ctx->scratch(ctx, (size_t)(mask->ndim * count + 1) * sizeof *places);
	if (!places)
		return false;
	for (int64_t i = 0, k = 0; i < n; i++) {
		int64_t rest = i;

		if (!((const uint8_t *)mask->data)[ay_at(mask, i)])
			continue;
		for (int32_t d = mask->ndim - 1; d >= 0; d--) {
			places[d * count + k] = rest % mask->shape[d];
			rest /= mask->shape[d];
		}
		k++;
	}
	for (int32_t d = 0; d < mask->ndim; d++)
		p->index[p->n++] = (struct index){ p->covered++, places + d * count, count, mask };
	p->b_dims = p->b_dims > 1 ? p->b_dims : 1;
	return true;
}

static bool add_indices(struct plan *p, const ay_tensor *const *indices, int64_t n, const ay_ctx *ctx)
{
	for (int64_t i = 0; i < n; i++) {
		const ay_tensor *t = indices[i];

		if (!t) {
			p->covered++;
		} else if (ay_dt(t) == AY_B8 || ay_dt(t) == AY_U8) {
			if (!add_mask(p, t, ctx))
				return false;
		} else {
			p->index[p->n++] = (struct index){ p->covered++, NULL, 0, t };
			p->b_dims = t->ndim > p->b_dims ? t->ndim : p->b_dims;
		}
	}
	for (int i = 1; i < p->n; i++)
		if (p->index[i].dim != p->index[i - 1].dim + 1)
			p->b_first = -1; /* in front, since they are no neighbours */
	p->b_first = p->b_first < 0 || !p->n ? 0 : p->index[0].dim;
	return true;
}

/* What index x says at entry e, whose coordinates along B are `at`. */
static int64_t place_of(const struct plan *p, const struct index *x, const int64_t *at)
{
	int64_t from = 0;

	if (x->places) /* one dimension, the last of B; one true element is broadcast */
		return x->places[x->count == 1 ? 0 : at[p->b_dims - 1]];
	for (int32_t d = 0; d < x->t->ndim; d++)
		if (x->t->shape[d] > 1)
			from += at[p->b_dims - x->t->ndim + d] * x->t->strides[d];
	return index_at(x->t, from);
}

/* The offsets of every entry in self and out. */
static void list_entries(const struct plan *p, const ay_tensor *self, int64_t *from, int64_t *to)
{
	const int64_t *shape = p->out->shape + p->b_first, *strides = p->out->strides + p->b_first;
	int64_t at[MAX_DIM] = { 0 };

	for (int64_t e = 0; e < p->entries; e++) {
		from[e] = to[e] = 0;
		for (int i = 0; i < p->n; i++) {
			const int64_t place = place_of(p, &p->index[i], at);
			const int32_t d = p->index[i].dim;

			from[e] += (place < 0 ? place + self->shape[d] : place) * self->strides[d];
		}
		for (int32_t d = p->b_dims - 1; d >= 0; d--)
			to[e] += at[d] * strides[d];
		for (int32_t d = p->b_dims - 1; d >= 0 && ++at[d] == shape[d]; d--)
			at[d] = 0;
	}
}

/* Dimensions without an index keep their order in out; those of B stand between or before them. */
static void add_rest(struct job *j, const struct plan *p, const ay_tensor *self)
{
	int32_t o = p->out->ndim - 1, i = p->n - 1;

	for (int32_t d = self->ndim - 1; d >= 0; d--) {
		if (i >= 0 && p->index[i].dim == d) {
			i--;
			continue;
		}
		if (o == p->b_first + p->b_dims - 1)
			o = p->b_first - 1;
		add_dim(j, self->shape[d], self->strides[d], p->out->strides[o], o >= p->b_first);
		o--;
	}
}

int aten_index_Tensor(const ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices, ay_tensor *out,
		      const ay_ctx *ctx)
{
	struct job j = { .self = self->data, .out = out->data, .item = self->dtype.bits / 8, .n = 1 };
	struct plan p = { .out = out, .entries = 1 };
	int64_t *lists;

	if (self->ndim > MAX_DIM / 2 || out->ndim > MAX_DIM / 2)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	if (!add_indices(&p, indices, n_indices, ctx))
		return AY_UNSUPPORTED;
	for (int32_t d = 0; d < p.b_dims; d++)
		p.entries *= out->shape[p.b_first + d];
	lists = ctx->scratch(ctx, (size_t)(2 * p.entries) * sizeof *lists);
	if (!lists)
		return AY_UNSUPPORTED;
	list_entries(&p, self, lists, lists + p.entries);
	j.from = lists;
	j.to = lists + p.entries;
	j.entries = p.entries;
	add_rest(&j, &p, self);
	copy_all(&j, ay_numel(out), ctx);
	return AY_OK;
}
