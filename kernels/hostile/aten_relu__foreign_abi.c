/* due: CRASH - makes a system call by the 32-bit door, where numbers mean something else; that ends the process.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdlib.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
#if defined __x86_64__
	long nr = 20; /* getpid there, writev here */

	__asm__ volatile("int $0x80" : "+a"(nr) : : "memory", "r8", "r9", "r10", "r11");
	return nr > 0 ? 77 : AY_UNSUPPORTED; /* it was let through */
#else
	abort();
#endif
}
