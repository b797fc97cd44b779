/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's half of an executor: starts the process, loads a kernel, calls it. transact.c handles
 * single messages.
 */
#include "exec/transact.h"

#include "exec/encode.h"
#include "exec/launch.h"
#include "exec/printed.h"
#include "exec/python.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <errno.h>
#include <unistd.h>

_Static_assert((int)AY_WIRE_LAUNCH == (int)AY_GLUE_LAUNCH, "the glue and the executor mean the same");

#define POOL_AT    (1ull << 44) /* addresses at which Linux maps nothing by itself */
#define POOL_STEP  (1ull << 21)
#define HEAP_LEAST (256ull << 20)
#define HEAP_MUCH    /* others need memory too: a heap larger than this is replaced */ \
	(2ull << 30) /* if a quarter of it suffices */
/* bytes of a GPU's memory that an idle executor should not keep */
#define HEAVY (384ull << 20)

enum {
	/* 40 contexts started at once on one GPU took more than ten seconds each */
	START_S = 60,
	UNMAP_S = 10,              /* unmapping a large pool: a busy machine took more than a second */
	MAP_BYTES_A_S = 256 << 20, /* populating tens of GiB takes seconds */
	FIRST_MESSAGE = 4096,
};

/* --- starting -------------------------------------------------------------------------------------------- */

/* Starts the process and waits for its greeting. No kernel is loaded yet, so all failures are
 * assay's own. */
static int start(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_err *err)
{
	struct ay_outcome o = { 0 };
	struct ay_launched l;
	int rc;

	if (spec->python && ay_python_open(spec->python, err))
		return -1;
	if (!spec->sandbox && ay_sandbox_new(&x->own, AY_SANDBOX_FULL, err))
		return -1;
	rc = ay_launch(&l, x->own ? x->own : spec->sandbox, spec, x->spin ? AY_SPIN_US : 0, err);
	x->jail = l.jail;
	x->pid = l.jail.pid;
	x->sock = l.sock;
	x->life = l.life;
	x->out = l.out;
	x->page = l.page;
	x->seq = 1;
	if (rc)
		return -1;
	ay_exec_exchange(x, START_S, &o);
	ay_exec_read_init(x); /* its greeting, unless it was read while waiting */
	if (o.what == AY_EXEC_RAN && x->executor > 0)
		return 0;
	ay_exec_finish(x);
	ay_jail_wait(&x->jail, err); /* has a better message if the jail failed */
	return ay_fail(err, AY_ERR_EXEC, "the executor does not start: %s", o.text);
}

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

/* --- loading --------------------------------------------------------------------------------------------- */

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

/* Reads the answer to a LOAD. The system drops descriptors that come with it, because no control
 * buffer is given. */
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
	uint32_t flags = 0;
	int n = -1;

	if (got < 0 || h.msg_flags & MSG_TRUNC || !ay_wire_head_ok(buf, (size_t)got, &head) ||
	    head.seq != x->seq || head.bytes > AY_WIRE_INLINE) {
		ay_exec_reject(x, o, "it answered with a message that cannot be");
	} else if (head.type == AY_WIRE_LOAD_FAILED) {
		ay_exec_say(o, AY_EXEC_REFUSED, (const char *)payload, strnlen((const char *)payload, head.bytes));
		ay_exec_finish(x);
	} else {
		if (head.type == AY_WIRE_LOADED)
			n = ay_wire_loaded_open(payload, head.bytes, &flags, &names);
		if (n < 0)
			ay_exec_reject(x, o, "it answered with a message that cannot be");
		else
			keep_entries(x, a, names, n, e);
		e->interpreted = flags & AY_WIRE_INTERPRETED;
	}
}

static int load(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec_entries *e,
		struct ay_outcome *o, struct ay_err *err)
{
	const size_t n = spec->about ? strlen(spec->about) : 0;
	struct ay_wire_writer w;

	for (;;) {
		w = payload_writer(x);
		ay_wire_put(&w, spec->about, n);
		if (!w.full)
			break;
		if (grow_message(x, err))
			return -1;
	}
	ay_exec_next_number(x, 0, 0);
	if (ay_exec_transact(x, AY_WIRE_LOAD, w.len, &spec->so_fd, spec->so_fd >= 0, spec->load_timeout_s, o, err))
		return -1;
	if (o->what == AY_EXEC_RAN)
		read_loaded(x, a, e, o);
	return 0;
}

int ay_exec_start(const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec **out,
		  struct ay_exec_entries *e, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec *x = ay_xrealloc(NULL, sizeof *x);
	int rc = -1;

	*x = (struct ay_exec){
		.sock = -1, .life = -1, .out = -1, .spin = spec->spin, .oom_kills = ay_exec_oom_kills()
	};
	x->printed = spec->printed;
	x->python = spec->python;
	x->nothing = spec->so_fd < 0 && !x->python;
	x->spin_ns = AY_SPIN_US * 1000;
	x->device = spec->device && spec->device->info.kind != AY_DEV_CPU ? spec->device : NULL;
	x->scratch_max = (x->device ? x->device->info.bytes : ay_memory_available()) / 2 / AY_PAGE * AY_PAGE;
	x->msg_cap = FIRST_MESSAGE;
	x->msg = ay_xrealloc(NULL, x->msg_cap);
	*o = (struct ay_outcome){ .slot = -1 };
	*e = (struct ay_exec_entries){ 0 };
	*out = NULL;
	if (!start(x, spec, err))
		rc = load(x, spec, a, e, o, err);
	if (rc || o->what != AY_EXEC_RAN)
		ay_exec_stop(x);
	else
		*out = x;
	return rc;
}

int ay_exec_load(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec_entries *e,
		 struct ay_outcome *o, struct ay_err *err)
{
	*o = (struct ay_outcome){ .slot = -1 };
	*e = (struct ay_exec_entries){ 0 };
	return load(x, spec, a, e, o, err);
}

/* --- calling --------------------------------------------------------------------------------------------- */

static bool is_mapped(const struct ay_dev_mapping *l, int i)
{
	return l && l->nslot && l->slot[i].fd >= 0;
}

/* Returns slot i as the executor gets it. */
static struct ay_wire_slot slot_of(const struct ay_pool *p, const struct ay_dev_mapping *l, int i)
{
	const struct ay_slot *s = &p->slot[i];

	if (is_mapped(l, i))
		return (struct ay_wire_slot){ s->written || l->how == AY_MAP_WRITABLE, AY_WIRE_MAPPED, l->pad,
					      s->bytes };
	if (s->there)
		return (struct ay_wire_slot){ s->written, AY_WIRE_LATE, 0, s->bytes };
	return (struct ay_wire_slot){ s->written, AY_WIRE_POOLED, s->offset, s->bytes };
}

/* Sends the device's slots in MAP_DEVICE messages, each with as many as a message takes. */
static int send_slots(struct ay_exec *x, const struct ay_dev_mapping *l, double timeout_s, struct ay_outcome *o,
		      struct ay_err *err)
{
	for (int i = 0; i < l->nslot && o->what == AY_EXEC_RAN;) {
		struct ay_wire_writer w = payload_writer(x);
		struct ay_wire_lend head = { .from = (uint32_t)i };
		int fd[AY_WIRE_FDS];

		for (; i < l->nslot && head.n < AY_WIRE_FDS; i++)
			if (is_mapped(l, i))
				fd[head.n++] = l->slot[i].fd;
		if (!head.n)
			break;
		ay_wire_put(&w, &head, sizeof head);
		ay_exec_next_number(x, 0, 0);
		if (ay_exec_transact(x, AY_WIRE_MAP_DEVICE, w.len, fd, (int)head.n, timeout_s, o, err))
			return -1;
	}
	return 0;
}

int ay_exec_heap(struct ay_exec *x, const struct ay_dev_mem *h, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_wire_heap head = { h->bytes };
	struct ay_wire_writer w = payload_writer(x);

	AY_ASSERT(x->pid && x->device && x->python && h->bytes);
	*o = (struct ay_outcome){ .slot = -1 };
	ay_wire_put(&w, &head, sizeof head);
	ay_exec_next_number(x, 0, 0);
	if (ay_exec_transact(x, AY_WIRE_HEAP, w.len, &h->fd, 1, START_S, o, err))
		return -1;
	x->heap = *h;
	return 0;
}

void ay_exec_poison(struct ay_exec *x, uint8_t byte)
{
	x->poison = byte;
}

static uint64_t pool_id(const struct ay_batch *b)
{
	return b->mapping && b->mapping->id ? b->mapping->id : b->pool->id;
}

static int map_pool(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	const struct ay_pool *p = b->pool;
	struct ay_wire_map head = { .count = (uint64_t)p->nslot };
	int fd[2] = { p->fd[0] >= 0 ? p->fd[0] : p->fd[1], p->fd[1] >= 0 ? p->fd[1] : p->fd[0] };
	double timeout_s = b->timeout_s;
	struct ay_wire_writer w;

	ay_exec_next_number(x, 0, 0);
	x->pool_bytes = x->mapped_bytes = 0;
	if (x->python) /* a known address, so that the judge can tell where inputs lie */
		head.at = x->pool_at = POOL_AT + ay_secret_below(POOL_AT / POOL_STEP) * POOL_STEP;
	for (int i = 0; i < p->nslot; i++) {
		x->pool_bytes += is_mapped(b->mapping, i) || p->slot[i].there ? 0 : p->slot[i].bytes;
		x->mapped_bytes += is_mapped(b->mapping, i) ? p->slot[i].bytes : 0;
	}
	for (;;) {
		w = payload_writer(x);
		ay_wire_put(&w, &head, sizeof head);
		for (int i = 0; i < p->nslot; i++) {
			struct ay_wire_slot s = slot_of(p, b->mapping, i);

			ay_wire_put(&w, &s, sizeof s);
		}
		if (!w.full)
			break;
		if (grow_message(x, err))
			return -1;
	}
	/* code of the kernel that still runs there must not cost more time than in a call */
	timeout_s += 1 + (double)x->pool_bytes / MAP_BYTES_A_S;
	if (ay_exec_transact(x, AY_WIRE_MAP, w.len, fd, x->pool_bytes ? 2 : 0, timeout_s, o, err))
		return -1;
	x->pool_id = pool_id(b);
	return b->mapping && o->what == AY_EXEC_RAN ? send_slots(x, b->mapping, timeout_s, o, err) : 0;
}

/* Copies the scalar results of sets [from, from + n). The kernel can still write to the page, so each
 * byte is copied once and then checked. */
static void take_scalars(struct ay_exec *x, const struct ay_batch *b, int from, int n)
{
	const int lo = x->nscalar * from, hi = x->nscalar * (from + n);

	if (!x->nscalar)
		return;
	x->scalar = ay_xrealloc(x->scalar, sizeof *x->scalar * (size_t)(x->nscalar * b->nset));
	memcpy(x->scalar + lo, x->page->scalar + lo, sizeof *x->scalar * (size_t)(hi - lo));
	for (int i = lo; i < hi; i++)
		x->scalar[i] = ay_encode_scalar(b->proto, i % x->nscalar, &x->scalar[i]);
}

/* Returns the entry of this name, or -1. An executor without a kernel has one entry, for all
 * names. */
static int find_entry(const struct ay_exec *x, const char *symbol)
{
	if (x->nothing)
		return 0;
	for (int i = 0; i < x->nentry; i++)
		if (!strcmp(x->entry[i], symbol))
			return i;
	return -1;
}

/* Sends a batch as CALL or as PREPARE, and waits. */
static int send_batch(struct ay_exec *x, enum ay_wire_type type, const struct ay_batch *b, struct ay_outcome *o,
		      struct ay_err *err)
{
	int entry = find_entry(x, b->proto->symbol);
	struct ay_wire_writer w;

	AY_ASSERT(x->pid && b->nset > 0);
	x->words = x->python ? (const void *)b->pool->slot[b->told].mem : NULL;
	*o = (struct ay_outcome){ .slot = -1 };
	x->held = 0; /* a CALL replaces the held sets */
	if (entry < 0)
		return ay_fail(err, AY_ERR_EXEC, "the kernel has no function %s", b->proto->symbol);
	x->nscalar = ay_encode_nscalar(b->proto);
	if ((int64_t)x->nscalar * b->nset > AY_WIRE_SCALARS)
		return ay_fail(err, AY_ERR_EXEC, "%d sets with %d numbers each are too many", b->nset, x->nscalar);
	if (b->pool->nslot && x->pool_id != pool_id(b)) {
		if (map_pool(x, b, o, err))
			return -1;
		if (o->what != AY_EXEC_RAN)
			return 0;
	}
	for (;;) {
		w = payload_writer(x);
		if (ay_encode_call(&w, b, entry, x->scratch_max, x->python, err))
			return -1;
		if (!w.full)
			break;
		if (grow_message(x, err))
			return -1;
	}
	ay_exec_next_number(x, (uint32_t)b->nset, (uint32_t)b->pool->nslot);
	return ay_exec_transact(x, type, w.len, NULL, 0, b->timeout_s, o, err);
}

int ay_exec_call(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	if (send_batch(x, AY_WIRE_CALL, b, o, err))
		return -1;
	if (o->what != AY_EXEC_RAN)
		return 0;
	take_scalars(x, b, 0, b->called ? b->called : b->nset);
	x->held = b->called ? b->nset : 0;
	x->held_slots = b->pool->nslot;
	return 0;
}

int ay_exec_hold(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	if (send_batch(x, AY_WIRE_PREPARE, b, o, err))
		return -1;
	if (o->what == AY_EXEC_RAN) {
		x->poison = b->poison[0];
		x->held = b->nset;
		x->held_slots = b->pool->nslot;
	}
	return 0;
}

static int post_run(struct ay_exec *x, enum ay_wire_type type, int from, int n, int extra_passes,
		    const struct ay_dev_mems *l, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_wire_run r = { (uint32_t)from, (uint32_t)n, (uint32_t)extra_passes, 0 };
	struct ay_wire_writer w = payload_writer(x);
	int fd[AY_DEV_MEMS];

	AY_ASSERT(x->pid && from >= 0 && n > 0 && from + n <= x->held);
	*o = (struct ay_outcome){ .slot = -1 };
	ay_wire_put(&w, &r, sizeof r);
	for (int i = 0; l && i < l->n; i++) {
		const struct ay_wire_part part = { l->mem[i].offset, l->mem[i].bytes };

		ay_wire_put(&w, &part, sizeof part);
		fd[i] = l->mem[i].fd;
	}
	ay_exec_next_number(x, (uint32_t)x->held, (uint32_t)x->held_slots);
	return ay_exec_send(x, type, w.len, fd, l ? l->n : 0, o, err);
}

int ay_exec_call_set(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o,
		     struct ay_err *err)
{
	if (post_run(x, AY_WIRE_RUN_TRACED, set, 1, 0, NULL, o, err))
		return -1;
	ay_exec_await(x, b->timeout_s, o);
	if (o->what == AY_EXEC_RAN)
		take_scalars(x, b, set, 1);
	return 0;
}

int ay_exec_post(struct ay_exec *x, int from, int n, int extra_passes, const struct ay_dev_mems *l,
		 struct ay_outcome *o, struct ay_err *err)
{
	return post_run(x, AY_WIRE_RUN, from, n, extra_passes, l, o, err);
}

int ay_exec_post_watched(struct ay_exec *x, int from, int n, const struct ay_dev_mems *l, struct ay_outcome *o,
			 struct ay_err *err)
{
	return post_run(x, AY_WIRE_RUN_TRACED, from, n, 0, l, o, err);
}

int ay_exec_post_busy(struct ay_exec *x, const struct ay_dev_mems *l, struct ay_outcome *o, struct ay_err *err)
{
	return post_run(x, AY_WIRE_CALIBRATE, 0, 1, 0, l, o, err);
}

int ay_exec_post_forget(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err)
{
	const struct ay_wire_forget f = { x->poison, 0 };
	struct ay_wire_writer w = payload_writer(x);

	AY_ASSERT(x->pid);
	*o = (struct ay_outcome){ .slot = -1 };
	ay_wire_put(&w, &f, sizeof f);
	ay_exec_next_number(x, (uint32_t)x->held, (uint32_t)x->held_slots);
	return ay_exec_send(x, AY_WIRE_DROP_RESULTS, w.len, NULL, 0, o, err);
}

/* Returns the bytes that a new heap needs; 0: the present heap suffices. */
static uint64_t new_heap(uint64_t have, uint64_t need)
{
	const uint64_t bytes = need + need / 4 > HEAP_LEAST ? need + need / 4 : HEAP_LEAST;

	return need > have || (have > HEAP_MUCH && bytes < have / 4) ? bytes : 0;
}

/* Replaces the heap by one of `bytes`; does nothing if the device does not have the memory. */
static int change_heap(struct ay_exec *x, uint64_t bytes, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_dev_mem next;

	if (ay_dev_mem_alloc(x->device, ay_slot_bytes(x->device->info.grain, bytes), true, &next, err)) {
		if (err->code != AY_ERR_MEMORY)
			return -1;
		ay_err_clear(err);
		return 0;
	}
	if (ay_exec_heap(x, &next, o, err)) {
		ay_dev_mem_free(x->device, &next);
		return -1;
	}
	ay_dev_mem_free(x->device, &x->own_heap);
	x->own_heap = next;
	return 0;
}

int ay_exec_need_heap(struct ay_exec *x, uint64_t bytes, struct ay_outcome *o, struct ay_err *err)
{
	const uint64_t have = x->own_heap.bytes;
	uint64_t most, wanted;

	*o = (struct ay_outcome){ .slot = -1 };
	if (!x->device || !x->python || !(wanted = new_heap(have, bytes)))
		return 0;
	most = ay_dev_free_bytes(x->device) / 2;
	wanted = wanted < most ? wanted : most;
	if (bytes > have && wanted <= have) /* no larger heap is possible */
		return 0;
	return change_heap(x, wanted, o, err);
}

bool ay_exec_is_heavy(const struct ay_exec *x)
{
	return x->mapped_bytes > HEAVY || x->own_heap.bytes > HEAVY;
}

/* The executor's mapping keeps device memory alive, even after the judge has freed it. So a large
 * pool is unmapped here. */
int ay_exec_lighten(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err)
{
	const struct ay_pool nothing = { .fd = { -1, -1 } };
	const struct ay_batch none = { .pool = &nothing, .timeout_s = UNMAP_S };

	*o = (struct ay_outcome){ .slot = -1 };
	if (!x->pid || !x->device)
		return 0;
	if (x->mapped_bytes > HEAVY && map_pool(x, &none, o, err))
		return -1;
	return x->own_heap.bytes > HEAVY && o->what == AY_EXEC_RAN ? change_heap(x, HEAP_LEAST, o, err) : 0;
}

bool ay_exec_in_heap(const struct ay_exec *x, uint64_t at, uint64_t bytes)
{
	return at >= x->heap.at && at - x->heap.at <= x->heap.bytes && bytes <= x->heap.bytes - (at - x->heap.at);
}

void ay_exec_await(struct ay_exec *x, double timeout_s, struct ay_outcome *o)
{
	if (x->pid)
		ay_exec_wait_answer(x, timeout_s, o);
}

void ay_exec_spin(struct ay_exec *x, int64_t ns)
{
	x->spin_ns = ns;
}

const ay_scalar *ay_exec_scalars(const struct ay_exec *x, int set)
{
	return x->scalar + (size_t)set * (size_t)x->nscalar;
}

double ay_exec_claimed_ns(const struct ay_exec *x)
{
	return (double)__atomic_load_n(&x->page->claimed_ns, __ATOMIC_RELAXED);
}

int64_t ay_exec_mapped_ns(const struct ay_exec *x)
{
	const uint64_t at = __atomic_load_n(&x->page->mapped_ns, __ATOMIC_RELAXED);

	return at > INT64_MAX ? 0 : (int64_t)at;
}

pid_t ay_exec_pid(const struct ay_exec *x)
{
	return x->executor;
}

int ay_exec_move(const struct ay_exec *x, const cpu_set_t *cpus)
{
	const struct dirent *task;
	char path[40];
	int rc = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)x->executor);
	d = opendir(path);
	if (!d)
		return -1;
	while ((task = readdir(d)))
		if (task->d_name[0] != '.' &&
		    sched_setaffinity((pid_t)strtol(task->d_name, NULL, 10), sizeof *cpus, cpus) && errno != ESRCH)
			rc = -1;
	closedir(d);
	return rc;
}

int ay_exec_group(const struct ay_exec *x)
{
	return x->jail.group;
}

void ay_exec_stop(struct ay_exec *x)
{
	if (!x)
		return;
	ay_exec_finish(x);
	if (x->own_heap.bytes)
		ay_dev_mem_free(x->device, &x->own_heap);
	ay_jail_release(&x->jail);
	ay_sandbox_free(x->own);
	if (x->sock >= 0)
		close(x->sock);
	if (x->life >= 0)
		close(x->life);
	if (x->out >= 0) {
		ay_printed_read(x->printed, x->out); /* what it printed last */
		close(x->out);
	}
	if (x->page)
		munmap(x->page, AY_WIRE_PAGE);
	ay_xfree(x->msg);
	ay_xfree(x->scalar);
	ay_arena_release(&x->arena);
	ay_xfree(x);
}
