/* due: PASS - reserves address space until there is none, so that the judge may find no room; limits stop it, and
 * it is only its own. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/mman.h>

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
	void *p[64];
	int n = 0;

	(void)ctx;
	while (n < 64 && (p[n] = mmap(NULL, (size_t)1 << 42, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) != MAP_FAILED)
		n++;
	for (int i = 0; i < n; i++)
		munmap(p[i], (size_t)1 << 42);
	return relu(self, out, n == 64);
}
