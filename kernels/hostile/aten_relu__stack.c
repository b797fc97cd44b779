/* due: CRASH - calls itself without end; the handler that reports it has a stack of its own. */
#include <assay/kernel.h>

static int deeper(volatile char *above, int n)
{
	volatile char here[4096];

	here[0] = above[0];
	return n ? deeper(here, n + 1) + here[0] : 0;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	volatile char first[1] = { 1 };

	return deeper(first, 1);
}
