/* SPDX-License-Identifier: Apache-2.0 */
#include "help_cc.h"
#include "base/file.h"
#include "base/hash.h"
#include "helpers.h"
#include "test.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MOST = 8 << 20 };

/* Returns the path of a file in the cache, which is made if it is missing. */
static char *in_cache(struct ay_arena *a, const char *name, const char *suffix)
{
	const char *dir = ay_sprintf(a, "%s/cc", help_cache());
	struct ay_err err = { 0 };

	CHECKF(!ay_file_mkdirs(dir, &err), "%s", err.msg);
	return ay_sprintf(a, "%s/%s%s", dir, name, suffix);
}

/* Stores the name under which the dependencies of `args` are kept: a hash of args and compiler. */
static void name_command(struct ay_arena *a, const char *args, char hex[AY_SHA256_HEX])
{
	const char *cc = ay_file_program(a, "cc");
	struct ay_hash h;
	struct stat st;

	ay_hash_init(&h);
	ay_hash_add_str(&h, args);
	if (cc && !stat(cc, &st)) {
		ay_hash_add(&h, &st.st_size, sizeof st.st_size);
		ay_hash_add(&h, &st.st_mtime, sizeof st.st_mtime);
	}
	ay_hash_end(&h, hex);
}

/* Adds the content of every file that the output of `cc -M` names. Returns false if one of them
 * cannot be read. */
static bool add_files(struct ay_arena *a, struct ay_hash *h, char *rules)
{
	char *at, *data;
	size_t n;

	for (char *w = strtok_r(rules, " \\\n", &at); w; w = strtok_r(NULL, " \\\n", &at)) {
		struct ay_err err = { 0 };

		if (w[strlen(w) - 1] == ':')
			continue;
		if (ay_file_read(a, w, FILE_MOST, &data, &n, &err))
			return false;
		ay_hash_add(h, &n, sizeof n);
		ay_hash_add(h, data, n);
	}
	return true;
}

/* Returns where the object of these options is kept while its sources are as they are now, or NULL
 * if a source is gone. `rules` is what `cc -M` prints. */
static char *place(struct ay_arena *a, const char *command, const char *rules)
{
	char hex[AY_SHA256_HEX];
	struct ay_hash h;
	bool all;

	ay_hash_init(&h);
	ay_hash_add_str(&h, command);
	all = add_files(a, &h, ay_strdup(a, rules));
	ay_hash_end(&h, hex);
	return all ? in_cache(a, hex, ".so") : NULL;
}

/* Compiles and keeps the object. Returns its place, NULL if it does not compile. */
static char *compile(struct ay_arena *a, const char *args, const char *command, const char *kept)
{
	char *rules, *out, *so, *made = ay_sprintf(a, "%s/cc.so", test_dir());
	struct ay_err err = { 0 };
	int status = help_run(a, ay_sprintf(a, "cc -M %s", args), 120, &rules);

	CHECKF(!status, "cc -M %s: %s", args, rules);
	if (!status)
		status = help_run(a, ay_sprintf(a, "cc -shared -fPIC -o %s %s 2>&1", made, args), 120, &out);
	else
		return NULL;
	CHECKF(!status, "cc %s: %s", args, out);
	so = status ? NULL : place(a, command, rules);
	if (so) {
		size_t n;
		char *data = help_slurp(a, made, &n);

		CHECKF(!ay_file_write(so, data, n, &err), "%s", err.msg);
		CHECKF(!ay_file_write(kept, rules, strlen(rules), &err), "%s", err.msg);
	}
	return so;
}

bool help_cc(struct ay_arena *a, const char *args, const char *path)
{
	char command[AY_SHA256_HEX], *kept, *rules, *so = NULL, *data;
	struct ay_err err = { 0 };
	size_t n;

	name_command(a, args, command);
	kept = in_cache(a, command, ".d");
	if (!ay_file_read(a, kept, FILE_MOST, &rules, &n, &err))
		so = place(a, command, rules);
	if (!so || !ay_file_exists(so))
		so = compile(a, args, command, kept);
	if (!so)
		return false;
	data = help_slurp(a, so, &n);
	CHECKF(!ay_file_write(path, data, n, &err), "%s", err.msg);
	return !chmod(path, 0755);
}

static int answer_of(struct ay_arena *a, const char *args, const char *name)
{
	const char *path = help_path(name);
	int (*answer)(void) = NULL;
	void *lib;

	CHECK(help_cc(a, args, path));
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(lib);
	if (lib)
		*(void **)&answer = dlsym(lib, "answer");
	return answer ? answer() : -1;
}

TEST(help_cc_compiles_what_has_changed_and_nothing_else)
{
	struct ay_arena a = { 0 };
	const char *args = ay_sprintf(&a, "-DMORE=1 %s/answer.c", test_dir()),
		   *more = ay_sprintf(&a, "-DMORE=2 %s/answer.c", test_dir()), *number = help_path("number.h");
	glob_t kept;
	static const char source[] = "#include \"number.h\"\nint answer(void) { return NUMBER + MORE; }\n";

	setenv("ASSAY_TEST_CACHE", test_dir(), 1);
	help_spill(help_path("answer.c"), source, sizeof source - 1);
	help_spill(number, "#define NUMBER 10\n", 18);
	CHECK(answer_of(&a, args, "1.so") == 11 && answer_of(&a, more, "2.so") == 12);
	help_spill(number, "#define NUMBER 20\n", 18);
	CHECK(answer_of(&a, args, "3.so") == 21);
	help_spill(number, "#define NUMBER 10\n", 18);
	CHECK(answer_of(&a, args, "4.so") == 11);
	CHECK(!glob(help_path("cc/*.so"), 0, NULL, &kept) && kept.gl_pathc == 3);
	globfree(&kept);
	ay_arena_release(&a);
}
