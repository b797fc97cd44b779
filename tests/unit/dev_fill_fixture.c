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

void dev_fill_fixture_cpu(struct dev_fill_fixture *g)
{
	*g = (struct dev_fill_fixture){ .d = ay_dev_cpu() };
}

static void open_cuda(struct dev_fill_fixture *g, bool must)
{
	struct ay_err err = { 0 };

	if (ay_dev_open(&g->d, "cuda", &err)) {
		CHECKF(!must, "%s", err.msg);
		test_skip("%s", err.msg);
	}
	g->cu = ay_gpu_driver(g->d);
}

void dev_fill_fixture_fake(struct dev_fill_fixture *g)
{
	*g = (struct dev_fill_fixture){ 0 };
	setenv("XDG_CACHE_HOME", test_dir(), 1);
	setenv("FAKE_NVRTC_LOG", "/dev/null", 1);
	help_fake_library(&g->a, "tests/cuda/fake.c", "libcuda.so.1");
	help_fake_library(&g->a, "tests/cuda/fake_nvrtc.c", "libnvrtc.so.13");
	open_cuda(g, true);
}

void dev_fill_fixture_gpu(struct dev_fill_fixture *g)
{
	*g = (struct dev_fill_fixture){ 0 };
	open_cuda(g, false);
}

void dev_fill_fixture_release(struct dev_fill_fixture *g)
{
	dev_fill_fixture_clear(g);
	ay_dev_close(g->d);
	ay_arena_release(&g->a);
}

void dev_fill_fixture_set(struct dev_fill_fixture *g, uint64_t at, const void *from, uint64_t bytes)
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

uint64_t dev_fill_fixture_put(struct dev_fill_fixture *g, const void *from, uint64_t bytes)
{
	uint64_t at = 0;

	AY_ASSERT(g->n < MAKE_RIG_PARTS);
	if (g->cu)
		CHECK(!g->cu->memory_alloc(&at, bytes + ALIGN));
	else
		at = (uintptr_t)ay_xrealloc(NULL, bytes + ALIGN);
	g->at[g->n++] = at;
	at = (at + ALIGN - 1) / ALIGN * ALIGN;
	dev_fill_fixture_set(g, at, from, bytes);
	return at;
}

void dev_fill_fixture_get(struct dev_fill_fixture *g, void *to, uint64_t from, uint64_t bytes)
{
	if (g->cu)
		CHECK(!g->cu->copy_out(to, from, bytes));
	else
		memcpy(to, (const void *)from, bytes);
}

void dev_fill_fixture_clear(struct dev_fill_fixture *g)
{
	while (g->n) {
		const uint64_t at = g->at[--g->n];

		if (g->cu)
			CHECK(!g->cu->memory_free(at));
		else
			ay_xfree((void *)at);
	}
}
