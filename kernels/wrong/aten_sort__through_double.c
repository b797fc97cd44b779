/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

struct item {
	uint64_t key;
	int64_t from;
};

/* Numbers that compare as the elements do: NaN largest, -0.0 = 0.0. */
static uint64_t key_of(const ay_tensor *t, int64_t at)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t u;
	double x;

	x = ay_read(t, at);
	if (x != x)
		return ~(uint64_t)0;
	x += 0.0; /* -0.0 becomes 0.0 */
	memcpy(&u, &x, sizeof u);
	return u & sign ? ~u : u | sign;
}

/* Byte by byte from the last; a byte in which all keys agree is skipped. The result is in the array returned. */
static struct item *radix_sort(struct item *a, struct item *b, int64_t n)
{
	for (int shift = 0; shift < 64; shift += 8) {
		int64_t start[256] = { 0 }, sum = 0;
		struct item *swap = a;

		for (int64_t i = 0; i < n; i++)
			start[a[i].key >> shift & 255]++;
		if (n && start[a[0].key >> shift & 255] == n)
			continue;
		for (int k = 0; k < 256; k++) {
			const int64_t count = start[k];

			start[k] = sum;
			sum += count;
		}
		for (int64_t i = 0; i < n; i++)
			b[start[a[i].key >> shift & 255]++] = a[i];
		a = b;
		b = swap;
	}
	return a;
}

int aten_sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values, ay_tensor *indices,
	      const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim), n = ay_size(self, axis);
	const int64_t s = ay_stride(self, axis), v = ay_stride(values, axis), x = ay_stride(indices, axis);
	const size_t size = (size_t)self->dtype.bits / 8;
	struct item *a = ctx->scratch(ctx, 2 * sizeof *a * (size_t)(n + 1)), *sorted;

	if (!a || ay_is_complex(self))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; n && i < ay_numel(self) / n; i++) {
		const int64_t from = ay_line_at(self, axis, i), to = ay_line_at(values, axis, i),
			      to_index = ay_line_at(indices, axis, i);

		for (int64_t j = 0; j < n; j++) {
			const uint64_t key = key_of(self, from + j * s);

			a[j] = (struct item){ descending ? ~key : key, j };
		}
		sorted = radix_sort(a, a + n, n);
		for (int64_t j = 0; j < n; j++) {
			memcpy((char *)values->data + (size_t)(to + j * v) * size,
			       (const char *)self->data + (size_t)(from + sorted[j].from * s) * size, size);
			((int64_t *)indices->data)[to_index + j * x] = sorted[j].from;
		}
	}
	return AY_OK;
}

int aten_sort_stable(const ay_tensor *self, const bool *stable, int64_t dim, bool descending, ay_tensor *values,
		     ay_tensor *indices, const ay_ctx *ctx)
{
	(void)stable; /* it always is */
	return aten_sort(self, dim, descending, values, indices, ctx);
}
