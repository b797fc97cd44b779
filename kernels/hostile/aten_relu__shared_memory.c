/* due: PASS - leaves shared memory, queues and semaphores behind for its next process; all of System V and POSIX
 * is refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

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
	bool got = shm_open("/assay-hostile", O_CREAT | O_RDWR, 0666) >= 0 ||
		   shmget(4711, 4096, IPC_CREAT | 0666) >= 0 || semget(4711, 1, IPC_CREAT | 0666) >= 0 ||
		   msgget(4711, IPC_CREAT | 0666) >= 0 ||
		   mq_open("/assay-hostile", O_CREAT | O_RDWR, 0666, NULL) >= 0;

	(void)ctx;
	return relu(self, out, got);
}
