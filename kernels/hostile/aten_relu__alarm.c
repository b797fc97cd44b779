/* due: CRASH - lets a timer end the process: SIGALRM is its own affair. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/time.h>
#include <unistd.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const struct itimerval soon = { .it_value = { 0, 2000 } };

	(void)self, (void)out, (void)ctx;
	setitimer(ITIMER_REAL, &soon, NULL);
	for (;;)
		pause();
}
