/* SPDX-License-Identifier: Apache-2.0
 *
 * trace - runs a user's script under the user's interpreter, with a recorder
 * (torch/assay/trace.py). The script is not jailed: it has this process's environment, folder,
 * input and output.
 */
#include "cmd.h"
#include "base/file.h"
#include "exec/python.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FD_HIGH = 64, SIGNALLED = 128 };

static const struct usage usage = {
	"assay trace [options] -- [PYTHON] SCRIPT [arguments]\n"
	"       assay trace [options] -- [PYTHON] -m MODULE [arguments]",
	"Runs a script and records its calls of aten, forward and backward, as a suite of case lines: shapes, "
	"strides,\n"
	"dtypes, scalars, and how often each call was made. The script's exit status is ours.\n"
	"`python` and `python3` stand for the interpreter that Python kernels get (see: assay doctor); any other "
	"is used\n"
	"as it is.",
	"  assay trace -- python model.py --steps 1\n"
	"  assay trace -o bert.trace -- python -m mypackage.train\n"
	"  assay eval --suite bert.trace --kernels generated_kernels\n",
	.command = true,
};

struct trace {
	const char *python, *out;
	bool quiet;
	int nflag; /* options of the interpreter: -u, -O, -X dev */
	const char **flag;
	int n; /* script and arguments, or -m, module and arguments */
	const char **word;
};

/* --- the command line ------------------------------------------------------------------------- */

/* Returns true for python, python3, python3.11 in any folder. */
static bool is_python(const char *word)
{
	const char *name = ay_file_basename(word);

	return !strncmp(name, "python", 6) && !name[6 + strspn(name + 6, "0123456789.")];
}

/* Finds the interpreter that the word names, unless the word means any interpreter. */
static int take_python(struct app *app, struct trace *t, const char *word, struct ay_err *err)
{
	if (t->python || !strcmp(word, "python") || !strcmp(word, "python3"))
		return 0;
	t->python = strchr(word, '/') ? word : ay_file_program(app->arena, word);
	return t->python ? 0 : ay_fail(err, AY_ERR_USAGE, "there is no '%s' in $PATH", word);
}

static int take_words(struct app *app, struct trace *t, int n, const char **argv, struct ay_err *err)
{
	int i = 0;

	if (n && is_python(argv[0])) {
		if (take_python(app, t, argv[i++], err))
			return -1;
		t->flag = argv + i;
		while (i < n && argv[i][0] == '-' && argv[i][1] && !strchr("mc", argv[i][1]))
			i += !strcmp(argv[i], "-X") || !strcmp(argv[i], "-W") ? 2 : 1;
		i = i < n ? i : n;
		t->nflag = (int)(argv + i - t->flag);
	}
	t->word = argv + i;
	t->n = n - i;
	if (!t->n || (!strcmp(t->word[0], "-m") && t->n < 2))
		return ay_fail(err, AY_ERR_USAGE,
			       "trace: name a script, or -m and a module (see: assay trace --help)");
	if (t->word[0][0] == '-' && strcmp(t->word[0], "-m"))
		return ay_fail(err, AY_ERR_USAGE,
			       "trace: '%s' is no script; what is to be traced needs a file or a module",
			       t->word[0]);
	if (t->word[0][0] != '-' && access(t->word[0], R_OK))
		return ay_fail_errno(err, AY_ERR_USAGE, "cannot read the script '%s'", t->word[0]);
	return 0;
}

/* Returns trace-NAME.trace, where NAME is the script without folder and suffix, or the module. */
static const char *default_out(struct app *app, const struct trace *t)
{
	const char *name = !strcmp(t->word[0], "-m") ? t->word[1] : ay_file_basename(t->word[0]);
	const size_t n = strlen(name);
	const bool py = n > 3 && !strcmp(name + n - 3, ".py");

	return ay_sprintf(app->arena, "trace-%.*s.trace", (int)(py ? n - 3 : n), name);
}

/* Checks that the output can be written before the script runs, which may take an hour. */
static int check_out(struct app *app, const char *out, struct ay_err *err)
{
	const char *slash = strrchr(out, '/');
	const char *dir = !slash ? "." : slash == out ? "/" : ay_strndup(app->arena, out, (size_t)(slash - out));
	struct stat st;

	if (!stat(out, &st) && S_ISDIR(st.st_mode))
		return ay_fail(err, AY_ERR_USAGE, "cannot write '%s': it is a folder", out);
	if (access(dir, W_OK | X_OK))
		return ay_fail_errno(err, AY_ERR_IO, "cannot write '%s'", out);
	return 0;
}

/* --- the script ------------------------------------------------------------------------------- */

static _Noreturn void become(const char *path, const char **argv, int pack)
{
	struct ay_err err = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL); /* ignored by cmd/main.c */
	signal(SIGXFSZ, SIG_DFL);
	/* dup2 onto the same number would keep close-on-exec */
	pack = fcntl(pack, F_DUPFD, FD_HIGH);
	if (pack >= 0 && dup2(pack, AY_PYTHON_PACK) >= 0) {
		close(pack);
		execv(path, (char *const *)argv);
	}
	ay_fail_errno(&err, AY_ERR_SYS, "cannot run '%s'", path);
	fprintf(stderr, "assay: %s\n", err.msg);
	_exit(127);
}

/* Runs the script and stores its wait status. This process ignores signals of the terminal, so that
 * the script can handle them. */
static int run(const char *path, const char **argv, int *status, struct ay_err *err)
{
	const int pack = ay_python_pack(err);
	pid_t pid;

	if (pack < 0)
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(path, argv, pack);
	close(pack);
	if (pid < 0)
		return ay_fail_errno(err, AY_ERR_SYS, "cannot start '%s'", path);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	return 0;
}

static const char **arguments(struct app *app, const struct trace *t, const char *path)
{
	const char **argv = AY_NEW_N(app->arena, const char *, t->nflag + t->n + 8);
	int n = 0;

	argv[n++] = path;
	for (int i = 0; i < t->nflag; i++)
		argv[n++] = t->flag[i];
	argv[n++] = "-c";
	argv[n++] = ay_python_boot;
	argv[n++] = "assay.trace";
	argv[n++] = t->out;
	argv[n++] = t->quiet ? "quiet" : "";
	for (int i = 0; i < t->n; i++)
		argv[n++] = t->word[i];
	return argv;
}

/* Returns true if the file is new or changed. The recorder replaces the file. */
static bool is_new(const char *out, const struct stat *before, bool was)
{
	struct stat st;

	return !stat(out, &st) && (!was || st.st_ino != before->st_ino || st.st_dev != before->st_dev);
}

int cmd_trace(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct trace t = { 0 };
	const struct opt opts[] = {
		{ "out|o", OPT_TEXT, &t.out, "FILE", "where the suite goes (trace-SCRIPT.trace); also -o" },
		{ "python", OPT_TEXT, &t.python, "P",
		  "the interpreter (default: the one that assay uses for kernels)" },
		{ "quiet", OPT_FLAG, &t.quiet, NULL, "say nothing when all went well" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err), status;
	const char *path;
	struct stat before;
	bool was;

	if (n < 0)
		return opt_status(n);
	if (take_words(app, &t, n, argv, err))
		return EXIT_FAILED;
	t.out = t.out ? t.out : default_out(app, &t);
	if (check_out(app, t.out, err) || ay_python_find(app->arena, t.python, &path, err))
		return EXIT_FAILED;
	was = !stat(t.out, &before);
	if (run(path, arguments(app, &t, path), &status, err))
		return EXIT_FAILED;
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "assay: the script was ended by signal %d (%s); no trace is written\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
		return SIGNALLED + WTERMSIG(status);
	}
	if (!WEXITSTATUS(status) && !is_new(t.out, &before, was))
		return ay_fail(err, AY_ERR_EXEC,
			       "the script ended in a way that left no time to write its calls down "
			       "(os._exit?); no trace is written"),
		       EXIT_FAILED;
	return WEXITSTATUS(status);
}
