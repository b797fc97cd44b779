/* SPDX-License-Identifier: Apache-2.0
 *
 * What the judge's timing adds to an honest kernel: batches under the gate against a direct loop around the same calls.
 *
 *	build/bench-overhead [ROUNDS [PART]]	(make bench-overhead; from the top of the tree)
 *
 * The direct loop runs in a child of ours that has loaded the same object: no jail, no freezing, none of the executor's
 * work between calls. Both sides get the same content at places of the same kind, written by us, and run on the same
 * CPUs; they take turns, and so does the empty call whose time gate_ns is subtracted. A median ratio above 1.02
 * is a failure.
 */
#include "bench_help.h"

#include "base/process.h"
#include "exec/encode.h"
#include "device/perf_lock.h"
#include "timing/cpuset.h"
#include "timing/gated_exec.h"
#include "timing/stats.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_ROUNDS = 1000,
	RENEWED_AFTER = 4,
	NULL_SETS = 256,
	SETS_MAX = 4000,
	SCRATCH = 64 << 20,
	SETS_BYTES = 192 << 20
};
static const double batch_ns = 12e6, allowed = 1.02;

static struct ay_sandbox *sandbox;

/* One kernel at one size with some threads. */
struct work {
	struct ay_suite_case sc;
	struct ay_call *call;
	const struct ay_proto *proto;
	struct ay_input_template template;
	int so_fd, threads, m;
	cpu_set_t kernel, judge;
	bool spare;
};

/* What a batch took, by the clock and of all CPUs. */
struct took {
	double ns, cpu;
};

/* --- the direct loop, in a child -------------------------------------------------------------------------- */

static struct {
	uint8_t *mem;
	size_t used;
} scratch;

static void *scratch_get(const ay_ctx *ctx, size_t bytes)
{
	void *p = scratch.mem + scratch.used;

	(void)ctx;
	if (bytes > SCRATCH - scratch.used)
		return NULL;
	scratch.used += (bytes + 63) / 64 * 64;
	return p;
}

static int (*find_call(const struct work *k))(void *const *)
{
	int (*list)(const char **, int (**)(void *const *), int) = NULL;
	int (*call[AY_WIRE_ENTRIES])(void *const *);
	const char *name[AY_WIRE_ENTRIES];
	void *so = dlopen(ay_sprintf(&arena, "/proc/self/fd/%d", k->so_fd), RTLD_NOW | RTLD_LOCAL), *sym;
	int n;

	sym = so ? dlsym(so, "ay_glue_entries") : NULL;
	memcpy(&list, &sym, sizeof list);
	n = list ? list(name, call, AY_WIRE_ENTRIES) : 0;
	for (int i = 0; i < n; i++)
		if (!strcmp(name[i], k->proto->symbol))
			return call[i];
	fprintf(stderr, "bench: %s cannot be loaded: %s\n", k->proto->symbol, so ? "no such function" : dlerror());
	_exit(2);
}

/* What the executor makes of a batch, made here by the same code. */
static uint8_t *make_ready(const struct work *k, const struct ay_input_sets *s, struct ay_wire_call *c)
{
	static ay_ctx ctx = { .abi = AY_ABI, .device = { AY_CPU, 0 }, .scratch = scratch_get };
	struct ay_batch b = { .proto = k->proto,
			      .call = k->call,
			      .pool = &s->pool,
			      .nset = s->cap,
			      .slot = s->slot,
			      .offset = s->offset,
			      .threads = k->threads };
	const size_t cap = 8 << 20;
	struct ay_wire_writer w = { ay_alloc(&arena, cap), cap, 0, false };
	struct ay_wire_slot slot[2];
	uint8_t *base[2], *mem;
	struct ay_err err = { 0 };

	ctx.threads = k->threads;
	for (int i = 0; i < 2; i++) {
		slot[i] = (struct ay_wire_slot){ s->pool.slot[i].written, 0, s->pool.slot[i].offset,
						 s->pool.slot[i].bytes };
		/* a mapping of our own, as the executor's: who has just written them has page tables in the cache */
		base[i] = mmap(NULL, slot[i].bytes, PROT_READ | (slot[i].written ? PROT_WRITE : 0),
			       MAP_SHARED | MAP_POPULATE, s->pool.fd[i], (off_t)slot[i].offset);
		if (base[i] == MAP_FAILED)
			_exit(2);
	}
	if (ay_encode_call(&w, &b, 0, SCRATCH, false, &err))
		die(&err);
	if (w.full || !ay_wire_call_open(w.buf, w.len, 1, slot, 2, c))
		_exit(2);
	mem = ay_alloc(&arena, c->set_bytes * (size_t)s->cap);
	for (int i = 0; i < s->cap; i++)
		ay_wire_call_build(c, (uint32_t)i, base, &ctx, mem + (size_t)i * c->set_bytes);
	return mem;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static _Noreturn __attribute__((noinline)) void direct_loop(const struct work *k, const struct ay_input_sets *s,
							    int in, int out)
{
	int (*call)(void *const *) = find_call(k);
	struct ay_wire_call c;
	uint8_t *mem;
	int n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	scratch.mem = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (scratch.mem == MAP_FAILED)
		_exit(2);
	sched_setaffinity(0, sizeof k->kernel, &k->kernel);
	mem = make_ready(k, s, &c);
	while (read(in, &n, sizeof n) == sizeof n) {
		struct took t;
		int64_t begin;
		double cpu;

		cpu = cpu_ns();
		begin = ay_now_ns();
		for (int i = 0; i < n; i++) {
			scratch.used = 0;
			if (call((void *const *)(mem + (size_t)i * c.set_bytes)))
				_exit(2);
		}
		t.ns = (double)(ay_now_ns() - begin);
		t.cpu = cpu_ns() - cpu;
		if (write(out, &t, sizeof t) != sizeof t)
			break;
	}
	_exit(0);
}

/* Where a stack lies in its page is worth up to 30 % (a softmax): both sides go through all of it, side by side. This is
 * how much higher that of the direct loop is than the executor's, in a page, if neither is shifted. */
static int direct_higher;

static _Noreturn void direct_child(const struct work *k, const struct ay_input_sets *s, int shift, int in, int out)
{
	void *below = __builtin_alloca((size_t)shift + 16);

	__asm__ volatile("" : : "r"(below) : "memory");
	direct_loop(k, s, in, out);
}

struct direct {
	struct ay_input_sets sets;
	pid_t pid;
	int in, out;
};

static void direct_start(struct direct *p, const struct work *k, int cap, int renewal)
{
	struct ay_err err = { 0 };
	int in[2], out[2];

	if (ay_input_sets_init(&p->sets, &k->template, cap, false, &err))
		die(&err);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || (p->pid = fork()) < 0) {
		perror("bench");
		exit(2);
	}
	if (!p->pid) {
		close(in[1]);
		close(out[0]);
		direct_child(k, &p->sets, (ay_gated_exec_shift(renewal) + direct_higher) % AY_WIRE_SHIFTS, in[0],
			     out[1]);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
}

/* Waits as the judge does, on a CPU of its own if there is one: or the others on this machine would have that one too
 * while the direct loop runs, and would leave the kernel's alone. */
static struct took direct_batch(struct direct *p, bool spin, struct ay_key key, int n)
{
	struct took t;

	ay_input_sets_write(&p->sets, key, 0, n, 0x71, NULL);
	fcntl(p->out, F_SETFL, spin ? O_NONBLOCK : 0);
	if (write(p->in, &n, sizeof n) == sizeof n) {
		ssize_t got;

		do
			got = read(p->out, &t, sizeof t);
		while (got < 0 && errno == EAGAIN);
		if (got == sizeof t)
			return t;
	}
	fprintf(stderr, "bench: the direct loop failed\n");
	exit(2);
}

static void direct_stop(struct direct *p)
{
	close(p->in);
	close(p->out);
	waitpid(p->pid, NULL, 0);
	ay_input_sets_release(&p->sets);
}

/* --- the same under the gate ----------------------------------------------------------------------------- */

static void open_executor(const struct work *k, struct ay_gated_exec *s, int so_fd, int cap, int renewal)
{
	struct ay_gated_exec_spec spec = { .impl = { k->proto, so_fd },
					   .empty = so_fd < 0,
					   .template = &k->template,
					   .cap = cap,
					   .threads = k->threads,
					   .stack_shift = ay_gated_exec_shift(renewal),
					   .timeout_s = 20,
					   .sandbox = sandbox,
					   .cpus = &k->kernel,
					   .spare = k->spare };
	struct ay_outcome o;
	struct ay_err err = { 0 };

	if (ay_gated_exec_open(s, &spec, &o, &err))
		die(&err);
	if (o.what != AY_EXEC_RAN)
		fprintf(stderr, "bench: %s\n", o.text), exit(2);
}

static struct took judged_batch(struct ay_gated_exec *s, struct ay_key key, int n)
{
	struct ay_outcome o;
	struct ay_batch_time b;
	struct ay_err err = { 0 };

	ay_input_sets_write(&s->sets, key, 0, n, 0x71, NULL);
	if (ay_gated_exec_batch(s, n, &b, &o, &err))
		die(&err);
	if (o.what != AY_EXEC_RAN)
		fprintf(stderr, "bench: %s\n", o.text), exit(2);
	return (struct took){ b.ns, b.cpu_ns };
}

static void hand_over(struct ay_gated_exec *s, bool busy, double *ns)
{
	struct ay_outcome o;
	struct ay_err err = { 0 };

	if (ay_gated_exec_hand_over(s, busy, ns, &o, &err))
		die(&err);
	if (o.what != AY_EXEC_RAN)
		fprintf(stderr, "bench: %s\n", o.text), exit(2);
}

/* --- where their stacks are ------------------------------------------------------------------------------ */

/* Where in its page the frame of a kernel is. */
static const char probe[] = "#include <assay/kernel.h>\n"
			    "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n"
			    "{\n"
			    "	(void)self, (void)ctx;\n"
			    "	*(float *)out->data = (float)((uintptr_t)__builtin_frame_address(0) % 4096);\n"
			    "	return AY_OK;\n"
			    "}\n";

static int place_in(const struct work *k, const struct ay_input_sets *s)
{
	return (int)*(const float *)ay_input_sets_at(s, 0, k->call->out[0]->ordinal);
}

static void compare_stacks(void)
{
	struct work k = { .threads = 1 };
	struct ay_gated_exec judge;
	struct direct p;

	k.call = help_bind("aten::relu((T([16], f32),), {})", &k.sc);
	k.proto = help_proto(k.sc.schema);
	k.so_fd = help_build(probe, strlen(probe), k.sc.op);
	ay_cpuset_choose(1, &k.kernel, &k.judge, &k.spare);
	ay_input_template_init(&k.template, k.call);
	direct_start(&p, &k, 2, 0);
	direct_batch(&p, k.spare, (struct ay_key){ { 1, 2 } }, 1);
	open_executor(&k, &judge, k.so_fd, 2, 0);
	judged_batch(&judge, (struct ay_key){ { 1, 2 } }, 1);
	direct_higher = (place_in(&k, &p.sets) - place_in(&k, &judge.sets) + AY_WIRE_SHIFTS) % AY_WIRE_SHIFTS;
	direct_stop(&p);
	ay_gated_exec_close(&judge);
	ay_input_template_release(&k.template);
	close(k.so_fd);
}

/* --- one row --------------------------------------------------------------------------------------------- */

static struct ay_key new_key(void)
{
	return (struct ay_key){ { ay_secret_u64(), ay_secret_u64() } };
}

/* Sets in a batch of some milliseconds. */
static int choose_m(const struct work *k)
{
	const double most = fmin(SETS_MAX, SETS_BYTES / (double)(k->template.bytes + 1));
	struct direct p;
	double ns = 0;

	direct_start(&p, k, 2, 0);
	for (int i = 0; i < 4; i++)
		ns = direct_batch(&p, k->spare, new_key(), 2).ns / 2;
	direct_stop(&p);
	return (int)fmax(2, fmin(most, batch_ns / fmax(ns, 1)));
}

struct row {
	double direct, judged, ratio, lo, hi, cpu, gate_ns, null;
};

/* All batches of a row, in the order of the rounds. */
struct batches {
	struct took direct, judged, one, many; /* the last two: of a batch that does nothing, of empty calls */
	double empty;                          /* one of those */
};

static double median(const struct batches *b, int n, size_t at)
{
	double x[MOST_ROUNDS];

	for (int i = 0; i < n; i++)
		memcpy(&x[i], (const char *)&b[i] + at, sizeof *x);
	return ay_quantile(x, n, 0.5);
}

static void sum_up(const struct work *k, const struct batches *b, int n, struct row *r)
{
	double d[MOST_ROUNDS], cpu[MOST_ROUNDS], mid, lo, hi;

	r->gate_ns = median(b, n, offsetof(struct batches, one.ns));
	r->null = (median(b, n, offsetof(struct batches, many.ns)) -
		   median(b, n, offsetof(struct batches, empty))) /
		  NULL_SETS;
	for (int i = 0; i < n; i++) {
		d[i] = log((b[i].judged.ns - r->gate_ns) / b[i].direct.ns);
		cpu[i] = b[i].judged.cpu / b[i].direct.cpu;
	}
	ay_interval(d, n, 0.05, &mid, &lo, &hi);
	r->ratio = exp(mid);
	r->lo = exp(lo);
	r->hi = exp(hi);
	r->cpu = ay_quantile(cpu, n, 0.5);
	r->direct = median(b, n, offsetof(struct batches, direct.ns)) / k->m;
	r->judged = (median(b, n, offsetof(struct batches, judged.ns)) - r->gate_ns) / k->m;
}

/* Some rounds of the same two processes. */
static void measure_some(const struct work *k, struct ay_gated_exec *empty, int renewal, struct batches *b)
{
	struct ay_gated_exec judge;
	struct direct p;

	direct_start(&p, k, k->m, renewal);
	open_executor(k, &judge, k->so_fd, k->m, renewal);
	for (int i = -2; i < RENEWED_AFTER; i++) { /* the first few warm up */
		struct batches *now = &b[i < 0 ? 0 : i];
		const struct ay_key key = new_key();

		if (i % 2)
			now->direct = direct_batch(&p, k->spare, key, k->m);
		now->judged = judged_batch(&judge, key, k->m);
		if (i % 2 == 0)
			now->direct = direct_batch(&p, k->spare, key, k->m);
		hand_over(empty, true, &now->one.ns);
		hand_over(empty, false, &now->empty);
		now->many = judged_batch(empty, key, NULL_SETS);
	}
	direct_stop(&p);
	ay_gated_exec_close(&judge);
}

static void measure(const struct work *k, int rounds, struct row *r)
{
	static struct batches b[MOST_ROUNDS + RENEWED_AFTER];
	struct ay_gated_exec empty;

	open_executor(k, &empty, -1, NULL_SETS, 0);
	for (int i = 0; i < rounds; i += RENEWED_AFTER)
		measure_some(k, &empty, i / RENEWED_AFTER, b + i);
	ay_gated_exec_close(&empty);
	sum_up(k, b, rounds, r);
}

static bool run_row(const char *kernel, const char *line, int threads, int rounds)
{
	struct work k = { .threads = threads };
	struct ay_perf_lock lock;
	struct ay_err err = { 0 };
	cpu_set_t before;
	struct row r;

	k.call = help_bind(line, &k.sc);
	k.proto = help_proto(k.sc.schema);
	k.so_fd = help_build_file(kernel, k.sc.op);
	ay_cpuset_choose(threads, &k.kernel, &k.judge, &k.spare);
	if (ay_perf_lock_cpus(&lock, &k.kernel, NULL, NULL, &err))
		die(&err);
	sched_getaffinity(0, sizeof before, &before);
	sched_setaffinity(0, sizeof k.judge, &k.judge);
	ay_input_template_init(&k.template, k.call);
	k.m = choose_m(&k);
	measure(&k, rounds, &r);
	sched_setaffinity(0, sizeof before, &before);
	ay_perf_unlock(&lock);
	printf("%-45s %d %7.0f KB %5d %10.3f %10.3f  %.4f [%.4f, %.4f] %6.3f %5.0f %7.1f%s\n",
	       ay_sprintf(&arena, "%s", kernel), threads, (double)k.template.bytes / 1024, k.m, r.direct / 1e3,
	       r.judged / 1e3, r.ratio, r.lo, r.hi, r.cpu, r.gate_ns / 1e3, r.null,
	       r.ratio > allowed ? "  TOO SLOW" : "");
	ay_input_template_release(&k.template);
	close(k.so_fd);
	return r.ratio > allowed;
}

#define SGEMM(n)                                                                                                  \
	"cublas::cublasSgemm_v2(('N', 'N', " #n ", " #n ", " #n ", 1.0, T([" #n ", " #n "], f32), " #n ", T([" #n \
	", " #n "], f32), " #n ", 0.0, T([" #n ", " #n "], f32), " #n "), {})"

static const struct {
	const char *kernel;
	int threads; /* bit 0: with one, bit 1: with two */
	const char *line[4];
} rows[] = {
	{ "kernels/c/aten_relu.c",
	  1,
	  { "aten::relu((T([8192], f32),), {})", "aten::relu((T([131072], f32),), {})",
	    "aten::relu((T([2097152], f32),), {})" } },
	{ "kernels/c/aten_relu__fast.c",
	  3,
	  { "aten::relu((T([8192], f32),), {})", "aten::relu((T([131072], f32),), {})",
	    "aten::relu((T([2097152], f32),), {})" } },
	{ "kernels/c/aten__softmax.c",
	  1,
	  { "aten::_softmax((T([64, 128], f32), 1, False), {})",
	    "aten::_softmax((T([512, 256], f32), 1, False), {})",
	    "aten::_softmax((T([2048, 1024], f32), 1, False), {})" } },
	{ "kernels/c/cublas_cublasSgemm_v2__fast.c", 3, { SGEMM(64), SGEMM(256), SGEMM(1024) } },
	{ "kernels/honest/cublas_cublasSgemm_v2__threads.c", 3, { SGEMM(64), SGEMM(256), SGEMM(1024) } },
};

int main(int argc, char **argv)
{
	struct ay_err err = { 0 };
	const char *part = argc > 2 ? argv[2] : "";
	int rounds = argc > 1 ? atoi(argv[1]) : 40, bad = 0, n = 0;

	if (rounds < 1 || rounds > MOST_ROUNDS)
		rounds = 40;
	help_start();
	help_head("Kernels under the judge's timing against a direct loop around the same calls");
	printf("%-45s t %10s %5s %10s %10s  %-23s %6s %5s %7s\n", "kernel", "a set", "sets", "direct us",
	       "judged us", "ratio", "of CPU", "gate us", "null ns");
	if (ay_sandbox_new(&sandbox, AY_SANDBOX_FULL, &err))
		die(&err);
	compare_stacks();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int threads = 1; threads <= 2 && threads <= ay_cpu_count(); threads++)
			for (int k = 0; k < 4 && rows[i].line[k]; k++) {
				if (!(rows[i].threads >> (threads - 1) & 1) || !strstr(rows[i].kernel, part))
					continue;
				bad += run_row(rows[i].kernel, rows[i].line[k], threads, rounds);
				n++;
			}
	printf("%d of %d are slower than a direct loop by more than %.0f %%\n", bad, n, 100 * (allowed - 1));
	ay_sandbox_free(sandbox);
	return bad > 0;
}
