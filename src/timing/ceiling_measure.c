/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_measure - measures the limits of a CPU.
 *
 * Theory of operation. For each number of threads a team of threads is started, each pinned to a
 * CPU of its own. All of them work through one list of loops and sizes in windows of a fraction of
 * a millisecond, which they begin together. The fastest window of a loop counts. Windows are short
 * because a machine is rarely undisturbed for long, and one undisturbed window is enough. The
 * whole list is repeated several times, later without the loops that were far behind. A large
 * working set is walked on from window to window, not begun anew. So what it evicts has been
 * evicted when the walk returns to it.
 */
#include "timing/ceiling.h"

#include "base/arena.h"
#include "base/machine.h"
#include "base/process.h"
#include "tensor/buffer.h"
#include "timing/ceiling_loops.h"
#include "timing/cpuset.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	WINDOW_NS = 300 * 1000,
	WINDOWS_LEAST = 3,
	CHUNK = 256 << 10, /* most bytes for one call of a loop */
	UNIT = 2 << 20,    /* bytes between two readings of the clock, which take 40 ns of 4000 */
	ROUNDS = 4096,     /* rounds of a FLOP loop between two readings */
	HUGE_PAGE = 2 << 20,
};

static const double MEMORY_MOST = 1024.0 * 1024 * 1024;

/* --- caches ---------------------------------------------------------------------------------------------- */

static bool sysfs(int cpu, int index, const char *what, char *text, int size)
{
	char path[120];
	FILE *f;
	bool ok;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, what);
	f = fopen(path, "re");
	ok = f && fgets(text, size, f);
	if (f)
		fclose(f);
	return ok;
}

/* Finds level (0 = L1) and bytes of one cache that holds data; 0 bytes: an instruction cache.
 * Returns false if the index does not exist. */
static bool cache_index(int cpu, int index, int *level, uint64_t *bytes)
{
	unsigned long long n = 0;
	char text[64], unit = 0;

	*bytes = 0;
	if (!sysfs(cpu, index, "level", text, sizeof text) || sscanf(text, "%d", level) != 1)
		return false;
	--*level;
	if (!sysfs(cpu, index, "type", text, sizeof text) || text[0] == 'I')
		return true;
	if (sysfs(cpu, index, "size", text, sizeof text) && sscanf(text, "%llu%c", &n, &unit) >= 1)
		*bytes = (uint64_t)n << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
	return true;
}

/* Returns true for the first CPU of a shared cache, where this cache is counted. */
static bool first_of_shared(int cpu, int index)
{
	char text[512];
	int first;

	return !sysfs(cpu, index, "shared_cpu_list", text, sizeof text) || sscanf(text, "%d", &first) != 1 ||
	       first == cpu;
}

static void find_caches(uint64_t *cache)
{
	static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
	static const uint64_t guess[] = { 32 << 10, 1 << 20, 32 << 20 };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	bool told;

	memset(cache, 0, sizeof *cache * AY_LEVEL_MEMORY);
	for (int cpu = 0; cpu < cpus && cpu < CPU_SETSIZE; cpu++) {
		uint64_t bytes;
		int level;

		for (int i = 0; cache_index(cpu, i, &level, &bytes); i++) {
			if (level < 0 || level >= AY_LEVEL_MEMORY)
				continue;
			if (level == AY_LEVEL_L3 && first_of_shared(cpu, i))
				cache[level] += bytes;
			else if (level < AY_LEVEL_L3 && bytes > cache[level])
				cache[level] = bytes;
		}
	}
	told = cache[AY_LEVEL_L1];
	for (int i = 0; i < AY_LEVEL_MEMORY && !told; i++) { /* glibc uses CPUID */
		long bytes = sysconf(names[i]);

		cache[i] = bytes > 0 ? (uint64_t)bytes : 0;
	}
	if (!cache[AY_LEVEL_L1])
		memcpy(cache, guess, sizeof guess);
}

/* --- a team ---------------------------------------------------------------------------------------------- */

struct team {
	int n;
	_Atomic int go; /* 1: begin, -1: end */
	_Atomic int arrived;
	_Atomic unsigned generation;
	char *mem;
	size_t mem_bytes;
	int nsize;
	double size[AY_CURVE];
	int nloop, nflop;
	struct ay_loop loop[AY_LOOPS_MAX];
	struct ay_flop_loop flop[AY_FLOP_LOOPS_MAX];
	double cached; /* beyond this size, stores past the caches make sense */
	double budget_ns;
	int rounds;
	struct member *member;
	/* written by member 0 between two meetings: */
	struct ay_ceiling_row *row;
	double seen[AY_CURVE][AY_LOOPS_MAX]; /* the best speed of each loop */
	bool more;
};

struct member {
	pthread_t thread;
	struct team *team;
	int index;
	size_t pos; /* where the walk through this thread's share continues */
	int64_t start, end;
	double work;
	double sink;
} __attribute__((aligned(128)));

/* Waits until all members have arrived. Spins, because a sleeping thread wakes up late. Yields if
 * threads share a CPU. */
static void meet(struct team *t)
{
	unsigned now = atomic_load(&t->generation);

	if (atomic_fetch_add(&t->arrived, 1) + 1 == t->n) {
		atomic_store(&t->arrived, 0);
		atomic_fetch_add(&t->generation, 1);
		return;
	}
	for (int i = 0; atomic_load(&t->generation) == now; i++)
		if (i > 2000)
			sched_yield();
}

/* Returns the work per second of the window that just ended. If the members worked one after the
 * other, the total time counts: each of them alone had the whole speed of the memory. */
static double window_speed(const struct team *t)
{
	int64_t first = INT64_MAX, last = 0, begun = 0, ended = INT64_MAX;
	double work = 0, sum = 0;

	for (int i = 0; i < t->n; i++) {
		const struct member *m = &t->member[i];

		first = m->start < first ? m->start : first;
		begun = m->start > begun ? m->start : begun;
		last = m->end > last ? m->end : last;
		ended = m->end < ended ? m->end : ended;
		work += m->work;
		sum += m->work / (double)(m->end - m->start) * 1e9;
	}
	if ((double)(ended - begun) < 0.75 * (double)(last - first))
		return work / (double)(last - first) * 1e9;
	return sum;
}

typedef void (*window_fn)(struct member *m, const void *what, size_t share);

/* Measures windows until `budget_ns` are used. Raises *best, which all members may read until the
 * next meeting. */
static void best_of(struct member *m, window_fn fn, const void *what, size_t share, double budget_ns, double *best)
{
	struct team *t = m->team;
	int64_t begun = ay_now_ns();

	for (int windows = 1;; windows++) {
		meet(t);
		fn(m, what, share);
		meet(t);
		if (!m->index) {
			*best = fmax(*best, window_speed(t));
			t->more = windows < WINDOWS_LEAST || (double)(ay_now_ns() - begun) < budget_ns;
		}
		meet(t);
		if (!t->more)
			return;
	}
}

/* --- what is measured ------------------------------------------------------------------------------------ */

static void flop_window(struct member *m, const void *what, size_t share)
{
	const struct ay_flop_loop *l = what;

	(void)share;
	m->work = 0;
	m->start = ay_now_ns();
	do {
		m->sink += l->run(ROUNDS);
		m->work += ROUNDS * l->flops;
		m->end = ay_now_ns();
	} while (m->end - m->start < WINDOW_NS);
}

static void memory_window(struct member *m, const void *what, size_t share)
{
	const struct ay_loop *l = what;
	char *base = m->team->mem + (size_t)m->index * (m->team->mem_bytes / (size_t)m->team->n);
	size_t part = share / (size_t)l->parts / AY_LOOP_STEP * AY_LOOP_STEP;
	size_t chunk = part / ((part + CHUNK - 1) / CHUNK) / AY_LOOP_STEP * AY_LOOP_STEP;
	size_t steps = part / chunk;
	/* a single chunk is repeated at once */
	int times = steps > 1 ? 1 : (int)(UNIT / chunk) + 1;

	m->work = 0;
	m->start = ay_now_ns();
	do {
		for (size_t done = 0; done < UNIT; done += chunk * (size_t)times) {
			char *at = base + m->pos++ % steps * chunk;

			l->run(at, at + part, at + 2 * part, chunk, times);
			m->work += (double)chunk * l->touched * times;
		}
		m->end = ay_now_ns();
	} while (m->end - m->start < WINDOW_NS);
}

static void measure_flops(struct member *m, double budget_ns)
{
	struct team *t = m->team;

	for (int i = 0; i < t->nflop; i++)
		best_of(m, flop_window, &t->flop[i], 0, budget_ns / t->nflop,
			t->flop[i].f64 ? &t->row->f64 : &t->row->f32);
}

/* Returns false for loops that are useless at this size or were far behind in the first round. */
static bool is_worth(const struct team *t, int k, int i)
{
	if (t->loop[i].past && t->size[k] <= t->cached)
		return false;
	return !t->seen[k][i] || t->seen[k][i] > t->row->point[k].per_s / 2;
}

static void measure_size(struct member *m, int k, double budget_ns)
{
	struct team *t = m->team;
	size_t share = (size_t)(t->size[k] / t->n) / AY_LOOP_STEP * AY_LOOP_STEP;
	bool worth[AY_LOOPS_MAX];
	int count = 0;

	for (int i = 0; i < t->nloop; i++)
		count += worth[i] = is_worth(t, k, i);
	for (int i = 0; i < t->nloop; i++)
		if (worth[i])
			best_of(m, memory_window, &t->loop[i], share, budget_ns / count, &t->seen[k][i]);
	meet(t); /* all members have decided what to measure before the best changes */
	for (int i = 0; i < t->nloop && !m->index; i++)
		t->row->point[k].per_s = fmax(t->row->point[k].per_s, t->seen[k][i]);
	meet(t);
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct team *t = m->team;
	size_t share = t->mem_bytes / (size_t)t->n;
	volatile char *mem = t->mem + (size_t)m->index * share;

	while (!atomic_load(&t->go))
		sched_yield();
	if (atomic_load(&t->go) < 0)
		return NULL;
	/* allocates pages near the CPU that will use them */
	memset(t->mem + (size_t)m->index * share, 1, share);
	for (int round = 0; round < t->rounds; round++) {
		/* first, so that the clock has risen before bytes are measured */
		measure_flops(m, t->budget_ns / 8 / t->rounds);
		for (int k = 0; k < t->nsize; k++) {
			/* once through: data that fits is in the cache afterwards, larger data has
			 * evicted its beginning */
			for (size_t i = 0; i < (size_t)(t->size[k] / t->n); i += 64)
				(void)mem[i];
			m->pos = 0;
			measure_size(m, k, t->budget_ns * 7 / 8 / t->nsize / t->rounds);
		}
	}
	return NULL;
}

/* --- one row --------------------------------------------------------------------------------------------- */

/* Chooses sizes from a quarter of the first cache to four times the last one, ascending and
 * clearly distinct. */
static int choose_sizes(const uint64_t *cache, int threads, double most, double *size)
{
	static const struct {
		enum ay_level level;
		double times;
	} wanted[] = { { AY_LEVEL_L1, 0.25 }, { AY_LEVEL_L1, 0.5 }, { AY_LEVEL_L1, 1 },    { AY_LEVEL_L2, 0.25 },
		       { AY_LEVEL_L2, 0.5 },  { AY_LEVEL_L2, 1 },   { AY_LEVEL_L3, 0.25 }, { AY_LEVEL_L3, 0.5 },
		       { AY_LEVEL_L3, 1 },    { AY_LEVEL_L3, 2 },   { AY_LEVEL_L3, 4 } };
	double all[AY_LEVEL_MEMORY];
	int n = 0;

	for (int i = 0; i < AY_LEVEL_MEMORY; i++)
		all[i] = (double)cache[i] * (i == AY_LEVEL_L3 ? 1 : threads);
	/* if there is no L3, or one smaller than all L2 together, memory begins beyond the L2 */
	all[AY_LEVEL_L3] = fmax(all[AY_LEVEL_L3], fmax(all[AY_LEVEL_L2], all[AY_LEVEL_L1]));
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		double bytes = fmin(all[wanted[i].level] * wanted[i].times, most);

		if (bytes >= 4 * AY_LOOP_STEP * threads && (!n || bytes > 1.2 * size[n - 1]))
			size[n++] = bytes;
	}
	return n;
}

static int start_members(struct team *t, struct ay_err *err)
{
	cpu_set_t kernel, judge;
	bool spare;
	int started = 0, cpu = 0, rc = 0;

	ay_cpuset_choose(t->n, &kernel, &judge, &spare);
	for (; started < t->n && !rc; started++, cpu++) {
		struct member *m = &t->member[started];
		pthread_attr_t attr;
		cpu_set_t one;

		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &kernel))
			cpu++;
		*m = (struct member){ .team = t, .index = started };
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		pthread_attr_init(&attr);
		pthread_attr_setaffinity_np(&attr, sizeof one, &one);
		rc = pthread_create(&m->thread, &attr, member_main, m);
		pthread_attr_destroy(&attr);
		started -= rc != 0;
	}
	atomic_store(&t->go, rc ? -1 : 1);
	for (int i = 0; i < started; i++)
		pthread_join(t->member[i].thread, NULL);
	return rc ? ay_fail(err, AY_ERR_SYS, "cannot start %d threads to measure with: %s", t->n, strerror(rc))
		  : 0;
}

static int measure_row(const struct ay_ceilings *c, struct ay_ceiling_row *r, double budget_ns, struct ay_err *err)
{
	/* Several rounds, because a disturbance may last longer than all windows of one size. */
	double most = fmin(MEMORY_MOST, (double)ay_memory_available() / 4);
	struct team t = { .n = r->threads, .row = r, .budget_ns = budget_ns, .rounds = c->quick ? 2 : 4 };
	struct ay_arena a = { 0 };
	int rc;

	t.nloop = ay_loops(t.loop);
	t.nflop = ay_flop_loops(t.flop);
	t.nsize = choose_sizes(c->cache, t.n, most, t.size);
	if (!t.nsize)
		return ay_fail(err, AY_ERR_MEMORY, "not enough memory to measure the speed of memory");
	t.cached = (double)c->cache[AY_LEVEL_L1] * t.n;
	t.mem_bytes = ((size_t)t.size[t.nsize - 1] / (size_t)t.n + AY_PAGE) / AY_PAGE * AY_PAGE * (size_t)t.n;
	t.mem = mmap(NULL, t.mem_bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t.mem == MAP_FAILED)
		return ay_fail_errno(err, AY_ERR_MEMORY, "no %zu bytes to measure the speed of memory",
				     t.mem_bytes);
	/* fewer TLB misses if the system allows it */
	madvise(t.mem, t.mem_bytes + HUGE_PAGE, MADV_HUGEPAGE);
	t.member = ay_alloc(&a, sizeof *t.member * (size_t)t.n + 128);
	t.member = (struct member *)(((uintptr_t)t.member + 127) & ~(uintptr_t)127);
	r->n = t.nsize;
	for (int k = 0; k < t.nsize; k++)
		r->point[k].bytes = t.size[k];
	rc = start_members(&t, err);
	munmap(t.mem, t.mem_bytes + HUGE_PAGE);
	ay_arena_release(&a);
	return rc;
}

int ay_ceilings_measure(struct ay_ceilings *c, bool quick, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	time_t now = time(NULL);
	struct tm utc;

	*c = (struct ay_ceilings){ .cpus = ay_cpu_count(), .quick = quick };
	snprintf(c->cpu, sizeof c->cpu, "%s", ay_machine_cpu(&a));
	ay_arena_release(&a);
	find_caches(c->cache);
	for (int n = 1; n < c->cpus && c->nthread < AY_CEILING_THREADS - 1; n *= 2)
		c->row[c->nthread++].threads = n;
	c->row[c->nthread++].threads = c->cpus;
	for (int i = 0; i < c->nthread; i++)
		if (measure_row(c, &c->row[i], (quick ? 0.6e9 : 4e9) / c->nthread, err))
			return -1;
	ay_ceilings_repair(c);
	strftime(c->when, sizeof c->when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return 0;
}
