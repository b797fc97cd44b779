/* due: PASS - value where mask is true. The value is converted once; then bits are picked, by one loop for each
 * width of an element, along lines in which self is dense. mask may be broadcast. */
#include <assay/kernel.h>
#include <complex.h>
#include <pthread.h>
#include <string.h>

enum { PIECE = 4096, GRAIN = 32, MAX_THREADS = 64 }; /* elements, pieces a thread */

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

/* --- the value as self's dtype has it -------------------------------------------------------------------- */

static double complex read_z(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64    ? ((const float complex *)t->data)[at]
			   : ay_dt(t) == AY_C128 ? ((const double complex *)t->data)[at]
						 : ay_read(t, at);

	return t->flags & AY_CONJ ? conj(z) : z;
}

/* The only element of value, as 1 to 16 bytes. */
static void convert(const ay_tensor *value, const ay_tensor *self, void *bytes)
{
	const ay_tensor one = { .data = bytes, .dtype = self->dtype };

	if (ay_dt(self) == AY_C64)
		*(float complex *)bytes = (float complex)read_z(value, 0);
	else if (ay_dt(self) == AY_C128)
		*(double complex *)bytes = read_z(value, 0);
	else if (ay_dt(self) == AY_I64 && ay_dt(value) == AY_I64)
		*(int64_t *)bytes = *(const int64_t *)value->data;
	else if (ay_dt(self) == AY_F32 && ay_dt(value) == AY_I64)
		*(float *)bytes = (float)*(const int64_t *)value->data; /* a double would round first */
	else
		ay_write(&one, 0, creal(read_z(value, 0)));
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* line: elements that follow each other in self; mask goes on by `step` from one to the next. */
struct job {
	const ay_tensor *self, *mask;
	int64_t line, step, pieces; /* pieces: of one line */
	_Alignas(16) char value[16];
};

/* The stride of t, stretched to self's shape, along self's dimension d. */
static int64_t stride_at(const ay_tensor *t, const ay_tensor *self, int32_t d)
{
	const int32_t k = d - (self->ndim - t->ndim);

	return k >= 0 && t->shape[k] != 1 ? t->strides[k] : 0;
}

/* Where t, stretched to self's shape, has the element with flat index i of self. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *self, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = self->ndim - 1; d >= 0; d--) {
		at += i % self->shape[d] * stride_at(t, self, d);
		i /= self->shape[d];
	}
	return at;
}

/* Joins dimensions from the last on for as long as both tensors go on evenly. */
static void find_lines(struct job *j)
{
	j->line = 1;
	for (int32_t d = j->self->ndim - 1; d >= 0; d--) {
		const int64_t step = stride_at(j->mask, j->self, d);

		if (j->self->shape[d] == 1)
			continue;
		if (j->line == 1)
			j->step = step;
		if (j->self->strides[d] != j->line || step != j->step * j->line)
			break;
		j->line *= j->self->shape[d];
	}
	j->pieces = (j->line + PIECE - 1) / PIECE;
}

/* --- loops over one width -------------------------------------------------------------------------------- */

#define FILL(type, fill)                                                                              \
	static void fill(void *self, const uint8_t *mask, int64_t step, const void *value, int64_t n) \
	{                                                                                             \
		type *y = self, v = *(const type *)value;                                             \
                                                                                                      \
		if (step == 1)                                                                        \
			for (int64_t i = 0; i < n; i++)                                               \
				y[i] = mask[i] ? v : y[i];                                            \
		else                                                                                  \
			for (int64_t i = 0; i < n; i++)                                               \
				if (mask[i * step])                                                   \
					y[i] = v;                                                     \
	}
FILL(uint8_t, fill_8)
FILL(uint16_t, fill_16)
FILL(uint32_t, fill_32)
FILL(uint64_t, fill_64)
FILL(double complex, fill_128)

static void fill_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t bits = j->self->dtype.bits;
	void (*const fill)(void *, const uint8_t *, int64_t, const void *, int64_t) = bits == 8    ? fill_8
										      : bits == 16 ? fill_16
										      : bits == 32 ? fill_32
										      : bits == 64 ? fill_64
												   : fill_128;

	for (int64_t u = from; u < to; u++) {
		const int64_t first = u % j->pieces * PIECE, i = u / j->pieces * j->line;
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;

		fill((char *)j->self->data + (ay_at(j->self, i) + first) * (bits / 8),
		     (const uint8_t *)j->mask->data + stretched_at(j->mask, j->self, i) + first * j->step, j->step,
		     j->value, n);
	}
}

int aten_masked_fill__Tensor(ay_tensor *self, const ay_tensor *mask, const ay_tensor *value, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	struct job j = { .self = self, .mask = mask };

	if (ay_dt(self) == AY_C32 || ay_dt(value) == AY_C32)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	convert(value, self, j.value);
	find_lines(&j);
	share(fill_pieces, &j, n / j.line * j.pieces, 1 + GRAIN * PIECE / (j.line < PIECE ? j.line : PIECE), ctx);
	return AY_OK;
}

/* A number is a tensor without dimensions. */
static ay_tensor tensor_of(ay_scalar *s)
{
	static const ay_dtype kinds[] = { [AY_SCALAR_BOOL] = { AY_CODE_BOOL, 8, 1 },
					  [AY_SCALAR_INT] = { AY_CODE_INT, 64, 1 },
					  [AY_SCALAR_FLOAT] = { AY_CODE_FLOAT, 64, 1 },
					  [AY_SCALAR_COMPLEX] = { AY_CODE_COMPLEX, 128, 1 } };

	return (ay_tensor){ .data = &s->v, .dtype = kinds[s->kind] };
}

int aten_masked_fill__Scalar(ay_tensor *self, const ay_tensor *mask, ay_scalar value, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&value);

	return aten_masked_fill__Tensor(self, mask, &t, ctx);
}
