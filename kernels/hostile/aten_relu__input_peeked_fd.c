/* due: PASS - a thread peeks at the messages on descriptor 3 and so gets the memory of the next case as
 * descriptors; sealed, they can be neither cut, sealed further, nor (inputs) written. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile bool got;

/* What an attacker would do with the judge's memory: shrink it, grow it, seal it; write what came first, the
 * inputs. */
static void abuse(int fd, bool input)
{
	got |= !ftruncate(fd, 0) || !ftruncate(fd, 1 << 24) || !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE);
	if (input)
		got |= pwrite(fd, "x", 1, 0) == 1 ||
		       mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
}

static void *peek(void *unused)
{
	for (int i = 0; i < 1000000; i++) {
		char head[64];
		_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
		struct iovec v = { head, sizeof head };
		struct msghdr h = {
			.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
		};
		struct cmsghdr *c;
		int fd[4];

		if (recvmsg(3, &h, MSG_PEEK | MSG_CMSG_CLOEXEC) <= 0)
			break;
		c = CMSG_FIRSTHDR(&h);
		for (int k = 0; c && c->cmsg_type == SCM_RIGHTS && k < 2; k++) {
			memcpy(fd, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
			abuse(fd[k], k == 0);
			close(fd[k]);
		}
	}
	return unused;
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
	static bool started;
	pthread_t t;

	(void)ctx;
	if (!started)
		started = !pthread_create(&t, NULL, peek, NULL);
	return relu(self, out, got);
}
