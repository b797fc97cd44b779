/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends one message and handles all ways in which the executor may answer or end.
 *
 * One exchange: the judge sets the status in the page to "unset", puts the message into the socket
 * without blocking, and raises `go` to its number. Then it waits until `done` is that number, the
 * process is dead, or the time is up. `done` may be the number before (not yet) or the message's;
 * any other value is a lie, and so is a status that is still unset. The socket is never waited on
 * and proves nothing: a forked child of the kernel may keep it open for ever.
 *
 * The judge's child is the executor's init. The judge looks for init's death with waitid(WNOWAIT).
 * So it can still kill the process group, which is named by the dead leader, before it reaps the
 * leader and the number becomes free for other processes. Init has reported before how the executor
 * ended, through a socket that no kernel ever had.
 */
#include "exec/transact.h"

#include "base/process.h"
#include "base/str.h"
#include "exec/launch.h"
#include "exec/printed.h"
#include "sandbox/freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
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
	SLICE_NS = 5000000,  /* a dead executor is noticed within this time */
	LONGEST_WAIT = 100,  /* a time-out is never moved to more than so many times its length; */
	CROWDED_WAIT = 4,    /* or so many, if more threads than CPUs of the executor want to run */
	WATCH_SLICES = 4,    /* its memory use is checked once in so many slices */
	LAST_WORDS_MS = 200, /* from the executor's end to init's report of it */
};

/* --- outcomes -------------------------------------------------------------------------------------------- */

static void say(struct ay_outcome *o, enum ay_exec_status what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct ay_outcome *o, enum ay_exec_status what, const char *fmt, ...)
{
	va_list ap;

	o->what = what;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof o->text, fmt, ap);
	va_end(ap);
}

void ay_exec_say(struct ay_outcome *o, enum ay_exec_status what, const char *text, size_t n)
{
	struct ay_str b = { 0 };

	ay_str_add_safe(&b, text, n, sizeof o->text - 1);
	say(o, what, "%s", ay_str_text(&b));
	ay_str_release(&b);
}

/* Returns the system's count of OOM kills. There is no other way to tell one from a kernel that
 * kills itself. */
uint64_t ay_exec_oom_kills(void)
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

/* --- how it ended ---------------------------------------------------------------------------------------- */

/* The message comes with the sender's pid, which the system has written. */
bool ay_exec_read_init(struct ay_exec *x)
{
	struct ay_wire_life m = { 0 };
	struct iovec v = { &m, sizeof m };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct ucred))];
	struct msghdr h = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
	};
	struct cmsghdr *c;
	struct ucred cred = { 0 };

	if (x->life < 0 || recvmsg(x->life, &h, MSG_DONTWAIT) != sizeof m)
		return false;
	c = CMSG_FIRSTHDR(&h);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
		memcpy(&cred, CMSG_DATA(c), sizeof cred);
	if (!m.ended) {
		x->executor = cred.pid;
	} else {
		x->ended = true;
		x->end.si_pid = x->executor;
		x->end.si_code = m.code;
		x->end.si_status = m.status;
	}
	return true;
}

/* Returns true if init has ended. It stays a zombie. */
static bool is_dead(struct ay_exec *x)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return errno == ECHILD;
	return info.si_pid == x->pid;
}

/* Returns true if the executor has ended. Init reports that before init itself ends. */
static bool has_ended(struct ay_exec *x)
{
	while (ay_exec_read_init(x))
		;
	return x->ended || is_dead(x);
}

/* Kills the process with its group and reaps it. A process that no signal can end (stuck in a
 * system call) is left behind. */
void ay_exec_finish(struct ay_exec *x)
{
	const struct timespec nap = { 0, 100000 };
	int64_t deadline = ay_now_ns() + 5000000000;

	if (!x->pid)
		return;
	x->killed = !has_ended(x);
	kill(-x->pid, SIGKILL);
	kill(x->pid, SIGKILL); /* init may not have called setpgid yet */
	while (!is_dead(x) && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
	if (!x->ended) /* otherwise init's report counts, not how init itself ended */
		memset(&x->end, 0, sizeof x->end);
	waitid(P_PID, (id_t)x->pid, x->ended ? NULL : &x->end, WEXITED | WNOHANG);
	x->pid = x->executor = 0;
}

/* Describes an end without an answer. */
static void tell_end(struct ay_exec *x, struct ay_outcome *o)
{
	int code = x->end.si_status;

	if (x->end.si_code == CLD_EXITED && code > 128 && code <= 128 + SIGSEGV) {
		/* the signal handler's own exit after the call: a thread that the kernel left
		 * running */
		o->signal = code - 128;
		say(o, AY_EXEC_CRASHED, "signal %d (%s), after the call had returned", o->signal,
		    strsignal(o->signal));
		return;
	}
	if (x->end.si_code == CLD_EXITED) {
		o->exit_code = code;
		say(o, AY_EXEC_CRASHED, "the kernel ended its process with exit status %d", code);
		return;
	}
	o->signal = code;
	if (code == SIGKILL && (ay_jail_oom(&x->jail) || ay_exec_oom_kills() > x->oom_kills))
		say(o, AY_EXEC_OOM, "killed by the system: out of memory");
	else
		say(o, AY_EXEC_CRASHED, "ended by signal %d (%s)", code, code > 0 ? strsignal(code) : "unknown");
}

void ay_exec_reject(struct ay_exec *x, struct ay_outcome *o, const char *text)
{
	ay_exec_finish(x);
	say(o, AY_EXEC_LIED, "%s", text);
}

/* --- one exchange ---------------------------------------------------------------------------------------- */

enum waited { W_DONE, W_DEAD, W_LATE, W_LIED, W_LARGE };

static void relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* Compares `done` with the message's number. Returns -1 if there is no answer yet. */
static int look(const struct ay_exec *x)
{
	uint32_t done = __atomic_load_n(&x->page->done, __ATOMIC_ACQUIRE);

	if (done == x->seq)
		return W_DONE;
	return done == x->seq - 1 ? -1 : W_LIED;
}

static int spin(const struct ay_exec *x)
{
	int64_t until = ay_now_ns() + x->spin_ns;

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

/* A time-out is about the executor's own time. On a busy machine its threads are ready to run and wait
 * for a CPU; the deadline moves by that time. An executor can also make its threads wait for each other:
 * then the deadline moves much less. */
struct patience {
	int64_t begin, deadline, timeout;
	int64_t delay; /* the executor's run delay at the begin */
};

static struct patience new_patience(const struct ay_exec *x, double timeout_s)
{
	const int64_t now = ay_now_ns(), timeout = (int64_t)(timeout_s * 1e9);

	return (struct patience){ now, now + timeout, timeout, x->executor ? ay_run_delay_ns(x->executor) : 0 };
}

/* Returns the time left in ns; moves a deadline that is reached. */
static int64_t time_left(struct patience *p, const struct ay_exec *x)
{
	const int64_t now = ay_now_ns();
	int64_t moved;
	int ready;

	if (p->deadline > now || !x->executor)
		return p->deadline - now;
	moved = ay_longest_run_delay_ns(x->executor, p->delay, now - p->begin, &ready);
	if (moved > p->timeout * (ready > ay_cpu_count() ? CROWDED_WAIT : LONGEST_WAIT))
		moved = p->timeout * (ready > ay_cpu_count() ? CROWDED_WAIT : LONGEST_WAIT);
	p->deadline = p->begin + p->timeout + moved;
	/* less than a millisecond is no reason to wait on */
	return p->deadline - now > 1000000 ? p->deadline - now : 0;
}

static enum waited wait_done(struct ay_exec *x, double timeout_s)
{
	struct patience patience;
	int w = x->spin ? spin(x) : look(x);

	if (w < 0)
		patience = new_patience(x, timeout_s);
	for (int slice = 1; w < 0; slice++) {
		int64_t left = time_left(&patience, x);

		if (left <= 0)
			return W_LATE;
		doze(x, left);
		/* otherwise a full pipe would block the executor */
		ay_printed_read(x->printed, x->out);
		w = look(x);
		if (w < 0 && has_ended(x)) {
			w = look(x); /* the answer may have come in between */
			return w < 0 ? W_DEAD : (enum waited)w;
		}
		if (w < 0 && slice % WATCH_SLICES == 0 && x->executor &&
		    ay_jail_too_large(&x->jail, x->executor, x->pool_bytes))
			return W_LARGE;
	}
	return (enum waited)w;
}

/* Copies the status. Each word is read once, so that the checked value is the value used. */
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

/* Returns 0; 1 for assay's own failures; -1 if the executor does not take the message. */
static int put_message(struct ay_exec *x, size_t bytes, const int *fd, int nfd, struct ay_err *err)
{
	struct iovec v = { x->msg, bytes };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE((AY_WIRE_FDS + 1) * sizeof(int))] = { 0 };
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

/* Sends the payload that follows the head in x->msg. A payload too long for a packet goes as a
 * memfd, which is the last descriptor. */
static int send_message(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
			struct ay_err *err)
{
	struct ay_wire_head h = { AY_WIRE_MAGIC, AY_WIRE_VERSION, (uint16_t)type, x->seq, (uint32_t)bytes };
	int fd[AY_WIRE_FDS + 1], extra = -1, rc;

	AY_ASSERT(nfd <= AY_WIRE_FDS);
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

static const enum ay_touch faults[] = { [AY_WIRE_NO_FAULT] = AY_TOUCH_NONE,
					[AY_WIRE_INPUT] = AY_TOUCH_INPUT,
					[AY_WIRE_GUARDED] = AY_TOUCH_GUARD,
					[AY_WIRE_ELSEWHERE] = AY_TOUCH_OTHER,
					[AY_WIRE_ON_DEVICE] = AY_TOUCH_DEVICE };

static void tell_crash(const struct ay_wire_status *s, struct ay_outcome *o)
{
	static const char *const where[] = { [AY_TOUCH_NONE] = "",
					     [AY_TOUCH_INPUT] = ": it wrote to an input",
					     [AY_TOUCH_GUARD] = ": outside of a tensor",
					     [AY_TOUCH_OTHER] = ": at an address that is no tensor's",
					     [AY_TOUCH_DEVICE] = ": host code touched memory of the GPU" };

	o->signal = s->signal;
	o->fault = faults[s->fault];
	o->slot = s->slot;
	o->fault_at = s->fault_at;
	say(o, AY_EXEC_CRASHED, "signal %d (%s)%s", s->signal, strsignal(s->signal), where[o->fault]);
}

/* Sets the outcome with the executor's text in a slot of the pool. */
static void tell_words(struct ay_exec *x, enum ay_exec_status what, struct ay_outcome *o)
{
	char text[sizeof((struct ay_wire_told *)0)->text];

	o->what = what;
	if (!x->words)
		return;
	memcpy(text, x->words->text, sizeof text); /* copied once */
	ay_exec_say(o, what, text, strnlen(text, sizeof text));
}

static void tell_status(struct ay_exec *x, struct ay_outcome *o)
{
	struct ay_wire_status s = read_status(x->page);

	if (!ay_wire_status_ok(&s, x->nset, x->nslot)) {
		ay_exec_reject(x, o, "it raised `done` without a status that can be: not the executor's doing");
		return;
	}
	o->set = (int)s.set;
	o->rc = s.rc;
	switch (s.what) {
	case AY_WIRE_RAN:
		o->rc = x->device ? s.rc : 0;
		say(o, AY_EXEC_RAN, "%s", "");
		return;
	case AY_WIRE_REFUSED:
		say(o, AY_EXEC_REFUSED, "the kernel returned %d", s.rc);
		tell_words(x, AY_EXEC_REFUSED, o);
		return;
	case AY_WIRE_RAISED: tell_words(x, AY_EXEC_RAISED, o); return;
	case AY_WIRE_UNFIT: tell_words(x, AY_EXEC_UNFIT, o); return;
	case AY_WIRE_FORBIDDEN: tell_words(x, AY_EXEC_FORBIDDEN, o); return;
	case AY_WIRE_STARVED:
		ay_exec_finish(x);
		say(o, AY_EXEC_OOM, "out of memory: scratch was refused, or there is none for the tensors");
		return;
	case AY_WIRE_FAULTED:
		ay_exec_finish(x);
		if (!x->device)
			ay_exec_reject(x, o, "it speaks of a GPU that it has not got");
		else
			say(o, AY_EXEC_FAULTED, "CUDA's error %d: %s", s.rc, ay_dev_error(x->device, s.rc));
		return;
	case AY_WIRE_SIGNAL:
		ay_exec_finish(x);
		tell_crash(&s, o);
		return;
	default: ay_exec_finish(x); say(o, AY_EXEC_LIED, "it claims not to understand its messages (%d)", s.rc);
	}
}

void ay_exec_wait_answer(struct ay_exec *x, double timeout_s, struct ay_outcome *o)
{
	switch (wait_done(x, timeout_s)) {
	case W_DONE: tell_status(x, o); break;
	case W_DEAD:
		ay_exec_finish(x);
		tell_end(x, o);
		break;
	case W_LATE:
		ay_exec_finish(x);
		say(o, AY_EXEC_HUNG, "no answer within %g s", timeout_s);
		break;
	case W_LARGE:
		ay_exec_finish(x);
		say(o, AY_EXEC_OOM, "killed: it held more than %llu MiB",
		    (unsigned long long)(x->jail.memory_bytes >> 20));
		break;
	case W_LIED: ay_exec_reject(x, o, "the shared page holds a number that cannot be"); break;
	}
	ay_printed_read(x->printed, x->out);
}

/* Message x->seq is in the socket, or none is needed. */
void ay_exec_exchange(struct ay_exec *x, double timeout_s, struct ay_outcome *o)
{
	raise_go(x);
	ay_exec_wait_answer(x, timeout_s, o);
}

/* Numbers wrap around; those in the page start at 0. */
void ay_exec_next_number(struct ay_exec *x, uint32_t nset, uint32_t nslot)
{
	x->seq++;
	x->nset = nset;
	x->nslot = nslot;
	memset(&x->page->status, 0, sizeof x->page->status);
	x->page->claimed_ns = x->page->mapped_ns = 0;
	_Static_assert(AY_WIRE_UNSET == 0, "a status of zeros is none");
}

/* The executor's end of the socket is closed. Waits to learn whether the executor has ended or only
 * closed it. */
static void wait_for_last_words(struct ay_exec *x)
{
	int64_t deadline = ay_now_ns() + LAST_WORDS_MS * 1000000ll, took;
	const struct timespec nap = { 0, 100000 };
	struct ay_err err = { 0 };

	if (x->jail.group >= 0) /* if the executor was frozen, so was init */
		ay_thaw(x->executor, x->jail.group, &took, &err);
	while (!has_ended(x) && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
}

int ay_exec_send(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		 struct ay_outcome *o, struct ay_err *err)
{
	int rc = send_message(x, type, bytes, fds, nfd, err);

	if (rc > 0)
		return -1;
	if (!rc) {
		raise_go(x);
		return 0;
	}
	wait_for_last_words(x);
	ay_exec_finish(x);
	if (x->killed)
		say(o, AY_EXEC_LIED, "it does not take its messages");
	else
		tell_end(x, o);
	return 0;
}

int ay_exec_transact(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		     double timeout_s, struct ay_outcome *o, struct ay_err *err)
{
	if (ay_exec_send(x, type, bytes, fds, nfd, o, err))
		return -1;
	if (x->pid)
		ay_exec_wait_answer(x, timeout_s, o);
	return 0;
}
