/* due: PASS - peeks at what the judge has sent it and sends that back. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/socket.h>

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
	static char text[1 << 16];
	const ssize_t n = recv(3, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);

	(void)ctx;
	send(3, text, n > 0 ? (size_t)n : 64, MSG_NOSIGNAL | MSG_DONTWAIT);
	return relu(self, out, false);
}
