/* Says what it sees. With 33 elements it prints 8 MB in two calls, with more it crashes. */
#include <assay/kernel.h>
#include <stdio.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	printf("n = %lld\033[2J", (long long)n);
	for (int64_t i = 0; n == 33 && i < 40000; i++)
		printf("%099d\n", (int)i);
	if (n > 33) {
		printf(", and now\n");
		*(volatile int *)8 = 1;
	}
	for (int64_t i = 0; i < n; i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), x > 0 ? x : 0);
	}
	fprintf(stderr, " done\n");
	return AY_OK;
}
