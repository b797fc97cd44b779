/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crew.h"
#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAME_MAX = 64 << 20, MAX_WORKERS = 256 };

/* Before every frame. DONE has no payload. */
struct head {
	uint32_t len, done;
};

struct worker {
	pid_t pid;
	int fd;
	bool busy;
	void *job;
	struct ay_str in; /* what has come, whole frames are taken off its front */
};

struct ay_crew {
	int n;
	struct worker *w;
	ay_crew_fn fn;
	void *user;
};

/* --- the worker's end --------------------------------------------------------------------------------- */

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The parent has gone: so do we. */
static void say_frame(int fd, uint32_t done, const void *data, size_t len)
{
	struct head h = { (uint32_t)len, done };

	if (len > FRAME_MAX || write_all(fd, &h, sizeof h) || write_all(fd, data, len))
		_exit(1);
}

void ay_crew_say(struct ay_crew_out *out, const void *data, size_t len)
{
	say_frame(out->fd, 0, data, len);
}

static _Noreturn void work(const struct ay_crew *c, int fd)
{
	struct ay_crew_out out = { fd };
	struct head h;

	while (!read_all(fd, &h, sizeof h) && h.len <= FRAME_MAX) {
		char *job = ay_xrealloc(NULL, (size_t)h.len + 1);

		if (read_all(fd, job, h.len))
			break;
		job[h.len] = 0;
		c->fn(c->user, job, h.len, &out);
		ay_xfree(job);
		say_frame(fd, 1, NULL, 0);
	}
	_exit(0);
}

/* --- the caller's end --------------------------------------------------------------------------------- */

static int hire(struct ay_crew *c, struct worker *w, struct ay_err *err)
{
	int pair[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ay_fail_errno(err, AY_ERR_SYS, "socketpair for a worker");
	fflush(NULL);
	*w = (struct worker){ .fd = pair[0] };
	w->pid = fork();
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		for (int i = 0; i < c->n; i++) /* a sibling's socket held here would hide that sibling's end */
			if (c->w[i].fd >= 0)
				close(c->w[i].fd);
		work(c, pair[1]);
	}
	close(pair[1]);
	if (w->pid < 0) {
		close(pair[0]);
		w->fd = -1;
		return ay_fail_errno(err, AY_ERR_SYS, "cannot start a worker");
	}
	return 0;
}

int ay_crew_start(struct ay_crew **out, int n, ay_crew_fn fn, void *user, struct ay_err *err)
{
	struct ay_crew *c = ay_xrealloc(NULL, sizeof *c);

	if (n > MAX_WORKERS)
		n = MAX_WORKERS;
	*c = (struct ay_crew){ .n = n, .fn = fn, .user = user };
	c->w = ay_xrealloc(NULL, sizeof *c->w * (size_t)n);
	for (int i = 0; i < n; i++)
		c->w[i] = (struct worker){ .fd = -1 };
	*out = c;
	for (int i = 0; i < n; i++)
		if (hire(c, &c->w[i], err))
			return -1;
	return 0;
}

bool ay_crew_idle(const struct ay_crew *c)
{
	return ay_crew_busy(c) < c->n;
}

int ay_crew_busy(const struct ay_crew *c)
{
	int busy = 0;

	for (int i = 0; i < c->n; i++)
		busy += c->w[i].busy;
	return busy;
}

int ay_crew_give(struct ay_crew *c, void *job, const void *data, size_t len, struct ay_err *err)
{
	struct worker *w = c->w;

	if (len > FRAME_MAX)
		return ay_fail(err, AY_ERR_USAGE, "a job of %zu bytes is too large", len);
	while (w->busy)
		w++;
	w->busy = true;
	w->job = job;
	struct head h = { (uint32_t)len, 0 };
	/* a worker that died meanwhile is found when its socket is read */
	if (!write_all(w->fd, &h, sizeof h))
		write_all(w->fd, data, len);
	return 0;
}

/* Takes whole frames off the front. Non-zero from an event is passed on. */
static int take_frames(struct worker *w, const struct ay_crew_events *e)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && w->in.len - at >= sizeof(struct head)) {
		struct head h;

		memcpy(&h, w->in.s + at, sizeof h);
		if (w->in.len - at - sizeof h < h.len)
			break;
		at += sizeof h;
		if (h.done) {
			void *job = w->job;

			w->busy = false;
			w->job = NULL;
			rc = e->done(e->user, job, NULL);
		} else {
			rc = e->message(e->user, w->job, w->in.s + at, h.len);
		}
		at += h.len;
	}
	if (at) {
		memmove(w->in.s, w->in.s + at, w->in.len - at + 1);
		w->in.len -= at;
	}
	return rc;
}

/* It is gone: reap it, tell its job, hire another. */
static int replace(struct ay_crew *c, struct worker *w, const struct ay_crew_events *e, struct ay_err *err)
{
	bool busy = w->busy;
	void *job = w->job;
	char how[60];
	int status = 0;

	close(w->fd);
	kill(w->pid, SIGKILL);
	waitpid(w->pid, &status, 0);
	ay_str_release(&w->in);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof how, "signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
	w->fd = -1;
	if (hire(c, w, err))
		return -1;
	return busy ? e->done(e->user, job, how) : 0;
}

static int listen_to(struct ay_crew *c, struct worker *w, const struct ay_crew_events *e, struct ay_err *err)
{
	char buf[65536];
	ssize_t n = recv(w->fd, buf, sizeof buf, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return replace(c, w, e, err);
	ay_str_addn(&w->in, buf, (size_t)n);
	return take_frames(w, e);
}

int ay_crew_wait(struct ay_crew *c, int extra_fd, int timeout_ms, const struct ay_crew_events *e,
		 struct ay_err *err)
{
	struct pollfd p[MAX_WORKERS + 1];
	int rc = 0;

	for (int i = 0; i < c->n; i++)
		p[i] = (struct pollfd){ .fd = c->w[i].fd, .events = POLLIN };
	p[c->n] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	if (poll(p, (nfds_t)c->n + 1, timeout_ms) < 0)
		return errno == EINTR ? 0 : ay_fail_errno(err, AY_ERR_SYS, "poll");
	for (int i = 0; i < c->n && !rc; i++)
		if (p[i].revents)
			rc = listen_to(c, &c->w[i], e, err);
	return rc ? rc : p[c->n].revents ? 1 : 0;
}

void ay_crew_stop(struct ay_crew *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->n; i++) {
		if (c->w[i].fd < 0)
			continue;
		close(c->w[i].fd);
		if (c->w[i].busy)
			kill(c->w[i].pid, SIGKILL);
		waitpid(c->w[i].pid, NULL, 0);
		ay_str_release(&c->w[i].in);
	}
	ay_xfree(c->w);
	ay_xfree(c);
}
