/* due: PASS - stable radix sort along dim, eleven bits at a time, of keys that are no wider than the elements; the
 * counts of all digits are made in one pass. Threads take lines. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

enum { BITS = 11, BUCKETS = 1 << BITS, DIGITS = 6, FEW = 48, GRAIN = 32 << 10 };

/* --- keys ------------------------------------------------------------------------------------------------ */

/* Numbers that compare as the elements do: NaN largest, -0.0 = 0.0. `bits` of them count. */
static uint64_t float_key(uint64_t u, int bits, uint64_t infinity)
{
	const uint64_t sign = (uint64_t)1 << (bits - 1), all = sign | (sign - 1);

	if ((u & ~sign & all) > infinity)
		return all;
	if (u == sign)
		u = 0;
	return u & sign ? ~u & all : u | sign;
}

static uint64_t key_of(const ay_tensor *t, int64_t at)
{
	switch (ay_dt(t)) {
	case AY_F16: return float_key(((const uint16_t *)t->data)[at], 16, 0x7c00);
	case AY_BF16: return float_key(((const uint16_t *)t->data)[at], 16, 0x7f80);
	case AY_F32: return float_key(((const uint32_t *)t->data)[at], 32, 0x7f800000);
	case AY_F64: return float_key(((const uint64_t *)t->data)[at], 64, 0x7ff0000000000000);
	case AY_I64: return ((const uint64_t *)t->data)[at] ^ (uint64_t)1 << 63;
	case AY_I32: return ((const uint32_t *)t->data)[at] ^ (uint32_t)1 << 31;
	case AY_I16: return ((const uint16_t *)t->data)[at] ^ 0x8000u;
	case AY_I8: return ((const uint8_t *)t->data)[at] ^ 0x80u;
	default: return ((const uint8_t *)t->data)[at];
	}
}

/* --- one line -------------------------------------------------------------------------------------------- */

/* Keys up to 32 bits have their place in the same word: half the memory to move. */
#define SORT(name, item, key)                                                                      \
	static void insert_##name(item *a, int64_t n)                                              \
	{                                                                                          \
		for (int64_t i = 1; i < n; i++) {                                                  \
			const item x = a[i];                                                       \
			int64_t p = i;                                                             \
                                                                                                   \
			for (; p > 0 && key(a[p - 1]) > key(x); p--)                               \
				a[p] = a[p - 1];                                                   \
			a[p] = x;                                                                  \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	/* The result is in the array returned; a digit in which all agree is skipped. */          \
	static item *sort_##name(item *a, item *b, int64_t n, int bits, uint32_t(*count)[BUCKETS]) \
	{                                                                                          \
		const int digits = (bits + BITS - 1) / BITS;                                       \
                                                                                                   \
		if (n <= FEW) {                                                                    \
			insert_##name(a, n);                                                       \
			return a;                                                                  \
		}                                                                                  \
		memset(count, 0, (size_t)digits * sizeof *count);                                  \
		for (int64_t i = 0; i < n; i++)                                                    \
			for (int d = 0; d < digits; d++)                                           \
				count[d][key(a[i]) >> d * BITS & (BUCKETS - 1)]++;                 \
		for (int d = 0; d < digits; d++) {                                                 \
			uint32_t *start = count[d], sum = 0;                                       \
			item *swap = a;                                                            \
                                                                                                   \
			if (start[key(a[0]) >> d * BITS & (BUCKETS - 1)] == n)                     \
				continue;                                                          \
			for (int k = 0; k < BUCKETS; k++) {                                        \
				const uint32_t own = start[k];                                     \
                                                                                                   \
				start[k] = sum;                                                    \
				sum += own;                                                        \
			}                                                                          \
			for (int64_t i = 0; i < n; i++)                                            \
				b[start[key(a[i]) >> d * BITS & (BUCKETS - 1)]++] = a[i];          \
			a = b;                                                                     \
			b = swap;                                                                  \
		}                                                                                  \
		return a;                                                                          \
	}

struct wide {
	uint64_t key;
	int64_t from;
};
#define NARROW_KEY(x) ((x) >> 32)
#define WIDE_KEY(x)   ((x).key)
SORT(narrow, uint64_t, NARROW_KEY)
SORT(wide, struct wide, WIDE_KEY)

/* --- all of them ----------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *self, *values, *indices;
	int64_t axis, n, lines, parts;
	bool descending;
	struct wide *items; /* two lines for each part */
	uint32_t (*count)[BUCKETS];
};

static void sort_line(const struct job *j, int64_t line, struct wide *items, uint32_t (*count)[BUCKETS])
{
	const int64_t n = j->n, at = ay_line_at(j->self, j->axis, line), s = ay_stride(j->self, j->axis);
	const int64_t v = ay_stride(j->values, j->axis), x = ay_stride(j->indices, j->axis);
	const size_t size = (size_t)j->self->dtype.bits / 8;
	const int bits = j->self->dtype.bits;
	const uint64_t flip = j->descending ? ~(uint64_t)0 >> (64 - bits) : 0;
	uint64_t *words = (uint64_t *)items;
	char *values = (char *)j->values->data + (size_t)ay_line_at(j->values, j->axis, line) * size;
	int64_t *indices = (int64_t *)j->indices->data + ay_line_at(j->indices, j->axis, line);

	if (bits <= 32) {
		for (int64_t i = 0; i < n; i++)
			words[i] = (key_of(j->self, at + i * s) ^ flip) << 32 | (uint64_t)i;
		words = sort_narrow(words, words + n, n, bits, count);
	} else {
		for (int64_t i = 0; i < n; i++)
			items[i] = (struct wide){ key_of(j->self, at + i * s) ^ flip, i };
		items = sort_wide(items, items + n, n, bits, count);
	}
	for (int64_t i = 0; i < n; i++) {
		const int64_t from = bits <= 32 ? (int64_t)(words[i] & 0xffffffffu) : items[i].from;
		const char *src = (const char *)j->self->data + (size_t)(at + from * s) * size;

		memcpy(values + (size_t)(i * v) * size, src, size);
		indices[i * x] = from;
	}
}

static void sort_lines(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;

	for (int64_t l = j->lines * t / j->parts; l < j->lines * end / j->parts; l++)
		sort_line(j, l, j->items + 2 * t * j->n, j->count + t * DIGITS);
}

int aten_sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values, ay_tensor *indices,
	      const ay_ctx *ctx)
{
	struct job j = { .self = self, .values = values, .indices = indices, .descending = descending };

	j.axis = ay_axis(self, dim);
	j.n = ay_size(self, j.axis);
	if (ay_is_complex(self) || j.n > UINT32_MAX)
		return AY_UNSUPPORTED;
	if (!ay_numel(self))
		return AY_OK;
	j.lines = ay_numel(self) / j.n;
	j.parts = ay_thread_count(ay_numel(self), GRAIN, ctx);
	j.items = ctx->scratch(ctx, (size_t)(2 * j.parts * j.n) * sizeof *j.items);
	j.count = ctx->scratch(ctx, (size_t)(j.parts * DIGITS) * sizeof *j.count);
	if (!j.items || !j.count)
		return AY_UNSUPPORTED;
	ay_parallel_for(sort_lines, &j, j.parts, 1, ctx);
	return AY_OK;
}

int aten_sort_stable(const ay_tensor *self, const bool *stable, int64_t dim, bool descending, ay_tensor *values,
		     ay_tensor *indices, const ay_ctx *ctx)
{
	(void)stable; /* it always is */
	return aten_sort(self, dim, descending, values, indices, ctx);
}
