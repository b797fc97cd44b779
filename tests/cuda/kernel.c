/* SPDX-License-Identifier: Apache-2.0
 *
 * relu "on the device" of fake.c, right or with one of its faults (MODE).
 */
#include <assay/kernel.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MODE
#define MODE 0
#endif

enum {
	RIGHT,
	ONE_BEHIND,
	FAR_BEHIND,
	BEFORE,
	READS_BEHIND,
	INPUT,
	TRAP,
	REMAPS,
	LAUNCH,
	SCRATCH,
	HOST,
	NOWHERE,
	EXITS,
	SAME,
	LATE,
	WRONG_LATER, /* right as long as it is judged, */
	REMAPS_LATER,
};

enum { LATER = 40 /* calls: then it is being timed */ };

typedef void (*store_fn)(void *, const void *, size_t);
typedef void (*load_fn)(void *, const void *, size_t);
typedef void (*fail_fn)(int);
typedef int (*run_fn)(void *stream, void *(*f)(void *), const void *arg, size_t n);

static int misbehave(const float *x, float *y, int64_t n, store_fn store, load_fn load, fail_fn fail)
{
	const uintptr_t page = (uintptr_t)x / 4096 * 4096;
	float v = 0;

	switch (MODE) {
	case ONE_BEHIND: store(y + n, &v, 4); break;
	case FAR_BEHIND: store(y + n + 1024, &v, 4); break;
	case BEFORE: store(y - 1, &v, 4); break;
	case READS_BEHIND: load(&v, x + n + 1024, 4); break;
	case INPUT: store((float *)x, &v, 4); break;
	case TRAP: fail(715); break;
	case WRONG_LATER:
		v = -1;
		store(y + n / 2, &v, 4);
		break;
	case REMAPS:
	case REMAPS_LATER:
		mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
		*(float *)x += 1;
		break;
	case HOST: *(volatile float *)x = 0; break;
	case NOWHERE: store((void *)64, &v, 4); break;
	case SAME:
		load(&v, x, 4);
		store((float *)x, &v, 4);
		break;
	case EXITS: exit(3);
	}
	return AY_OK;
}

/* The work of a call, for a thread. */
struct work {
	const float *x;
	float *y;
	int64_t n;
	store_fn store;
	load_fn load;
};

static void *relu(void *arg)
{
	struct work *w = arg;

	if (MODE == LATE)
		usleep(40000);
	for (int64_t i = 0; i < w->n; i++) {
		float v;

		w->load(&v, w->x + i, 4);
		v = v < 0 ? 0 : v;
		w->store(w->y + i, &v, 4);
	}
	return NULL;
}

static int launch(void *so, const struct work *w, void *stream)
{
	run_fn run = (run_fn)dlsym(so, "fake_run");

	return run(stream, relu, w, sizeof *w);
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	void *so = dlopen("libcuda.so.1", RTLD_NOW);
	store_fn store = (store_fn)dlsym(so, "fake_store");
	load_fn load = (load_fn)dlsym(so, "fake_load");
	fail_fn fail = (fail_fn)dlsym(so, "fake_fail");
	const int64_t n = ay_numel(self);
	const float *x = self->data;
	float *y = out->data;
	static int calls;

	if (self->device.type != AY_CUDA || out->device.type != AY_CUDA || ctx->device.type != AY_CUDA ||
	    !ctx->stream)
		return 99;
	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !n)
		return AY_UNSUPPORTED;
	if ((uintptr_t)x % 512)
		return 98;
	if (MODE == LAUNCH)
		return (1 << 16) + 9; /* as the glue reports a launch whose error the kernel did not check */
	if (MODE == SCRATCH && !ctx->scratch(ctx, 1000))
		return 97;
	if (MODE == LATE) {
		struct work *later = malloc(sizeof *later);
		pthread_t thread;

		*later = (struct work){ x, y, n, store, load };
		return pthread_create(&thread, NULL, relu, later) ? 96 : AY_OK;
	}
	if (launch(so, &(struct work){ x, y, n, store, load }, ctx->stream))
		return 95;
	if (calls++ < LATER && MODE >= WRONG_LATER)
		return AY_OK;
	return misbehave(x, y, n, store, load, fail);
}
