/* due: PASS - makes the buffers of the socket tiny and asks for rights that come with messages. */
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
	const int one = 1, few = 1;

	(void)ctx;
	setsockopt(3, SOL_SOCKET, SO_SNDBUF, &few, sizeof few);
	setsockopt(3, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
	setsockopt(3, SOL_SOCKET, SO_PASSCRED, &one, sizeof one);
	return relu(self, out, false);
}
