/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU for the judge: its own context, memory for executors, and a check of the device after a
 * kernel was killed.
 *
 * The judge never runs code of a kernel. It reads executors' memory once, by copies. What an
 * executor does to its handles or its context does not affect the judge's (measured: a fault in one
 * process leaves the others alone).
 */
#include "device/device_internal.h"

#include "base/process.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TORCH_ALIGN = 512,  /* as in PyTorch's allocator */
	CHUNK = 32 << 20,   /* bytes that are compared at once */
	PIN_MAX = 64 << 20, /* bytes of results: pinning more takes longer than copying them */
	PAD_BYTE = 0x5a,    /* the content of the mapped memory around slots */
	/* the check kernel must return within this time: after a kill it takes milliseconds */
	WELL_S = 10,
	/* and the memory must be free again within this time: 54 ms were seen */
	MEMORY_S = 5,
	MEMORY_SLACK = 64 << 20,
	CHECK_MAGIC = 0x5eed0000,
};

/* Stores v at p. */
static const char check_ptx[] = ".version 6.4\n.target sm_60\n.address_size 64\n"
				".visible .entry ay_check(.param .u64 p, .param .u32 v)\n{\n"
				"\t.reg .u64 %a;\n\t.reg .u32 %v;\n"
				"\tld.param.u64 %a, [p];\n\tld.param.u32 %v, [v];\n"
				"\tst.global.u32 [%a], %v;\n\tret;\n}\n";

int ay_gpu_fail(const struct gpu *g, int e, const char *what, struct ay_err *err)
{
	return ay_fail(err, e == AY_CU_OUT_OF_MEMORY ? AY_ERR_MEMORY : AY_ERR_SYS, "%s: %s (%d)", what,
		       ay_cuda_error(&g->cu, e), e);
}

/* --- mapping --------------------------------------------------------------------------------------------- */

struct ay_cu_prop ay_gpu_memory_kind(const struct gpu *g)
{
	return (struct ay_cu_prop){ .type = AY_CU_PINNED,
				    .handles = AY_CU_HANDLE_FD,
				    .location = { AY_CU_ON_DEVICE, g->device } };
}

/* Allocates memory and maps it in the judge's address space. */
static int take_memory(struct gpu *g, uint64_t bytes, struct ay_dev_mapping_slot *s)
{
	const struct ay_cu_prop prop = ay_gpu_memory_kind(g);
	int e = g->cu.memory_create(&s->memory, bytes, &prop, 0);

	if (e)
		return e;
	e = ay_cuda_map(&g->cu, g->device, s->memory, bytes, 0, AY_CU_READ_WRITE, &s->at);
	if (e)
		g->cu.memory_release(s->memory);
	else
		s->bytes = bytes;
	return e;
}

static void give_memory(struct gpu *g, struct ay_dev_mapping_slot *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (!s->bytes)
		return;
	ay_cuda_unmap(&g->cu, s->at, s->bytes, 0);
	g->cu.memory_release(s->memory);
	s->bytes = 0;
}

static int copy_pads(struct gpu *g, const struct ay_dev_mapping *l, const struct ay_dev_mapping_slot *s)
{
	int e = 0;

	memset(g->chunk, PAD_BYTE, l->pad);
	if (l->pad)
		e = g->cu.copy_in(s->at, g->chunk, l->pad);
	return e || !l->pad ? e : g->cu.copy_in(s->at + s->bytes - l->pad, g->chunk, l->pad);
}

/* Gives the part of a slot that the executor must find on the device, or must not have changed. */
static void part_of(const struct ay_slot *s, const struct ay_dev_mapping *l, uint64_t *at, uint64_t *n)
{
	const bool part = !s->written && s->used && l->how == AY_MAP_GUARDED;

	*at = part ? s->used_at : 0;
	*n = part ? s->used : s->bytes;
}

/* Copies a part of a slot to the device. */
static int send(struct gpu *g, const struct ay_slot *s, ay_cu_ptr to, uint64_t at, uint64_t n)
{
	return s->all_poison ? g->cu.fill_async(to + at, s->poison, n, NULL)
			     : g->cu.copy_in(to + at, s->mem + at, n);
}

static int export_slot(struct gpu *g, const struct ay_slot *from, const struct ay_dev_mapping *l,
		       struct ay_dev_mapping_slot *s)
{
	int e = take_memory(g, from->bytes + 2 * l->pad, s);
	uint64_t at, n;

	if (!e)
		e = copy_pads(g, l, s);
	part_of(from, l, &at, &n);
	if (!e && n < from->bytes) /* the memory may still have another process's data */
		e = g->cu.fill_async(s->at + l->pad, 0, from->bytes, NULL);
	if (!e)
		e = send(g, from, s->at + l->pad, at, n);
	if (!e)
		e = g->cu.memory_export(&s->fd, s->memory, AY_CU_HANDLE_FD, 0);
	return e;
}

static void gpu_unmap(struct ay_dev *d, struct ay_dev_mapping *l)
{
	struct gpu *g = ay_gpu_of(d);

	g->cu.context_set(g->context);
	if (l->pinned)
		g->cu.unpin(l->pinned);
	for (int i = 0; i < l->nslot; i++)
		give_memory(g, &l->slot[i]);
	ay_xfree(l->slot);
	*l = (struct ay_dev_mapping){ 0 };
}

/* Pins the memory of results, if there is not too much. They are copied as a whole in both
 * directions, with the poison around them; from pinned memory that takes a fifth of the time. */
static void pin(struct gpu *g, const struct ay_pool *p, struct ay_dev_mapping *l)
{
	if (p->size[1] && p->size[1] <= PIN_MAX && !g->cu.pin(p->mem[1], p->size[1], 0))
		l->pinned = p->mem[1];
}

static int refill(struct gpu *g, const struct ay_pool *p, const struct ay_dev_mapping *l, struct ay_err *err)
{
	int e = 0;

	for (int i = 0; i < l->nslot && !e; i++) {
		uint64_t at, n;

		part_of(&p->slot[i], l, &at, &n);
		if (l->slot[i].bytes)
			e = send(g, &p->slot[i], l->slot[i].at + l->pad, at, n);
	}
	if (!e)
		/* a small copy from pageable memory may still be in flight */
		e = g->cu.context_sync();
	return e ? ay_gpu_fail(g, e, "shared device memory could not be filled", err) : 0;
}

static int gpu_map(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
		   struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	int e = 0;

	AY_ASSERT(p->grain == d->info.grain && d->info.grain <= CHUNK);
	if (g->lost)
		return ay_fail(err, AY_ERR_SYS, "%s was taken out: it did not come back after a kernel was ended",
			       d->info.name);
	g->cu.context_set(g->context);
	if (l->nslot)
		return refill(g, p, l, err);
	*l = (struct ay_dev_mapping){ .id = ay_secret_u64(),
				      .nslot = p->nslot,
				      .how = how,
				      .pad = how == AY_MAP_GUARDED ? 0 : d->info.grain };
	l->slot = ay_xrealloc(NULL, sizeof *l->slot * (size_t)(p->nslot ? p->nslot : 1));
	pin(g, p, l);
	for (int i = 0; i < p->nslot; i++)
		l->slot[i] = (struct ay_dev_mapping_slot){ .fd = -1 };
	for (int i = 0; i < p->nslot && !e; i++)
		if (!p->slot[i].host)
			e = export_slot(g, &p->slot[i], l, &l->slot[i]);
	if (!e)
		e = g->cu.context_sync();
	if (!e)
		return 0;
	gpu_unmap(d, l);
	return ay_gpu_fail(g, e, "no device memory could be shared with the kernel", err);
}

/* --- after the call -------------------------------------------------------------------------------------- */

/* Sets *same to whether [at, at + n) holds `want`, or only PAD_BYTE if want is NULL. Returns CUDA's
 * error. */
static int compare(struct gpu *g, ay_cu_ptr at, const uint8_t *want, uint64_t n, bool *same)
{
	*same = true;
	for (uint64_t i = 0; i < n && *same; i += CHUNK) {
		const uint64_t k = n - i < CHUNK ? n - i : CHUNK;
		const int e = ay_gpu_bring(g, at + i, g->chunk, k);

		if (e)
			return e;
		*same = want ? !memcmp(g->chunk, want + i, k)
			     : g->chunk[0] == PAD_BYTE && !memcmp(g->chunk, g->chunk + 1, k - 1);
	}
	return 0;
}

static int look_around(struct gpu *g, const struct ay_dev_mapping *l, struct ay_dev_mapping_slot *s)
{
	bool before = true, behind = true;
	int e = 0;

	if (l->pad)
		e = compare(g, s->at, NULL, l->pad, &before);
	if (l->pad && !e)
		e = compare(g, s->at + s->bytes - l->pad, NULL, l->pad, &behind);
	s->touched = !behind ? 1 : before ? 0 : -1;
	return e;
}

static int fetch_slot(struct gpu *g, const struct ay_dev_mapping *l, const struct ay_slot *to,
		      const struct ay_dev_mapping_slot *s)
{
	const ay_cu_ptr from = s->at + l->pad;

	return l->pinned ? g->cu.copy_out(to->mem, from, to->bytes) : ay_gpu_bring(g, from, to->mem, to->bytes);
}

static int gpu_fetch(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	int e = 0;

	g->cu.context_set(g->context);
	for (int i = 0; i < l->nslot && !e; i++) {
		const struct ay_slot *to = &p->slot[i];
		struct ay_dev_mapping_slot *s = &l->slot[i];
		bool same = true;
		uint64_t at, n;

		if (!s->bytes)
			continue;
		part_of(to, l, &at, &n);
		if (to->written)
			e = to->returned ? 0 : fetch_slot(g, l, to, s);
		else
			e = compare(g, s->at + l->pad + at, to->mem + at, n, &same);
		s->changed = !same;
		if (!e)
			e = look_around(g, l, s);
	}
	return e ? ay_gpu_fail(g, e, "what a kernel left in the device's memory cannot be read", err) : 0;
}

static int gpu_read(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err)
{
	const struct gpu *g = (const struct gpu *)d;
	int e;

	g->cu.context_set(g->context);
	e = ay_gpu_bring(g, at, to, n);
	return e ? ay_gpu_fail(g, e, "what a kernel left in the device's memory cannot be read", err) : 0;
}

/* --- health ---------------------------------------------------------------------------------------------- */

static uint64_t gpu_free_bytes(struct ay_dev *d)
{
	struct gpu *g = ay_gpu_of(d);
	size_t n = 0, total;

	g->cu.context_set(g->context);
	return g->cu.memory_info(&n, &total) ? 0 : n;
}

static void gpu_mark(struct ay_dev *d, bool alone)
{
	ay_gpu_of(d)->free_mark = alone ? gpu_free_bytes(d) : 0;
}

/* Polls, because a wait for a device that hangs would not end. */
static int wait_for_device(const struct gpu *g, double timeout_s)
{
	const int64_t deadline = ay_now_ns() + (int64_t)(timeout_s * 1e9);
	const struct timespec nap = { 0, 50000 };
	int e;

	while ((e = g->cu.stream_query(NULL)) == AY_CU_NOT_READY && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
	return e;
}

int ay_gpu_launch_check(struct gpu *g, uint32_t v)
{
	void *args[] = { &g->check_at, &v };

	return g->cu.launch(g->check, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
}

/* Fails if the check kernel does not run or its store is not there. */
static int run_check(struct gpu *g, struct ay_err *err)
{
	uint32_t v = CHECK_MAGIC + ++g->checks, got = 0;
	int e;

	g->cu.context_set(g->context);
	e = ay_gpu_launch_check(g, v);
	if (!e)
		e = wait_for_device(g, WELL_S);
	if (!e)
		e = g->cu.copy_out(&got, g->check_at, sizeof got);
	if (e)
		return ay_gpu_fail(g, e, "the check kernel of the judge does not run", err);
	return got == v ? 0 : ay_fail(err, AY_ERR_SYS, "the check kernel of the judge left %#x, not %#x", got, v);
}

/* Fails if the device does not work for the judge, or if its memory was not freed. */
static int look_at(struct gpu *g, struct ay_err *err)
{
	const int64_t deadline = ay_now_ns() + MEMORY_S * 1000000000ll;
	const struct timespec nap = { 0, 5000000 };
	uint64_t have;

	if (run_check(g, err))
		return -1;
	while ((have = gpu_free_bytes(&g->dev)) + MEMORY_SLACK < g->free_mark && ay_now_ns() < deadline)
		nanosleep(&nap, NULL);
	if (have + MEMORY_SLACK >= g->free_mark)
		return 0;
	return ay_fail(
		err, AY_ERR_SYS,
		"%llu MiB of the memory of %s have not come back %d s after a kernel was ended: it is not judged "
		"on further (if another program uses this GPU, that may be the reason)",
		(unsigned long long)(g->free_mark - have) >> 20, g->dev.info.name, MEMORY_S);
}

/* A device that has failed once stays lost, whatever it reports later. */
static int gpu_is_well(struct ay_dev *d, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);

	if (!g->lost && look_at(g, &g->why))
		g->lost = true;
	return g->lost ? ay_fail(err, g->why.code, "%s", g->why.msg) : 0;
}

static const char *gpu_error(const struct ay_dev *d, int e)
{
	return e < 0 ? "libcuda.so.1 cannot be opened there" : ay_cuda_error(&((const struct gpu *)d)->cu, e);
}

/* --- opening --------------------------------------------------------------------------------------------- */

/* Reads "Device Minor: 3" of /proc/driver/nvidia/gpus/BUS/information; if that cannot be read, asks
 * NVML. */
static int node_number(const char *bus)
{
	char path[120], line[200], why[200];
	struct ay_nvml v;
	int n = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", bus);
	f = fopen(path, "re");
	while (f && n < 0 && fgets(line, sizeof line, f))
		if (sscanf(line, "Device Minor: %d", &n) != 1)
			n = -1;
	if (f)
		fclose(f);
	if (n < 0 && !ay_nvml_read(bus, &v, why, sizeof why))
		n = v.minor;
	return n < 0 ? 0 : n;
}

/* Returns true for folders that a jail has in any case. */
static bool is_system_folder(const char *s)
{
	static const char *const have[] = { "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/lib/", "/lib64/" };
	char with[420];

	snprintf(with, sizeof with, "%s/", s);
	for (size_t i = 0; i < sizeof have / sizeof *have; i++)
		if (ay_starts(with, have[i]))
			return true;
	return false;
}

static void describe_folders(struct gpu *g)
{
	struct ay_dev_info *v = &g->dev.info;
	char *real = realpath(g->cu.folder, NULL);
	int n = 0;

	if (g->cu.folder[0] && !is_system_folder(g->cu.folder))
		v->folder[n++] = g->cu.folder;
	if (real && strcmp(real, g->cu.folder) && !is_system_folder(real))
		v->folder[n++] = ay_strdup(&g->arena, real);
	ay_xfree(real);
	v->libraries = g->cu.folder[0] ? g->cu.folder : NULL;
	v->env[0] = "CUDA_CACHE_DISABLE=1"; /* a cache would let a kernel replace its own code */
	if (n)
		v->env[1] = ay_sprintf(&g->arena, "LD_LIBRARY_PATH=%s", g->cu.folder);
}

static int attribute(const struct gpu *g, enum ay_cu_attribute a)
{
	int v = 0;

	return g->cu.device_attribute(&v, a, g->device) ? 0 : v;
}

static int describe(struct gpu *g, int number, struct ay_err *err)
{
	struct ay_dev_info *v = &g->dev.info;
	const struct ay_cu_prop prop = ay_gpu_memory_kind(g);
	char name[200] = "", bus[40] = "";
	size_t bytes = 0, grain = 0;
	int e;

	if ((e = g->cu.device_name(name, sizeof name, g->device)) ||
	    (e = g->cu.device_bus(bus, sizeof bus, g->device)) || (e = g->cu.device_bytes(&bytes, g->device)) ||
	    (e = g->cu.device_uuid((struct ay_cu_uuid *)v->uuid, g->device)) ||
	    (e = g->cu.memory_grain(&grain, &prop, 0)) || (e = g->cu.driver_version(&v->driver)))
		return ay_gpu_fail(g, e, "the GPU does not say what it is", err);
	if (!attribute(g, AY_CU_FD_HANDLES) || !grain || grain > CHUNK || grain % AY_PAGE)
		return ay_fail(err, AY_ERR_SYS, "%s cannot hand memory to another process as a descriptor", name);
	for (char *c = bus; *c; c++)
		/* in lower case, as the system spells it */
		*c = (char)(*c >= 'A' && *c <= 'F' ? *c + 32 : *c);
	v->kind = AY_DEV_CUDA;
	v->number = number;
	v->name = ay_strdup(&g->arena, name);
	v->bus = ay_strdup(&g->arena, bus);
	v->bytes = bytes;
	v->grain = grain;
	v->align = TORCH_ALIGN;
	v->major = attribute(g, AY_CU_MAJOR);
	v->minor = attribute(g, AY_CU_MINOR);
	v->sms = attribute(g, AY_CU_SMS);
	v->l2_bytes = (uint64_t)attribute(g, AY_CU_L2_BYTES);
	v->node[0] = "/dev/nvidiactl";
	v->node[1] = "/dev/nvidia-uvm";
	v->node[2] = ay_sprintf(&g->arena, "/dev/nvidia%d", node_number(bus));
	describe_folders(g);
	return 0;
}

static int make_check(struct gpu *g, struct ay_err *err)
{
	struct ay_dev_mapping_slot s = { .fd = -1 };
	void *module = NULL;
	int e;

	if ((e = g->cu.module_load(&module, check_ptx)) ||
	    (e = g->cu.module_function(&g->check, module, "ay_check")) ||
	    (e = take_memory(g, g->dev.info.grain, &s)))
		return ay_gpu_fail(g, e, "cannot set up the GPU", err);
	g->check_at = s.at;
	return run_check(g, err);
}

static void gpu_close(struct ay_dev *d)
{
	struct gpu *g = ay_gpu_of(d);

	ay_nvml_close(g->nvml);
	if (g->probes)
		g->cu.host_free(g->probes);
	if (g->stage->mem)
		g->cu.host_free(g->stage->mem);
	ay_xfree(g->stage);
	ay_xfree(g->multiplier);
	if (g->own.room_bytes && !g->cu.context_set(g->context))
		g->cu.memory_free(g->own.room);
	if (g->context)
		g->cu.context_release(g->device);
	ay_xfree(g->chunk);
	ay_arena_release(&g->arena);
	ay_xfree(g);
}

static int start_driver(struct ay_cuda *cu, int *count, struct ay_err *err)
{
	char why[300];
	int e;

	if (ay_cuda_open(cu, why, sizeof why))
		return ay_fail(err, AY_ERR_USAGE, "no NVIDIA driver here: %s", why);
	e = cu->init(0);
	if (!e)
		e = cu->device_count(count);
	if (e)
		return ay_fail(err, e == AY_CU_NO_DEVICE ? AY_ERR_USAGE : AY_ERR_SYS,
			       "the CUDA driver does not start: %s (%d)", ay_cuda_error(cu, e), e);
	return 0;
}

int ay_gpu_count(struct ay_err *err)
{
	struct ay_cuda cu;
	int n = 0;

	return start_driver(&cu, &n, err) ? -1 : n;
}

const struct ay_cuda *ay_gpu_driver(struct ay_dev *d)
{
	struct gpu *g = d->info.kind == AY_DEV_CUDA ? ay_gpu_of(d) : NULL;

	return g && !g->cu.context_set(g->context) ? &g->cu : NULL;
}

struct ay_judge_kernels_kept *ay_gpu_own(struct ay_dev *d)
{
	return &ay_gpu_of(d)->own;
}

static int open_device(struct gpu *g, int number, struct ay_err *err)
{
	int count = 0, e;

	if (start_driver(&g->cu, &count, err))
		return -1;
	if (number >= count)
		return ay_fail(err, AY_ERR_USAGE, "there is no cuda:%d: the driver shows %d GPU%s", number, count,
			       count == 1 ? "" : "s");
	if ((e = g->cu.device_get(&g->device, number)) || (e = g->cu.context_retain(&g->context, g->device)) ||
	    (e = g->cu.context_set(g->context)))
		return ay_gpu_fail(g, e, "cannot open the GPU", err);
	return describe(g, number, err) || make_check(g, err) ? -1 : 0;
}

int ay_gpu_open(struct ay_dev **out, int number, struct ay_err *err)
{
	static const struct ay_dev_class cls = { gpu_map,  gpu_fetch,   gpu_unmap, gpu_read, gpu_free_bytes,
						 gpu_mark, gpu_is_well, gpu_error, gpu_close };
	struct gpu *g = ay_xrealloc(NULL, sizeof *g);

	*g = (struct gpu){ .dev.cls = &cls };
	g->chunk = ay_xrealloc(NULL, CHUNK);
	g->stage = ay_xrealloc(NULL, sizeof *g->stage);
	*g->stage = (struct gpu_stage){ 0 };
	*out = NULL;
	if (open_device(g, number, err)) {
		gpu_close(&g->dev);
		return -1;
	}
	*out = &g->dev;
	return 0;
}
