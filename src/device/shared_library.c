/* SPDX-License-Identifier: Apache-2.0 */
#include "device/shared_library.h"

#include "base/file.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* --- places ---------------------------------------------------------------------------------------------- */

enum { MOST = 64 };

struct symbol_list {
	struct ay_arena *a;
	const char **path; /* NULL-ended */
	int n;
};

static struct symbol_list new_list(struct ay_arena *a)
{
	return (struct symbol_list){ a, AY_NEW_N(a, const char *, MOST + 1), 0 };
}

static void add(struct symbol_list *l, const char *path)
{
	if (l->n < MOST)
		l->path[l->n++] = ay_strdup(l->a, path);
}

static void add_files(struct symbol_list *l, const char *pattern)
{
	glob_t g = { 0 };

	if (!glob(pattern, GLOB_BRACE, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc; i++)
			add(l, g.gl_pathv[i]);
	globfree(&g);
}

/* Quotes a folder's name for use in a glob pattern. */
static const char *quoted(struct ay_arena *a, const char *s, size_t n)
{
	char *to = ay_alloc(a, 2 * n + 1);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[]{}\\,", s[i]))
			to[k++] = '\\';
		to[k++] = s[i];
	}
	to[k] = 0;
	return to;
}

/* Adds files among the interpreter's packages: those of PREFIX/bin/python3 are in PREFIX/lib; on
 * Debian, packages installed by users are in /usr/local/lib. */
static void add_beside(struct symbol_list *l, const char *python, const char *file)
{
	const char *cut = strrchr(python, '/');

	while (cut && cut > python && cut[-1] != '/')
		cut--;
	if (!cut)
		return;
	add_files(l, ay_sprintf(l->a, "%s{,/local}/lib*/python3*/{site,dist}-packages/nvidia/*/lib/%s",
				cut > python ? quoted(l->a, python, (size_t)(cut - python - 1)) : ".", file));
}

static void add_places(struct symbol_list *l, const char *file, const char *python)
{
	const char *const homes[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda" };

	add(l, file);
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		if (homes[i] && homes[i][0] == '/')
			add_files(l, ay_sprintf(l->a, "%s/{lib64,lib,targets/*/lib}/%s",
						quoted(l->a, homes[i], strlen(homes[i])), file));
	if (python)
		add_beside(l, python, file);
}

static void add_version(struct symbol_list *l, const char *stem, int version, const char *python)
{
	add_places(l, ay_sprintf(l->a, "%s.so.%d", stem, version), python);
	if (version == 11)
		add_places(l, ay_sprintf(l->a, "%s.so.11.2", stem),
			   python); /* the name of all NVRTC 11 since 11.2 */
}

const char *const *ay_cuda_places(struct ay_arena *a, const char *stem, int newest, int oldest, const char *python)
{
	struct symbol_list l = new_list(a);

	for (int v = newest; v >= oldest; v--)
		add_version(&l, stem, v, python);
	return l.path;
}

/* --- opening --------------------------------------------------------------------------------------------- */

static void *open_first(const struct symbol_list *l)
{
	void *so = NULL;

	for (int i = 0; i < l->n && !so; i++)
		so = dlopen(l->path[i], RTLD_NOW | RTLD_LOCAL);
	return so;
}

static const char *path_of(struct ay_arena *a, void *so)
{
	struct link_map *map = NULL;

	return dlinfo(so, RTLD_DI_LINKMAP, &map) || !map || !map->l_name ? "" : ay_strdup(a, map->l_name);
}

/* Tries one version after the other, the newest first, because that is mostly installed. */
void *ay_cuda_library(struct ay_arena *a, const char *stem, int newest, int oldest, const char **path)
{
	const char *python = getenv("ASSAY_PYTHON"), *beside = NULL;
	void *so = NULL;

	if (!python || !python[0]) { /* also try the interpreter of `make torch` */
		python = "python3";
		beside = ay_file_beside(a, "venv/bin/python3");
	}
	python = ay_file_program(a, python);
	for (int v = newest; v >= oldest - 1 && !so; v--) {
		struct symbol_list l = new_list(a);

		if (v >= oldest)
			add_version(&l, stem, v, python);
		else
			add_places(&l, ay_sprintf(a, "%s.so", stem), python);
		if (beside && v >= oldest)
			add_version(&l, stem, v, beside);
		so = open_first(&l);
	}
	if (so && path)
		*path = path_of(a, so);
	return so;
}
