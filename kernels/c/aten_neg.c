/* due: PASS - the sign bits of floats and complex numbers turned, 64 bytes at a time, past the caches where the
 * result is large; integers, and what does not lie side by side, one by one. */
#include <assay/kernel.h>
#include <complex.h>
#include <pthread.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum {
	BLOCK = 64,
	PIECE = 4096,
	GRAIN = 16,
	LARGE = 16 << 20,
	MAX_THREADS = 64
}; /* bytes, numbers, pieces, bytes */

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

/* --- bits ------------------------------------------------------------------------------------------------ */

typedef uint64_t block_t __attribute__((vector_size(BLOCK)));

/* The sign bits of the floats in 8 bytes, whether they are numbers or parts of complex ones. */
static uint64_t signs_of(const ay_tensor *t)
{
	switch (ay_dt(t)) {
	case AY_F16:
	case AY_BF16: return 0x8000800080008000;
	case AY_F32:
	case AY_C64: return 0x8000000080000000;
	case AY_F64:
	case AY_C128: return 0x8000000000000000;
	default: return 0;
	}
}

/* y may be x. */
static void turn(const char *x, char *y, size_t n, uint64_t signs, bool large)
{
	const bool past = large && (uintptr_t)y % BLOCK == 0;
	block_t b = { 0 };
	size_t i = 0;

	for (; i + BLOCK <= n; i += BLOCK) {
		memcpy(&b, x + i, BLOCK);
		b ^= signs;
#ifdef __clang__
		if (past)
			__builtin_nontemporal_store(b, (block_t *)(y + i));
		else
#endif
			memcpy(y + i, &b, BLOCK);
	}
	if (i < n) {
		memcpy(&b, x + i, n - i);
		b ^= signs;
		memcpy(y + i, &b, n - i);
	}
	(void)past;
}

/* --- any dtype, any step --------------------------------------------------------------------------------- */

static double complex read_z(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64    ? ((const float complex *)t->data)[at]
			   : ay_dt(t) == AY_C128 ? ((const double complex *)t->data)[at]
						 : ay_read(t, at);

	return t->flags & AY_CONJ ? conj(z) : z;
}

static void write_z(const ay_tensor *t, int64_t at, double complex z)
{
	if (ay_dt(t) == AY_C64)
		((float complex *)t->data)[at] = (float complex)z;
	else
		((double complex *)t->data)[at] = z;
}

static uint64_t read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[at] : (uint64_t)(int64_t)ay_read(t, at);
}

static void write_int(const ay_tensor *t, int64_t at, uint64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((uint64_t *)t->data)[at] = x; break;
	case AY_I32: ((uint32_t *)t->data)[at] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)t->data)[at] = (uint16_t)x; break;
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

static bool is_float(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_FLOAT || t->dtype.code == AY_CODE_BFLOAT;
}

static void neg_one(const ay_tensor *self, int64_t from, const ay_tensor *out, int64_t to)
{
	if (ay_is_complex(out))
		write_z(out, to, -read_z(self, from));
	else if (is_float(out))
		ay_write(out, to, -ay_read(self, from));
	else
		write_int(out, to, 0 - read_int(self, from));
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* line: elements that follow each other in out, and in self lie `step` apart. */
struct job {
	const ay_tensor *self, *out;
	int64_t line, step, pieces; /* pieces: of one line */
	int32_t outer;              /* the dimension that leads from one line to the next */
	bool large;
};

/* Joins dimensions from the last on for as long as both tensors go on evenly. */
static void find_lines(struct job *j)
{
	j->line = j->step = 1;
	for (j->outer = j->out->ndim - 1; j->outer >= 0; j->outer--) {
		const int64_t from = j->self->strides[j->outer], to = j->out->strides[j->outer];

		if (j->out->shape[j->outer] == 1)
			continue;
		if (j->line == 1)
			j->step = from;
		if (to != j->line || from != j->step * j->line)
			break;
		j->line *= j->out->shape[j->outer];
	}
	j->pieces = (j->line + PIECE - 1) / PIECE;
}

/* Where a line begins, and how many there are up to the end of dimension `outer`. */
struct place {
	int64_t self, out, left;
};

static struct place place_of(const struct job *j, int64_t line)
{
	const int64_t most = j->outer < 0 ? 1 : j->out->shape[j->outer];

	return (struct place){ ay_at(j->self, line * j->line), ay_at(j->out, line * j->line), most - line % most };
}

/* Where line begins, given where the one before does: mostly one step away. */
static struct place next_place(const struct job *j, int64_t line, struct place p)
{
	if (p.left == 1)
		return place_of(j, line);
	return (struct place){ p.self + j->self->strides[j->outer], p.out + j->out->strides[j->outer],
			       p.left - 1 };
}

static void neg_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const uint64_t signs = signs_of(j->self);
	const bool dense = j->step == 1 && signs && !j->self->flags;
	const int64_t size = j->out->dtype.bits / 8;

	int64_t line = from / j->pieces, first = from % j->pieces * PIECE;
	struct place p = place_of(j, line);

	for (int64_t u = from; u < to; u++) {
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;
		const int64_t ix = p.self + first * j->step, iy = p.out + first;

		if (dense)
			turn((const char *)j->self->data + ix * size, (char *)j->out->data + iy * size,
			     (size_t)(n * size), signs, j->large);
		else
			for (int64_t e = 0; e < n; e++)
				neg_one(j->self, ix + e * j->step, j->out, iy + e);
		first += PIECE;
		if (first >= j->line && u + 1 < to) {
			p = next_place(j, ++line, p);
			first = 0;
		}
	}
#ifdef __SSE2__
	_mm_sfence(); /* what went past the caches is there before others are told */
#endif
}

int aten_neg(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out);
	struct job j = { .self = self, .out = out, .large = n * out->dtype.bits / 8 >= LARGE };

	if (ay_dt(self) == AY_C32)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	find_lines(&j);
	share(neg_pieces, &j, n / j.line * j.pieces, 1 + GRAIN * PIECE / (j.line < PIECE ? j.line : PIECE), ctx);
	return AY_OK;
}
