/* SPDX-License-Identifier: Apache-2.0 */
#include "device/rtc.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/str.h"
#include "device/cuda.h"
#include "device/gpu.h"
#include "device/shared_library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CUBIN_MAX = 64 << 20,
	LOG_SHOWN = 600,
	/* the first NVRTC that generates code for a GPU, not for its driver's compiler */
	OLDEST = 11,
	OPTIONS = 3,
};

/*      field        symbol                      parameters */
#define NVRTC(F)                                                                             \
	F(version, "nvrtcVersion", (int *major, int *minor))                                 \
	F(create, "nvrtcCreateProgram",                                                      \
	  (void **p, const char *source, const char *name, int n, const char *const *header, \
	   const char *const *as))                                                           \
	F(compile, "nvrtcCompileProgram", (void *p, int n, const char *const *option))       \
	F(log_bytes, "nvrtcGetProgramLogSize", (void *p, size_t *n))                         \
	F(log, "nvrtcGetProgramLog", (void *p, char *s))                                     \
	F(cubin_bytes, "nvrtcGetCUBINSize", (void *p, size_t *n))                            \
	F(cubin, "nvrtcGetCUBIN", (void *p, char *s))                                        \
	F(destroy, "nvrtcDestroyProgram", (void **p))

struct nvrtc {
	void *library;
#define F(field, symbol, params) int(*field) params;
	NVRTC(F)
#undef F
	int major, minor;
};

/* One source on its way to the GPU; all of it lives in the arena. */
struct compile_job {
	struct ay_arena *a;
	const struct ay_dev_info *gpu;
	const char *source;
	struct nvrtc rtc;
	const char *option[OPTIONS];
	char *path; /* the cached file; NULL if there is no cache */
	char *cubin;
	size_t bytes;
};

/* --- finding NVRTC --------------------------------------------------------------------------------------- */

static bool open_symbols(struct nvrtc *n)
{
	const struct ay_symbol table[] = {
#define F(field, symbol, params) { symbol, offsetof(struct nvrtc, field) },
		NVRTC(F)
#undef F
	};

	return !ay_cuda_symbols(n->library, sizeof table / sizeof *table, table, n) &&
	       !n->version(&n->major, &n->minor);
}

/* Finds NVRTC. A driver accepts code from the NVRTC of its own CUDA version or an older one, so
 * versions are tried downwards from there. */
static int find_nvrtc(struct compile_job *j, struct ay_err *err)
{
	const int newest = j->gpu->driver / 1000;

	j->rtc.library = ay_cuda_library(j->a, "libnvrtc", newest, OLDEST, NULL);
	if (j->rtc.library && open_symbols(&j->rtc))
		return 0;
	return ay_fail(
		err, AY_ERR_SYS,
		"NVRTC, CUDA's compiler as a library, is not here: the judge compiles its own kernels with it. "
		"Install libnvrtc.so.%d (Debian and Ubuntu: cuda-nvrtc-%d-%d; pip: nvidia-cuda-nvrtc), and if "
		"it is not in /usr/local/cuda or where the loader looks, set CUDA_HOME",
		newest, newest, j->gpu->driver % 1000 / 10);
}

/* --- the cache ------------------------------------------------------------------------------------------- */

/* Returns the first line of a cached file: the hash of what follows. */
static char *head_of(struct ay_arena *a, const char *data, size_t n)
{
	char hex[AY_SHA256_HEX];
	struct ay_hash h;

	ay_hash_init(&h);
	ay_hash_add(&h, data, n);
	ay_hash_end(&h, hex);
	return ay_sprintf(a, "assay cubin %s\n", hex);
}

static void choose_path(struct compile_job *j)
{
	char *dir = ay_machine_cache(j->a), hex[AY_SHA256_HEX];
	struct ay_hash h;

	ay_hash_init(&h);
	ay_hash_add_str(&h, j->source);
	for (int i = 0; i < OPTIONS; i++)
		ay_hash_add_str(&h, j->option[i]);
	ay_hash_add_str(&h, ay_sprintf(j->a, "%d.%d", j->rtc.major, j->rtc.minor));
	ay_hash_end(&h, hex);
	j->path = dir ? ay_sprintf(j->a, "%s/cuda/%s.cubin", dir, hex) : NULL;
}

/* Returns the file's content if no other user can write to it; else NULL. */
static char *read_ours(struct compile_job *j, size_t *len)
{
	const int fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char *data = NULL;
	struct stat st;
	size_t got = 0;
	ssize_t n = 1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size <= CUBIN_MAX)
		data = ay_alloc(j->a, (size_t)st.st_size + 1);
	while (data && n > 0 && got < (size_t)st.st_size) {
		n = read(fd, data + got, (size_t)st.st_size - got);
		got += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	*len = got;
	return data;
}

static bool is_cached(struct compile_job *j)
{
	size_t len = 0, head;
	char *data = j->path ? read_ours(j, &len) : NULL, *end = data ? memchr(data, '\n', len) : NULL;

	if (!end)
		return false;
	head = (size_t)(end + 1 - data);
	j->bytes = len - head;
	j->cubin = ay_alloc(j->a, j->bytes + 1); /* aligned, as the loader of code may require */
	memcpy(j->cubin, end + 1, j->bytes);
	end[1] = 0; /* ends the line; the byte is a copied one or the spare one at the end */
	return !strcmp(data, head_of(j->a, j->cubin, j->bytes));
}

/* Writes to the cache. If that fails, nothing is lost but time. */
static void keep(struct compile_job *j)
{
	struct ay_err ignored = { 0 };
	struct ay_str file = { 0 };

	if (!j->path)
		return;
	ay_str_add(&file, head_of(j->a, j->cubin, j->bytes));
	ay_str_addn(&file, j->cubin, j->bytes);
	if (!ay_file_mkdirs(ay_strndup(j->a, j->path, (size_t)(strrchr(j->path, '/') - j->path)), &ignored))
		ay_file_write(j->path, file.s, file.len, &ignored);
	ay_str_release(&file);
}

/* --- compiling ------------------------------------------------------------------------------------------- */

static int refused(struct compile_job *j, void *program, int e, struct ay_err *err)
{
	struct ay_str said = { 0 };
	size_t n = 0;
	char *log;

	if (program && !j->rtc.log_bytes(program, &n) && n && n < CUBIN_MAX) {
		log = ay_alloc(j->a, n + 1);
		if (!j->rtc.log(program, log))
			ay_str_add_safe(&said, log, strlen(log), LOG_SHOWN);
	}
	ay_fail(err, AY_ERR_SYS, "NVRTC %d.%d does not compile the judge's kernels for %s (%s): error %d\n%s",
		j->rtc.major, j->rtc.minor, j->gpu->name, j->option[0], e, ay_str_text(&said));
	ay_str_release(&said);
	return -1;
}

static int compile(struct compile_job *j, struct ay_err *err)
{
	void *program = NULL;
	int rc = -1, e = j->rtc.create(&program, j->source, "assay.cu", 0, NULL, NULL);

	if (!e)
		e = j->rtc.compile(program, OPTIONS, j->option);
	if (!e)
		e = j->rtc.cubin_bytes(program, &j->bytes);
	if (!e) {
		j->cubin = ay_alloc(j->a, j->bytes + 1);
		e = j->rtc.cubin(program, j->cubin);
	}
	rc = e ? refused(j, program, e, err) : 0;
	if (program)
		j->rtc.destroy(&program);
	return rc;
}

static int make_cubin(struct compile_job *j, struct ay_err *err)
{
	if (find_nvrtc(j, err))
		return -1;
	j->option[0] = ay_sprintf(j->a, "--gpu-architecture=sm_%d%d%s", j->gpu->major, j->gpu->minor,
				  j->gpu->major >= 9 ? "a" : "");
	j->option[1] = "--std=c++17";
	/* as for the judge's C code: a kernel that wants a fused operation writes fma() */
	j->option[2] = "--fmad=false";
	choose_path(j);
	if (is_cached(j))
		return 0;
	if (compile(j, err))
		return -1;
	keep(j);
	return 0;
}

int ay_rtc_load(struct ay_dev *d, const char *source, int n, const char *const *name, void **function,
		struct ay_err *err)
{
	const struct ay_cuda *cu = ay_gpu_driver(d);
	struct ay_arena a = { 0 };
	struct compile_job j = { .a = &a, .gpu = &d->info, .source = source };
	void *module = NULL;
	int e, rc = -1;

	if (!cu)
		return ay_fail(err, AY_ERR_SYS, "%s runs no kernels of the judge", d->info.name);
	if (!make_cubin(&j, err)) {
		e = cu->module_load(&module, j.cubin);
		for (int i = 0; i < n && !e; i++)
			e = cu->module_function(&function[i], module, name[i]);
		rc = e ? ay_fail(err, AY_ERR_SYS,
				 "the driver (CUDA %d.%d) does not take what NVRTC %d.%d made of the judge's "
				 "kernels: "
				 "%s (%d)",
				 d->info.driver / 1000, d->info.driver % 1000 / 10, j.rtc.major, j.rtc.minor,
				 ay_cuda_error(cu, e), e)
		       : 0;
	}
	ay_arena_release(&a);
	return rc;
}
