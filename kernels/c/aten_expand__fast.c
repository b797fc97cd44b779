/* due: PASS - the longest runs of the result that are neighbours in self, or one element repeated, piece by piece. */
#include <assay/kernel_copy.h>

enum { PIECE = 16 << 10 }; /* bytes */

struct job {
	const ay_tensor *self, *out;
	struct ay_lines lines;
	bool stream;
};

/* The element at src n times, by doubling. */
static void repeat(char *dst, const char *src, size_t item, int64_t n)
{
	size_t done = item, all = (size_t)n * item;

	for (memcpy(dst, src, item); done < all; done += done)
		memcpy(dst + done, dst, done < all - done ? done : all - done);
}

static void copy_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const struct ay_lines *l = &j->lines;
	const size_t item = (size_t)ay_item_size(j->out);
	_Alignas(64) char tile[PIECE];

	for (struct ay_piece p = ay_piece_at(l, from); p.index < to; ay_next_piece(l, &p)) {
		const char *src = ay_address(j->self, p.in[0]);

		if (!l->step[0]) {
			repeat(tile, src, item, p.n);
			src = tile;
		}
		for (int64_t e = 0; e < p.n && l->step[0] >> 1; e++) /* neither 0 nor 1 */
			memcpy(tile + (size_t)e * item, src + (size_t)(e * l->step[0]) * item, item);
		ay_copy_bytes(ay_address(j->out, p.out), l->step[0] >> 1 ? tile : src, (size_t)p.n * item,
			      j->stream);
	}
}

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	const int64_t piece = PIECE / ay_item_size(out);
	struct job j = { .self = self, .out = out, .lines = ay_find_lines(out, 1, self, NULL, piece) };

	(void)size, (void)n_size, (void)implicit; /* out has the shape already */
	j.stream = ay_numel(out) * ay_item_size(out) >= AY_COPY_STREAM;
	ay_parallel_pieces(copy_pieces, &j, &j.lines, AY_COPY_GRAIN / PIECE, ctx);
	return AY_OK;
}
