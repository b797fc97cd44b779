/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor's half of the protocol, for kernels in any language.
 *
 * Theory of operation. The program starts in its jail with three descriptors and nothing else: 3 is
 * one end of a SOCK_SEQPACKET pair, 4 the shared page, 5 a socket to the judge. It forks
 * (runtime_init.c): init waits for the end of the executor. The executor loads the system-call
 * filter before it has read a byte of the kernel, greets the judge, and then follows messages
 * (exec/wire.h) one at a time. The judge puts a message in the socket and raises `go`; the executor
 * acts, writes the status into the page and raises `done`. All arguments of a batch are prepared
 * before its first call. So calls follow each other closely, and what one call overwrites does not
 * reach the next call's arguments.
 *
 * Nothing here defends itself against the kernel, which shares this address space: the judge trusts
 * none of it.
 */
#include "runtime.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct ay_wire_page *page;
volatile uint32_t now_seq, now_set;

struct held held;
static const struct language *language;
static uint32_t nentry; /* number of the kernel's functions */

static _Alignas(16) uint8_t inbox[sizeof(struct ay_wire_head) + AY_WIRE_INLINE], outbox[sizeof inbox];
static void *large; /* a payload that came as a memfd; NULL: none */
static size_t large_bytes;

/* --- messages -------------------------------------------------------------------------------------------- */

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* Returns false if the judge has ended. */
static bool sleep_for_go(uint32_t last)
{
	const struct timespec slice = { 1, 0 };
	struct pollfd p = { .fd = AY_WIRE_FD_SOCKET };

	__atomic_store_n(&page->exec_sleeps, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&page->go, __ATOMIC_SEQ_CST) == last)
		syscall(SYS_futex, &page->go, FUTEX_WAIT, last, &slice, NULL, 0);
	__atomic_store_n(&page->exec_sleeps, 0, __ATOMIC_SEQ_CST);
	return poll(&p, 1, 0) <= 0 || !(p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static bool wait_for_go(uint32_t last)
{
	int64_t until = now_ns() + 1000ll * page->spin_us;

	do
		for (int i = 0; i < 64; i++) {
			if (__atomic_load_n(&page->go, __ATOMIC_ACQUIRE) != last)
				return true;
			relax();
		}
	while (now_ns() < until);
	while (__atomic_load_n(&page->go, __ATOMIC_ACQUIRE) == last)
		if (!sleep_for_go(last))
			return false;
	return true;
}

static void take_fds(struct msghdr *h, struct wire_message *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->nfd = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(m->fd, CMSG_DATA(c), (size_t)m->nfd * sizeof(int));
	}
}

/* Maps a payload that is too long for a packet; its memfd is the last descriptor. */
static bool open_large(struct wire_message *m)
{
	struct stat st;

	if (large)
		munmap(large, large_bytes);
	large = NULL;
	if (m->head.bytes <= AY_WIRE_INLINE)
		return true;
	if (!m->nfd || fstat(m->fd[m->nfd - 1], &st) || st.st_size < (off_t)m->head.bytes)
		return false;
	large_bytes = m->head.bytes;
	large = mmap(NULL, large_bytes, PROT_READ, MAP_PRIVATE, m->fd[m->nfd - 1], 0);
	if (large == MAP_FAILED)
		large = NULL;
	m->payload = large;
	return large;
}

static bool receive(struct wire_message *m)
{
	struct iovec v = { inbox, sizeof inbox };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(AY_WIRE_FDS * sizeof(int))];
	struct msghdr h = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
	};
	ssize_t n;

	*m = (struct wire_message){ .payload = inbox + sizeof m->head };
	do
		n = recvmsg(AY_WIRE_FD_SOCKET, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	take_fds(&h, m);
	return !(h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && ay_wire_head_ok(inbox, (size_t)n, &m->head) &&
	       open_large(m);
}

static void drop_fds(struct wire_message *m)
{
	for (int i = 0; i < m->nfd; i++)
		close(m->fd[i]);
	m->nfd = 0;
}

/* --- LOAD ------------------------------------------------------------------------------------------------ */

static void send_text(enum ay_wire_type type, struct ay_wire_writer *w)
{
	struct ay_wire_head h = { AY_WIRE_MAGIC, AY_WIRE_VERSION, (uint16_t)type, now_seq, (uint32_t)w->len };

	memcpy(outbox, &h, sizeof h);
	if (send(AY_WIRE_FD_SOCKET, outbox, sizeof h + w->len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		_exit(1);
}

void load_failed(const char *why)
{
	struct ay_wire_writer w = { outbox + sizeof(struct ay_wire_head), 4096, 0, false };
	size_t n = strlen(why);

	ay_wire_put(&w, why, n < 4000 ? n : 4000);
	send_text(AY_WIRE_LOAD_FAILED, &w);
}

void loaded(uint32_t n, const char *const *name, uint32_t flags)
{
	struct ay_wire_writer w = { outbox + sizeof(struct ay_wire_head), AY_WIRE_INLINE, 0, false };
	const struct ay_wire_loaded head = { n, flags };
	static char names[AY_WIRE_INLINE - 64];
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(name[i]) + 1;

		if (len > sizeof names - used) {
			load_failed("the names of its functions are too long");
			return;
		}
		memcpy(names + used, name[i], len);
		used += len;
	}
	nentry = n;
	ay_wire_put(&w, &head, sizeof head);
	ay_wire_put(&w, names, used);
	send_text(AY_WIRE_LOADED, &w);
}

static void load(const struct wire_message *m)
{
	language->load(m);
	answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

/* --- MAP and CALL ---------------------------------------------------------------------------------------- */

static void broken(int e)
{
	answer(now_seq, (struct ay_wire_status){
				.what = e == ENOMEM ? AY_WIRE_STARVED : AY_WIRE_BROKEN, .rc = e, .slot = -1 });
}

static void map(struct wire_message *m)
{
	const struct ay_wire_slot *slot;
	uint64_t at = 0;
	int n = ay_wire_map_open(m->payload, m->head.bytes, &at, &slot), e;

	held.mem = NULL; /* it points into the pool that is about to be unmapped */
	e = n < 0 ? EPROTO : pool_map(slot, (uint32_t)n, m->nfd >= 2 ? m->fd : NULL, at);
	if (e)
		broken(e);
	else
		answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

/* Reports that the device failed outside of any call. */
static void faulted(int e)
{
	answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_FAULTED, .rc = e, .slot = -1 });
}

static void map_device(struct wire_message *m)
{
	struct ay_wire_lend l;
	uint32_t used = 0;
	int e = 0;

	if (!page->cuda || !ay_wire_lend_open(m->payload, m->head.bytes, pool.nslot, &l) || m->nfd != (int)l.n) {
		broken(EPROTO);
		return;
	}
	for (uint32_t i = l.from; i < pool.nslot && used < l.n && !e; i++)
		if (pool.slot[i].device == AY_WIRE_MAPPED)
			e = gpu_map_slot(i, m->fd[used++]);
	if (e)
		faulted(e);
	else
		answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

static void heap(struct wire_message *m)
{
	struct ay_wire_heap h;
	uint64_t at = 0;
	int e;

	if (!page->cuda || !language->heap || m->nfd != 1 || !ay_wire_heap_open(m->payload, m->head.bytes, &h)) {
		broken(EPROTO);
		return;
	}
	e = gpu_map(m->fd[0], h.bytes, true, &at);
	if (e) {
		faulted(e);
		return;
	}
	e = language->heap(at, h.bytes);
	if (e)
		broken(e);
	else
		answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

static void forget(struct wire_message *m)
{
	struct ay_wire_forget f;

	if (ay_wire_forget_open(m->payload, m->head.bytes, &f))
		memset(held.c.h.poison, (int)f.poison, sizeof held.c.h.poison);
	if (language->forget)
		language->forget();
	if (page->cuda)
		gpu_drop_parts();
	answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

/* Returns memory for a batch. It is used again for the next batch if it is large enough. */
static void *batch_memory(size_t bytes)
{
	static void *mem;
	static size_t have;

	if (bytes <= have)
		return mem;
	pages_free(mem, have);
	have = bytes > 64 << 10 ? bytes : 64 << 10;
	mem = pages_get(have);
	if (!mem)
		have = 0;
	return mem;
}

/* Prepares the arguments of all sets. Returns false if that is impossible, which it has then
 * reported. */
static bool hold(struct wire_message *m)
{
	static ay_ctx ctx;
	struct ay_wire_call c;

	held.mem = NULL;
	if (pool.mapped != pool.on_device ||
	    !ay_wire_call_open(m->payload, m->head.bytes, nentry, pool.slot, pool.nslot, &c)) {
		broken(EPROTO);
		return false;
	}
	held.mem = c.set_bytes < SIZE_MAX / 2 / c.h.nset ? batch_memory(c.set_bytes * c.h.nset) : NULL;
	if (!held.mem || scratch_limit(c.h.scratch_max)) {
		held.mem = NULL;
		broken(ENOMEM);
		return false;
	}
	ctx = (ay_ctx){ .abi = AY_ABI, .device = { AY_CPU, 0 }, .scratch = scratch_get };
	if (page->cuda)
		gpu_context(&ctx, c.h.scratch_max);
	ctx.threads = (int32_t)c.h.threads;
	for (uint32_t i = 0; i < c.h.nset; i++)
		ay_wire_call_build(&c, i, pool.base, &ctx, held.mem + i * c.set_bytes);
	held.c = c;
	held.timed = m->head.type == AY_WIRE_PREPARE;
	if (language->ready && language->ready()) {
		held.mem = NULL;
		broken(EPROTO);
		return false;
	}
	return true;
}

static void run(uint32_t from, uint32_t n, uint32_t extra_passes)
{
	struct ay_wire_status s = { .what = AY_WIRE_RAN, .slot = -1 };

	if (page->cuda && held.timed)
		gpu_clock();
	for (uint32_t i = 0; i <= extra_passes && s.what == AY_WIRE_RAN; i++)
		language->call(from, n, i == extra_passes, &s);
	answer(now_seq, s);
}

static void call(struct wire_message *m)
{
	if (!hold(m))
		return;
	run(0, held.c.h.called, 0);
	scratch_trim();
}

/* Reads which sets to call and maps the memory that comes for them. Returns false if that is
 * impossible, which it has then reported. */
static bool take_order(struct wire_message *m, struct ay_wire_run *r)
{
	const struct ay_wire_part *part;
	int e;

	if (!held.mem ||
	    !ay_wire_run_open(m->payload, m->head.bytes, held.c.h.nset, pool.slot, pool.nslot, r, &part) ||
	    (part && (!page->cuda || m->nfd != (int)pool.late))) {
		broken(EPROTO);
		return false;
	}
	e = part ? gpu_map_parts(part, m->fd) : 0;
	if (e)
		faulted(e);
	return !e;
}

static void run_some(struct wire_message *m)
{
	const bool timed = held.timed;
	struct ay_wire_run r;

	if (!take_order(m, &r))
		return;
	held.timed = timed && m->head.type == AY_WIRE_RUN;
	run(r.from, r.n, r.extra_passes);
	held.timed = timed;
	if (!timed) /* more of a CALL */
		scratch_trim();
}

static void be_busy(struct wire_message *m)
{
	const int64_t until = now_ns() + AY_WIRE_CALIBRATE_NS;
	struct ay_wire_run r;
	int e;

	if (!take_order(m, &r))
		return;
	e = page->cuda ? gpu_busy(AY_WIRE_CALIBRATE_NS) : 0;
	while (!page->cuda && now_ns() < until)
		;
	if (e)
		faulted(e);
	else
		answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
}

static void follow(struct wire_message *m)
{
	switch (m->head.type) {
	case AY_WIRE_LOAD: load(m); break;
	case AY_WIRE_MAP: map(m); break;
	case AY_WIRE_CALL: call(m); break;
	case AY_WIRE_PREPARE:
		if (hold(m))
			answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
		break;
	case AY_WIRE_RUN:
	case AY_WIRE_RUN_TRACED: run_some(m); break;
	case AY_WIRE_DROP_RESULTS: forget(m); break;
	case AY_WIRE_CALIBRATE: be_busy(m); break;
	case AY_WIRE_MAP_DEVICE: map_device(m); break;
	case AY_WIRE_HEAP: heap(m); break;
	case AY_WIRE_QUIT: _exit(0);
	default: broken(EPROTO);
	}
	drop_fds(m);
}

static __attribute__((noinline)) int follow_all(void)
{
	struct wire_message m;
	int e = page->cuda ? gpu_open() : 0;

	now_seq = __atomic_load_n(&page->go, __ATOMIC_ACQUIRE);
	if (e)
		faulted(e);
	else
		answer(now_seq, (struct ay_wire_status){ .what = AY_WIRE_RAN, .slot = -1 });
	while (wait_for_go(now_seq)) {
		now_seq = __atomic_load_n(&page->go, __ATOMIC_ACQUIRE);
		now_set = 0;
		if (!receive(&m))
			return 1;
		follow(&m);
	}
	return 0;
}

int follow_judge(const struct language *l, void (*inside)(void))
{
	void *below;

	language = l;
	page = mmap(NULL, AY_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, AY_WIRE_FD_PAGE, 0);
	if (page == MAP_FAILED)
		return 1;
	close(AY_WIRE_FD_PAGE);
	split(l->name);
	if (page->printed) /* so that what a kernel prints before it crashes is not lost */
		setvbuf(stdout, NULL, _IONBF, 0);
	if (inside)
		inside();
	catch_signals();
	/* The place of the stack within a page changes the speed of kernels that use it, by up to
	 * 30 % as measured. So the judge shifts the stack from one process to the next. */
	below = __builtin_alloca(page->stack_shift % AY_WIRE_SHIFTS / 16 * 16 + 16);
	__asm__ volatile("" : : "r"(below) : "memory");
	return follow_all();
}
