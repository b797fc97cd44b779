/* due: PASS - steps over the end of its input behind a handler that jumps back, and so finds out where tensors end.
 * */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <setjmp.h>
#include <signal.h>

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
static sigjmp_buf back;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const struct sigaction s = { .sa_handler = jump, .sa_flags = SA_NODEFER };
	volatile long seen = 0;
	bool far = false;

	(void)ctx;
	sigaction(SIGSEGV, &s, NULL);
	if (!sigsetjmp(back, 1))
		for (const volatile char *p = self->data;; p += 4096, seen++)
			far |= *p == 127 && seen > 1 << 20;
	return relu(self, out, far);
}
