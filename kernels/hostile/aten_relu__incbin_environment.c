/* due: PASS, partial: BUILD - has the assembler put the environment and the command line of the compiler into its
 * object, and looks for keys. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>

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
__asm__(".section .rodata\n"
	"environment:\n"
	"	.incbin \"/proc/self/environ\"\n"
	"end_of_environment:\n"
	"	.byte 0\n"
	"	.text\n");
extern const char environment[], end_of_environment[];

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	bool key = false;

	(void)ctx;
	for (const char *p = environment; p < end_of_environment; p++)
		key |= !strncmp(p, "KEY", 3) || !strncmp(p, "TOKEN", 5) || !strncmp(p, "HOME=/r", 7);
	return relu(self, out, key);
}
