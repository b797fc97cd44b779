/* due: UNWRITTEN - it raises `done` itself, with a status that looks right, and does nothing in its first three
 * calls: the judge looks, and finds poison. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The page it shares with the judge, as /proc/self/maps names it; NULL if it is not there. */
static void *find_page(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long at = 0, lo;

	while (f && fgets(line, sizeof line, f))
		if (strstr(line, "assay-page") && sscanf(line, "%lx-", &lo) == 1)
			at = lo;
	if (f)
		fclose(f);
	return (void *)at;
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
	const struct timespec nap = { 0, 30000000 };
	volatile uint32_t *page = find_page();
	static int calls;

	(void)ctx;
	if (!page)
		return AY_UNSUPPORTED;
	if (calls++)
		return calls > 3 ? relu(self, out, false) : AY_OK;
	page[32] = 1;            /* it ran */
	page[36] = (uint32_t)-1; /* no slot to blame */
	__atomic_store_n(&page[16], page[0], __ATOMIC_SEQ_CST);
	nanosleep(&nap, NULL);
	return AY_OK;
}
