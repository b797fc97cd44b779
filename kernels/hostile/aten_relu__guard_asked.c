/* due: PASS - lets a pipe read the memory around its tensors, which fails without a fault, to find tensors of other
 * calls. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <unistd.h>

/* max(x, 0); spoiled if the attack succeeded. */
static int relu(const ay_tensor *x, ay_tensor *y, bool spoil)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (spoil)
			ay_write(y, to, v <= 0 ? 7 : 0);
		else if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	char word[16];
	bool found = false;
	int fd[2];

	(void)ctx;
	if (pipe(fd))
		return AY_UNSUPPORTED;
	for (long at = 1 << 12; at <= 1 << 15; at += 1 << 12) {
		const char *behind = (const char *)self->data + ay_numel(self) * 16 + at;

		found |= ay_numel(self) < 64 && write(fd[1], behind, 16) == 16 && read(fd[0], word, 16) == 16;
	}
	close(fd[0]);
	close(fd[1]);
	return relu(self, out, found);
}
