/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd - what commands share. A command is one file cmd/<name>.c with a function cmd_<name> and one row here.
 */
#ifndef AY_CMD_H
#define AY_CMD_H

#include "base/arena.h"
#include "base/err.h"
#include "op/registry.h"

#include <stdbool.h>

/* Return value of a command = exit status: 0 fine, 1 a kernel did not pass, 2 usage or our failure (with err). */
enum { EXIT_PASSED = 0, EXIT_NOT_PASSED = 1, EXIT_FAILED = 2 };

/*      function   name        what it does */
#define AY_COMMANDS(C)                                                                     \
	C(check, "check", "judge a kernel: is it right, and how fast?")                    \
	C(eval, "eval", "judge a backend on a suite, and keep every record")               \
	C(llm, "llm", "have a language model write the kernels, and judge them")           \
	C(merge, "merge", "make one run of several")                                       \
	C(report, "report", "say what a run found, or what changed between two")           \
	C(trace, "trace", "record what a model calls of torch, as a suite")                \
	C(ops, "ops", "list the operators")                                                \
	C(show, "show", "describe an operator, or a case line")                            \
	C(mutants, "mutants", "prove the checkers: planted wrong answers must be refused") \
	C(doctor, "doctor", "say what this machine has and what is missing")               \
	C(new_op, "new-op", "start the file of a new operator")

/* For tests: the device of that number (below 0: each) fails once a worker has judged so many cases on it. */
struct device_fault {
	int device, after;
};

struct app {
	struct ay_registry *registry; /* grows when a command needs operators outside the catalogue */
	struct ay_arena *arena;       /* lives as long as the command */
	const char *version;
	const struct device_fault *fault; /* NULL: none is made to fail */
};

#define C(fn, name, text) int cmd_##fn(struct app *app, int argc, const char **argv, struct ay_err *err);
AY_COMMANDS(C)
#undef C

enum opt_kind { OPT_FLAG, OPT_TEXT, OPT_INT, OPT_REAL };

struct opt {
	const char *name; /* without the dashes; several spellings separated by '|', the first is shown */
	enum opt_kind kind;
	void *value;     /* bool *, const char **, int64_t *, double * */
	const char *arg; /* what the help calls the argument */
	const char *help;
	double lo, hi; /* what a number may be, both included; 0 and 0: any */
	bool empty;    /* '' is a value of a text */
};

/* For lo and hi: a number above 0, and one of which only its type says how large it may be. */
#define OPT_ABOVE_0 1e-300
#define OPT_ANY     9e18
enum { THREADS_MAX = 1024, WORKERS_MAX = 256 };
#define SECONDS_MAX 1e7

struct usage {
	const char *line;     /* "assay check FILE [options]" */
	const char *text;     /* what it does, a sentence or two */
	const char *examples; /* lines of commands */
	bool command;         /* the first operand begins a command: all behind it is its own */
	int most;             /* operands */
};

enum { OPERANDS_ANY = 1 << 20 };

/* Parses options anywhere among the arguments; what is left (operands) is moved to the front of argv. Gives their
 * number, -1 on a usage error, -2 if help was asked for and printed. "--" ends the options. */
int opt_parse(int argc, const char **argv, const struct opt *opts, const struct usage *u, struct ay_err *err);
/* What a command returns for a negative opt_parse. */
static inline int opt_status(int n)
{
	return n == -2 ? EXIT_PASSED : EXIT_FAILED;
}

/* What of these does not go together, in every command that has them. */
int check_run_options(const char *out, const char *resume, bool unsafe, bool no_sandbox, struct ay_err *err);

/* The nearest of a NULL-ended list, or NULL if none is near. */
const char *nearest(const char *word, const char *const *list);

#endif
