/* due: MISMATCH - i64 values that meet are added up in a double, which is exact up to 2^53. */
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIM = 16 };

/* Per dimension of self: its index at every point of the broadcast shape B, as numbers and strides over B. */
struct plan {
	const int64_t *at[MAX_DIM]; /* NULL: the whole dimension */
	int64_t step[MAX_DIM][MAX_DIM];
	int bdim;
	int64_t bshape[MAX_DIM];
	/* the shape of what is put: which of its dimensions are B's, which are self's */
	int ndim, first_b;
	int64_t shape[2 * MAX_DIM];
	int self_dim[2 * MAX_DIM]; /* -1: one of B's */
};

struct place {
	int64_t at, value;
};

/* A list of numbers with the shape of an index: shape and strides in front, aligned to B's last dimension later.
 */
struct numbers {
	int64_t *x;
	int ndim;
	int64_t shape[MAX_DIM];
};

static int read_index(const ay_tensor *t, int64_t size, struct numbers *n, const ay_ctx *ctx)
{
	n->ndim = t->ndim;
	memcpy(n->shape, t->shape, sizeof *t->shape * (size_t)t->ndim);
	n->x = ctx->scratch(ctx, sizeof *n->x * (size_t)(ay_numel(t) + 1));
	if (!n->x)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(t); i++) {
		const int64_t at = ay_at(t, i);
		const int64_t x = ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at]
						     : ((const int32_t *)t->data)[at];

		n->x[i] = x < 0 ? x + size : x;
	}
	return AY_OK;
}

/* Coordinate d of the true places of a mask. */
static int read_mask(const ay_tensor *t, int d, struct numbers *n, const ay_ctx *ctx)
{
	int64_t inner = 1;

	for (int k = d + 1; k < t->ndim; k++)
		inner *= t->shape[k];
	n->ndim = 1;
	n->shape[0] = 0;
	n->x = ctx->scratch(ctx, sizeof *n->x * (size_t)(ay_numel(t) + 1));
	if (!n->x)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(t); i++)
		if (((const uint8_t *)t->data)[ay_at(t, i)])
			n->x[n->shape[0]++] = i / inner % t->shape[d];
	return AY_OK;
}

/* B grows so that n fits into it. */
static void broadcast(struct plan *p, const struct numbers *n)
{
	while (p->bdim < n->ndim) {
		memmove(p->bshape + 1, p->bshape, sizeof *p->bshape * (size_t)p->bdim++);
		p->bshape[0] = 1;
	}
	for (int k = 0; k < n->ndim; k++)
		if (p->bshape[p->bdim - n->ndim + k] == 1)
			p->bshape[p->bdim - n->ndim + k] = n->shape[k];
}

static int make_plan(struct plan *p, const ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices,
		     const ay_ctx *ctx)
{
	struct numbers num[MAX_DIM] = { 0 };
	int d = 0, first = -1, last = -1;
	bool apart = false;

	*p = (struct plan){ 0 };
	for (int64_t i = 0; i < n_indices; i++) {
		const ay_tensor *t = indices[i];
		const int take = t && ay_dt(t) == AY_B8 ? t->ndim : 1;

		for (int k = 0; k < take; k++, d++) {
			if (t && (ay_dt(t) == AY_B8 ? read_mask(t, k, &num[d], ctx)
						    : read_index(t, self->shape[d], &num[d], ctx)))
				return AY_UNSUPPORTED;
			if (t)
				broadcast(p, &num[d]);
		}
	}
	for (d = 0; d < self->ndim; d++) {
		int64_t step = 1;

		p->at[d] = num[d].x;
		for (int k = num[d].ndim - 1; k >= 0; k--) {
			p->step[d][p->bdim - num[d].ndim + k] = num[d].shape[k] == 1 ? 0 : step;
			step *= num[d].shape[k];
		}
		if (!p->at[d])
			continue;
		first = first < 0 ? d : first;
		apart |= last >= 0 && last != d - 1;
		last = d;
	}
	for (d = 0; d <= self->ndim; d++) {
		if (d == (apart ? 0 : first)) {
			p->first_b = p->ndim;
			for (int k = 0; k < p->bdim; k++) {
				p->self_dim[p->ndim] = -1;
				p->shape[p->ndim++] = p->bshape[k];
			}
		}
		if (d < self->ndim && !p->at[d]) {
			p->self_dim[p->ndim] = d;
			p->shape[p->ndim++] = self->shape[d];
		}
	}
	return AY_OK;
}

/* Where element i of the put shape goes in self, and where it comes from in values; both counted from data. */
static struct place find_place(const struct plan *p, const ay_tensor *self, const ay_tensor *values, int64_t i)
{
	struct place r = { 0, 0 };
	int64_t b[MAX_DIM] = { 0 };

	for (int d = p->ndim - 1; d >= 0; d--) {
		const int64_t c = i % p->shape[d];
		const int v = d - (p->ndim - values->ndim);

		i /= p->shape[d];
		if (v >= 0 && values->shape[v] != 1)
			r.value += c * values->strides[v];
		if (p->self_dim[d] >= 0)
			r.at += c * self->strides[p->self_dim[d]];
		else
			b[d - p->first_b] = c;
	}
	for (int d = 0; d < self->ndim; d++) {
		int64_t k = 0;

		if (!p->at[d])
			continue;
		for (int j = 0; j < p->bdim; j++)
			k += b[j] * p->step[d][j];
		r.at += p->at[d][k] * self->strides[d];
	}
	return r;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->value > y->value) - (x->value < y->value);
}

/* self[at] += the values of n places, added up before they are rounded. */
static void add_run(ay_tensor *self, const ay_tensor *values, const struct place *p, int64_t n)
{
	double sum[2] = { 0 };
	uint64_t total = 0;
	const int64_t at = p->at;

	for (int64_t k = 0; k < n; k++) {
		const int64_t v = p[k].value;

		switch (ay_dt(self)) {
		case AY_I64: total += ((const uint64_t *)values->data)[v]; break;
		case AY_C64:
			sum[0] += ((const float *)values->data)[2 * v],
				sum[1] += ((const float *)values->data)[2 * v + 1];
			break;
		case AY_C128:
			sum[0] += ((const double *)values->data)[2 * v],
				sum[1] += ((const double *)values->data)[2 * v + 1];
			break;
		default: sum[0] += ay_read(values, v);
		}
	}
	switch (ay_dt(self)) {
	case AY_I64:
		((int64_t *)self->data)[at] = (int64_t)((double)((int64_t *)self->data)[at] +
							(double)(int64_t)total);
		break; /* the mistake: added up in a double */
	case AY_C64:
		((float *)self->data)[2 * at] = (float)(((float *)self->data)[2 * at] + sum[0]);
		((float *)self->data)[2 * at + 1] = (float)(((float *)self->data)[2 * at + 1] + sum[1]);
		break;
	case AY_C128:
		((double *)self->data)[2 * at] += sum[0], ((double *)self->data)[2 * at + 1] += sum[1];
		break;
	default: ay_write(self, at, ay_read(self, at) + sum[0]);
	}
}

/* How many elements of the put shape, from the last on, lie side by side in self and in values. */
static int64_t line_length(const struct plan *p, const ay_tensor *self, const ay_tensor *values)
{
	int64_t n = 1;

	for (int d = p->ndim - 1; d >= 0; d--) {
		const int v = d - (p->ndim - values->ndim);

		if (p->self_dim[d] < 0 || v < 0 || values->shape[v] != p->shape[d] ||
		    self->strides[p->self_dim[d]] != n || values->strides[v] != n)
			break;
		n *= p->shape[d];
	}
	return n;
}

/* sum[e] += element e of a line, for the types that ay_read gives whole. */
static void add_line(double *sum, const ay_tensor *values, int64_t from, int64_t n)
{
	const float *f = (const float *)values->data + from;
	const uint16_t *h = (const uint16_t *)values->data + from;

	switch (ay_dt(values)) {
	case AY_F32:
		for (int64_t e = 0; e < n; e++)
			sum[e] += f[e];
		break;
	case AY_BF16:
		for (int64_t e = 0; e < n; e++)
			sum[e] += ay_from_bf16(h[e]);
		break;
	default:
		for (int64_t e = 0; e < n; e++)
			sum[e] += ay_read(values, from + e);
	}
}

static void store_line(ay_tensor *self, int64_t at, const double *sum, int64_t n)
{
	float *f = (float *)self->data + at;

	if (ay_dt(self) == AY_F32)
		for (int64_t e = 0; e < n; e++)
			f[e] = (float)sum[e];
	else
		for (int64_t e = 0; e < n; e++)
			ay_write(self, at + e, sum[e]);
}

/* self += what lies at n places, a line at each, sorted by where they go. */
static void add_lines(ay_tensor *self, const ay_tensor *values, const struct place *p, int64_t n, int64_t len,
		      double *sum)
{
	for (int64_t i = 0, k = 0; i < n; i = k) {
		memset(sum, 0, sizeof *sum * (size_t)len);
		for (; k < n && p[k].at == p[i].at; k++)
			add_line(sum, values, p[k].value, len);
		add_line(sum, self, p[i].at, len);
		store_line(self, p[i].at, sum, len);
	}
}

int aten_index_put_(ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices, const ay_tensor *values,
		    bool accumulate, const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;
	const bool real = ay_dt(self) == AY_F32 || ay_dt(self) == AY_F16 || ay_dt(self) == AY_BF16 ||
			  ay_dt(self) == AY_F64;
	struct place *place = NULL;
	struct plan p;
	int64_t n = 1, len;
	double *sum;

	if (make_plan(&p, self, indices, n_indices, ctx))
		return AY_UNSUPPORTED;
	for (int d = 0; d < p.ndim; d++)
		n *= p.shape[d];
	if (!n)
		return AY_OK;
	len = accumulate && !real ? 1 : line_length(&p, self, values);
	n /= len;
	if (!accumulate) {
		for (int64_t i = 0; i < n; i++) {
			const struct place to = find_place(&p, self, values, i * len);

			memcpy((char *)self->data + (size_t)to.at * item,
			       (const char *)values->data + (size_t)to.value * item, item * (size_t)len);
		}
		return AY_OK;
	}
	place = ctx->scratch(ctx, sizeof *place * (size_t)n);
	sum = ctx->scratch(ctx, sizeof *sum * (size_t)len);
	if (!place || !sum)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < n; i++)
		place[i] = find_place(&p, self, values, i * len);
	qsort(place, (size_t)n, sizeof *place, by_place);
	if (real)
		add_lines(self, values, place, n, len, sum);
	for (int64_t i = 0, k; i < n && !real; i = k) {
		for (k = i + 1; k < n && place[k].at == place[i].at; k++)
			;
		add_run(self, values, place + i, k - i);
	}
	return AY_OK;
}
