/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/backend.h"
#include "base/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 2, FILES_MAX = 100000 };

static const char *const not_kernels[] = { ".md", ".txt", ".json", ".jsonl", ".h", ".log", ".csv", NULL };

static bool ends_in(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (ay_ends(name, *list))
			return true;
	return false;
}

static const struct ay_schema *find_overload(const struct ay_entry_op *e, const char *overload)
{
	for (int k = 0; k < e->nschema; k++)
		if (!strcmp(e->schema[k]->overload, overload))
			return e->schema[k];
	return NULL;
}

static const struct ay_entry_op *find_base(const struct ay_registry *r, const char *base)
{
	for (int i = 0; i < r->n; i++)
		if (!strcmp(r->op[i].schema[0]->base, base))
			return &r->op[i];
	return NULL;
}

const struct ay_entry_op *ay_backend_folder_op(const struct ay_registry *r, struct ay_arena *a, const char *folder,
					       const struct ay_schema **schema)
{
	const struct ay_entry_op *e;

	/* the last "__" separates the overload: of three underscores the first belongs to an
	 * in-place name; in "_softmax" none separates */
	for (const char *p = folder + strlen(folder); p > folder; p--) {
		if (p[0] != '_' || p[-1] != '_')
			continue;
		e = find_base(r, ay_strndup(a, folder, (size_t)(p - 1 - folder)));
		if (e && (*schema = find_overload(e, p + 1)))
			return e;
	}
	e = find_base(r, folder);
	if (!e)
		return NULL;
	*schema = find_overload(e, "");
	if (!*schema)
		*schema = find_overload(e, "Tensor");
	if (!*schema && e->nschema == 1)
		*schema = e->schema[0];
	return e;
}

/* Cuts the name at "__", from the right, until the rest is known. */
const struct ay_entry_op *ay_backend_file_op(const struct ay_registry *r, struct ay_arena *a, const char *path,
					     const struct ay_schema **schema)
{
	char *stem = ay_strdup(a, ay_file_basename(path)), *cut = strrchr(stem, '.');
	bool exact = false;

	if (cut)
		*cut = 0;
	for (;;) {
		struct ay_err err = { 0 };
		const struct ay_entry_op *e = ay_registry_find(r, stem, schema, &exact, &err);

		if (!exact)
			*schema = NULL;
		if (e)
			return e;
		cut = NULL;
		for (char *p = stem; (p = strstr(p, "__")); p++)
			cut = p;
		*schema = NULL;
		if (!cut || cut == stem)
			return NULL;
		*cut = 0;
	}
}

static void add(struct ay_backend *b, const struct ay_kernel_file *f)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 64;
		b->file = ay_xrealloc(b->file, sizeof *b->file * (size_t)b->cap);
	}
	b->file[b->n++] = *f;
}

static void add_file(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *path,
		     const char *folder)
{
	struct ay_kernel_file f = { .path = path };
	struct ay_err err = { 0 };

	if (ends_in(path, not_kernels))
		return;
	if (ay_lang_of(path, &f.lang, &err)) {
		f.why = ay_strdup(a, err.msg);
	} else {
		f.op = ay_backend_file_op(r, a, path, &f.schema);
		if (!f.op && folder)
			f.op = ay_backend_folder_op(r, a, folder, &f.schema);
		if (!f.op)
			f.why = "its name is no operator's (see: assay ops)";
	}
	add(b, &f);
}

static int scan(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *dir, int depth,
		struct ay_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read the folder '%s'", dir);
	while (!rc && (e = readdir(d))) {
		char *path;
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		path = ay_sprintf(a, "%s/%s", dir, e->d_name);
		if (stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH)
			rc = scan(b, a, r, path, depth + 1, err);
		else if (S_ISREG(st.st_mode))
			add_file(b, a, r, path, depth ? ay_file_basename(dir) : NULL);
		if (b->n > FILES_MAX)
			rc = ay_fail(err, AY_ERR_USAGE, "'%s' holds more than %d files", dir, FILES_MAX);
	}
	closedir(d);
	return rc;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct ay_kernel_file *)x)->path, ((const struct ay_kernel_file *)y)->path);
}

int ay_backend_scan(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *dir,
		    struct ay_err *err)
{
	if (scan(b, a, r, dir, 0, err))
		return -1;
	if (b->n)
		qsort(b->file, (size_t)b->n, sizeof *b->file, by_path);
	return 0;
}

void ay_backend_release(struct ay_backend *b)
{
	ay_xfree(b->file);
	*b = (struct ay_backend){ 0 };
}
