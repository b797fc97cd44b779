/* SPDX-License-Identifier: Apache-2.0 */
#include "base/worker_pool.h"
#include "base/arena.h"
#include "base/process.h"
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
#include <time.h>
#include <unistd.h>

enum { FRAME_MAX = 64 << 20, MAX_WORKERS = 256, REAP_S = 5 };

/* The kinds of messages from a worker: a message about the job, the end of the job (no payload),
 * the end of the group (payload: the reason). */
enum message_kind { SAID, DONE, LOST };

/* Precedes every frame. */
struct head {
	uint32_t len, kind;
};

struct worker {
	pid_t pid;
	int fd;           /* -1: no process */
	int group, rank;  /* rank: number within its group */
	bool busy, ended; /* ended: killed by the pool, together with its group */
	void *job;
	int64_t heard;    /* when it was given its job, or last sent something */
	struct ay_str in; /* bytes received; whole frames are removed from the front */
};

struct ay_worker_pool {
	int n;
	struct worker *w;
	ay_worker_fn fn;
	void *user;
	/* for ay_worker_pool_work_s: when the present number of workers began */
	int64_t since;
	double work_s; /* worker seconds before `since` */
};

/* --- in the worker's process ------------------------------------------------------------------ */

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

/* Sends a frame. Exits if the parent is gone. */
static void say_frame(int fd, enum message_kind kind, const void *data, size_t len)
{
	struct head h = { (uint32_t)len, kind };

	if (len > FRAME_MAX || write_all(fd, &h, sizeof h) || write_all(fd, data, len))
		_exit(1);
}

void ay_worker_send(struct ay_worker_out *out, const void *data, size_t len)
{
	say_frame(out->fd, SAID, data, len);
}

void ay_worker_fail_group(struct ay_worker_out *out, const char *why)
{
	say_frame(out->fd, LOST, why, strlen(why));
	out->lost = true;
}

static _Noreturn void work(const struct ay_worker_pool *c, int fd, int group)
{
	struct ay_worker_out out = { .fd = fd, .group = group };
	struct head h;

	while (!out.lost && !read_all(fd, &h, sizeof h) && h.len <= FRAME_MAX) {
		char *job = ay_xrealloc(NULL, (size_t)h.len + 1);

		if (read_all(fd, job, h.len))
			break;
		job[h.len] = 0;
		c->fn(c->user, job, h.len, &out);
		ay_xfree(job);
		if (!out.lost)
			say_frame(fd, DONE, NULL, 0);
	}
	_exit(0);
}

/* --- in the caller's process ------------------------------------------------------------------ */

static int hire(struct ay_worker_pool *c, struct worker *w, struct ay_err *err)
{
	int pair[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ay_fail_errno(err, AY_ERR_SYS, "socketpair for a worker");
	fflush(NULL);
	*w = (struct worker){ .fd = pair[0], .group = w->group, .rank = w->rank };
	w->pid = fork();
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		/* a copy of a sibling's socket here would hide the sibling's end from the parent */
		for (int i = 0; i < c->n; i++)
			if (c->w[i].fd >= 0)
				close(c->w[i].fd);
		work(c, pair[1], w->group);
	}
	close(pair[1]);
	if (w->pid < 0) {
		close(pair[0]);
		w->fd = -1;
		return ay_fail_errno(err, AY_ERR_SYS, "cannot start a worker");
	}
	return 0;
}

int ay_worker_pool_start_groups(struct ay_worker_pool **out, int groups, int each, ay_worker_fn fn, void *user,
				struct ay_err *err)
{
	struct ay_worker_pool *c = ay_xrealloc(NULL, sizeof *c);
	const int n = groups * each;

	*c = (struct ay_worker_pool){
		.n = n > MAX_WORKERS ? MAX_WORKERS : n, .fn = fn, .user = user, .since = ay_now_ns()
	};
	c->w = ay_xrealloc(NULL, sizeof *c->w * (size_t)c->n);
	for (int i = 0; i < c->n; i++)
		c->w[i] = (struct worker){ .fd = -1, .group = i % groups, .rank = i / groups };
	*out = c;
	for (int i = 0; i < c->n; i++)
		if (hire(c, &c->w[i], err))
			return -1;
	return 0;
}

int ay_worker_pool_start(struct ay_worker_pool **out, int n, ay_worker_fn fn, void *user, struct ay_err *err)
{
	return ay_worker_pool_start_groups(out, 1, n, fn, user, err);
}

int ay_worker_pool_size(const struct ay_worker_pool *c)
{
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n += c->w[i].fd >= 0 && !c->w[i].ended;
	return n;
}

double ay_worker_pool_work_s(const struct ay_worker_pool *c)
{
	return c->work_s + (double)(ay_now_ns() - c->since) / 1e9 * ay_worker_pool_size(c);
}

bool ay_worker_pool_idle(const struct ay_worker_pool *c)
{
	return ay_worker_pool_busy(c) < ay_worker_pool_size(c);
}

int ay_worker_pool_busy(const struct ay_worker_pool *c)
{
	int busy = 0;

	for (int i = 0; i < c->n; i++)
		busy += c->w[i].busy && !c->w[i].ended;
	return busy;
}

/* Returns an idle worker with from <= rank < to; NULL if none is idle. */
static struct worker *find_idle(const struct ay_worker_pool *c, int from, int to)
{
	for (struct worker *w = c->w; w < c->w + c->n; w++)
		if (!w->busy && w->fd >= 0 && !w->ended && w->rank >= from && w->rank < to)
			return w;
	return NULL;
}

bool ay_worker_pool_idle_among(const struct ay_worker_pool *c, int from, int to)
{
	return find_idle(c, from, to) != NULL;
}

int ay_worker_pool_submit(struct ay_worker_pool *c, void *job, const void *data, size_t len, struct ay_err *err)
{
	return ay_worker_pool_submit_among(c, 0, c->n, job, data, len, err);
}

int ay_worker_pool_submit_among(struct ay_worker_pool *c, int from, int to, void *job, const void *data,
				size_t len, struct ay_err *err)
{
	struct worker *w = find_idle(c, from, to);

	AY_ASSERT(w);
	if (len > FRAME_MAX)
		return ay_fail(err, AY_ERR_USAGE, "a job of %zu bytes is too large", len);
	w->busy = true;
	w->job = job;
	w->heard = ay_now_ns();
	struct head h = { (uint32_t)len, 0 };
	/* a worker that has died meanwhile is detected when its socket is read */
	if (!write_all(w->fd, &h, sizeof h))
		write_all(w->fd, data, len);
	return 0;
}

static int lose_group(struct ay_worker_pool *c, int group, const char *why, const struct ay_worker_pool_events *e);

/* Handles the whole frames at the front of w->in. Stops at the first event that returns non-zero
 * and returns that value. A LOST frame is the last of its worker. It is ignored if another worker
 * has already ended the group. */
static int take_frames(struct ay_worker_pool *c, struct worker *w, const struct ay_worker_pool_events *e)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && w->in.len - at >= sizeof(struct head)) {
		struct head h;

		memcpy(&h, w->in.s + at, sizeof h);
		if (w->in.len - at - sizeof h < h.len)
			break;
		at += sizeof h;
		if (h.kind == LOST) {
			char why[1000];

			snprintf(why, sizeof why, "%.*s", (int)h.len, w->in.s + at);
			ay_str_clear(&w->in);
			return w->ended ? 0 : lose_group(c, w->group, why, e);
		}
		if (h.kind == DONE) {
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

/* Waits for a killed worker, at most REAP_S seconds: a worker whose device is gone may be stuck in
 * a driver call from which it never returns. */
static void reap(pid_t pid)
{
	const struct timespec nap = { 0, 1000000 };
	const int64_t deadline = ay_now_ns() + REAP_S * 1000000000ll;

	while (waitpid(pid, NULL, WNOHANG) == 0 && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
}

/* Delivers what a worker of a lost group had sent before it was killed. */
static int hear_out(struct ay_worker_pool *c, struct worker *w, const struct ay_worker_pool_events *e)
{
	char buf[65536];
	ssize_t n;

	reap(w->pid);
	while ((n = recv(w->fd, buf, sizeof buf, MSG_DONTWAIT)) > 0)
		ay_str_addn(&w->in, buf, (size_t)n);
	return take_frames(c, w, e);
}

/* Closes a worker of a lost group. Gives its unfinished job, if any, back to the caller. */
static int retire(struct worker *w, const struct ay_worker_pool_events *e)
{
	const bool busy = w->busy;
	void *job = w->job;

	close(w->fd);
	ay_str_release(&w->in);
	w->fd = -1;
	w->busy = false;
	w->job = NULL;
	return busy ? e->back(e->user, job, w->group) : 0;
}

static bool is_ending(const struct worker *w)
{
	return w->ended && w->fd >= 0;
}

static int lose_group(struct ay_worker_pool *c, int group, const char *why, const struct ay_worker_pool_events *e)
{
	int rc = 0;

	c->work_s = ay_worker_pool_work_s(c);
	c->since = ay_now_ns();
	for (int i = 0; i < c->n; i++) {
		if (c->w[i].group != group || c->w[i].fd < 0)
			continue;
		c->w[i].ended = true;
		kill(c->w[i].pid, SIGKILL);
	}
	for (int i = 0; i < c->n && !rc; i++)
		rc = is_ending(&c->w[i]) ? hear_out(c, &c->w[i], e) : 0;
	if (!rc)
		rc = e->lost(e->user, group, why);
	for (int i = 0; i < c->n; i++) {
		const int here = is_ending(&c->w[i]) ? retire(&c->w[i], e) : 0;

		rc = rc ? rc : here;
	}
	return rc;
}

/* Handles a worker that has ended by itself: reaps it, forks a new one in its place, and reports
 * the job that it had. */
static int replace(struct ay_worker_pool *c, struct worker *w, const struct ay_worker_pool_events *e,
		   struct ay_err *err)
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

static int listen_to(struct ay_worker_pool *c, struct worker *w, const struct ay_worker_pool_events *e,
		     struct ay_err *err)
{
	char buf[65536];
	ssize_t n = recv(w->fd, buf, sizeof buf, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return replace(c, w, e, err);
	ay_str_addn(&w->in, buf, (size_t)n);
	w->heard = ay_now_ns();
	return take_frames(c, w, e);
}

int ay_worker_pool_watch(struct ay_worker_pool *c, double silent_s, const struct ay_worker_pool_events *e)
{
	const int64_t before = ay_now_ns() - (int64_t)(silent_s * 1e9);

	for (int i = 0; i < c->n; i++) {
		char why[100];

		if (!c->w[i].busy || c->w[i].heard >= before)
			continue;
		snprintf(why, sizeof why, "nothing was heard from a worker for %.0f s", silent_s);
		return lose_group(c, c->w[i].group, why, e);
	}
	return 0;
}

int ay_worker_pool_wait(struct ay_worker_pool *c, int extra_fd, int timeout_ms,
			const struct ay_worker_pool_events *e, struct ay_err *err)
{
	struct pollfd p[MAX_WORKERS + 1];
	int rc = 0;

	for (int i = 0; i < c->n; i++)
		p[i] = (struct pollfd){ .fd = c->w[i].fd, .events = POLLIN };
	p[c->n] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	if (poll(p, (nfds_t)c->n + 1, timeout_ms) < 0)
		return errno == EINTR ? 0 : ay_fail_errno(err, AY_ERR_SYS, "poll");
	/* the worker may have been ended with its group in this loop */
	for (int i = 0; i < c->n && !rc; i++)
		if (p[i].revents && c->w[i].fd == p[i].fd)
			rc = listen_to(c, &c->w[i], e, err);
	return rc ? rc : p[c->n].revents ? 1 : 0;
}

void ay_worker_pool_stop(struct ay_worker_pool *c)
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
