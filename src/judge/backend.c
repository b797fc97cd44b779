/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/backend.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
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

struct folder_scan {
	struct ay_backend *b;
	struct ay_arena *a;
	const struct ay_registry *r;
	const char *top;
	bool follow_links;
	struct stat above[DEPTH + 1]; /* the folders from the top to the one that is read */
};

/* Lists a file or folder that is no kernel. */
static void add_other(struct folder_scan *s, const char *path, const char *why)
{
	if (!ends_in(path, not_kernels))
		add(s->b, &(struct ay_kernel_file){ .path = path, .folder = strlen(s->top), .why = why });
}

static void add_file(struct folder_scan *s, const char *path, const char *folder)
{
	struct ay_kernel_file f = { .path = path, .folder = strlen(s->top) };
	struct ay_err err = { 0 };

	if (ends_in(path, not_kernels))
		return;
	if (ay_lang_of(path, &f.lang, &err)) {
		f.why = ay_strdup(s->a, err.msg);
	} else {
		f.op = ay_backend_file_op(s->r, s->a, path, &f.schema);
		if (!f.op && folder)
			f.op = ay_backend_folder_op(s->r, s->a, folder, &f.schema);
		if (!f.op)
			f.why = "its name is no operator's (see: assay ops)";
	}
	add(s->b, &f);
}

static int scan_folder(struct folder_scan *s, const char *dir, int depth, struct ay_err *err);

static bool is_above(const struct folder_scan *s, const struct stat *st, int depth)
{
	for (int i = 0; i <= depth; i++)
		if (s->above[i].st_dev == st->st_dev && s->above[i].st_ino == st->st_ino)
			return true;
	return false;
}

/* Lists what `path` names. Returns -1 if the scan must end. */
static int add_entry(struct folder_scan *s, const char *dir, const char *path, int depth, struct ay_err *err)
{
	struct ay_err ignored = { 0 };
	enum ay_lang lang;
	struct stat st;

	if (lstat(path, &st)) {
		add_other(s, path, ay_strdup(s->a, strerror(errno)));
	} else if (S_ISLNK(st.st_mode) && !s->follow_links) {
		add_other(s, path, "it is a symbolic link (--follow-links takes the file that it names)");
	} else if (stat(path, &st)) {
		add_other(s, path, ay_sprintf(s->a, "a symbolic link: %s", strerror(errno)));
	} else if (S_ISDIR(st.st_mode) && !ay_lang_of(path, &lang, &ignored)) {
		add_other(s, path, "it is a folder");
	} else if (S_ISDIR(st.st_mode) && is_above(s, &st, depth)) {
		add_other(s, path, "a symbolic link to a folder that it lies in");
	} else if (S_ISDIR(st.st_mode) && depth < DEPTH) {
		return scan_folder(s, path, depth + 1, err);
	} else if (S_ISREG(st.st_mode)) {
		add_file(s, path, depth ? ay_file_basename(dir) : NULL);
	} else if (!S_ISDIR(st.st_mode)) {
		add_other(s, path, ay_file_why_not(&st));
	}
	return 0;
}

/* A subfolder that cannot be read is listed; the folder itself must be readable. */
static int scan_folder(struct folder_scan *s, const char *dir, int depth, struct ay_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (!d && !depth)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read the folder '%s'", dir);
	if (!d)
		add_other(s, dir, ay_strdup(s->a, strerror(errno)));
	else if (fstat(dirfd(d), &s->above[depth]))
		s->above[depth] = (struct stat){ 0 };
	while (d && !rc && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			rc = add_entry(s, dir, ay_sprintf(s->a, "%s/%s", dir, e->d_name), depth, err);
		if (s->b->n > FILES_MAX)
			rc = ay_fail(err, AY_ERR_USAGE, "'%s' holds more than %d files", dir, FILES_MAX);
	}
	if (d)
		closedir(d);
	return rc;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct ay_kernel_file *)x)->path, ((const struct ay_kernel_file *)y)->path);
}

int ay_backend_scan(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *dir,
		    bool follow_links, struct ay_err *err)
{
	struct folder_scan s = { .b = b, .a = a, .r = r, .top = dir, .follow_links = follow_links };

	if (scan_folder(&s, dir, 0, err))
		return -1;
	if (b->n)
		qsort(b->file, (size_t)b->n, sizeof *b->file, by_path);
	return 0;
}

int ay_kernel_file_read(const struct ay_kernel_file *f, struct ay_arena *a, bool follow_links, size_t max,
			char **data, size_t *len, struct ay_err *err)
{
	return follow_links ? ay_file_read(a, f->path, max, data, len, err)
			    : ay_file_read_below(a, f->path, f->folder + 1, max, data, len, err);
}

void ay_backend_release(struct ay_backend *b)
{
	ay_xfree(b->file);
	*b = (struct ay_backend){ 0 };
}
