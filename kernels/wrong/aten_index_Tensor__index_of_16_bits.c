/* due: MISMATCH - indices that are not negative are cut to 16 bits. */
#include <assay/kernel_gather.h>

/* --- the operator ---------------------------------------------------------------------------------------- */

/* One dimension's index: its places have the strides of the shape that all are broadcast to. */
struct index {
	int32_t dim;
	const int64_t *places; /* of a mask: those of its true elements, `count` of them; else NULL */
	int64_t count;
	const ay_tensor *t;
};

struct plan {
	struct index index[AY_MAX_DIM];
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
	from = ay_read_index(x->t, from);
	return from < 0 ? from : (uint16_t)from; /* the mistake */
}

/* The offsets of every entry in self and out. */
static void list_entries(const struct plan *p, const ay_tensor *self, int64_t *from, int64_t *to)
{
	const int64_t *shape = p->out->shape + p->b_first, *strides = p->out->strides + p->b_first;
	int64_t at[AY_MAX_DIM] = { 0 };

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
static void add_rest(struct ay_gather *j, const struct plan *p, const ay_tensor *self)
{
	int32_t o = p->out->ndim - 1, i = p->n - 1;

	for (int32_t d = self->ndim - 1; d >= 0; d--) {
		if (i >= 0 && p->index[i].dim == d) {
			i--;
			continue;
		}
		if (o == p->b_first + p->b_dims - 1)
			o = p->b_first - 1;
		ay_add_gather_dim(j, self->shape[d], self->strides[d], p->out->strides[o], o >= p->b_first);
		o--;
	}
}

int aten_index_Tensor(const ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices, ay_tensor *out,
		      const ay_ctx *ctx)
{
	struct ay_gather j = { .src = self->data, .dst = out->data, .item = ay_item_size(self), .n = 1 };
	struct plan p = { .out = out, .entries = 1 };
	int64_t *lists;

	if (self->ndim > AY_MAX_DIM / 2 || out->ndim > AY_MAX_DIM / 2)
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
	ay_gather(&j, ay_numel(out), ctx);
	return AY_OK;
}
