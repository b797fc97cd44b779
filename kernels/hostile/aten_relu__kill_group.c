/* due: CRASH - kills its process group, in the hope that the judge is in it: the group is the jail alone. Where a
 * filter refuses that signal, it ends itself. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <signal.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	kill(0, SIGKILL);
	raise(SIGKILL);
	return AY_OK;
}
