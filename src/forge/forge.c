/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. A build is a jail (sandbox/jail.h) with a working folder of its own. The
 * folder holds the source under a fixed name, the glue, and the headers of headers.h. One compiler runs there, with
 * a fixed command line, an environment set by the forge, and limits of time, memory and size. It
 * sees itself, its libraries and this machine's headers, and no other file. Then one regular file
 * is copied out into a sealed memfd, and the folder is deleted. Nothing that the source's author
 * chose becomes a file name or an argument.
 *
 * The cache holds objects as <key>.so. The key is the SHA-256 of everything that went into the
 * build. No jail sees the cache. Only the judge writes there, from the memfd, by rename. It reads
 * without following links, and copies what it reads before use: changing a cached file later has no
 * effect on a running kernel.
 */
#include "forge/forge.h"
#include "forge/headers.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/str.h"
#include "sandbox/jail.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_MAX = 8 << 10, OUTPUT_MAX = 256 << 10, OBJECT_MAX = 64 << 20, MAX_ARGS = 32, MAX_ALSO = 8 };

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* The state of one build. */
struct forge_job {
	struct ay_forge *f;
	struct ay_arena *a;
	enum ay_lang lang;
	const char *source;
	size_t len;
	struct ay_str glue;
	const char *argv[MAX_ARGS];
	int argc;
	const char *dir; /* the working folder, as the compiler names it */
	const char *also[MAX_ALSO];
	char key[AY_SHA256_HEX];
};

/* --- compilers -------------------------------------------------------------------------------- */

static char *find_first(struct ay_arena *a, const char *const *names)
{
	for (int i = 0; names[i]; i++) {
		char *path = ay_file_program(a, names[i]);

		if (path)
			return path;
	}
	return NULL;
}

const char *ay_forge_version(struct ay_arena *a, const char *program, struct ay_err *err)
{
	const char *argv[] = { program, "--version", NULL };
	struct ay_run_spec spec = { .argv = argv, .timeout_s = 20, .output_max = 4096 };
	struct ay_run_result res;
	struct ay_str safe = { 0 };
	char *line = NULL;

	if (ay_process_run(&spec, &res, err))
		return NULL;
	if (res.status || res.timed_out)
		ay_fail(err, AY_ERR_BUILD, "'%s --version' fails: it is no compiler that works", program);
	else
		ay_str_add_safe(&safe, ay_str_text(&res.output), strcspn(ay_str_text(&res.output), "\n"), 200);
	if (!err->code)
		line = ay_strdup(a, ay_str_text(&safe));
	ay_str_release(&safe);
	ay_str_release(&res.output);
	return line;
}

/* Returns a text that identifies the compiler for the cache: an upgrade changes the file. Running
 * it for its version would cost 30 ms. */
static char *identity(struct ay_arena *a, const char *program)
{
	char real[PATH_MAX];
	struct stat st = { 0 };

	if (!realpath(program, real) || stat(real, &st))
		snprintf(real, sizeof real, "%s", program);
	return ay_sprintf(a, "%s %lld %lld.%09ld", real, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			  st.st_mtim.tv_nsec);
}

static int choose_cache(struct ay_forge *f, const char *dir, struct ay_err *err)
{
	if (dir && !dir[0])
		return 0;
	f->cache_dir = dir ? ay_strdup(&f->arena, dir) : ay_machine_cache(&f->arena);
	if (!f->cache_dir || !ay_file_mkdirs(f->cache_dir, err))
		return 0;
	if (dir)
		return -1;
	ay_err_clear(err); /* a home that is not writable is no reason not to compile */
	f->cache_dir = NULL;
	return 0;
}

int ay_forge_init(struct ay_forge *f, const char *cache_dir, struct ay_err *err)
{
	static const char *const ccs[] = { "clang",    "clang-19", "clang-18", "clang-17", "clang-16",
					   "clang-15", "clang-14", "gcc",      "cc",       NULL };
	static const char *const nvccs[] = { "nvcc", "/usr/local/cuda/bin/nvcc", NULL };
	static const char *const cxxs[] = { "clang++",    "clang++-19", "clang++-18", "clang++-17", "clang++-16",
					    "clang++-15", "clang++-14", "g++",        "c++",        NULL };
	const char *own = getenv("ASSAY_CC"), *own_cxx = getenv("ASSAY_CXX"), *own_nvcc = getenv("ASSAY_NVCC");

	*f = (struct ay_forge){ .cuda_arch = "sm_90" };
	if (own && own[0] && !(f->cc = ay_file_program(&f->arena, own)))
		return ay_fail(err, AY_ERR_USAGE, "ASSAY_CC names '%s', which is no program", own);
	if (own_cxx && own_cxx[0] && !(f->cxx = ay_file_program(&f->arena, own_cxx)))
		return ay_fail(err, AY_ERR_USAGE, "ASSAY_CXX names '%s', which is no program", own_cxx);
	if (own_nvcc && own_nvcc[0] && !(f->nvcc = ay_file_program(&f->arena, own_nvcc)))
		return ay_fail(err, AY_ERR_USAGE, "ASSAY_NVCC names '%s', which is no program", own_nvcc);
	if (!f->cc)
		f->cc = find_first(&f->arena, ccs);
	if (!f->cxx)
		f->cxx = find_first(&f->arena, cxxs);
	if (!f->nvcc)
		f->nvcc = find_first(&f->arena, nvccs);
	f->nvcc_id = f->nvcc ? identity(&f->arena, f->nvcc) : NULL;
	f->cpu = ay_machine_cpu(&f->arena);
	f->cc_id = f->cc ? identity(&f->arena, f->cc) : NULL;
	f->cxx_id = f->cxx ? identity(&f->arena, f->cxx) : NULL;
	return choose_cache(f, cache_dir, err);
}

void ay_forge_release(struct ay_forge *f)
{
	ay_arena_release(&f->arena);
	*f = (struct ay_forge){ 0 };
}

/* --- the command ------------------------------------------------------------------------------ */

static void arg(struct forge_job *j, const char *s)
{
	AY_ASSERT(j->argc < MAX_ARGS - 1);
	j->argv[j->argc++] = s;
	j->argv[j->argc] = NULL;
}

static void args(struct forge_job *j, const char *const *s)
{
	for (; *s; s++)
		arg(j, *s);
}

/* The glue includes <stdint.h> before the source's first line, too early for a _GNU_SOURCE in
 * the source. */
static bool wants_gnu(const struct forge_job *j)
{
	return memmem(j->source, j->len, "_GNU_SOURCE", 11);
}

/* Links the CUDA runtime statically, because an executor sees only the driver's libraries. The host
 * code is compiled by g++ or, without it, by the C++ compiler found. */
static void make_cuda_command(struct forge_job *j)
{
	static const char *const common[] = {
		"-std=c++17", "-O3",    "-shared",   "-Xcompiler", "-fPIC,-Wall,-march=native",
		"-cudart",    "static", "-I.",       "-include",   "glue.h",
		"kernel.cu",  "-o",     "kernel.so", NULL
	};

	arg(j, j->f->nvcc);
	arg(j, ay_sprintf(j->a, "-arch=%s", j->f->cuda_arch));
	if (!ay_file_program(j->a, "g++") && j->f->cxx) {
		arg(j, "-ccbin");
		arg(j, j->f->cxx);
	}
	args(j, common);
}

/* Uses -O3 -march=native and no -ffast-math: a kernel that wants less exact arithmetic must say so
 * in its text. */
static void make_command(struct forge_job *j)
{
	static const char *const common[] = { "-O3", "-march=native", "-fPIC", "-shared", "-Wall", "-I.", NULL };

	if (j->lang == AY_LANG_CU) {
		make_cuda_command(j);
		return;
	}
	arg(j, j->lang == AY_LANG_CXX ? j->f->cxx : j->f->cc);
	arg(j, j->lang == AY_LANG_CXX ? "-std=gnu++17" : "-std=gnu11");
	args(j, common);
	if (j->lang == AY_LANG_C && wants_gnu(j))
		arg(j, "-D_GNU_SOURCE=");
	if (j->lang != AY_LANG_SO) {
		arg(j, "-include");
		arg(j, "glue.h");
	}
	arg(j, j->lang == AY_LANG_C ? "kernel.c" : j->lang == AY_LANG_CXX ? "kernel.cc" : "glue.c");
	arg(j, "-o");
	arg(j, "kernel.so");
	arg(j, "-lm");
	arg(j, "-ldl");
	arg(j, "-pthread");
}

static const char *command_text(const struct forge_job *j)
{
	struct ay_str b = { 0 };
	const char *text;

	for (int i = 0; i < j->argc; i++)
		ay_str_addf(&b, "%s%s", i ? " " : "", j->argv[i]);
	text = ay_strdup(j->a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

static void make_key(struct forge_job *j)
{
	struct ay_hash h;

	ay_hash_init(&h);
	ay_hash_add_str(&h, "assay object 2");
	ay_hash_add(&h, &j->len, sizeof j->len);
	ay_hash_add(&h, j->source, j->len);
	ay_hash_add_str(&h, ay_str_text(&j->glue));
	for (int i = 0; i < AY_NKERNEL_HEADERS; i++) {
		const struct ay_kernel_header *header = &ay_kernel_headers[i];
		const size_t n = (size_t)(header->end - header->text);

		ay_hash_add_str(&h, header->path);
		ay_hash_add(&h, &n, sizeof n);
		ay_hash_add(&h, header->text, n);
	}
	for (int i = 0; i < j->argc; i++)
		ay_hash_add_str(&h, j->argv[i]);
	if (j->lang == AY_LANG_CU)
		ay_hash_add_str(&h, j->f->nvcc_id);
	if (j->lang == AY_LANG_CXX ? j->f->cxx_id : j->f->cc_id)
		ay_hash_add_str(&h, j->lang == AY_LANG_CXX ? j->f->cxx_id : j->f->cc_id);
	ay_hash_add_str(&h, j->f->cpu);
	ay_hash_end(&h, j->key);
}

/* --- files ------------------------------------------------------------------------------------ */

static int put(int to, const char *data, size_t n)
{
	while (n) {
		ssize_t w = write(to, data, n);

		if (w < 0)
			return -1;
		data += w;
		n -= (size_t)w;
	}
	return 0;
}

static int copy_out(int from, int to, size_t n)
{
	char buf[65536];

	while (n) {
		ssize_t k = read(from, buf, n < sizeof buf ? n : sizeof buf);

		if (k <= 0 || put(to, buf, (size_t)k))
			return -1;
		n -= (size_t)k;
	}
	return 0;
}

/* Copies n bytes of an open file, or those at `data`, into a sealed memfd. Returns -1
 * on failure. */
static int seal(int from, const char *data, size_t n)
{
	int to = memfd_create("assay-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (to < 0)
		to = memfd_create("assay-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (to >= 0 && ((data ? put(to, data, n) : copy_out(from, to, n)) ||
			fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))) {
		close(to);
		to = -1;
	}
	return to;
}

/* Copies a file into a sealed memfd. Returns -1 unless it is a regular file with one link, not
 * reached by a symbolic link, and of at most OBJECT_MAX bytes. */
static int seal_file(int dir, const char *path)
{
	int from = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), to = -1;
	struct stat st;

	if (from < 0)
		return -1;
	if (!fstat(from, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_size > 0 &&
	    st.st_size <= OBJECT_MAX)
		to = seal(from, NULL, (size_t)st.st_size);
	close(from);
	return to;
}

static char *cache_path(const struct forge_job *j)
{
	return ay_sprintf(j->a, "%s/%s.so", j->f->cache_dir, j->key);
}

/* Writes the object to the cache from the memfd, so that both are equal. Failures are ignored. */
static void cache_add(struct forge_job *j, int fd)
{
	struct ay_err ignored = { 0 };
	struct stat st;
	void *p;

	if (!j->f->cache_dir || fstat(fd, &st))
		return;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return;
	ay_file_write(cache_path(j), p, (size_t)st.st_size, &ignored);
	munmap(p, (size_t)st.st_size);
}

/* --- building --------------------------------------------------------------------------------- */

/* Removes the build folder's name from diagnostics: it means nothing to the author, and differs
 * from run to run. */
static const char *clean_log(struct forge_job *j, const char *text, size_t n)
{
	struct ay_str plain = { 0 }, safe = { 0 };
	const char *end = text + n, *dir = ay_sprintf(j->a, "%s/", j->dir), *log;
	size_t dn = strlen(dir);

	while (text < end) {
		const char *hit = memmem(text, (size_t)(end - text), dir, dn);

		ay_str_addn(&plain, text, (size_t)((hit ? hit : end) - text));
		text = hit ? hit + dn : end;
	}
	/* line by line, because ay_str_add_safe would escape newlines */
	for (const char *s = ay_str_text(&plain); *s && safe.len < LOG_MAX;) {
		size_t line = strcspn(s, "\n");

		ay_str_add_safe(&safe, s, line, LOG_MAX - safe.len);
		ay_str_addc(&safe, '\n');
		s += line + (s[line] == '\n');
	}
	log = ay_sprintf(j->a, "%.*s%s", LOG_MAX, ay_str_text(&safe), safe.len >= LOG_MAX ? "[cut]\n" : "");
	ay_str_release(&plain);
	ay_str_release(&safe);
	return log;
}

/* Lists the folders beside a compiler that is not under /usr, so that the jail shows them and
 * nothing else of that place. */
static void find_also(struct forge_job *j)
{
	static const char *const beside[] = { "bin", "lib", "lib64", "libexec", "include", "nvvm", "targets" };
	char *real = realpath(j->argv[0], NULL), *prefix = ay_strdup(j->a, real ? real : j->argv[0]), *cut;
	int n = 0;

	ay_xfree(real);
	for (int i = 0; i < 2 && (cut = strrchr(prefix, '/')); i++)
		*cut = 0;
	if (!prefix[0] || ay_starts(ay_sprintf(j->a, "%s/", prefix), "/usr/"))
		return;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		const char *path = ay_sprintf(j->a, "%s/%s", prefix, beside[i]);

		if (ay_file_exists(path))
			j->also[n++] = path;
	}
}

/* Lists what the compiler's folder holds: the headers, the source and the glue. */
static void list_files(const struct forge_job *j, struct ay_jail_file *file)
{
	static const char *const names[] = { [AY_LANG_C] = "kernel.c",
					     [AY_LANG_CXX] = "kernel.cc",
					     [AY_LANG_CU] = "kernel.cu",
					     [AY_LANG_SO] = "candidate.so" };

	for (int i = 0; i < AY_NKERNEL_HEADERS; i++) {
		const struct ay_kernel_header *h = &ay_kernel_headers[i];

		*file++ = (struct ay_jail_file){ h->path, h->text, (size_t)(h->end - h->text) };
	}
	*file++ = (struct ay_jail_file){ names[j->lang], j->source, j->len };
	*file = (struct ay_jail_file){ j->lang == AY_LANG_SO ? "glue.c" : "glue.h", ay_str_text(&j->glue),
				       j->glue.len };
}

/* Starts the compiler in its jail; *out is the read end of its output. */
static int start_compiler(struct forge_job *j, struct ay_sandbox *s, double timeout_s, struct ay_jailed *jail,
			  int *out, struct ay_err *err)
{
	struct ay_jail_file files[AY_NKERNEL_HEADERS + 2];
	const char *env[] = { "LC_ALL=C",
			      ay_sprintf(j->a, "PATH=%.*s:/usr/bin:/bin",
					 (int)(strrchr(j->argv[0], '/') - j->argv[0]), j->argv[0]),
			      "TMPDIR=.", NULL };
	int pipes[2], fd[3];
	struct ay_jail_spec spec = { .sandbox = s,
				     .kind = AY_JAIL_FORGE,
				     .exe = -1,
				     .argv = j->argv,
				     .env = env,
				     .fd = fd,
				     .nfd = 3,
				     .file = files,
				     .nfile = AY_NKERNEL_HEADERS + 2,
				     .also = j->also,
				     .limits = { .file_bytes = 256 << 20,
						 .folder_bytes = 512 << 20,
						 .address_bytes = 8ull << 30,
						 .cpu_s = (uint64_t)timeout_s + 2,
						 .files = 256,
						 .tasks = 64 } };

	list_files(j, files);
	if (pipe2(pipes, O_CLOEXEC))
		return ay_fail_errno(err, AY_ERR_SYS, "pipe");
	fd[0] = -1;
	fd[1] = fd[2] = pipes[1];
	*out = pipes[0];
	ay_jail_start(jail, &spec, err);
	close(pipes[1]);
	if (!err->code)
		ay_jail_wait(jail, err);
	if (err->code)
		close(pipes[0]);
	return err->code ? -1 : 0;
}

/* Fills `built` from the way the compiler ended. */
static void take_object(struct forge_job *j, const struct ay_run_result *res, int dir, double timeout_s,
			struct ay_built *built)
{
	built->wall_s = res->wall_s;
	built->log = clean_log(j, ay_str_text(&res->output), res->output.len);
	if (res->timed_out)
		built->log = ay_sprintf(j->a, "%sthe compiler was stopped after %g s\n", built->log, timeout_s);
	else if (res->status < 0)
		built->log = ay_sprintf(j->a, "%sthe compiler ended by signal %d\n", built->log, -res->status);
	else if (!res->status)
		built->fd = seal_file(dir, "kernel.so");
	if (!res->status && !res->timed_out && built->fd < 0)
		built->log = ay_sprintf(j->a, "%sthe compiler left no object of a sane size\n", built->log);
	built->ok = built->fd >= 0;
}

static int compile(struct forge_job *j, struct ay_sandbox *s, double timeout_s, struct ay_built *built,
		   struct ay_err *err)
{
	struct ay_run_result res = { 0 };
	struct ay_jailed jail = { 0 };
	int out = -1, rc = -1;

	find_also(j);
	if (!start_compiler(j, s, timeout_s, &jail, &out, err)) {
		j->dir = jail.path[0] ? ay_strdup(j->a, jail.path) : "/w";
		ay_process_follow(jail.pid, out, timeout_s, OUTPUT_MAX, &res);
		take_object(j, &res, jail.dir, timeout_s, built);
		ay_str_release(&res.output);
		rc = 0;
	} else if (jail.pid > 0) {
		kill(jail.pid, SIGKILL);
		waitpid(jail.pid, NULL, 0);
	}
	ay_jail_release(&jail);
	return rc;
}

static int build(struct forge_job *j, double timeout_s, struct ay_built *built, struct ay_err *err)
{
	struct ay_sandbox *own = NULL;
	int rc = -1;

	if (j->f->cache_dir && (built->fd = seal_file(AT_FDCWD, cache_path(j))) >= 0) {
		built->ok = built->cached = true;
		return 0;
	}
	if (j->f->sandbox || !ay_sandbox_new(&own, AY_SANDBOX_FULL, err))
		rc = compile(j, own ? own : j->f->sandbox, timeout_s, built, err);
	ay_sandbox_free(own);
	if (built->ok)
		cache_add(j, built->fd);
	return rc;
}

/* Accepts an object that the forge built elsewhere: its glue is inside. The executor refuses an
 * object that only has the name. */
static int take_as_is(struct forge_job *j, struct ay_built *built, struct ay_err *err)
{
	static const char name[] = "ay_glue_entries"; /* with its NUL: a word of the symbol table */

	if (!memmem(j->source, j->len, name, sizeof name))
		return ay_fail(
			err, AY_ERR_BUILD,
			"no C compiler here, and this object has no glue of assay's inside: install clang or "
			"gcc, or bring the object that assay keeps in its cache where it checked the source");
	built->fd = seal(-1, j->source, j->len);
	if (built->fd < 0)
		return ay_fail_errno(err, AY_ERR_SYS, "no memory for the object");
	built->ok = true;
	built->command = "taken as it is";
	return 0;
}

int ay_forge_build(struct ay_forge *f, struct ay_arena *a, const char *source, size_t len, enum ay_lang lang,
		   int nproto, const struct ay_proto *const *proto, double timeout_s, struct ay_built *built,
		   struct ay_err *err)
{
	struct forge_job j = { .f = f, .a = a, .lang = lang, .source = source, .len = len };
	struct ay_hash h;
	int rc;

	*built = (struct ay_built){ .fd = -1, .log = "" };
	ay_hash_init(&h);
	ay_hash_add(&h, source, len);
	ay_hash_end(&h, built->sha256);
	if (lang == AY_LANG_SO && !f->cc)
		return take_as_is(&j, built, err);
	if (lang == AY_LANG_CU && !f->nvcc)
		return ay_fail(
			err, AY_ERR_BUILD,
			"no CUDA compiler here (nvcc, in $PATH or /usr/local/cuda; ASSAY_NVCC names another): "
			"install the CUDA toolkit");
	if (lang == AY_LANG_CXX ? !f->cxx : lang == AY_LANG_CU ? false : !f->cc)
		return ay_fail(
			err, AY_ERR_BUILD,
			"no %s compiler here (tried clang, gcc; ASSAY_%s names another): install one, or check "
			"the object that assay built from this source on another machine",
			lang == AY_LANG_CXX ? "C++" : "C", lang == AY_LANG_CXX ? "CXX" : "CC");
	if (lang == AY_LANG_SO)
		ay_proto_glue_so(&j.glue, nproto, proto, "candidate.so");
	else if (lang == AY_LANG_CU)
		ay_proto_glue_cuda(&j.glue, nproto, proto);
	else
		ay_proto_glue(&j.glue, nproto, proto);
	make_command(&j);
	make_key(&j);
	built->command = command_text(&j);
	rc = build(&j, timeout_s, built, err);
	ay_str_release(&j.glue);
	return rc;
}
