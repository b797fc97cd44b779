/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ceiling_gpu.h"

#include "base/process.h"
#include "device/gpu.h"
#include "device/rtc.h"
#include "timing/ceiling_gpu_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	/* bytes: a multiple of what any block of any kernel processes at once */
	TILE = 1024 * 8 * 16,
	VECTOR = 16,
	/* most launches of one window: each adds a microsecond that is not memory time */
	LAUNCHES = 16,
	HANGS_S = 10,
	FLOP_ROUNDS = 4096,
	FLOP_CHAINS = 8, /* of ceiling.cu */
	FLOP_THREADS = 256,
	FLOP_PER_SM = 8,
	SHAPES = 9,
	BURST = 100, /* launches in a row, fewer than a queue holds */
};

static const double QUICK_WINDOW = 1.5e9, WINDOW = 4e9; /* least number of bytes touched */
static const double FAR_BEHIND = 0.93;
static const double GIB = 1024.0 * 1024 * 1024;

/* --- every way ------------------------------------------------------------------------------------------- */

enum gpu_ceiling_kind { READ, WRITE, COPY, MIXED, KINDS };

/*      name    pieces  bytes touched per byte of a piece  kind */
#define WAYS(W)                \
	W(read, 1, 1, READ)    \
	W(write, 1, 1, WRITE)  \
	W(update, 1, 2, MIXED) \
	W(copy, 2, 2, COPY)    \
	W(join, 3, 3, MIXED)

/* vectors per thread of a tile; 0: one thread moves chunks; -1: a function of the driver */
struct way {
	const char *kernel;
	int vectors, parts, touched;
	enum gpu_ceiling_kind kind;
};

static const struct way ways[] = {
#define W(name, parts, touched, kind)                                                   \
	{ #name "2", 2, parts, touched, kind }, { #name "4", 4, parts, touched, kind }, \
		{ #name "8", 8, parts, touched, kind },
	WAYS(W)
#undef W
		{ "bulk_read", 0, 1, 1, READ },
	{ "bulk_write", 0, 1, 1, WRITE },
	{ "bulk_copy", 0, 2, 2, COPY },
	/* functions of the driver, without a kernel */
	{ NULL, -1, 1, 1, WRITE }, /* memset */
	{ NULL, -1, 2, 2, COPY },  /* memcpy */
};

enum { NWAY = sizeof ways / sizeof *ways, FLOPS_F32 = NWAY - 2, FLOPS_F64, FILL, NOTHING, NKERNEL };

/* Threads of a block, and blocks per SM; 0: one block per tile. */
struct shape {
	int threads, per_sm;
};

static const struct shape tiled[SHAPES] = { { 256, 8 },  { 256, 4 }, { 512, 4 }, { 512, 2 }, { 1024, 2 },
					    { 1024, 1 }, { 256, 0 }, { 512, 0 }, { 1024, 0 } };
static const struct shape chunked[SHAPES] = { { 32, 1 }, { 32, 2 }, { 32, 4 }, { 32, 6 } };
static const struct shape library[SHAPES] = { { 1, 0 } };

static const struct shape *shapes_of(const struct way *w)
{
	return w->vectors > 0 ? tiled : w->vectors ? library : chunked;
}

/* --- the clock ------------------------------------------------------------------------------------------- */

int ay_bench_start(struct gpu_bench *b)
{
	return b->cu->event_record(b->from, NULL);
}

double ay_bench_stop(struct gpu_bench *b)
{
	const int64_t deadline = ay_now_ns() + HANGS_S * 1000000000ll;
	float ms = 0;
	int e = b->cu->event_record(b->to, NULL);

	if (e)
		return -1;
	while ((e = b->event_query(b->to)) == AY_CU_NOT_READY && ay_now_ns() < deadline)
		;
	return e || b->cu->event_elapsed(&ms, b->from, b->to) ? -1 : (double)ms * 1e6;
}

static int launch(struct gpu_bench *b, int kernel, unsigned blocks, unsigned threads, void **args)
{
	return b->cu->launch(b->kernel[kernel], blocks, 1, 1, threads, 1, 1, 0, NULL, args, NULL);
}

int ay_bench_fill(struct gpu_bench *b, ay_cu_ptr p, size_t bytes, uint64_t mask, uint64_t bits)
{
	uint64_t n = bytes / 8;
	void *args[] = { &p, &n, &mask, &bits };

	return launch(b, FILL, (unsigned)b->d->info.sms * 4, 512, args);
}

/* --- bytes ----------------------------------------------------------------------------------------------- */

/*
 * Enqueues the work that goes `passes` times through the pieces. Returns CUDA's error, or -1 if
 * this shape is not suitable.
 *
 * Inside the L2 one launch suffices if blocks loop. Beyond it every pass is a launch. Blocks that
 * loop by themselves drift apart and the fast ones end early. Then the rest fits into the L2 after
 * all (8.5 TB/s were seen at 1.5 times its size, where a perfect cache would give 7.4).
 */
static int enqueue(struct gpu_bench *b, int w, const struct shape *s, size_t part, uint32_t passes)
{
	ay_cu_ptr a = b->mem, to = b->mem + part, joined = b->mem + 2 * part;
	const struct way *way = &ways[w];
	const bool inside = part * (size_t)way->parts <= b->d->info.l2_bytes, loops = inside && s->per_sm;
	const uint32_t launches = loops ? 1 : passes;
	uint64_t n = part / VECTOR;
	uint32_t times = loops ? passes : 1;
	void *args[] = { &a, &to, &joined, &n, &times };
	unsigned blocks = (unsigned)(s->per_sm * b->d->info.sms);
	int e = 0;

	if (inside && launches > LAUNCHES)
		return -1;
	if (!s->per_sm && way->vectors > 0)
		blocks = (unsigned)(n / (uint64_t)(s->threads * way->vectors));
	for (uint32_t i = 0; i < launches && !e; i++) {
		if (way->vectors >= 0)
			e = launch(b, w, blocks, (unsigned)s->threads, args);
		else
			e = way->kind == WRITE ? b->cu->fill_async(a, (uint8_t)i, part, NULL)
					       : b->copy(to, a, part, NULL);
	}
	return e;
}

/* Returns bytes per second; 0: not suitable for this shape; negative: failed. */
static double window(struct gpu_bench *b, int w, const struct shape *s, double bytes, double least)
{
	const size_t part = (size_t)(bytes / ways[w].parts) / TILE * TILE;
	const double once = (double)part * ways[w].touched;
	const uint32_t passes = part ? (uint32_t)fmax(1, ceil(least / once)) : 0;
	double ns;
	int e;

	if (!part || ay_bench_start(b))
		return part ? -1 : 0;
	e = enqueue(b, w, s, part, passes);
	ns = ay_bench_stop(b);
	if (e || ns < 0)
		return e == -1 && ns >= 0 ? 0 : -1;
	ns -= b->empty_ns;
	/* shorter times are below the resolution of events */
	return ns > 1000 ? once * passes / ns * 1e9 : 0;
}

/* The best speeds of each method and shape at one size. */
struct ceiling_seen {
	double best[KINDS];
	double of[NWAY][SHAPES];
};

static int measure_size(struct gpu_bench *b, double bytes, double least, bool first, struct ceiling_seen *seen,
			struct ay_err *err)
{
	for (int w = 0; w < NWAY; w++) {
		const struct shape *s = shapes_of(&ways[w]);

		if (!ways[w].vectors && b->d->info.major < 9)
			continue; /* this generation has no such engine */
		for (int i = 0; i < SHAPES && s[i].threads; i++) {
			double *of = &seen->of[w][i], *best = &seen->best[ways[w].kind], speed;

			if (!first && *of < FAR_BEHIND * *best)
				continue;
			speed = window(b, w, &s[i], bytes, least);
			if (speed < 0)
				return ay_fail(err, AY_ERR_SYS, "measuring the GPU's memory fails (%s)",
					       ways[w].kernel ? ways[w].kernel : "memset, memcpy");
			*of = fmax(*of, speed);
			*best = fmax(*best, speed);
		}
	}
	return 0;
}

/* --- arithmetic, launches -------------------------------------------------------------------------------- */

static int measure_flops(struct gpu_bench *b, struct ay_ceiling_row *r, struct ay_err *err)
{
	const double each = 2.0 * FLOP_ROUNDS * FLOP_CHAINS * FLOP_THREADS * FLOP_PER_SM * b->d->info.sms;
	uint32_t rounds = FLOP_ROUNDS;
	void *args[] = { &b->mem, &rounds };

	for (int i = 0; i < 2; i++) {
		double *best = i ? &r->f64 : &r->f32, ns = -1;

		if (!ay_bench_start(b) && !launch(b, i ? FLOPS_F64 : FLOPS_F32,
						  (unsigned)(b->d->info.sms * FLOP_PER_SM), FLOP_THREADS, args))
			ns = ay_bench_stop(b);
		if (ns <= 0)
			return ay_fail(err, AY_ERR_SYS, "measuring the GPU's arithmetic fails");
		*best = fmax(*best, each / fmax(1, ns - b->empty_ns) * 1e9);
	}
	return 0;
}

/* Measures launches. The least of many times counts, because disturbances only add time. A burst
 * waits behind a kernel of about a millisecond until all of it is enqueued, because the GPU may be
 * faster than the host. */
static int measure_launches(struct gpu_bench *b, int rounds, struct ay_gpu_figures *g, struct ay_err *err)
{
	uint32_t long_rounds = 4 * FLOP_ROUNDS;
	void *wait[] = { &b->mem, &long_rounds };

	g->launch_ns = g->kernel_ns = g->latency_ns = b->empty_ns = INFINITY;
	for (int i = 0; i < rounds; i++) {
		int64_t begin;
		double ns;
		int e = ay_bench_start(b);

		e = e ? e : launch(b, NOTHING, 1, 1, NULL);
		ns = ay_bench_stop(b);
		if (e || ns < 0)
			return ay_fail(err, AY_ERR_SYS, "an empty kernel cannot be launched");
		b->empty_ns = fmin(b->empty_ns, ns);
		begin = ay_now_ns();
		launch(b, NOTHING, 1, 1, NULL);
		b->cu->context_sync();
		g->latency_ns = fmin(g->latency_ns, (double)(ay_now_ns() - begin));
		launch(b, FLOPS_F32, (unsigned)(b->d->info.sms * FLOP_PER_SM), FLOP_THREADS, wait);
		ay_bench_start(b);
		begin = ay_now_ns();
		for (int k = 0; k < BURST; k++)
			launch(b, NOTHING, 1, 1, NULL);
		g->launch_ns = fmin(g->launch_ns, (double)(ay_now_ns() - begin) / BURST);
		ns = ay_bench_stop(b);
		if (ns < 0)
			return ay_fail(err, AY_ERR_SYS, "empty kernels do not return");
		g->kernel_ns = fmin(g->kernel_ns, ns / BURST);
	}
	return 0;
}

/* --- what is made of it ---------------------------------------------------------------------------------- */

/* Raises the speeds of sizes beyond the L2 by the part that the L2 may have held. */
static void raise_beyond(struct ay_ceilings *c)
{
	const double l2 = (double)c->cache[AY_LEVEL_L3];
	struct ay_ceiling_row *r = &c->row[0];
	const double fast = r->point[0].per_s, slow = r->point[r->n - 1].per_s;

	for (int i = 0; i < r->n; i++) {
		const double part = l2 / r->point[i].bytes;

		if (part < 1)
			r->point[i].per_s = fmax(r->point[i].per_s, 1 / ((1 - part) / slow + part / fast));
	}
}

void ay_ceilings_repair_gpu(struct ay_ceilings *c)
{
	ay_ceilings_repair(c);
	raise_beyond(c);
}

/* Raises speeds if clocks could be higher. The clocks are read while the GPU works. */
static void raise_clocks(struct gpu_bench *b, struct ay_ceilings *c)
{
	struct ay_ceiling_row *r = &c->row[0];
	struct ay_gpu_state now;
	struct ay_nvml most;
	char why[200];

	if (ay_nvml_read(b->d->info.bus, &most, why, sizeof why))
		return;
	for (int i = 0; i < 4; i++)
		enqueue(b, 0, &tiled[0],
			(size_t)(GIB < (double)b->mem_bytes ? GIB : (double)b->mem_bytes) / TILE * TILE, 4);
	ay_gpu_state(b->d, &now);
	b->cu->context_sync();
	c->gpu.sm_mhz = now.sm_mhz > 0 ? now.sm_mhz : 0;
	c->gpu.memory_mhz = now.memory_mhz > 0 ? now.memory_mhz : 0;
	for (int i = 0; i < r->n; i++) {
		const bool inside = r->point[i].bytes <= (double)c->cache[AY_LEVEL_L3];
		const double have = inside ? now.sm_mhz : now.memory_mhz;
		const double could = inside ? most.sm_max_mhz : most.memory_max_mhz;

		if (have > 0 && could > have)
			r->point[i].per_s *= could / have;
	}
}

/* --- one GPU --------------------------------------------------------------------------------------------- */

/* Sizes in multiples of the L2, ascending. Sizes above a quarter of the free memory are left out.
 * Beyond the L2 only the last size is measured. At the others no access order can be faster than
 * with a perfect cache, and they are raised to that speed. */
static const struct {
	double times;
	bool quick; /* also measured if `quick` */
} sizes[] = { { 0.125, false }, { 0.25, true }, { 0.5, true }, { 0.75, true }, { 1, false },
	      { 1.5, false },   { 2, false },   { 4, false },  { 8, false },   { 32, true } };

enum { NSIZE = sizeof sizes / sizeof *sizes };

static int choose_sizes(struct ay_dev *d, struct ay_curve_point *point)
{
	const double l2 = fmax((double)d->info.l2_bytes, 1 << 20), most = (double)ay_dev_free_bytes(d) / 4;
	int n = 0;

	for (int i = 0; i < NSIZE; i++)
		if (l2 * sizes[i].times <= most)
			point[n++].bytes = l2 * sizes[i].times;
	return n;
}

static bool is_measured(const struct ay_ceiling_row *r, int k, bool quick)
{
	return k == r->n - 1 || (sizes[k].times <= 1 && (!quick || sizes[k].quick));
}

static int open_bench(struct gpu_bench *b, struct ay_dev *d, void **kernel, struct ay_err *err)
{
	extern const char ay_ceiling_cu[];
	const struct ay_symbol table[] = {
#define F(field, symbol, params) { symbol, offsetof(struct gpu_bench, field) },
		GPU_CLOCK(F)
#undef F
	};
	const char *missing, *name[NKERNEL] = { [FLOPS_F32] = "flops_f32", "flops_f64", "fill", "nothing" };

	*b = (struct gpu_bench){ .d = d, .cu = ay_gpu_driver(d), .kernel = kernel };
	if (!b->cu)
		return ay_fail(err, AY_ERR_SYS, "%s is no GPU to measure", d->info.name);
	missing = ay_cuda_symbols(b->cu->library, sizeof table / sizeof *table, table, b);
	if (missing)
		return ay_fail(err, AY_ERR_SYS, "libcuda.so.1 has no %s", missing);
	for (int i = 0; i < NWAY && ways[i].kernel; i++)
		name[i] = ways[i].kernel;
	if (ay_rtc_load(d, ay_ceiling_cu, NKERNEL, name, kernel, err))
		return -1;
	if (b->cu->event_create(&b->from, 0) || b->cu->event_create(&b->to, 0))
		return ay_fail(err, AY_ERR_SYS, "the driver makes no events");
	return 0;
}

static void close_bench(struct gpu_bench *b)
{
	if (b->mem) {
		b->cu->free_async(b->mem, NULL);
		b->cu->context_sync(); /* only then other processes can use the memory */
	}
	if (b->from)
		b->event_destroy(b->from);
	if (b->to)
		b->event_destroy(b->to);
}

/* Measures in several rounds, because a disturbance may last longer than all windows of one
 * size. */
static int measure_all(struct gpu_bench *b, struct ay_ceilings *c, struct ceiling_seen *seen, struct ay_err *err)
{
	struct ay_ceiling_row *r = &c->row[0];
	const struct ceiling_seen *last = &seen[r->n - 1];

	if (measure_launches(b, c->quick ? 20 : 200, &c->gpu, err))
		return -1;
	for (int round = 0; round < (c->quick ? 3 : 6); round++) {
		/* first, and for a while, so that the clocks have risen before bytes are
		 * measured */
		for (int i = 0; i < (round ? 2 : 20); i++)
			if (measure_flops(b, r, err))
				return -1;
		for (int k = 0; k < r->n; k++)
			if (is_measured(r, k, c->quick) &&
			    measure_size(b, r->point[k].bytes, c->quick ? QUICK_WINDOW : WINDOW, !round, &seen[k],
					 err))
				return -1;
	}
	for (int k = 0; k < r->n; k++)
		for (int i = 0; i < KINDS; i++)
			r->point[k].per_s = fmax(r->point[k].per_s, seen[k].best[i]);
	c->gpu.read = last->best[READ];
	c->gpu.write = last->best[WRITE];
	c->gpu.copy = last->best[COPY];
	if (!(c->gpu.read > 0 && c->gpu.write > 0 && c->gpu.copy > 0))
		return ay_fail(err, AY_ERR_SYS,
			       "the GPU's memory is too fast to be measured: its clock must be wrong");
	raise_clocks(b, c);
	return 0;
}

/* Writes the key under which figures are saved. It ends with the name, so truncation only shortens
 * that. */
static void name_gpu(char *s, size_t n, const struct ay_dev_info *v)
{
	char driver[60] = "", uuid[40];
	FILE *f = fopen("/sys/module/nvidia/version", "re");
	int at = 0;

	if (!f || !fgets(driver, sizeof driver, f))
		snprintf(driver, sizeof driver, "CUDA-%d", v->driver);
	if (f)
		fclose(f);
	driver[strcspn(driver, " \n")] = 0;
	for (int i = 0; i < 16; i++)
		at += snprintf(uuid + at, sizeof uuid - (size_t)at, "%02x%s", v->uuid[i],
			       i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
	snprintf(s, n, "GPU-%s %s %s", uuid, driver, v->name);
}

int ay_ceilings_measure_gpu(struct ay_ceilings *c, struct ay_dev *d, bool quick, struct ay_err *err)
{
	struct ceiling_seen *seen = ay_xrealloc(NULL, sizeof *seen * AY_CURVE);
	const int64_t begin = ay_now_ns();
	void *kernel[NKERNEL];
	struct gpu_bench b = { 0 };
	time_t now = time(NULL);
	struct tm utc;
	int rc = -1;

	memset(seen, 0, sizeof *seen * AY_CURVE);
	*c = (struct ay_ceilings){ .cpus = 1, .nthread = 1, .quick = quick, .row[0].threads = 1 };
	name_gpu(c->cpu, sizeof c->cpu, &d->info);
	c->cache[AY_LEVEL_L3] = d->info.l2_bytes;
	if (open_bench(&b, d, kernel, err))
		goto out;
	c->row[0].n = choose_sizes(d, c->row[0].point);
	b.mem_bytes = c->row[0].n ? (size_t)c->row[0].point[c->row[0].n - 1].bytes : 0;
	if (!b.mem_bytes || b.cu->alloc_async(&b.mem, b.mem_bytes, NULL) ||
	    ay_bench_fill(&b, b.mem, b.mem_bytes, UINT64_MAX, 0)) {
		ay_fail(err, AY_ERR_MEMORY, "not enough memory of %s is free to measure its speed", d->info.name);
		goto out;
	}
	rc = measure_all(&b, c, seen, err);
	if (!rc && !quick)
		ay_bench_products(&b, c->gpu.product);
	if (!rc)
		ay_ceilings_repair_gpu(c);
	c->gpu.wall_s = (double)(ay_now_ns() - begin) / 1e9;
	strftime(c->when, sizeof c->when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
out:
	close_bench(&b);
	ay_xfree(seen);
	return rc;
}

bool ay_ceilings_find_gpu(struct ay_ceilings *c, struct ay_dev *d)
{
	char name[sizeof c->cpu];

	name_gpu(name, sizeof name, &d->info);
	return ay_ceilings_find(c, name, 1) && c->gpu.read;
}

int ay_ceilings_get_gpu(struct ay_ceilings *c, struct ay_dev *d, struct ay_err *err)
{
	struct ay_err unsaved = { 0 };

	if (ay_ceilings_find_gpu(c, d))
		return 0;
	if (ay_ceilings_measure_gpu(c, d, true, err))
		return -1;
	ay_ceilings_save(c, &unsaved);
	return 0;
}
