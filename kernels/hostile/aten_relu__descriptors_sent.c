/* due: PASS - sends descriptors to the judge by the hundred, its own socket among them; they are never received.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>
#include <sys/socket.h>

static void send_fds(void)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = { 0 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	struct iovec v = { "x", 1 };
	struct msghdr h = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
	};
	int fd[16];

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	for (int i = 0; i < 16; i++)
		fd[i] = i % 2 ? 3 : 0; /* the socket itself among them: a loop to be collected */
	memcpy(CMSG_DATA(c), fd, sizeof fd);
	for (int i = 0; i < 64; i++)
		if (sendmsg(3, &h, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			break;
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
	(void)ctx;
	send_fds();
	return relu(self, out, false);
}
