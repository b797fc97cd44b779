/* SPDX-License-Identifier: Apache-2.0 */
#include "dev_fill_fixture.h"
#include "base/file.h"

#include "device/cuda.h"
#include "device/gpu.h"
#include "helpers.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

void make_rig_cpu(struct make_rig *g)
{
	*g = (struct make_rig){ .d = ay_dev_cpu() };
}

static void open_cuda(struct make_rig *g, bool must)
{
	struct ay_err err = { 0 };

	if (ay_dev_open(&g->d, "cuda", &err)) {
		CHECKF(!must, "%s", err.msg);
		test_skip("%s", err.msg);
	}
	g->cu = ay_gpu_driver(g->d);
}

void make_rig_stand_in(struct make_rig *g)
{
	*g = (struct make_rig){ 0 };
	setenv("XDG_CACHE_HOME", test_dir(), 1);
	setenv("FAKE_NVRTC_LOG", "/dev/null", 1);
	help_stand_in(&g->a, "fake.c", "libcuda.so.1");
	help_stand_in(&g->a, "fake_nvrtc.c", "libnvrtc.so.13");
	open_cuda(g, true);
}

void make_rig_gpu(struct make_rig *g)
{
	*g = (struct make_rig){ 0 };
	open_cuda(g, false);
}

void make_rig_release(struct make_rig *g)
{
	make_rig_clear(g);
	ay_dev_close(g->d);
	ay_arena_release(&g->a);
}

void make_rig_set(struct make_rig *g, uint64_t at, const void *from, uint64_t bytes)
{
	void *empty = NULL;

	if (!from) {
		empty = ay_xrealloc(NULL, bytes + 1);
		memset(empty, MAKE_RIG_EMPTY, bytes);
	}
	if (g->cu)
		CHECK(!g->cu->copy_in(at, from ? from : empty, bytes));
	else
		memcpy((void *)at, from ? from : empty, bytes);
	ay_xfree(empty);
}

uint64_t make_rig_put(struct make_rig *g, const void *from, uint64_t bytes)
{
	uint64_t at = 0;

	AY_ASSERT(g->n < MAKE_RIG_PARTS);
	if (g->cu)
		CHECK(!g->cu->memory_alloc(&at, bytes + ALIGN));
	else
		at = (uintptr_t)ay_xrealloc(NULL, bytes + ALIGN);
	g->at[g->n++] = at;
	at = (at + ALIGN - 1) / ALIGN * ALIGN;
	make_rig_set(g, at, from, bytes);
	return at;
}

void make_rig_get(struct make_rig *g, void *to, uint64_t from, uint64_t bytes)
{
	if (g->cu)
		CHECK(!g->cu->copy_out(to, from, bytes));
	else
		memcpy(to, (const void *)from, bytes);
}

void make_rig_clear(struct make_rig *g)
{
	while (g->n) {
		const uint64_t at = g->at[--g->n];

		if (g->cu)
			CHECK(!g->cu->memory_free(at));
		else
			ay_xfree((void *)at);
	}
}
