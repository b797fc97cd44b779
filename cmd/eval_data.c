/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_data - finds the data of suite torchbench, and converts parquet to text once.
 */
#include "eval.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "exec/python.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TABLE_MAX = 256 << 20, CONVERT_S = 300 };

static const char *const files[] = { "torchbench.trace", "backend_bench_problems.parquet" };

/* Returns the folder of --cache, or this machine's cache; NULL = none. */
static const char *cache_of(struct eval *e)
{
	if (e->o.cache)
		return e->o.cache[0] ? e->o.cache : NULL;
	return ay_machine_cache(e->app->arena);
}

static const char *look_in(struct eval *e, const char *dir)
{
	for (size_t i = 0; dir && i < sizeof files / sizeof *files; i++) {
		const char *path = ay_sprintf(e->app->arena, "%s/%s", dir, files[i]);

		if (ay_file_exists(path))
			return path;
	}
	return NULL;
}

static int find_torchbench(struct eval *e, struct ay_err *err)
{
	const char *env = getenv("ASSAY_TORCHBENCH"), *cache = cache_of(e);
	const bool told = e->o.data || (env && env[0]);
	const char *found = e->o.data ? e->o.data : told ? env : look_in(e, ".");

	if (!found)
		found = look_in(e, cache);
	if (!found)
		return ay_fail(err, AY_ERR_USAGE,
			       "the suite torchbench needs its data, which is not part of assay: get "
			       "backend_bench_problems.parquet of the Hugging Face data set "
			       "GPUMODE/backendbench_tests, or a trace as text, and name it with --data or "
			       "$ASSAY_TORCHBENCH, or put it here or into %s as %s or %s",
			       cache ? cache : "the cache folder", files[1], files[0]);
	if (told && access(found, R_OK))
		return ay_fail_errno(err, AY_ERR_USAGE, "cannot read '%s', the data of torchbench by %s", found,
				     e->o.data ? "--data" : "$ASSAY_TORCHBENCH");
	e->o.data = found;
	return 0;
}

static bool is_parquet(const char *path)
{
	char head[4] = { 0 };
	FILE *f = fopen(path, "rb");
	const bool yes = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "PAR1", sizeof head);

	if (f)
		fclose(f);
	return yes;
}

/* Hashes what the text depends on: the table, and the converter in the pack. */
static int hash_of(struct ay_arena *a, const char *table, char hex[65], struct ay_err *err)
{
	struct ay_hash h;
	char *data;
	size_t len;
	int fd;

	ay_hash_init(&h);
	if (ay_file_read(a, table, TABLE_MAX, &data, &len, err))
		return -1;
	ay_hash_add(&h, data, len);
	fd = ay_python_pack(err);
	if (fd < 0)
		return -1;
	if (ay_file_read(a, ay_sprintf(a, "/proc/self/fd/%d", fd), TABLE_MAX, &data, &len, err)) {
		close(fd);
		return -1;
	}
	close(fd);
	ay_hash_add(&h, data, len);
	ay_hash_end(&h, hex);
	return 0;
}

/* Finds an interpreter: the one that was named, or any. Parquet needs no torch, so an interpreter
 * with torch is only preferred. */
static int find_python(struct eval *e, const char **path, struct ay_err *err)
{
	struct ay_err none = { 0 };

	*path = ay_python_named(e->o.torch.python);
	if (*path || !ay_python_find(e->app->arena, NULL, path, &none))
		return 0;
	*path = ay_file_program(e->app->arena, "python3");
	return *path ? 0
		     : ay_fail(err, AY_ERR_USAGE,
			       "parquet is read by Python's pyarrow, and there is no python3: give the trace as "
			       "text, or name an interpreter with --python");
}

/* Converts a table to text. The text goes to the cache; without a cache it stays in this process's
 * memory. */
static int convert(struct eval *e, const char *table, const char *kept, const char **text, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	const char *const args[] = { "assay.parquet", table, NULL };
	struct ay_err unkept = { 0 };
	const char *python;
	char *data;
	size_t len;
	int out;

	if (find_python(e, &python, err))
		return -1;
	out = memfd_create("assay-trace", MFD_CLOEXEC);
	if (out < 0)
		return ay_fail_errno(err, AY_ERR_SYS, "cannot convert '%s'", table);
	if (ay_python_program(python, args, out, CONVERT_S, err)) {
		ay_err_prefix(err, "cannot read '%s' with %s", table, python);
		close(out);
		return -1;
	}
	*text = ay_sprintf(e->app->arena, "/proc/self/fd/%d", out);
	if (kept && !ay_file_read(&a, *text, TABLE_MAX, &data, &len, &unkept) &&
	    !ay_file_mkdirs(cache_of(e), &unkept) && !ay_file_write(kept, data, len, &unkept)) {
		*text = kept;
		close(out);
	}
	ay_arena_release(&a);
	return 0;
}

static int text_of(struct eval *e, const char *table, const char **text, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	const char *cache = cache_of(e);
	char hex[65];
	int rc = hash_of(&a, table, hex, err);

	ay_arena_release(&a);
	if (rc)
		return -1;
	*text = cache ? ay_sprintf(e->app->arena, "%s/problems-%.32s.trace", cache, hex) : NULL;
	if (*text && ay_file_exists(*text))
		return 0;
	return convert(e, table, *text, text, err);
}

int eval_find_data(struct eval *e, const char **from, struct ay_err *err)
{
	const bool torchbench = !strcasecmp(e->o.suite, "torchbench");
	const char *path;
	char *whole;

	*from = e->o.suite;
	if (e->o.data && !torchbench)
		return ay_fail(err, AY_ERR_USAGE, "--data is the trace of --suite torchbench; the suite is '%s'",
			       e->o.suite);
	if (torchbench) {
		if (find_torchbench(e, err))
			return -1;
		*from = e->o.data;
	}
	if (!strchr(*from, '/') && !ay_file_exists(*from)) /* the name of a suite */
		return 0;
	/* a resumed run may start in another folder, and an interpreter does */
	whole = realpath(*from, NULL);
	path = ay_strdup(e->app->arena, whole ? whole : *from);
	ay_xfree(whole);
	*from = path;
	if (torchbench)
		e->o.data = path;
	return is_parquet(path) ? text_of(e, path, from, err) : 0;
}
