/* due: PASS - every element from its place, so that errors do not add up: floats in double, integers exactly. A result
 * that does not lie in one piece is written element by element. */
#include <assay/kernel_convert.h>
#include <assay/kernel_threads.h>

enum { GRAIN = 256 << 10 }; /* elements of a part */

/* --- the operators --------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *out;
	double start, step;
	int64_t whole_start, whole_step; /* for results of integers */
};

#define WRITE(name, type, number, start, step, put)                     \
	static void name(const struct job *j, int64_t from, int64_t to) \
	{                                                               \
		const number first = j->start, by = j->step;            \
		type *restrict y = j->out->data;                        \
                                                                        \
		for (int64_t i = from; i < to; i++)                     \
			y[i] = put(first + (number)i * by);             \
	}
#define AS_FLOAT(x) (float)(x)
#define AS_IS(x)    (x)
#define AS_BF16(x)  ay_to_bf16((float)(x))
#define AS_F16(x)   ay_to_f16((float)(x))
WRITE(write_f32, float, double, start, step, AS_FLOAT)
WRITE(write_f64, double, double, start, step, AS_IS)
WRITE(write_bf16, uint16_t, double, start, step, AS_BF16)
WRITE(write_f16, uint16_t, double, start, step, AS_F16)
WRITE(write_i64, int64_t, int64_t, whole_start, whole_step, AS_IS)

static void write_slowly(const struct job *j, int64_t from, int64_t to)
{
	for (int64_t i = from; i < to; i++) {
		const int64_t at = ay_at(j->out, i), x = j->whole_start + i * j->whole_step;

		if (ay_is_float(j->out))
			ay_write(j->out, at, j->start + (double)i * j->step);
		else
			ay_write_int(j->out, at, x);
	}
}

static void write_part(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	switch (ay_is_dense(j->out) ? ay_dt(j->out) : 0) {
	case AY_F32: write_f32(j, from, to); break;
	case AY_F64: write_f64(j, from, to); break;
	case AY_F16: write_f16(j, from, to); break;
	case AY_BF16: write_bf16(j, from, to); break;
	case AY_I64: write_i64(j, from, to); break;
	default: write_slowly(j, from, to);
	}
}

/* From `start` in steps of `step`, as many as out holds. */
static int count(ay_scalar start, ay_scalar step, ay_tensor *out, const ay_ctx *ctx)
{
	const struct job j = { out, ay_scalar_real(start), ay_scalar_real(step), ay_scalar_int(start),
			       ay_scalar_int(step) };

	ay_parallel_for(write_part, &j, ay_numel(out), GRAIN, ctx);
	return AY_OK;
}

int aten_arange_start_step(ay_scalar start, ay_scalar end, ay_scalar step, int32_t dtype, int32_t layout,
			   const ay_device *device, const bool *pin_memory, ay_tensor *out, const ay_ctx *ctx)
{
	(void)end, (void)dtype, (void)layout, (void)device, (void)pin_memory; /* out has them */
	return count(start, step, out, ctx);
}

int aten_arange_start(ay_scalar start, ay_scalar end, int32_t dtype, int32_t layout, const ay_device *device,
		      const bool *pin_memory, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_scalar one = { .kind = AY_SCALAR_INT, .v.i = 1 };

	(void)end, (void)dtype, (void)layout, (void)device, (void)pin_memory; /* out has them */
	return count(start, one, out, ctx);
}

int aten_arange(ay_scalar end, int32_t dtype, int32_t layout, const ay_device *device, const bool *pin_memory,
		ay_tensor *out, const ay_ctx *ctx)
{
	const ay_scalar one = { .kind = AY_SCALAR_INT, .v.i = 1 }, zero = { .kind = AY_SCALAR_INT };

	(void)end, (void)dtype, (void)layout, (void)device, (void)pin_memory; /* out has them */
	return count(zero, one, out, ctx);
}
