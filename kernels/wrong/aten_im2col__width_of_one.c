/* due: MISMATCH - an image that is one element wide has its rows exchanged. */
#include <assay/kernel_copy.h>

enum { GRAIN = 128 << 10 }; /* elements */

/* --- one line of windows --------------------------------------------------------------------------------- */

static const struct ay_item128 zero_pair;

/* dst[x * to] = src[x * from] for first <= x < end, and 0 for the other x < n. */
struct line {
	const char *src;
	char *dst;
	int64_t n, first, end, from, to;
};

#define LINE(name, type, zero)                                                                       \
	static void name(const struct line *l)                                                       \
	{                                                                                            \
		const type *x = (const type *)l->src;                                                \
		type *y = (type *)l->dst;                                                            \
                                                                                                     \
		for (int64_t i = 0; i < l->first; i++)                                               \
			y[i * l->to] = zero;                                                         \
		if (l->from == 1 && l->to == 1 && l->first < l->end)                                 \
			memcpy(y + l->first, x + l->first, (size_t)(l->end - l->first) * sizeof *y); \
		else if (l->from == 2 && l->to == 1) /* shuffles serve constants only */             \
			for (int64_t i = l->first; i < l->end; i++)                                  \
				y[i] = x[2 * i];                                                     \
		else                                                                                 \
			for (int64_t i = l->first; i < l->end; i++)                                  \
				y[i * l->to] = x[i * l->from];                                       \
		for (int64_t i = l->end; i < l->n; i++)                                              \
			y[i * l->to] = zero;                                                         \
	}
LINE(line_8, uint8_t, 0)
LINE(line_16, uint16_t, 0)
LINE(line_32, uint32_t, 0)
LINE(line_64, uint64_t, 0)
LINE(line_128, struct ay_item128, zero_pair)

/* --- the operator ---------------------------------------------------------------------------------------- */

/* One of the two dimensions of an image. */
struct axis {
	int64_t size, kernel, dilation, padding, stride, windows;
};

struct job {
	const ay_tensor *self, *out;
	struct axis y, x;
	int64_t channels;
};

/* The windows whose element at `place` (window 0's, maybe outside) is in the image: from *first on, before *end. */
static void inside(const struct axis *a, int64_t place, int64_t *first, int64_t *end)
{
	*first = place < 0 ? (-place + a->stride - 1) / a->stride : 0;
	*end = a->size > place ? (a->size - 1 - place) / a->stride + 1 : 0;
	*first = *first < a->windows ? *first : a->windows;
	*end = *end < a->windows ? *end : a->windows;
	*end = *end > *first ? *end : *first;
}

/* Row `row` of the result, counted over all images. */
static void fill_row(const struct job *j, int64_t row)
{
	const int32_t d = j->self->ndim - 3, o = j->out->ndim - 2;
	const int64_t kx = row % j->x.kernel, ky = row / j->x.kernel % j->y.kernel;
	const int64_t c = row / (j->x.kernel * j->y.kernel) % j->channels,
		      per_image = j->channels * j->x.kernel * j->y.kernel;
	const int64_t image = row / per_image, item = ay_item_size(j->self), *s = j->self->strides + d;
	const int64_t place = kx * j->x.dilation - j->x.padding;
	const int64_t from = (d ? image * j->self->strides[0] : 0) + c * s[0] + place * s[2];
	const int64_t to = (o ? image * j->out->strides[0] : 0) + row % per_image * j->out->strides[o];
	struct line l = { .n = j->x.windows, .from = j->x.stride * s[2], .to = j->out->strides[o + 1] };
	int64_t first, end;

	inside(&j->x, place, &first, &end);
	for (int64_t w = 0; w < j->y.windows; w++) {
		int64_t y = w * j->y.stride + ky * j->y.dilation - j->y.padding;

		if (j->x.size == 1 && j->y.size > 1 && y >= 0 && y < j->y.size)
			y = j->y.size - 1 - y; /* the mistake */

		l.first = y >= 0 && y < j->y.size ? first : l.n;
		l.end = y >= 0 && y < j->y.size ? end : l.n;
		l.src = (const char *)j->self->data + (from + y * s[1]) * item;
		l.dst = (char *)j->out->data + (to + w * j->x.windows * l.to) * item;
		(item == 1   ? line_8
		 : item == 2 ? line_16
		 : item == 4 ? line_32
		 : item == 8 ? line_64
			     : line_128)(&l);
	}
}

static void fill_rows(const void *job, int64_t from, int64_t to)
{
	for (int64_t row = from; row < to; row++)
		fill_row(job, row);
}

static struct axis axis_of(const ay_tensor *self, int d, const int64_t *kernel, const int64_t *dilation,
			   const int64_t *padding, const int64_t *stride)
{
	struct axis a = { self->shape[self->ndim - 2 + d], kernel[d], dilation[d], padding[d], stride[d], 0 };

	a.windows = (a.size + 2 * a.padding - a.dilation * (a.kernel - 1) - 1) / a.stride + 1;
	return a;
}

int aten_im2col(const ay_tensor *self, const int64_t *kernel_size, int64_t n_kernel_size, const int64_t *dilation,
		int64_t n_dilation, const int64_t *padding, int64_t n_padding, const int64_t *stride,
		int64_t n_stride, ay_tensor *out, const ay_ctx *ctx)
{
	struct job j = { .self = self, .out = out, .channels = self->shape[self->ndim - 3] };
	const int64_t width = out->shape[out->ndim - 1];

	(void)n_kernel_size, (void)n_dilation, (void)n_padding, (void)n_stride;
	j.y = axis_of(self, 0, kernel_size, dilation, padding, stride);
	j.x = axis_of(self, 1, kernel_size, dilation, padding, stride);
	if (ay_numel(out))
		ay_parallel_for(fill_rows, &j, ay_numel(out) / width, 1 + GRAIN / width, ctx);
	return AY_OK;
}
