/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcuda.so.1 without a GPU, for tests: the functions of device/cuda.h over ordinary memory. What a driver does with
 * physical memory, handles and mappings it does with memfds and mmap, in the judge and in the executor alike, so the
 * whole way of a case can be gone on a machine without a device.
 *
 * Its kernels are host code. fake_store and fake_load are their loads and stores "on the device": an address that is not
 * mapped so makes the next cuCtxSynchronize, and all after it, fail as a GPU does. $FAKE_CUDA names something to go
 * wrong: see faults() and falls().
 *
 * There are GPUS of them. A process uses one: which, is what it last made a context for.
 */
#pragma GCC optimize("no-math-errno") /* so that nothing of libm is needed */

#include "device/cuda.h"
#include "fake_own.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef GPUS
#define GPUS 1
#endif

enum { GRAIN = 2 << 20, MAX = 4096, GIB = 1 << 30, INVALID = 1, UNCORRECTABLE = 214 };

static struct {
	uintptr_t at;
	size_t bytes;
	int flags;
} mapped[MAX];
static int nmapped, failed, launches, current, created;

static bool faults(const char *what)
{
	const char *s = getenv("FAKE_CUDA");

	return s && !strcmp(s, what);
}

/* Waits for ns or longer: milliseconds asleep, so that the CPU does something else, less in a loop. */
static void wait_ns(uint64_t ns)
{
	const struct timespec nap = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	struct timespec from, now;

	if (ns >= 1000000 && !nanosleep(&nap, NULL))
		return;
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((uint64_t)(now.tv_sec - from.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec - (uint64_t)from.tv_nsec <
	       ns);
}

/* "falls D:N,D:N": GPU D answers nothing but errors once this process has taken memory of it N times. Executors do not
 * see the variable: it is the judge that finds out. */
static int falls(void)
{
	const char *s = getenv("FAKE_CUDA");

	for (s = s && !strncmp(s, "falls ", 6) ? s + 6 : ""; *s; s += strcspn(s, ","), s += *s == ',')
		if (atoi(s) == current && created >= atoi(s + strcspn(s, ":") + 1))
			return UNCORRECTABLE;
	return 0;
}

/* --- what test kernels call ------------------------------------------------------------------------------ */

static bool may(const void *p, size_t n, int flags)
{
	for (int i = 0; i < nmapped; i++)
		if ((uintptr_t)p - mapped[i].at < mapped[i].bytes &&
		    n <= mapped[i].bytes - ((uintptr_t)p - mapped[i].at) && (mapped[i].flags & flags) == flags)
			return true;
	failed = AY_CU_ILLEGAL_ADDRESS;
	return false;
}

void fake_store(void *p, const void *from, size_t n);
void fake_store(void *p, const void *from, size_t n)
{
	if (!failed && may(p, n, AY_CU_READ_WRITE))
		memcpy(p, from, n);
}

void fake_load(void *to, const void *p, size_t n);
void fake_load(void *to, const void *p, size_t n)
{
	memset(to, 0, n);
	if (!failed && may(p, n, AY_CU_READ))
		memcpy(to, p, n);
}

void fake_fail(int e);
void fake_fail(int e)
{
	failed = e;
}

/* A launch by a test kernel: of host code, with its argument. */
int fake_run(void *stream, void *(*run)(void *), const void *arg, size_t n);
int fake_run(void *stream, void *(*run)(void *), const void *arg, size_t n)
{
	void *mem = memcpy(malloc(n + 1), arg, n);

	(void)stream;
	run(mem);
	free(mem);
	return 0;
}

/* --- the driver ------------------------------------------------------------------------------------------ */

int cuInit(unsigned flags)
{
	(void)flags;
	return faults("init") ? 304 : 0;
}

int cuDriverGetVersion(int *v)
{
	*v = 13000;
	return 0;
}

int cuGetErrorName(int e, const char **s)
{
	*s = e == AY_CU_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
	return 0;
}

int cuGetErrorString(int e, const char **s)
{
	return cuGetErrorName(e, s);
}

int cuDeviceGetCount(int *n)
{
	*n = faults("count") ? 0 : GPUS;
	return 0;
}

int cuDeviceGet(int *dev, int i)
{
	*dev = i;
	return 0;
}

int cuDeviceGetName(char *s, int n, int dev)
{
	(void)dev;
	snprintf(s, (size_t)n, "Fake GPU");
	return 0;
}

int cuDeviceGetUuid_v2(struct ay_cu_uuid *u, int dev)
{
	memset(u, 7 + dev, sizeof *u);
	return 0;
}

int cuDeviceGetPCIBusId(char *s, int n, int dev)
{
	(void)dev;
	snprintf(s, (size_t)n, "0000:00:00.0");
	return 0;
}

int cuDeviceTotalMem_v2(size_t *n, int dev)
{
	(void)dev;
	*n = (size_t)8 * GIB;
	return 0;
}

int cuDeviceGetAttribute(int *v, int what, int dev)
{
	(void)dev;
	*v = what == AY_CU_MAJOR      ? 9
	     : what == AY_CU_MINOR    ? 0
	     : what == AY_CU_SMS      ? 4
	     : what == AY_CU_L2_BYTES ? 4 << 20
				      : 1;
	return 0;
}

int cuDevicePrimaryCtxRetain(void **ctx, int dev)
{
	current = dev;
	*ctx = mapped;
	return falls();
}

int cuDevicePrimaryCtxRelease_v2(int dev)
{
	(void)dev;
	return 0;
}

int cuCtxSetCurrent(void *ctx)
{
	(void)ctx;
	return 0;
}

/* A copy to the device, as a driver makes it of pageable memory: returned from, but not there yet. */
static struct {
	void *to, *data;
	size_t n;
} late[MAX];
static int nlate;

static void finish_copies(void)
{
	for (int i = 0; i < nlate; i++) {
		memcpy(late[i].to, late[i].data, late[i].n);
		free(late[i].data);
	}
	nlate = 0;
}

int cuCtxSynchronize(void)
{
	finish_copies();
	return failed;
}

/* "leak": memory that does not come back after a kill, which the judge follows up with a launch of its own. */
int cuMemGetInfo_v2(size_t *free, size_t *total)
{
	*total = (size_t)8 * GIB;
	*free = (size_t)7 * GIB - (faults("leak") && launches > 1 ? GIB : 0);
	return 0;
}

int cuMemAlloc_v2(ay_cu_ptr *p, size_t n)
{
	*p = (ay_cu_ptr)(uintptr_t)calloc(1, n);
	return *p ? 0 : AY_CU_OUT_OF_MEMORY;
}

int cuMemFree_v2(ay_cu_ptr p)
{
	finish_copies();
	free((void *)p);
	return 0;
}

int cuMemGetAllocationGranularity(size_t *n, const struct ay_cu_prop *p, int which)
{
	(void)p, (void)which;
	*n = GRAIN;
	return 0;
}

/* A handle is a descriptor, plus one so that none is 0. */
int cuMemCreate(ay_cu_memory *m, size_t n, const struct ay_cu_prop *p, uint64_t flags)
{
	int fd;

	(void)flags;
	if (falls())
		return falls();
	created++;
	fd = memfd_create("fake-gpu", MFD_CLOEXEC);
	if (n % GRAIN || p->handles != AY_CU_HANDLE_FD || p->location.type != AY_CU_ON_DEVICE || fd < 0 ||
	    ftruncate(fd, (off_t)n))
		return INVALID;
	*m = (ay_cu_memory)fd + 1;
	return 0;
}

int cuMemRelease(ay_cu_memory m)
{
	return close((int)m - 1) ? INVALID : 0;
}

int cuMemExportToShareableHandle(void *fd, ay_cu_memory m, int type, uint64_t flags)
{
	const int k = dup((int)m - 1);

	(void)flags;
	if (type != AY_CU_HANDLE_FD || k < 0)
		return INVALID;
	memcpy(fd, &k, sizeof k);
	return 0;
}

int cuMemImportFromShareableHandle(ay_cu_memory *m, void *fd, int type)
{
	const int k = dup((int)(intptr_t)fd);

	if (type != AY_CU_HANDLE_FD || k < 0)
		return INVALID;
	*m = (ay_cu_memory)k + 1;
	return 0;
}

/* Of the same granularity as a GPU's addresses. */
int cuMemAddressReserve(ay_cu_ptr *p, size_t n, size_t align, ay_cu_ptr at, uint64_t flags)
{
	uint8_t *mem = mmap(NULL, n + GRAIN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t base;

	(void)align, (void)at, (void)flags;
	if (mem == MAP_FAILED || n % GRAIN)
		return AY_CU_OUT_OF_MEMORY;
	base = ((uintptr_t)mem + GRAIN - 1) / GRAIN * GRAIN;
	*p = base;
	return 0;
}

int cuMemAddressFree(ay_cu_ptr p, size_t n)
{
	return munmap((void *)p, n) ? INVALID : 0;
}

int cuMemMap(ay_cu_ptr p, size_t n, size_t offset, ay_cu_memory m, uint64_t flags)
{
	(void)flags;
#ifdef SLOW_MAP_NS
	wait_ns(SLOW_MAP_NS);
#endif
	if (offset || n % GRAIN || p % GRAIN || nmapped == MAX ||
	    mmap((void *)p, n, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)m - 1, 0) == MAP_FAILED)
		return INVALID;
	mapped[nmapped].at = p;
	mapped[nmapped].bytes = n;
	mapped[nmapped++].flags = 0;
	return 0;
}

int cuMemUnmap(ay_cu_ptr p, size_t n)
{
	finish_copies(); /* nothing that goes there is on its way any more */
	for (int i = 0; i < nmapped; i++) {
		if (mapped[i].at != p || mapped[i].bytes != n)
			continue;
		mapped[i] = mapped[--nmapped];
		return mmap((void *)p, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			    0) == MAP_FAILED
			       ? INVALID
			       : 0;
	}
	return INVALID;
}

int cuMemSetAccess(ay_cu_ptr p, size_t n, const struct ay_cu_access *a, size_t count)
{
	const int prot = a->flags == AY_CU_READ_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;

	(void)count;
	for (int i = 0; i < nmapped; i++)
		if (mapped[i].at == p && mapped[i].bytes == n) {
			mapped[i].flags = a->flags;
			return mprotect((void *)p, n, prot) ? INVALID : 0;
		}
	return INVALID;
}

int cuMemcpyHtoD_v2(ay_cu_ptr to, const void *from, size_t n)
{
	if (n > GRAIN || nlate == MAX) {
		finish_copies();
		memcpy((void *)to, from, n);
		return 0;
	}
	late[nlate].to = (void *)to;
	late[nlate].data = malloc(n + 1);
	late[nlate].n = n;
	memcpy(late[nlate++].data, from, n);
	return 0;
}

/* How much has crossed the bus to here, for tests that count it. */
uint64_t fake_brought;

int cuMemcpyDtoH_v2(void *to, ay_cu_ptr from, size_t n)
{
	fake_brought += n;
	finish_copies();
	memcpy(to, (const void *)from, n);
	return falls();
}

int cuMemcpy2DAsync_v2(const struct ay_cu_copy_2d *c, void *stream)
{
	static int looks;

	(void)stream;
	for (size_t i = 0; i < c->height; i++)
		memcpy((uint8_t *)c->to_host + i * c->to_pitch,
		       (const uint8_t *)c->from_device + i * c->from_pitch, c->width);
	if (faults("late") && looks++ % 3 == 1) /* the judge looks, twice or once, and again later */
		memset(c->to_host, 0xee, c->to_pitch * c->height);
	return falls();
}

/* Events of another file's clock take the place of these. */
#define WEAK __attribute__((weak))

WEAK int cuEventCreate(void **e, unsigned flags)
{
	(void)flags;
	*e = calloc(1, sizeof(struct timespec));
	return *e ? 0 : AY_CU_OUT_OF_MEMORY;
}

WEAK int cuEventRecord(void *e, void *stream)
{
	(void)stream;
	return clock_gettime(CLOCK_MONOTONIC, e) ? INVALID : 0;
}

WEAK int cuEventElapsedTime(float *ms, void *from, void *to)
{
	const struct timespec *a = from, *b = to;

	*ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) / 1e6);
	return 0;
}

/* Copies that wait in a stream until the host waits for the stream: until then the destination holds other values. */
static struct {
	void *stream, *to;
	ay_cu_ptr from;
	size_t n;
} queued[MAX];
static int nqueued;

int cuMemcpyDtoHAsync_v2(void *to, ay_cu_ptr from, size_t n, void *stream)
{
	if (nqueued == MAX)
		return INVALID;
	memset(to, 0xdd, n);
	queued[nqueued].stream = stream;
	queued[nqueued].to = to;
	queued[nqueued].from = from;
	queued[nqueued++].n = n;
	return 0;
}

static int finish_stream(void *s)
{
	static int looks;
	int left = 0, e = 0;

	for (int i = 0; i < nqueued; i++) {
		if (queued[i].stream != s) {
			queued[left++] = queued[i];
			continue;
		}
		e = cuMemcpyDtoH_v2(queued[i].to, queued[i].from, queued[i].n);
		/* the judge looks at 16 places, and again later */
		if (queued[i].n <= 16 && faults("late") && looks++ / 16 % 2)
			memset(queued[i].to, 0xee, queued[i].n);
	}
	nqueued = left;
	return e;
}

int cuMemAllocHost_v2(void **p, size_t n)
{
	*p = faults("unpinned") ? NULL : malloc(n);
	return *p ? 0 : AY_CU_OUT_OF_MEMORY;
}

int cuMemFreeHost(void *p)
{
	free(p);
	return 0;
}

int cuStreamSynchronize(void *s)
{
	const int e = finish_stream(s);

	return failed ? failed : e;
}

int cuCtxResetPersistingL2Cache(void)
{
	return 0;
}

int cuMemsetD8Async(ay_cu_ptr p, uint8_t byte, size_t n, void *stream)
{
	(void)stream;
	memset((void *)p, byte, n);
	return 0;
}

int cuMemHostRegister_v2(void *p, size_t n, unsigned flags)
{
	(void)p, (void)n, (void)flags;
	return 0;
}

int cuMemHostUnregister(void *p)
{
	(void)p;
	return 0;
}

int cuMemAllocAsync(ay_cu_ptr *p, size_t n, void *stream)
{
	(void)stream;
	*p = (ay_cu_ptr)(uintptr_t)calloc(1, n);
	return *p ? 0 : AY_CU_OUT_OF_MEMORY;
}

int cuMemFreeAsync(ay_cu_ptr p, void *stream)
{
	(void)stream;
	free((void *)p);
	return 0;
}

int cuStreamCreate(void **s, unsigned flags)
{
	static char streams[MAX]; /* a stream is an address */
	static int n;

	(void)flags;
	*s = &streams[n++ % MAX];
	return 0;
}

int cuStreamQuery(void *s)
{
	static int asked;

	(void)s;
	if (faults("busy") || (faults("fitful") && ++asked % 12 == 0))
		wait_ns(1500000);
	return faults("hang") && launches > 1 ? AY_CU_NOT_READY : 0;
}

/* For as long as the driver lives. */
static char *keep(const char *text)
{
	static char *volatile all[MAX]; /* so that LeakSanitizer does not report it */
	static int n;

	return all[n++ % MAX] = strdup(text);
}

int cuModuleLoadData(void **m, const void *image)
{
	*m = keep(image);
	return faults("module") && strstr(image, "cubin") ? 209 : 0;
}

/* Kernels of other fakes that are compiled together with this one. */
int fake_launch(const char *name, unsigned blocks, unsigned threads, void **args) __attribute__((weak));

int cuModuleGetFunction(void **f, void *m, const char *name)
{
	*f = keep(name);
	return strstr(m, name) || fake_launch ? 0 : INVALID; /* modules are texts here, macros and all */
}

/* The judge's check, which stores a number. "check": it stores another. */
static int run_check(void **args)
{
	uint64_t p;
	uint32_t v;

	memcpy(&p, args[0], sizeof p);
	memcpy(&v, args[1], sizeof v);
	v += faults("check") && launches;
	launches++;
	memcpy((void *)p, &v, sizeof v);
	return 0;
}

/* The kernels that are launched here: the judge's own, and an executor's that do nothing, at once or for a while. */
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		   unsigned shared, void *stream, void **args, void **extra)
{
	(void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
	finish_copies(); /* what came before it in its stream */
	if (falls())
		return falls();
	if (!strcmp(f, "ay_check"))
		return run_check(args);
	if (!strcmp(f, "nothing"))
		return 0;
	if (!strcmp(f, "busy")) {
		wait_ns(*(const uint64_t *)args[0]);
		return 0;
	}
	if (gx && own_launch(f, gx, args))
		return 0;
	return fake_launch ? fake_launch(f, gx, bx, args) : INVALID;
}
