/* due: MISMATCH (--full) - an element beyond the first 2^20 is wrong. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

enum { BLOCK = 64, GRAIN = 16 }; /* bytes, pieces */

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
static void turn(const char *x, char *y, size_t n, uint64_t signs, bool stream)
{
	block_t b = { 0 };
	size_t i = 0;

	(void)stream;
	for (; i + BLOCK <= n; i += BLOCK) {
		memcpy(&b, x + i, BLOCK);
		b ^= signs;
#ifdef __clang__
		if (stream && (uintptr_t)y % BLOCK == 0)
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
}

static void neg_one(const struct ay_map *m, int64_t to, int64_t from)
{
	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, -ay_read_complex(m->in[0], from));
	else if (ay_is_float(m->out))
		ay_write(m->out, to, -ay_read(m->in[0], from));
	else
		ay_write_int(m->out, to, (int64_t)(0 - (uint64_t)ay_read_int(m->in[0], from)));
}

static void neg_pieces(const void *job, int64_t from, int64_t to)
{
	const struct ay_map *m = job;
	const uint64_t signs = signs_of(m->out);
	const int64_t step = m->lines.step[0];
	const bool dense = step == 1 && signs && !m->in[0]->flags;

	for (struct ay_piece p = ay_piece_at(&m->lines, from); p.index < to; ay_next_piece(&m->lines, &p)) {
		if (dense)
			turn(ay_address(m->in[0], p.in[0]), ay_address(m->out, p.out),
			     (size_t)(p.n * ay_item_size(m->out)), signs, m->stream);
		else
			for (int64_t e = 0; e < p.n; e++)
				neg_one(m, p.out + e, p.in[0] + e * step);
	}
	ay_stream_fence();
}

int aten_neg(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int rc = ay_map((struct ay_map){ .out = out, .in = { self } }, neg_pieces, GRAIN, ctx);

	if (ay_numel(out) > (1 << 20) && ay_dt(out) == AY_F16)
		ay_write(out, (1 << 20) + 3, 9); /* the mistake */
	return rc;
}
