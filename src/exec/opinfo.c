/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/opinfo.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/str.h"
#include "exec/python.h"
#include "tensor/dtype.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	EXPORT_S = 3600, /* it takes two minutes on one core here; other machines are slower */
	FILE_MAX = 256 << 20,
	FD_LINES = 5,
	FD_LEFT = 6,
	FDS = 7,
	KEY_CHARS = 12,
};

#define BIT(dt) (1u << AY_DT_##dt)
static const uint32_t usual = BIT(F32) | BIT(BF16) | BIT(I64) | BIT(C64);

/* The modules that write the suite: their text decides about its content. */
static const char *const modules[] = { "assay.opinfo", "assay.content", "assay.lines" };

static const char *dtype_list(struct ay_arena *a, uint32_t set, const char *between)
{
	struct ay_str b = { 0 };
	const char *s;

	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (set & 1u << dt)
			ay_str_addf(&b, "%s%s", b.len ? between : "", ay_dt_info((enum ay_dt)dt)->name);
	s = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

/* Makes a version or a list of names usable as part of a file name. */
static const char *tame(struct ay_arena *a, const char *text)
{
	char *s = ay_strdup(a, text);

	for (char *p = s; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			*p = '_';
	return s;
}

static void name_files(struct ay_arena *a, const struct ay_opinfo *o, uint32_t dtypes, const char *dir,
		       const char *torch, struct ay_opinfo_files *f)
{
	struct ay_hash h;
	char key[AY_SHA256_HEX];
	const char *stem;

	ay_hash_init(&h);
	ay_hash_add_str(&h, torch);
	ay_hash_add_str(&h, o->ops ? o->ops : "");
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		size_t len;
		const char *text = ay_python_source(modules[i], &len);

		if (text)
			ay_hash_add(&h, text, len);
	}
	ay_hash_end(&h, key);
	stem = ay_sprintf(a, "%s/opinfo-%.100s-%s-%.*s", dir, tame(a, torch), dtype_list(a, dtypes, "-"),
			  KEY_CHARS, key);
	f->lines = ay_sprintf(a, "%s.lines", stem);
	f->left = ay_sprintf(a, "%s.left", stem);
}

/* --- making the files ------------------------------------------------------------------------------------- */

/* Reports progress from lines such as "12 702", one after each entry. Only the last complete line
 * is used. */
static void tell(const struct ay_opinfo *o, struct ay_str *heard)
{
	char *end = heard->len ? strrchr(heard->s, '\n') : NULL, *line;
	int done, total;

	if (!end)
		return;
	*end = 0;
	line = strrchr(heard->s, '\n');
	if (o->progress && sscanf(line ? line + 1 : heard->s, "%9d %9d", &done, &total) == 2)
		o->progress(o->user, done, total);
	heard->len -= (size_t)(end + 1 - heard->s);
	memmove(heard->s, end + 1, heard->len + 1);
}

/* Reads until the output is closed. Returns false if that takes too long. */
static bool listen_to(const struct ay_opinfo *o, int fd)
{
	const int64_t deadline = ay_now_ns() + (int64_t)EXPORT_S * 1000000000;
	struct ay_str heard = { 0 };
	bool closed = false;

	while (!closed && ay_now_ns() < deadline) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char buf[4096];
		ssize_t n;

		if (poll(&p, 1, 1000) <= 0)
			continue;
		n = read(fd, buf, sizeof buf);
		closed = !n || (n < 0 && errno != EINTR);
		if (n > 0 && heard.len < sizeof buf)
			ay_str_addn(&heard, buf, (size_t)n);
		tell(o, &heard);
	}
	ay_str_release(&heard);
	return closed;
}

static int run_exporter(struct ay_arena *a, const struct ay_opinfo *o, uint32_t dtypes, const char *path,
			int words, const int out[2], struct ay_err *err)
{
	const char *args[] = { "assay.opinfo",
			       "--out",
			       ay_sprintf(a, "/proc/self/fd/%d", FD_LINES),
			       "--left",
			       ay_sprintf(a, "/proc/self/fd/%d", FD_LEFT),
			       "--dtypes",
			       dtype_list(a, dtypes, ","),
			       o->ops ? "--ops" : NULL,
			       o->ops,
			       NULL };
	int pipes[2], status = 0;
	bool ended;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return ay_fail_errno(err, AY_ERR_SYS, "pipe");
	pid = ay_python_start(path, args, (const int[FDS]){ -1, pipes[1], words, -1, -1, out[0], out[1] }, FDS,
			      err);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return -1;
	}
	ended = listen_to(o, pipes[0]);
	close(pipes[0]);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		return ay_fail(err, AY_ERR_EXEC, "%s: the samples of opinfo take longer than %d s", path,
			       EXPORT_S);
	if (WIFSIGNALED(status))
		return ay_fail(err, AY_ERR_EXEC, "%s: making the samples of opinfo ended with signal %d", path,
			       WTERMSIG(status));
	if (WEXITSTATUS(status))
		return ay_fail(err, AY_ERR_EXEC, "%s cannot make the samples of opinfo: %s", path,
			       ay_python_last_words(a, words));
	return 0;
}

/* Copies the content of a memfd to a file. */
static int keep(int fd, const char *path, struct ay_err *err)
{
	struct stat st;
	void *p;
	int rc;

	if (fstat(fd, &st))
		return ay_fail_errno(err, AY_ERR_SYS, "cannot read what was made of '%s'", path);
	if (!st.st_size || st.st_size > FILE_MAX)
		return ay_fail(err, AY_ERR_EXEC, "the samples of opinfo came out as %lld bytes",
			       (long long)st.st_size);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return ay_fail_errno(err, AY_ERR_SYS, "cannot read what was made of '%s'", path);
	rc = ay_file_write(path, p, (size_t)st.st_size, err);
	munmap(p, (size_t)st.st_size);
	return rc;
}

static int make(struct ay_arena *a, const struct ay_opinfo *o, uint32_t dtypes, const char *path,
		const struct ay_opinfo_files *f, struct ay_err *err)
{
	const int words = memfd_create("assay-words", MFD_CLOEXEC);
	const int out[2] = { memfd_create("assay-lines", MFD_CLOEXEC), memfd_create("assay-left", MFD_CLOEXEC) };
	int rc = -1;

	if (words < 0 || out[0] < 0 || out[1] < 0)
		ay_fail_errno(err, AY_ERR_SYS, "cannot make memory for the samples of opinfo");
	else if (!run_exporter(a, o, dtypes, path, words, out, err))
		rc = keep(out[1], f->left, err) || keep(out[0], f->lines, err) ? -1 : 0;
	for (int i = 0; i < 2; i++)
		if (out[i] >= 0)
			close(out[i]);
	if (words >= 0)
		close(words);
	return rc;
}

int ay_opinfo(struct ay_arena *a, const struct ay_opinfo *o, struct ay_opinfo_files *files, struct ay_err *err)
{
	const char *dir = o->cache ? o->cache : ay_machine_cache(a), *path, *torch;
	const uint32_t dtypes = o->dtypes & ~usual ? o->dtypes : usual;

	*files = (struct ay_opinfo_files){ 0 };
	if (!dir || !*dir)
		return ay_fail(err, AY_ERR_USAGE,
			       "the suite opinfo is made once and kept: name a folder with --cache");
	if (ay_python_find(a, o->python, &path, err) || ay_python_version(a, path, "torch", &torch, err))
		return -1;
	name_files(a, o, dtypes, dir, torch, files);
	if (ay_file_exists(files->lines) && ay_file_exists(files->left))
		return 0;
	files->made = true;
	return ay_file_mkdirs(dir, err) || make(a, o, dtypes, path, files, err) ? -1 : 0;
}
