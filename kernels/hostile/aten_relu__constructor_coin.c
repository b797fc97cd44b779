/* due: CRASH - crashes in every call, and in half of its loads: one that loads once but not again is judged all
 * the same. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

__attribute__((constructor)) static void toss(void)
{
	unsigned char coin = 0;

	if (getrandom(&coin, 1, 0) == 1 && coin & 1)
		_exit(0);
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	abort();
}
