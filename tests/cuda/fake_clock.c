/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock of a GPU that is none: events, memcpy and the judge's measuring kernels (src/timing/ceiling.cu) take
 * the time that they would on a GPU of known speeds. Compiled together with fake.c, which hands every launch over.
 *
 * The GPU: 4 SMs, 4 MiB of L2. Bytes from the L2: 1000 GB/s; beyond it: 100 GB/s to read, 80 to write, 90 for both
 * at once; 7 us pass between two events around nothing. In the first thousand windows memory takes three times as
 * long, as on a GPU whose clocks rise. $FAKE_CUDA names something to go wrong: "events", "slow" (it never ends),
 * "instant".
 */
#include "device/cuda.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { L2 = 4 << 20, EMPTY_NS = 7000, INVALID = 1 };

struct event {
	double at;
};

static double now;
static int windows;

int cuEventCreate(struct event **e, unsigned flags);
int cuEventDestroy_v2(struct event *e);
int cuEventRecord(struct event *e, void *stream);
int cuEventQuery(struct event *e);
int cuEventElapsedTime(float *ms, struct event *from, struct event *to);
int cuMemcpyDtoDAsync_v2(ay_cu_ptr to, ay_cu_ptr from, size_t n, void *stream);
int fake_launch(const char *name, unsigned blocks, unsigned threads, void **args);
void fake_advance(double ns);

static bool faults(const char *what)
{
	const char *s = getenv("FAKE_CUDA");

	return s && !strcmp(s, what);
}

/* For the fake cuBLAS. */
void fake_advance(double ns)
{
	now += ns;
}

int cuEventCreate(struct event **e, unsigned flags)
{
	(void)flags;
	*e = calloc(1, sizeof **e);
	return faults("events") ? INVALID : 0;
}

int cuEventDestroy_v2(struct event *e)
{
	free(e);
	return 0;
}

int cuEventRecord(struct event *e, void *stream)
{
	(void)stream;
	windows++;
	now += EMPTY_NS / 2.0;
	e->at = now;
	now += EMPTY_NS / 2.0;
	return 0;
}

int cuEventQuery(struct event *e)
{
	(void)e;
	return faults("slow") ? AY_CU_NOT_READY : 0;
}

int cuEventElapsedTime(float *ms, struct event *from, struct event *to)
{
	*ms = (float)((to->at - from->at) / 1e6);
	return 0;
}

/* `bytes` are touched in all, in `footprint` of memory. */
static int take(double bytes, double footprint, double per_ns)
{
	if (!faults("instant"))
		now += bytes / (footprint <= L2 ? 1000 : per_ns) * (windows < 2000 ? 3 : 1);
	return 0;
}

int cuMemcpyDtoDAsync_v2(ay_cu_ptr to, ay_cu_ptr from, size_t n, void *stream)
{
	(void)to, (void)from, (void)stream;
	return take(2.0 * (double)n, 2.0 * (double)n, 90 * 0.9);
}

/* What their names begin with. Blocks of 512 threads are best. */
int fake_launch(const char *name, unsigned blocks, unsigned threads, void **args)
{
	static const struct {
		const char *name;
		int parts, touched;
		double per_ns;
	} list[] = { { "read", 1, 1, 100 },      { "write", 1, 1, 80 },    { "update", 1, 2, 60 },
		     { "copy", 2, 2, 90 },       { "join", 3, 3, 85 },     { "bulk_read", 1, 1, 50 },
		     { "bulk_write", 1, 1, 50 }, { "bulk_copy", 2, 2, 50 } };
	uint64_t n;
	uint32_t times;

	if (!blocks || !threads)
		return INVALID;
	if (!strcmp(name, "flops_f32") || !strcmp(name, "flops_f64")) { /* 1000 and 500 GFLOP/s */
		memcpy(&times, args[1], sizeof times);
		now += 2.0 * 8 * times * blocks * threads / (name[7] == '3' ? 1000 : 500);
		return 0;
	}
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		double part;

		if (strncmp(name, list[i].name, strlen(list[i].name)))
			continue;
		memcpy(&n, args[3], sizeof n);
		memcpy(&times, args[4], sizeof times);
		part = (double)n * 16;
		/* blocks that loop drift apart, until what is left of their memory fits into the L2 */
		return take(part * list[i].touched * times, times > 1 ? 0 : part * list[i].parts,
			    list[i].per_ns * (threads == 512 ? 1 : 0.8));
	}
	return strcmp(name, "fill") && strcmp(name, "nothing") ? INVALID : 0;
}
