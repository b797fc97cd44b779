/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Stores the folder in which the loader found the library: an executor's loader may search in fewer
 * places. */
static void note_folder(struct ay_cuda *c)
{
	struct link_map *map = NULL;
	const char *slash;

	if (dlinfo(c->library, RTLD_DI_LINKMAP, &map) || !map || !(slash = strrchr(map->l_name, '/')))
		return;
	snprintf(c->folder, sizeof c->folder, "%.*s", (int)(slash - map->l_name), map->l_name);
}

const char *ay_cuda_symbols(void *library, size_t n, const struct ay_symbol *s, void *to)
{
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(library, s[i].name);

		if (!f)
			return s[i].name;
		memcpy((char *)to + s[i].at, &f, sizeof f);
	}
	return NULL;
}

int ay_cuda_open(struct ay_cuda *c, char *why, size_t n)
{
#define F(field, symbol, params) { symbol, offsetof(struct ay_cuda, field) },
	const struct ay_symbol needed[] = { AY_CUDA(F) };
#undef F
	const char *missing;

	memset(c, 0, sizeof *c);
	c->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!c->library) {
		const char *s = dlerror();

		snprintf(why, n, "%s", s ? s : "libcuda.so.1 cannot be opened");
		return -1;
	}
	missing = ay_cuda_symbols(c->library, sizeof needed / sizeof *needed, needed, c);
	if (missing) {
		snprintf(why, n, "libcuda.so.1 has no %s: the driver is too old", missing);
		return -1;
	}
	note_folder(c);
	return 0;
}

const char *ay_cuda_error(const struct ay_cuda *c, int e)
{
	const char *s = NULL;

	return c->error_name && !c->error_name(e, &s) && s ? s : "an unknown error";
}

int ay_cuda_find(const struct ay_cuda *c, const struct ay_cu_uuid *u)
{
	int n = 0;

	if (c->device_count(&n))
		return -1;
	for (int i = 0; i < n; i++) {
		struct ay_cu_uuid have;
		int dev;

		if (!c->device_get(&dev, i) && !c->device_uuid(&have, dev) && !memcmp(&have, u, sizeof have))
			return dev;
	}
	return -1;
}

int ay_cuda_map(const struct ay_cuda *c, int dev, ay_cu_memory m, size_t n, size_t guard, int access, ay_cu_ptr *p)
{
	const struct ay_cu_access to = { { AY_CU_ON_DEVICE, dev }, access };
	ay_cu_ptr at = 0;
	int e = c->reserve(&at, n + 2 * guard, 0, 0, 0);

	if (e)
		return e;
	e = c->map(at + guard, n, 0, m, 0);
	if (!e && (e = c->access(at + guard, n, &to, 1)))
		c->unmap(at + guard, n);
	if (e)
		c->unreserve(at, n + 2 * guard);
	else
		*p = at + guard;
	return e;
}

void ay_cuda_unmap(const struct ay_cuda *c, ay_cu_ptr p, size_t n, size_t guard)
{
	c->unmap(p, n);
	c->unreserve(p - guard, n + 2 * guard);
}
