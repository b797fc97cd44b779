/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/baseline.h"
#include "base/process.h"
#include "device/shared_library.h"
#include "op/proto.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern const char ay_baseline_openblas[], ay_baseline_openblas_end[];
extern const char ay_baseline_cublas[], ay_baseline_cublas_end[];
ay_describe openblas_describe, cublas_describe;

static const struct library {
	const char *name, *title, *get;
	const char *source, *end;
	ay_describe *describe;
	/* for GPUs: the file's name without ".so"; it may lie anywhere, and the source gets its
	 * path */
	const char *cuda;
} libraries[] = {
	{ "openblas", "OpenBLAS", "apt install libopenblas0-pthread", ay_baseline_openblas,
	  ay_baseline_openblas_end, openblas_describe, NULL },
	{ "cublas", "cuBLAS", "install the CUDA toolkit, or a torch that brings it (--python)", ay_baseline_cublas,
	  ay_baseline_cublas_end, cublas_describe, "libcublas" },
};

enum {
	COUNT = sizeof libraries / sizeof *libraries,
	TEXT_BYTES = 4400, /* includes a path */
	NEWEST_CUDA = 13,
	OLDEST_CUDA = 12,
};
#define ASK_S 20.0

const char *const ay_baseline_names[COUNT + 1] = { "openblas", "cublas" };

static const struct library *find_library(const char *name, struct ay_err *err)
{
	struct ay_str known = { 0 };

	for (int i = 0; i < COUNT; i++) {
		if (!strcmp(libraries[i].name, name))
			return &libraries[i];
		ay_str_addf(&known, "%s%s", i ? ", " : "", libraries[i].name);
	}
	ay_fail(err, AY_ERR_USAGE, "no baseline '%s' (there are: %s)", name, ay_str_text(&known));
	ay_str_release(&known);
	return NULL;
}

bool ay_baseline_is_cuda(const char *name)
{
	struct ay_err err = { 0 };
	const struct library *l = find_library(name, &err);

	AY_ASSERT(l);
	return l->cuda;
}

/* --- asking the library -------------------------------------------------------------------------------------- */

/* Runs `describe` in the child. Libraries may print warnings anywhere; only the description goes
 * through the pipe. */
static _Noreturn void answer(ay_describe *describe, const char *library, int to)
{
	char text[TEXT_BYTES] = "";
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), rc;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	rc = describe(library, text, sizeof text);
	if (write(to, text, strlen(text)) < 0)
		rc = -1;
	_exit(rc ? 1 : 0);
}

/* Returns the text with unprintable characters escaped, line by line. */
static const char *safe_text(struct ay_arena *a, const struct ay_str *s)
{
	struct ay_str b = { 0 };
	const char *at = ay_str_text(s);
	const size_t line = strcspn(at, "\n");
	char *text;

	ay_str_add_safe(&b, at, line, TEXT_BYTES);
	if (at[line])
		ay_str_addc(&b, '\n');
	if (at[line])
		ay_str_add_safe(&b, at + line + 1, strlen(at + line + 1), TEXT_BYTES);
	text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

int ay_baseline_describe(ay_describe *describe, const char *library, double timeout_s, struct ay_arena *a,
			 const char **version, const char **why, struct ay_err *err)
{
	struct ay_run_result res = { 0 };
	int end[2];
	pid_t pid;

	*version = *why = NULL;
	if (pipe2(end, O_CLOEXEC))
		return ay_fail_errno(err, AY_ERR_SYS, "a pipe");
	pid = fork();
	if (pid < 0) {
		close(end[0]);
		close(end[1]);
		return ay_fail_errno(err, AY_ERR_SYS, "a process to load a library in");
	}
	if (!pid)
		answer(describe, library, end[1]);
	setpgid(pid, pid); /* the child does this too, because either may run first */
	close(end[1]);
	ay_process_follow(pid, end[0], timeout_s, TEXT_BYTES, &res);
	if (res.timed_out)
		*why = ay_sprintf(a, "was not loaded within %g s", timeout_s);
	else if (res.status < 0)
		*why = ay_sprintf(a, "died of signal %d (%s) while it was loaded", -res.status,
				  strsignal(-res.status));
	else if (res.status)
		*why = safe_text(a, &res.output);
	else
		*version = safe_text(a, &res.output);
	ay_str_release(&res.output);
	return 0;
}

/* Returns true if the path can stand between quotes in C. */
static bool is_plain(const char *path)
{
	for (const char *p = path; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return false;
	return path[0] == '/';
}

/* Splits the two lines of a description. The first stays as the version; source and folders follow
 * from the path in the second. */
static bool take_place(const struct library *l, struct ay_arena *a, struct ay_baseline *b)
{
	const char **folders = AY_NEW_N(a, const char *, 2);
	const char *cut = strchr(b->version, '\n'), *slash;

	if (!cut || !is_plain(cut + 1))
		return false;
	b->path = cut + 1;
	slash = strrchr(b->path, '/');
	b->version = ay_strndup(a, b->version, (size_t)(cut - b->version));
	folders[0] = ay_strndup(a, b->path, (size_t)(slash - b->path));
	b->folders = folders;
	b->source = ay_sprintf(a, "#define CUBLAS \"%s\"\n%s", b->path, l->source);
	b->len = strlen(b->source);
	return true;
}

/* Tries one place after the other until the library reports its version. If none does, *why is the
 * reason of the first library that exists. */
static int ask_places(const struct library *l, const char *python, struct ay_arena *a, struct ay_baseline *b,
		      const char **why, struct ay_err *err)
{
	static const char missing[] = "is not installed";

	*why = missing;
	for (const char *const *p = ay_cuda_places(a, l->cuda, NEWEST_CUDA, OLDEST_CUDA, python); *p; p++) {
		const char * not ;

		if (ay_baseline_describe(l->describe, *p, ASK_S, a, &b->version, &not, err))
			return -1;
		if (!not &&take_place(l, a, b)) {
			*why = NULL;
			return 0;
		}
		b->version = NULL;
		if (not &&!strcmp(*why, missing))
			*why = not ;
	}
	return 0;
}

int ay_baseline_ask(const char *name, const char *python, struct ay_arena *a, struct ay_baseline *b,
		    struct ay_err *err)
{
	const struct library *l = find_library(name, err);
	const char *why;
	int rc;

	if (!l)
		return -1;
	*b = (struct ay_baseline){ .name = l->name, .source = l->source, .len = (size_t)(l->end - l->source) };
	rc = l->cuda ? ask_places(l, python, a, b, &why, err)
		     : ay_baseline_describe(l->describe, NULL, ASK_S, a, &b->version, &why, err);
	if (rc)
		return -1;
	if (why) {
		b->source = NULL;
		b->len = 0;
		b->why = ay_sprintf(a, "%s %s: %s", l->title, why, l->get);
	}
	return 0;
}

/* --- finding the function ------------------------------------------------------------------------------------ */

/* Returns true if the source defines the function. Definitions begin a line: "int SYMBOL(". */
static bool defines(const struct library *l, const struct ay_schema *s, struct ay_arena *a)
{
	return strstr(l->source, ay_sprintf(a, "\nint %s(", ay_proto_symbol(a, s)));
}

int ay_baseline_find(const char *name, const struct ay_registry *r, const struct ay_schema *s, const char *python,
		     struct ay_arena *a, struct ay_baseline *b, struct ay_err *err)
{
	const struct library *l = find_library(name, err);
	const struct ay_entry_op *owner;
	const struct ay_schema *f;

	if (!l)
		return -1;
	f = ay_registry_functional(r, s, &owner);
	if (defines(l, s, a) || (f && defines(l, f, a)))
		return ay_baseline_ask(name, python, a, b, err);
	*b = (struct ay_baseline){ .name = l->name };
	b->why = ay_sprintf(a, "%s has no function for this operator", l->name);
	return 0;
}
