/* due: TIMEOUT - stops its own process for ever: a stopped kernel does not return. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <signal.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	raise(SIGSTOP);
	return AY_OK;
}
