/* due: PASS - with d = |self - target|, d^2 / 2 up to delta and delta (d - delta / 2) beyond. In vectors of f32
 * where the dtypes are f32, f16 or bf16 and lines are dense or one repeated number, the rest in double. Sums: f32
 * within a piece of 4096, double beyond. */
#include <assay/kernel_elementwise.h>

enum { NONE, MEAN, SUM, MAX_DIM = 32, GRAIN = 8 }; /* reductions */

AY_INLINE ay_vec huber_vec(ay_vec x, ay_vec y, const float *delta)
{
	const ay_vec d = ay_vec_abs(x - y);

	return ay_select(d <= delta[0], 0.5f * d * d, delta[0] * (d - 0.5f * delta[0]));
}

static double huber_term(const struct ay_map *m, int64_t from, int64_t from2)
{
	const double d = fabs(ay_read(m->in[0], from) - ay_read(m->in[1], from2)), delta = m->number[0];

	return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
}

static void huber_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	ay_write(m->out, to, huber_term(m, from, from2));
}

static void huber_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, huber_vec, huber_one);
}

/* --- sums ------------------------------------------------------------------------------------------------ */

/* m.out has the shape of the terms and no data. */
struct sum {
	struct ay_map m;
	double *sums; /* one for each piece */
};

AY_INLINE double sum_run(int32_t dt, const struct ay_map *m, const struct ay_piece *p)
{
	const struct ay_operand x = ay_operand_at(m->in[0], p->in[0], m->lines.step[0]);
	const struct ay_operand y = ay_operand_at(m->in[1], p->in[1], m->lines.step[1]);
	const float delta = (float)m->number[0];
	ay_vec total = { 0 }, some;
	double sum = 0;
	int64_t i = 0;

	for (; i + AY_LANES <= p->n; i += AY_LANES)
		total += huber_vec(ay_operand_vec(dt, x, i, AY_LANES), ay_operand_vec(dt, y, i, AY_LANES), &delta);
	for (int e = 0; e < AY_LANES; e++)
		sum += total[e];
	some = huber_vec(ay_operand_vec(dt, x, i, p->n - i), ay_operand_vec(dt, y, i, p->n - i), &delta);
	for (int64_t e = 0; e < p->n - i; e++)
		sum += some[e];
	return sum;
}

static void sum_pieces(const void *job, int64_t from, int64_t to)
{
	const struct sum *s = job;
	const struct ay_map *m = &s->m;
	const int64_t *step = m->lines.step;
	const int32_t dt = ay_dt(m->out);
	const bool even = ay_is_vectorisable(m->in[0], step[0], dt) && ay_is_vectorisable(m->in[1], step[1], dt);

	for (struct ay_piece p = ay_piece_at(&m->lines, from); p.index < to; ay_next_piece(&m->lines, &p)) {
		double *sum = &s->sums[p.index];

		switch (even ? dt : 0) {
		case AY_F32: *sum = sum_run(AY_F32, m, &p); break;
		case AY_F16: *sum = sum_run(AY_F16, m, &p); break;
		case AY_BF16: *sum = sum_run(AY_BF16, m, &p); break;
		default:
			*sum = 0;
			for (int64_t e = 0; e < p.n; e++)
				*sum += huber_term(m, p.in[0] + e * step[0], p.in[1] + e * step[1]);
		}
	}
}

/* Makes *terms the dense tensor that a and b are broadcast to. */
static void broadcast(const ay_tensor *a, const ay_tensor *b, ay_tensor *terms)
{
	int64_t step = 1;

	terms->ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
	for (int32_t d = terms->ndim - 1; d >= 0; d--) {
		const int32_t da = d - (terms->ndim - a->ndim), db = d - (terms->ndim - b->ndim);

		terms->shape[d] = da >= 0 && (db < 0 || a->shape[da] != 1) ? a->shape[da] : b->shape[db];
		terms->strides[d] = step;
		step *= terms->shape[d];
	}
}

int aten_huber_loss(const ay_tensor *self, const ay_tensor *target, int64_t reduction, double delta,
		    ay_tensor *out, const ay_ctx *ctx)
{
	int64_t shape[MAX_DIM], strides[MAX_DIM];
	ay_tensor terms = { .dtype = out->dtype, .shape = shape, .strides = strides };
	struct sum s = {
		.m = { .out = reduction == NONE ? out : &terms, .in = { self, target }, .number = { delta } }
	};
	double sum = 0;

	if (self->ndim > MAX_DIM || target->ndim > MAX_DIM || ay_is_complex(self) || ay_is_complex(target))
		return AY_UNSUPPORTED;
	if (reduction == NONE)
		return ay_map(s.m, huber_pieces, GRAIN, ctx);
	broadcast(self, target, &terms);
	s.m.lines = ay_find_lines(&terms, 2, self, target, AY_PIECE);
	s.sums = ctx->scratch(ctx, (size_t)(s.m.lines.count + 1) * sizeof *s.sums);
	if (!s.sums)
		return AY_UNSUPPORTED;
	ay_parallel_pieces(sum_pieces, &s, &s.m.lines, GRAIN, ctx);
	for (int64_t i = 0; i < s.m.lines.count; i++)
		sum += s.sums[i];
	ay_write(out, 0, reduction == MEAN ? sum / (double)ay_numel(&terms) : sum);
	return AY_OK;
}
