/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation: see exec.h. Here is the judge's half: starting the process, one exchange at a time, and the
 * ending of it, which is the larger part, since a kernel may end in any way it likes.
 *
 * An exchange: the status in the page is set to "unset", the message goes into the socket without blocking, `go`
 * is raised to its number, and we wait until `done` is that number, the process is dead, or the time is up. `done`
 * may be the number before ours (not yet) or ours; anything else is a lie, and so is a status that is still unset.
 * The socket is never waited on and never proves anything: a forked child of the kernel may hold it open for ever.
 *
 * Death is looked for with waitid(WNOWAIT), so that the process group, which is named by the dead leader, can
 * still be killed before the leader is reaped and its number free for others.
 */
#include "exec/exec.h"

#include "base/process.h"
#include "base/str.h"
#include "exec/encode.h"
#include "exec/launch.h"
#include "exec/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SPIN_US = 40,
	SLICE_NS = 5000000, /* a dead executor is noticed within this */
	START_S = 10,
	MAP_S = 60, /* populating tens of GiB takes seconds */
	FIRST_MESSAGE = 4096,
};

struct ay_exec {
	struct ay_arena arena;
	pid_t pid;   /* 0: reaped */
	bool killed; /* by us */
	siginfo_t end;
	int sock;
	struct ay_wire_page *page;
	uint32_t seq;
	bool spin;
	uint64_t pool_id, scratch_max, oom_kills;
	uint32_t nset, nslot; /* of the exchange in hand: what a status may name */
	int nentry;
	const char **entry;
	uint8_t *msg; /* head and payload */
	size_t msg_cap;
	ay_scalar *scalar;
	int nscalar;
};

/* --- outcomes ------------------------------------------------------------------------------------------------ */

static void say(struct ay_outcome *o, enum ay_happened what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct ay_outcome *o, enum ay_happened what, const char *fmt, ...)
{
	va_list ap;

	o->what = what;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof o->text, fmt, ap);
	va_end(ap);
}

static void say_safe(struct ay_outcome *o, enum ay_happened what, const char *text, size_t n)
{
	struct ay_str b = { 0 };

	ay_str_add_safe(&b, text, n, sizeof o->text - 1);
	say(o, what, "%s", ay_str_text(&b));
	ay_str_release(&b);
}

/* The system counts its OOM kills; there is no other way to tell one from a kernel that kills itself. */
static uint64_t oom_kills(void)
{
	char buf[16384], *at = NULL;
	int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof buf - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0) {
		buf[n] = 0;
		at = strstr(buf, "\noom_kill ");
	}
	return at ? strtoull(at + 10, NULL, 10) : 0;
}

/* --- ends ---------------------------------------------------------------------------------------------------- */

/* True if it has ended; it stays a zombie. */
static bool is_dead(struct ay_exec *x)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return errno == ECHILD;
	return info.si_pid == x->pid;
}

/* Kills it with its group and reaps it. A process that no signal can end (stuck in the system) is left behind. */
static void finish(struct ay_exec *x)
{
	const struct timespec nap = { 0, 100000 };
	int64_t deadline = ay_now_ns() + 5000000000;

	if (!x->pid)
		return;
	x->killed = !is_dead(x);
	kill(-x->pid, SIGKILL);
	kill(x->pid, SIGKILL); /* before its own setpgid there is no group */
	while (!is_dead(x) && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
	memset(&x->end, 0, sizeof x->end);
	waitid(P_PID, (id_t)x->pid, &x->end, WEXITED | WNOHANG);
	x->pid = 0;
}

/* It ended by itself, without an answer. */
static void tell_end(struct ay_exec *x, struct ay_outcome *o)
{
	int code = x->end.si_status;

	if (x->end.si_code == CLD_EXITED && code > 128 && code <= 128 + SIGSEGV) {
		o->signal = code - 128; /* the handler's own exit, with no call to blame: a thread left behind */
		say(o, AY_X_CRASHED, "signal %d (%s), after the call had returned", o->signal,
		    strsignal(o->signal));
		return;
	}
	if (x->end.si_code == CLD_EXITED) {
		o->exit_code = code;
		say(o, AY_X_CRASHED, "the kernel ended its process with exit status %d", code);
		return;
	}
	o->signal = code;
	if (code == SIGKILL && oom_kills() > x->oom_kills)
		say(o, AY_X_OOM, "killed by the system: out of memory");
	else
		say(o, AY_X_CRASHED, "ended by signal %d (%s)", code, code > 0 ? strsignal(code) : "unknown");
}

static void lie(struct ay_exec *x, struct ay_outcome *o, const char *text)
{
	finish(x);
	say(o, AY_X_LIED, "%s", text);
}

/* --- one exchange -------------------------------------------------------------------------------------------- */

enum waited { W_DONE, W_DEAD, W_LATE, W_LIED };

static void relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* -1: not yet. */
static int look(const struct ay_exec *x)
{
	uint32_t done = __atomic_load_n(&x->page->done, __ATOMIC_ACQUIRE);

	if (done == x->seq)
		return W_DONE;
	return done == x->seq - 1 ? -1 : W_LIED;
}

static int spin(const struct ay_exec *x)
{
	int64_t until = ay_now_ns() + SPIN_US * 1000;

	do
		for (int i = 0; i < 64; i++) {
			int w = look(x);

			if (w >= 0)
				return w;
			relax();
		}
	while (ay_now_ns() < until);
	return -1;
}

static void doze(const struct ay_exec *x, int64_t ns)
{
	struct timespec slice = { 0, ns < SLICE_NS ? (long)ns : SLICE_NS };

	__atomic_store_n(&x->page->judge_sleeps, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&x->page->done, __ATOMIC_SEQ_CST) == x->seq - 1)
		syscall(SYS_futex, &x->page->done, FUTEX_WAIT, x->seq - 1, &slice, NULL, 0);
	__atomic_store_n(&x->page->judge_sleeps, 0, __ATOMIC_SEQ_CST);
}

static enum waited wait_done(struct ay_exec *x, int64_t deadline)
{
	int w = x->spin ? spin(x) : look(x);

	while (w < 0) {
		int64_t left = deadline - ay_now_ns();

		if (left <= 0)
			return W_LATE;
		doze(x, left);
		w = look(x);
		if (w < 0 && is_dead(x)) {
			w = look(x); /* its last words may have come in between */
			return w < 0 ? W_DEAD : (enum waited)w;
		}
	}
	return (enum waited)w;
}

/* Each word is read once: what is judged is what is used. */
static struct ay_wire_status read_status(const struct ay_wire_page *page)
{
	const volatile uint32_t *src = (const volatile uint32_t *)&page->status;
	uint32_t word[sizeof(struct ay_wire_status) / 4];
	struct ay_wire_status s;

	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		word[i] = src[i];
	memcpy(&s, word, sizeof s);
	return s;
}

/* Our failures are 1, the other end's errno -1. */
static int put_message(struct ay_exec *x, size_t bytes, const int *fd, int nfd, struct ay_err *err)
{
	struct iovec v = { x->msg, bytes };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(4 * sizeof(int))] = { 0 };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };

	if (nfd) {
		struct cmsghdr *c = (struct cmsghdr *)control;

		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE((size_t)nfd * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)nfd * sizeof(int));
		memcpy(CMSG_DATA(c), fd, (size_t)nfd * sizeof(int));
	}
	if (sendmsg(x->sock, &h, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes)
		return 0;
	if (errno == EAGAIN || errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN)
		return -1;
	ay_fail_errno(err, AY_ERR_EXEC, "cannot send to the executor");
	return 1;
}

/* The payload is behind the head in x->msg; if it is too long for a packet it goes as a memfd, last. */
static int send_message(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
			struct ay_err *err)
{
	struct ay_wire_head h = { AY_WIRE_MAGIC, AY_WIRE_VERSION, (uint16_t)type, x->seq, (uint32_t)bytes };
	int fd[4] = { -1, -1, -1, -1 }, extra = -1, rc;

	memcpy(x->msg, &h, sizeof h);
	if (nfd)
		memcpy(fd, fds, sizeof *fd * (size_t)nfd);
	if (bytes <= AY_WIRE_INLINE)
		return put_message(x, sizeof h + bytes, fd, nfd, err);
	extra = ay_launch_memfd("assay-message", x->msg + sizeof h, bytes, 0);
	if (extra < 0) {
		ay_fail_errno(err, AY_ERR_EXEC, "cannot make a message of %zu bytes", bytes);
		return 1;
	}
	fd[nfd++] = extra;
	rc = put_message(x, sizeof h, fd, nfd, err);
	close(extra);
	return rc;
}

static void raise_go(struct ay_exec *x)
{
	__atomic_store_n(&x->page->go, x->seq, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&x->page->exec_sleeps, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &x->page->go, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const enum ay_fault faults[] = { [AY_WIRE_NO_FAULT] = AY_FAULT_NONE,
					[AY_WIRE_INPUT] = AY_FAULT_INPUT,
					[AY_WIRE_GUARDED] = AY_FAULT_GUARD,
					[AY_WIRE_ELSEWHERE] = AY_FAULT_OTHER };

static void tell_crash(const struct ay_wire_status *s, struct ay_outcome *o)
{
	static const char *const where[] = { [AY_FAULT_NONE] = "",
					     [AY_FAULT_INPUT] = ": it wrote to an input",
					     [AY_FAULT_GUARD] = ": outside of a tensor",
					     [AY_FAULT_OTHER] = ": at an address that is no tensor's" };

	o->signal = s->signal;
	o->fault = faults[s->fault];
	o->slot = s->slot;
	o->fault_at = s->fault_at;
	say(o, AY_X_CRASHED, "signal %d (%s)%s", s->signal, strsignal(s->signal), where[o->fault]);
}

static void tell_status(struct ay_exec *x, struct ay_outcome *o)
{
	struct ay_wire_status s = read_status(x->page);

	if (!ay_wire_status_ok(&s, x->nset, x->nslot)) {
		lie(x, o, "it raised `done` without a status that can be: not the executor's doing");
		return;
	}
	o->set = (int)s.set;
	o->rc = s.rc;
	switch (s.what) {
	case AY_WIRE_RAN:
		o->rc = 0;
		say(o, AY_X_RAN, "%s", "");
		return;
	case AY_WIRE_REFUSED: say(o, AY_X_REFUSED, "the kernel returned %d", s.rc); return;
	case AY_WIRE_STARVED:
		finish(x);
		say(o, AY_X_OOM, "out of memory: scratch was refused, or there is none for the tensors");
		return;
	case AY_WIRE_SIGNAL:
		finish(x);
		tell_crash(&s, o);
		return;
	default: lie(x, o, "it claims not to understand its messages");
	}
}

/* Message number x->seq is on its way (or none was needed): raises `go`, waits, tells. */
static void exchange(struct ay_exec *x, double timeout_s, struct ay_outcome *o)
{
	int64_t deadline = ay_now_ns() + (int64_t)(timeout_s * 1e9);

	raise_go(x);
	switch (wait_done(x, deadline)) {
	case W_DONE: tell_status(x, o); break;
	case W_DEAD:
		finish(x);
		tell_end(x, o);
		break;
	case W_LATE:
		finish(x);
		say(o, AY_X_HUNG, "no answer within %g s", timeout_s);
		break;
	case W_LIED: lie(x, o, "the shared page holds a number that cannot be"); break;
	}
}

/* Numbers wrap; the page starts at 0. */
static void next_number(struct ay_exec *x, uint32_t nset, uint32_t nslot)
{
	x->seq++;
	x->nset = nset;
	x->nslot = nslot;
	memset(&x->page->status, 0, sizeof x->page->status);
	_Static_assert(AY_WIRE_UNSET == 0, "a status of zeros is none");
}

/* -1 for our failures; else *o. */
static int transact(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		    double timeout_s, struct ay_outcome *o, struct ay_err *err)
{
	int rc = send_message(x, type, bytes, fds, nfd, err);

	if (rc > 0)
		return -1;
	if (rc < 0) {
		finish(x);
		if (x->killed)
			say(o, AY_X_LIED, "it does not take its messages");
		else
			tell_end(x, o);
		return 0;
	}
	exchange(x, timeout_s, o);
	return 0;
}

/* --- starting ------------------------------------------------------------------------------------------------ */

/* It has seen nothing of a kernel yet: what goes wrong here is ours. */
static int start(struct ay_exec *x, struct ay_err *err)
{
	struct ay_outcome o = { 0 };
	struct ay_launched l;
	int rc = ay_launch(&l, x->spin ? SPIN_US : 0, err);

	x->pid = l.pid;
	x->sock = l.sock;
	x->page = l.page;
	x->seq = 1;
	if (rc)
		return -1;
	exchange(x, START_S, &o);
	return o.what == AY_X_RAN ? 0 : ay_fail(err, AY_ERR_EXEC, "the executor does not start: %s", o.text);
}

/* --- loading ------------------------------------------------------------------------------------------------- */

static void keep_entries(struct ay_exec *x, struct ay_arena *a, const char *names, int n,
			 struct ay_exec_entries *e)
{
	x->nentry = e->n = n;
	x->entry = AY_NEW_N(&x->arena, const char *, n);
	e->name = AY_NEW_N(a, const char *, n);
	for (int i = 0; i < n; i++, names += strlen(names) + 1) {
		x->entry[i] = ay_strdup(&x->arena, names);
		e->name[i] = ay_strdup(a, names);
	}
}

/* Descriptors that come with it are dropped by the system: there is no room for them. */
static void read_loaded(struct ay_exec *x, struct ay_arena *a, struct ay_exec_entries *e, struct ay_outcome *o)
{
	const size_t cap = sizeof(struct ay_wire_head) + AY_WIRE_INLINE;
	uint8_t *buf = ay_alloc(a, cap);
	struct iovec v = { buf, cap };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };
	ssize_t got = recvmsg(x->sock, &h, MSG_DONTWAIT);
	const uint8_t *payload = buf + sizeof(struct ay_wire_head);
	struct ay_wire_head head;
	const char *names;
	int n = -1;

	if (got < 0 || h.msg_flags & MSG_TRUNC || !ay_wire_head_ok(buf, (size_t)got, &head) ||
	    head.seq != x->seq || head.bytes > AY_WIRE_INLINE) {
		lie(x, o, "it answered with a message that cannot be");
	} else if (head.type == AY_WIRE_LOAD_FAILED) {
		say_safe(o, AY_X_REFUSED, (const char *)payload, strnlen((const char *)payload, head.bytes));
		finish(x);
	} else {
		if (head.type == AY_WIRE_LOADED)
			n = ay_wire_loaded_open(payload, head.bytes, &names);
		if (n < 0)
			lie(x, o, "it answered with a message that cannot be");
		else
			keep_entries(x, a, names, n, e);
	}
}

static int load(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec_entries *e,
		struct ay_outcome *o, struct ay_err *err)
{
	next_number(x, 0, 0);
	if (transact(x, AY_WIRE_LOAD, 0, &spec->so_fd, 1, spec->load_timeout_s, o, err))
		return -1;
	if (o->what == AY_X_RAN)
		read_loaded(x, a, e, o);
	return 0;
}

int ay_exec_start(const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec **out,
		  struct ay_exec_entries *e, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec *x = ay_xrealloc(NULL, sizeof *x);
	int rc = -1;

	*x = (struct ay_exec){ .sock = -1, .spin = spec->spin, .oom_kills = oom_kills() };
	x->scratch_max = ay_memory_available() / 2 / AY_PAGE * AY_PAGE;
	x->msg_cap = FIRST_MESSAGE;
	x->msg = ay_xrealloc(NULL, x->msg_cap);
	*o = (struct ay_outcome){ .slot = -1 };
	*e = (struct ay_exec_entries){ 0 };
	*out = NULL;
	if (!start(x, err))
		rc = load(x, spec, a, e, o, err);
	if (rc || o->what != AY_X_RAN)
		ay_exec_stop(x);
	else
		*out = x;
	return rc;
}

/* --- calling ------------------------------------------------------------------------------------------------- */

static struct ay_wire_writer payload_writer(struct ay_exec *x)
{
	return (struct ay_wire_writer){ .buf = x->msg + sizeof(struct ay_wire_head),
					.cap = x->msg_cap - sizeof(struct ay_wire_head) };
}

static int grow_message(struct ay_exec *x, struct ay_err *err)
{
	if (x->msg_cap >= AY_WIRE_MAX)
		return ay_fail(err, AY_ERR_EXEC, "a batch too large for one message");
	x->msg_cap *= 2;
	x->msg = ay_xrealloc(x->msg, x->msg_cap);
	return 0;
}

static int map_pool(struct ay_exec *x, const struct ay_pool *p, struct ay_outcome *o, struct ay_err *err)
{
	uint64_t n = (uint64_t)p->nslot;
	int fd[2] = { p->fd[0] >= 0 ? p->fd[0] : p->fd[1], p->fd[1] >= 0 ? p->fd[1] : p->fd[0] };
	struct ay_wire_writer w;

	next_number(x, 0, 0);
	for (;;) {
		w = payload_writer(x);
		ay_wire_put(&w, &n, sizeof n);
		for (int i = 0; i < p->nslot; i++) {
			struct ay_wire_slot s = { p->slot[i].written, 0, p->slot[i].offset, p->slot[i].bytes };

			ay_wire_put(&w, &s, sizeof s);
		}
		if (!w.full)
			break;
		if (grow_message(x, err))
			return -1;
	}
	if (transact(x, AY_WIRE_MAP, w.len, fd, 2, MAP_S, o, err))
		return -1;
	x->pool_id = p->id;
	return 0;
}

/* The kernel can still write there: each byte is copied once, then judged. */
static void take_scalars(struct ay_exec *x, const struct ay_batch *b)
{
	int n = x->nscalar * b->nset;

	if (!n)
		return;
	x->scalar = ay_xrealloc(x->scalar, sizeof *x->scalar * (size_t)n);
	memcpy(x->scalar, x->page->scalar, sizeof *x->scalar * (size_t)n);
	for (int i = 0; i < n; i++)
		x->scalar[i] = ay_encode_scalar(b->proto, i % x->nscalar, &x->scalar[i]);
}

static int find_entry(const struct ay_exec *x, const char *symbol)
{
	for (int i = 0; i < x->nentry; i++)
		if (!strcmp(x->entry[i], symbol))
			return i;
	return -1;
}

int ay_exec_call(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	int entry = find_entry(x, b->proto->symbol);
	struct ay_wire_writer w;

	AY_ASSERT(x->pid && b->nset > 0);
	*o = (struct ay_outcome){ .slot = -1 };
	if (entry < 0)
		return ay_fail(err, AY_ERR_EXEC, "the kernel has no function %s", b->proto->symbol);
	x->nscalar = ay_encode_nscalar(b->proto);
	if ((int64_t)x->nscalar * b->nset > AY_WIRE_SCALARS)
		return ay_fail(err, AY_ERR_EXEC, "%d sets with %d numbers each are too many", b->nset, x->nscalar);
	if (b->pool->nslot && x->pool_id != b->pool->id) {
		if (map_pool(x, b->pool, o, err))
			return -1;
		if (o->what != AY_X_RAN)
			return 0;
	}
	for (;;) {
		w = payload_writer(x);
		if (ay_encode_call(&w, b, entry, x->scratch_max, err))
			return -1;
		if (!w.full)
			break;
		if (grow_message(x, err))
			return -1;
	}
	next_number(x, (uint32_t)b->nset, (uint32_t)b->pool->nslot);
	if (transact(x, AY_WIRE_CALL, w.len, NULL, 0, b->timeout_s, o, err))
		return -1;
	if (o->what == AY_X_RAN)
		take_scalars(x, b);
	return 0;
}

const ay_scalar *ay_exec_scalars(const struct ay_exec *x, int set)
{
	return x->scalar + (size_t)set * (size_t)x->nscalar;
}

pid_t ay_exec_pid(const struct ay_exec *x)
{
	return x->pid;
}

void ay_exec_stop(struct ay_exec *x)
{
	if (!x)
		return;
	finish(x);
	if (x->sock >= 0)
		close(x->sock);
	if (x->page)
		munmap(x->page, AY_WIRE_PAGE);
	ay_xfree(x->msg);
	ay_xfree(x->scalar);
	ay_arena_release(&x->arena);
	ay_xfree(x);
}
