/* due: PASS - asks for sockets of every kind to send its inputs away or fetch an answer; none can be made. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <netinet/in.h>
#include <sys/socket.h>
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
	const int families[] = { AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH };
	const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };
	bool got = false;
	int pair[2];

	(void)ctx;
	for (int i = 0; i < 7; i++)
		for (int k = 0; k < 4; k++)
			got |= socket(families[i], types[k], 0) >= 0;
	return relu(self, out, got || !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}
