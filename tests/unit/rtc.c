/* SPDX-License-Identifier: Apache-2.0
 *
 * rtc - tests of the compilation of the judge's own kernels, and of its cache, with a fake driver
 * and a fake NVRTC (tests/cuda).
 */
#include "base/file.h"
#include "device/rtc.h"
#include "help_cc.h"
#include "helpers.h"
#include "test.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char ay_embedded_cuda[];

static const char source[] = "extern \"C\" __global__ void one() {}\nextern \"C\" __global__ void two() {}\n";

struct fixture {
	struct ay_arena a;
	const char *dir;
	struct ay_dev *d;
};

static void setup(struct fixture *r, bool nvrtc)
{
	struct ay_err err = { 0 };

	*r = (struct fixture){ .dir = test_dir() };
	setenv("XDG_CACHE_HOME", r->dir, 1);
	setenv("FAKE_NVRTC_LOG", ay_sprintf(&r->a, "%s/log", r->dir), 1);
	help_fake_library(&r->a, "tests/cuda/fake.c", "libcuda.so.1");
	if (nvrtc)
		help_fake_library(&r->a, "tests/cuda/fake_nvrtc.c", "libnvrtc.so.13");
	CHECKF(!ay_dev_open(&r->d, "cuda", &err), "%s", err.msg);
}

static void finish(struct fixture *r)
{
	ay_dev_close(r->d);
	ay_arena_release(&r->a);
}

/* Returns how often the text was compiled so far. */
static int compiled(struct fixture *r)
{
	struct ay_err err = { 0 };
	char *text = "";
	size_t len;
	int n = 0;

	ay_file_read(&r->a, ay_sprintf(&r->a, "%s/log", r->dir), 1 << 20, &text, &len, &err);
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static bool loads(struct fixture *r, const char *text)
{
	static const char *const name[] = { "one", "two" };
	void *function[2] = { NULL, NULL };
	struct ay_err err = { 0 };

	return !ay_rtc_load(r->d, text, 2, name, function, &err) && function[0] && function[1];
}

/* Returns the path of the cache's only file. */
static char *cached_file(struct fixture *r)
{
	glob_t g;
	char *path;

	CHECK(!glob(ay_sprintf(&r->a, "%s/assay/cuda/*", r->dir), 0, NULL, &g) && g.gl_pathc == 1);
	path = ay_strdup(&r->a, g.gl_pathv[0]);
	globfree(&g);
	return path;
}

TEST(rtc_compiles_once)
{
	struct ay_err err = { 0 };
	struct fixture r;
	char *log;
	size_t len;

	setup(&r, true);
	CHECK(loads(&r, source) && compiled(&r) == 1);
	CHECK(loads(&r, source) && compiled(&r) == 1);
	CHECK(!ay_file_read(&r.a, ay_sprintf(&r.a, "%s/log", r.dir), 1 << 20, &log, &len, &err));
	CHECKF(strstr(log, "--gpu-architecture=sm_90a"), "%s", log);
	/* another text, and another NVRTC */
	CHECK(loads(&r, ay_sprintf(&r.a, "%s ", source)) && compiled(&r) == 2);
	setenv("FAKE_NVRTC_MINOR", "1", 1);
	CHECK(loads(&r, source) && compiled(&r) == 3);
	finish(&r);
}

/* A cache file that another user may have written, or a damaged one, is not used but replaced. */
TEST(rtc_takes_only_its_own_cache)
{
	struct ay_err err = { 0 };
	struct fixture r;
	struct stat st;
	char *path, *data, *other;
	size_t len;

	setup(&r, true);
	CHECK(loads(&r, source) && compiled(&r) == 1);
	path = cached_file(&r);
	CHECK(!stat(path, &st) && !(st.st_mode & 022));
	CHECK(!chmod(path, 0666) && loads(&r, source) && compiled(&r) == 2);
	CHECK(!stat(path, &st) && !(st.st_mode & 022)); /* replaced */
	if (!geteuid()) {
		CHECK(!chown(path, 12345, 12345) && loads(&r, source) && compiled(&r) == 3);
		CHECK(!stat(path, &st) && !st.st_uid);
	} else {
		unlink(path);
		CHECK(loads(&r, source) && compiled(&r) == 3);
	}
	/* one bit, its end, the whole file */
	CHECK(!ay_file_read(&r.a, path, 1 << 20, &data, &len, &err));
	data[len - 20] ^= 1;
	CHECK(!ay_file_write(path, data, len, &err) && loads(&r, source) && compiled(&r) == 4);
	data[len - 20] ^= 1;
	CHECK(!ay_file_write(path, data, len, &err) && loads(&r, source) && compiled(&r) == 4);
	CHECK(!ay_file_write(path, data, len - 1, &err) && loads(&r, source) && compiled(&r) == 5);
	CHECK(!ay_file_write(path, "", 0, &err) && loads(&r, source) && compiled(&r) == 6);
	CHECK(!ay_file_write(path, "no line", 7, &err) && loads(&r, source) && compiled(&r) == 7);
	CHECK(loads(&r, source) && compiled(&r) == 7);
	/* a link, even to the right content */
	other = ay_sprintf(&r.a, "%s/other", r.dir);
	CHECK(!rename(path, other) && !symlink(other, path) && loads(&r, source) && compiled(&r) == 8);
	CHECK(!lstat(path, &st) && S_ISREG(st.st_mode));
	finish(&r);
}

/* Without a folder there is no cache, and everything works. */
TEST(rtc_works_without_a_cache)
{
	struct fixture r;

	setup(&r, true);
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	CHECK(loads(&r, source) && loads(&r, source) && compiled(&r) == 2);
	setenv("XDG_CACHE_HOME", "/proc/no such folder", 1);
	CHECK(loads(&r, source) && compiled(&r) == 3);
	finish(&r);
}

TEST(rtc_says_what_is_wrong)
{
	static const char *const name[] = { "one", "three" };
	void *function[2];
	struct ay_err err = { 0 };
	struct fixture r;

	setup(&r, true);
	CHECK(ay_rtc_load(ay_dev_cpu(), source, 1, name, function, &err) &&
	      strstr(err.msg, "cpu runs no kernels"));
	ay_err_clear(&err);
	CHECK(ay_rtc_load(r.d, "#error\n", 1, name, function, &err));
	CHECKF(strstr(err.msg, "#error \\x1b said so") && strstr(err.msg, "sm_90a"), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_rtc_load(r.d, source, 2, name, function, &err) && strstr(err.msg, "does not take"));
	ay_err_clear(&err);
	setenv("FAKE_CUDA", "module", 1);
	CHECK(ay_rtc_load(r.d, source, 1, name, function, &err));
	CHECKF(strstr(err.msg, "the driver (CUDA 13.0) does not take what NVRTC 13.0 made"), "%s", err.msg);
	finish(&r);
}

/* A real NVRTC needs the real driver; the fake one does not suffice. */
static bool has_nvrtc(void)
{
	static const char *const place[] = { "/usr/local/cuda/lib64/libnvrtc.so*",
					     "/opt/cuda/lib64/libnvrtc.so*" };
	static const char *const name[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
					    "libnvrtc.so" };

	for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
		glob_t g = { 0 };
		const bool found = !glob(place[i], 0, NULL, &g);

		globfree(&g);
		if (found)
			return true;
	}
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (dlopen(name[i], RTLD_NOW | RTLD_LOCAL))
			return true;
	return false;
}

TEST(rtc_says_what_to_install)
{
	static const char *const name[] = { "one" };
	void *function[1];
	struct ay_err err = { 0 };
	struct fixture r;

	if (has_nvrtc())
		test_skip("there is an NVRTC here");
	setup(&r, false);
	unsetenv("CUDA_HOME");
	unsetenv("CUDA_PATH");
	setenv("ASSAY_PYTHON", "/no/python3", 1);
	CHECK(ay_rtc_load(r.d, source, 1, name, function, &err));
	CHECKF(strstr(err.msg, "NVRTC") && strstr(err.msg, "libnvrtc.so.13") && strstr(err.msg, "CUDA_HOME"), "%s",
	       err.msg);
	/* and an NVRTC in CUDA's folder */
	CHECK(!ay_file_mkdirs(ay_sprintf(&r.a, "%s/cuda/lib64", r.dir), &err));
	setenv("CUDA_HOME", ay_sprintf(&r.a, "%s/cuda", r.dir), 1);
	CHECK(help_cc(&r.a, "tests/cuda/fake_nvrtc.c", ay_sprintf(&r.a, "%s/cuda/lib64/libnvrtc.so.13", r.dir)));
	CHECK(loads(&r, source) && compiled(&r) == 1);
	finish(&r);
}

/* The judge's own text, as it is carried: whole without an include, every kernel under its name,
 * nothing to warn of. */
TEST(rtc_carried_text_is_cuda)
{
	static const char *const name[] = { "assay_make",  "assay_same",   "assay_compare",
					    "assay_widen", "assay_square", "assay_bound" };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *nvcc = ay_file_program(&a, "nvcc"), *dir = test_dir();
	char *out = "", *cmd;

	if (!nvcc)
		nvcc = ay_file_program(&a, "/usr/local/cuda/bin/nvcc");
	if (!nvcc)
		test_skip("no nvcc here");
	cmd = ay_sprintf(&a,
			 "%s -arch=sm_90a -std=c++17 -Werror all-warnings -cubin -o %s/own.cubin %s/own.cu 2>&1",
			 nvcc, dir, dir);
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/own.cu", dir), ay_embedded_cuda, strlen(ay_embedded_cuda), &err));
	CHECKF(!help_run(&a, cmd, 100, &out), "%s", out);
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		CHECKF(!help_run(&a, ay_sprintf(&a, "grep -q '%s' %s/own.cubin", name[i], dir), 10, &out), "%s",
		       name[i]);
	/* and a fault in it is seen */
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/own.cu", dir), ay_embedded_cuda + 1, strlen(ay_embedded_cuda) - 1,
			     &err));
	CHECK(help_run(&a, cmd, 100, &out));
	ay_arena_release(&a);
}
