/* due: PASS - minima over listed dimensions. f32, f16 and bf16 whose last dimension is dense: the least of a line is
 * found in lanes, or lines go over a line of minima. The rest in double, i64 as it is. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { MAX_DIM = 16, SPAN = 2048, LANES = 64, GRAIN = 256 << 10, MAX_THREADS = 64 }; /* GRAIN: numbers of a part */

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

/* --- the order of dimensions ----------------------------------------------------------------------------- */

/* self with the kept dimensions in front and the taken ones behind. */
struct order {
	int kept, taken;
	int64_t shape[MAX_DIM], stride[MAX_DIM];
	int64_t n; /* elements in one minimum */
};

static struct order arrange(const ay_tensor *self, unsigned mask)
{
	struct order o = { .n = 1 };

	for (int pass = 0; pass < 2; pass++) {
		for (int d = 0; d < self->ndim; d++) {
			if ((int)(mask >> d & 1) != pass)
				continue;
			o.shape[o.kept + o.taken] = self->shape[d];
			o.stride[o.kept + o.taken] = self->strides[d];
			o.n *= pass ? self->shape[d] : 1;
			*(pass ? &o.taken : &o.kept) += 1;
		}
	}
	return o;
}

static int64_t offset(const struct order *o, int from, int to, int64_t i)
{
	int64_t at = 0;

	for (int d = to - 1; d >= from; d--) {
		at += i % o->shape[d] * o->stride[d];
		i /= o->shape[d];
	}
	return at;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* --- floats up to f32 ------------------------------------------------------------------------------------ */

struct job {
	const ay_tensor *self, *out;
	struct order o;
	int64_t outs, parts;
	float *partial; /* of every part, where one minimum is shared by all */
};

static float smaller(float a, float b)
{
	return b < a || b != b ? b : a; /* once NaN, always NaN: nothing is less */
}

static float least_of(const float *x, int64_t n)
{
	float lane[LANES], min = x[0];
	uint32_t strange[LANES] = { 0 }; /* NaN: it is lost in the lanes */
	int64_t i = 0;

	for (int e = 0; e < LANES; e++)
		lane[e] = min;
	for (; i + LANES <= n; i += LANES) {
		for (int e = 0; e < LANES; e++) {
			lane[e] = x[i + e] < lane[e] ? x[i + e] : lane[e];
			strange[e] |= x[i + e] != x[i + e];
		}
	}
	for (int half = LANES / 2; half; half /= 2) {
		for (int e = 0; e < half; e++) {
			lane[e] = lane[e + half] < lane[e] ? lane[e + half] : lane[e];
			strange[e] |= strange[e + half];
		}
	}
	min = strange[0] ? NAN : smaller(min, lane[0]);
	for (; i < n; i++)
		min = smaller(min, x[i]);
	return min;
}

/* Elements from .. to - 1 of those that one minimum is taken of; lines of the last dimension are neighbours. */
static float least_range(const struct job *j, int64_t base, int64_t from, int64_t to)
{
	const int dims = j->o.kept + j->o.taken;
	const int64_t line = j->o.shape[dims - 1];
	float buf[SPAN];
	float min = INFINITY;

	while (from < to) {
		const int64_t n = least(least(line - from % line, to - from), SPAN);
		const int64_t at = base + offset(&j->o, j->o.kept, dims, from);

		if (ay_dt(j->self) != AY_F32)
			get_floats(j->self, at, buf, n);
		min = smaller(min,
			      least_of(ay_dt(j->self) == AY_F32 ? (const float *)j->self->data + at : buf, n));
		from += n;
	}
	return min;
}

/* Many minima are shared by the threads; of a few, every thread takes a part. */
static void take_lines(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	const struct order *o = &j->o;

	for (int64_t i = 0; i < j->outs && j->partial; i++)
		j->partial[t * j->outs + i] = least_range(j, offset(o, 0, o->kept, i), o->n * t / j->parts,
							  o->n * (t + 1) / j->parts);
	for (int64_t i = j->outs * t / j->parts; i < j->outs * end / j->parts && !j->partial; i++)
		ay_write(j->out, ay_at(j->out, i), least_range(j, offset(o, 0, o->kept, i), 0, o->n));
}

/* The last kept dimension is dense: a piece of it gathers the least of the lines. A line that is short, with its
 * neighbours behind it, is taken several times over. */
static void take_columns(const struct job *j, int64_t first, int64_t cols, bool several)
{
	const struct order *o = &j->o;
	const int64_t base = offset(o, 0, o->kept, first), times = several ? least(SPAN / cols, o->n) : 1;
	float min[SPAN], buf[SPAN];

	for (int64_t e = 0; e < times * cols; e++)
		min[e] = INFINITY;
	for (int64_t i = 0; i < o->n; i += times) {
		const int64_t n = least(times, o->n - i) * cols,
			      at = base + offset(o, o->kept, o->kept + o->taken, i);
		const float *x = (const float *)j->self->data + at;

		if (ay_dt(j->self) != AY_F32) {
			get_floats(j->self, at, buf, n);
			x = buf;
		}
		for (int64_t e = 0; e < n; e++)
			min[e] = x[e] < min[e] || x[e] != x[e] ? x[e] : min[e];
	}
	for (int64_t t = 1; t < times; t++)
		for (int64_t e = 0; e < cols; e++)
			min[e] = smaller(min[e], min[t * cols + e]);
	for (int64_t e = 0; e < cols; e++)
		ay_write(j->out, ay_at(j->out, first + e), min[e]);
}

static void take_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const struct order *o = &j->o;
	const int64_t line = o->shape[o->kept - 1], pieces = (line + SPAN - 1) / SPAN;
	const bool several = o->taken == 1 && o->stride[o->kept] == line;

	for (int64_t p = from; p < to; p++) {
		const int64_t col = p % pieces * SPAN, cols = least(SPAN, line - col);

		take_columns(j, p / pieces * line + col, cols, several && cols < SPAN / 2);
	}
}

static int take_floats(struct job *j, bool by_lines, const ay_ctx *ctx)
{
	const struct order *o = &j->o;
	const int64_t line = by_lines ? 1 : o->shape[o->kept - 1], pieces = (line + SPAN - 1) / SPAN;

	if (!by_lines) {
		share(take_pieces, j, j->outs / line * pieces, 1 + GRAIN / (o->n * least(line, SPAN)), ctx);
		return AY_OK;
	}
	j->parts = least(ctx->threads, 1 + j->outs * o->n / GRAIN);
	if (j->outs < 4 * j->parts)
		j->partial = ctx->scratch(ctx, (size_t)(j->parts * j->outs) * sizeof *j->partial);
	share(take_lines, j, j->parts, 1, ctx);
	for (int64_t i = 0; i < j->outs && j->partial; i++) {
		float min = INFINITY;

		for (int64_t t = 0; t < j->parts; t++)
			min = smaller(min, j->partial[t * j->outs + i]);
		ay_write(j->out, ay_at(j->out, i), min);
	}
	return AY_OK;
}

/* --- the rest -------------------------------------------------------------------------------------------- */

static void take_slowly(const ay_tensor *self, const struct order *o, ay_tensor *out)
{
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = offset(o, 0, o->kept, i), to = ay_at(out, i);
		int64_t whole = INT64_MAX;
		double min = INFINITY;

		for (int64_t e = 0; e < o->n; e++) {
			const int64_t at = base + offset(o, o->kept, o->kept + o->taken, e);
			const double x = ay_read(self, at);

			min = x < min || x != x ? x : min;
			if (ay_dt(self) == AY_I64 && ((const int64_t *)self->data)[at] < whole)
				whole = ((const int64_t *)self->data)[at];
		}
		if (ay_dt(self) == AY_I64) /* a double does not hold it */
			((int64_t *)out->data)[to] = whole;
		else
			ay_write(out, to, min);
	}
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_amin(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, ay_tensor *out,
	      const ay_ctx *ctx)
{
	struct job j = { .self = self, .out = out, .outs = ay_numel(out) };
	unsigned mask = n_dim ? 0 : ~0u;

	(void)keepdim; /* out's shape says it already */
	for (int64_t k = 0; k < n_dim; k++)
		mask |= 1u << (dim[k] < 0 ? dim[k] + (self->ndim ? self->ndim : 1) : dim[k]);
	j.o = arrange(self, mask);
	if (!j.outs)
		return AY_OK;
	if (is_float(self) && self->ndim && self->strides[self->ndim - 1] == 1)
		return take_floats(&j, mask >> (self->ndim - 1) & 1, ctx);
	take_slowly(self, &j.o, out);
	return AY_OK;
}
