/* SPDX-License-Identifier: Apache-2.0 */
#include "device/places.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct list {
	struct ay_arena *a;
	const char **path;
	int n;
};

static void add(struct list *l, const char *path)
{
	if (l->n < MOST)
		l->path[l->n++] = ay_strdup(l->a, path);
}

static void add_files(struct list *l, const char *pattern)
{
	glob_t g = { 0 };

	if (!glob(pattern, GLOB_BRACE, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc; i++)
			add(l, g.gl_pathv[i]);
	globfree(&g);
}

/* A folder's name as it is, for a pattern. */
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

/* PREFIX/bin/python3 has its packages in PREFIX/lib, and Debian's what others installed in /usr/local/lib. */
static void add_beside(struct list *l, const char *python, const char *file)
{
	const char *cut = strrchr(python, '/');

	while (cut && cut > python && cut[-1] != '/')
		cut--;
	if (!cut || cut <= python + 1)
		return;
	add_files(l, ay_sprintf(l->a, "%s{,/local}/lib*/python3*/{site,dist}-packages/nvidia/*/lib/%s",
				quoted(l->a, python, (size_t)(cut - python - 1)), file));
}

const char *const *ay_cuda_places(struct ay_arena *a, const char *library, const char *python)
{
	static const char *const versions[] = { "13", "12" };
	const char *const homes[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda" };
	struct list l = { a, AY_NEW_N(a, const char *, MOST + 1), 0 };

	for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
		const char *file = ay_sprintf(a, "%s.so.%s", library, versions[v]);

		add(&l, file);
		for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
			if (homes[i] && homes[i][0] == '/')
				add_files(&l, ay_sprintf(a, "%s/{lib64,lib,targets/*/lib}/%s",
							 quoted(a, homes[i], strlen(homes[i])), file));
		if (python)
			add_beside(&l, python, file);
	}
	return l.path;
}
