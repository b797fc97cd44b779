/* SPDX-License-Identifier: Apache-2.0 */
#include "device/judge_kernels.h"

#include "base/process.h"
#include "device/cuda.h"
#include "device/gpu.h"
#include "device/rtc.h"

#include <time.h>

enum {
	SPIN_NS = 2000000,      /* most launches end within this time */
	NAP_NS = 50000,         /* after that, poll in these steps */
	WAIT_S = 60,            /* a device that does not finish in this time hangs */
	ROOM_GRAIN = 256 << 10, /* large, so that the memory seldom grows */
};

extern const char ay_embedded_cuda[];

static int fail(const struct ay_cuda *cu, int e, const char *what, struct ay_err *err)
{
	return ay_fail(err, e == AY_CU_OUT_OF_MEMORY ? AY_ERR_MEMORY : AY_ERR_SYS, "%s: %s (%d)", what,
		       ay_cuda_error(cu, e), e);
}

static const struct ay_cuda *driver_of(struct ay_dev *d, struct ay_err *err)
{
	const struct ay_cuda *cu = ay_gpu_driver(d);

	if (!cu)
		ay_fail(err, AY_ERR_SYS, "%s runs no kernels of the judge", d->info.name);
	return cu;
}

int ay_judge_kernel_id(struct ay_dev *d, enum ay_judge_kernels which, void **function, struct ay_err *err)
{
	static const char *const name[] = {
		[AY_JUDGE_KERNEL_MAKE] = "assay_make",       [AY_JUDGE_KERNEL_SAME] = "assay_same",
		[AY_JUDGE_KERNEL_COMPARE] = "assay_compare", [AY_JUDGE_KERNEL_WIDEN] = "assay_widen",
		[AY_JUDGE_KERNEL_SQUARE] = "assay_square",   [AY_JUDGE_KERNEL_BOUND] = "assay_bound"
	};
	struct ay_judge_kernels_kept *own;

	if (!driver_of(d, err))
		return -1;
	own = ay_gpu_own(d);
	if (!own->function[which] &&
	    ay_rtc_load(d, ay_embedded_cuda, AY_JUDGE_KERNEL_COUNT, name, own->function, err)) {
		*own = (struct ay_judge_kernels_kept){ .room = own->room, .room_bytes = own->room_bytes };
		return -1;
	}
	*function = own->function[which];
	return 0;
}

int ay_judge_kernels_room(struct ay_dev *d, size_t bytes, uint64_t *at, struct ay_err *err)
{
	const size_t n = (bytes + ROOM_GRAIN - 1) / ROOM_GRAIN * ROOM_GRAIN;
	const struct ay_cuda *cu = driver_of(d, err);
	struct ay_judge_kernels_kept *own;
	int e = 0;

	if (!cu)
		return -1;
	own = ay_gpu_own(d);
	if (own->room_bytes < n) {
		if (own->room_bytes)
			e = cu->memory_free(own->room);
		own->room_bytes = 0;
		if (!e)
			e = cu->memory_alloc(&own->room, n);
		own->room_bytes = e ? 0 : n;
	}
	*at = own->room;
	return e ? fail(cu, e, "no memory of the device for the judge's kernels", err) : 0;
}

int ay_judge_kernels_copy_in(struct ay_dev *d, uint64_t to, const void *from, size_t bytes, struct ay_err *err)
{
	const struct ay_cuda *cu = driver_of(d, err);
	const int e = cu ? cu->copy_in(to, from, bytes) : 0;

	return !cu ? -1 : e ? fail(cu, e, "the GPU takes nothing", err) : 0;
}

int ay_judge_kernels_copy_out(struct ay_dev *d, void *to, uint64_t from, size_t bytes, struct ay_err *err)
{
	const struct ay_cuda *cu = driver_of(d, err);
	const int e = cu ? cu->copy_out(to, from, bytes) : 0;

	return !cu ? -1 : e ? fail(cu, e, "the GPU gives nothing back", err) : 0;
}

/* Polls, because a wait for a device that hangs would not end. */
static int wait_for(const struct ay_cuda *cu)
{
	const int64_t begun = ay_now_ns();
	const struct timespec nap = { 0, NAP_NS };
	int64_t waited = 0;
	int e;

	while ((e = cu->stream_query(NULL)) == AY_CU_NOT_READY && waited < WAIT_S * 1000000000ll) {
		if (waited > SPIN_NS)
			nanosleep(&nap, NULL);
		waited = ay_now_ns() - begun;
	}
	return e;
}

int ay_judge_kernels_run(struct ay_dev *d, enum ay_judge_kernels which, uint64_t blocks, void **args,
			 struct ay_err *err)
{
	const struct ay_cuda *cu = driver_of(d, err);
	void *f;
	int e;

	if (!cu || ay_judge_kernel_id(d, which, &f, err))
		return -1;
	e = cu->launch(f, (unsigned)blocks, 1, 1, AY_JUDGE_KERNEL_THREADS, 1, 1, 0, NULL, args, NULL);
	if (!e)
		e = wait_for(cu);
	return e ? fail(cu, e, "a kernel of the judge does not run", err) : 0;
}
