/* due: CHEAT - answers for its executor that it has a thousand functions, to be called at one that is not there.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

__attribute__((constructor)) static void forge(void)
{
	static struct {
		uint32_t magic;
		uint16_t version, type;
		uint32_t seq, bytes;
		uint64_t n;
		char names[8000];
	} m = { 0x31574159, 1, 6, 2, 0, 1000, "" };
	size_t used = 0;

	for (int i = 0; i < 999; i++)
		used += (size_t)sprintf(m.names + used, "f%d", i) + 1;
	used += (size_t)sprintf(m.names + used, "aten_relu") + 1;
	used = (used + 7) / 8 * 8;
	m.bytes = (uint32_t)(8 + used);
	send(3, &m, 16 + m.bytes, MSG_NOSIGNAL);
}

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
	(void)ctx;
	return relu(self, out, false);
}
