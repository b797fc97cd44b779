/* SPDX-License-Identifier: Apache-2.0 */
#include "device/library.h"

#include "base/file.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static void *open_one(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_first(const char *pattern)
{
	glob_t g = { 0 };
	void *so = NULL;

	if (!glob(pattern, 0, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc && !so; i++)
			so = open_one(g.gl_pathv[i]);
	globfree(&g);
	return so;
}

static void *open_beside_torch(struct ay_arena *a, const char *name)
{
	static const char *const where[] = { "lib*", "local/lib" };
	const char *python = getenv("ASSAY_PYTHON"), *slash;
	void *so = NULL;

	python = ay_file_program(a, python && python[0] ? python : "python3");
	if (!python || !(slash = strrchr(python, '/')))
		return NULL;
	for (size_t i = 0; i < sizeof where / sizeof *where && !so; i++)
		so = open_first(ay_sprintf(a, "%.*s/../%s/python3*/*-packages/nvidia/*/lib/%s",
					   (int)(slash - python), python, where[i], name));
	return so;
}

static void *open_named(struct ay_arena *a, const char *name)
{
	const char *const root[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda" };
	void *so = open_one(name);

	for (size_t i = 0; i < sizeof root / sizeof *root && !so; i++)
		if (root[i] && root[i][0] == '/')
			so = open_one(ay_sprintf(a, "%s/lib64/%s", root[i], name));
	return so ? so : open_beside_torch(a, name);
}

static const char *path_of(struct ay_arena *a, void *so)
{
	struct link_map *map = NULL;

	return dlinfo(so, RTLD_DI_LINKMAP, &map) || !map || !map->l_name ? "" : ay_strdup(a, map->l_name);
}

void *ay_cuda_library(struct ay_arena *a, const char *stem, int newest, int oldest, const char **path)
{
	void *so = NULL;

	for (int v = newest; v >= oldest && !so; v--) {
		so = open_named(a, ay_sprintf(a, "%s.so.%d", stem, v));
		if (!so && v == 11)
			so = open_named(
				a, ay_sprintf(a, "%s.so.11.2", stem)); /* as all NVRTCs since 11.2 are named */
	}
	if (!so)
		so = open_named(a, ay_sprintf(a, "%s.so", stem));
	if (so && path)
		*path = path_of(a, so);
	return so;
}
