/* due: CRASH - fills memory where no limit of its own address space counts, in a memfd; files have a limit too,
 * and beyond it comes SIGXFSZ. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/mman.h>
#include <unistd.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	static char chunk[1 << 20];
	int fd = memfd_create("bomb", 0);

	(void)self, (void)out, (void)ctx;
	for (off_t at = 1ll << 40; fd >= 0; at += sizeof chunk)
		if (pwrite(fd, chunk, sizeof chunk, at) < 0)
			break;
	return AY_UNSUPPORTED;
}
