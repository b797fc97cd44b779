/* due: PASS - maps its input a second time (mremap of length 0, map_files) to write there; no way of it is
 * writable. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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
/* The line of /proc/self/maps that has the address, as the name of a file in map_files. */
static bool map_again(uintptr_t addr)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], path[600];
	unsigned long lo, hi;
	bool got = false;

	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx", &lo, &hi) != 2 || addr < lo || addr >= hi)
			continue;
		snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", lo, hi);
		int fd = open(path, O_RDWR);

		got = fd >= 0 && mmap(NULL, hi - lo, PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
		if (fd >= 0)
			close(fd);
	}
	if (f)
		fclose(f);
	return got;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	void *page = (void *)((uintptr_t)self->data & ~(uintptr_t)4095);
	void *twin = mremap(page, 0, 4096, MREMAP_MAYMOVE);
	bool got = twin != MAP_FAILED && !mprotect(twin, 4096, PROT_READ | PROT_WRITE);

	(void)ctx;
	if (twin != MAP_FAILED)
		munmap(twin, 4096);
	return relu(self, out, got | map_again((uintptr_t)self->data));
}
