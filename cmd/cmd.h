/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd - what all commands share. A command is a file cmd/<name>.c with a function cmd_<name>, and a
 * row here.
 */
#ifndef AY_CMD_H
#define AY_CMD_H

#include "base/arena.h"
#include "base/err.h"
#include "op/registry.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A command returns its exit status: 0 success, 1 a kernel did not pass, 2 a usage error or a
 * failure of assay (with err). */
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

/* For tests: makes the device of that number (below 0: every device) fail when a worker has judged
 * `after` cases on it. */
struct device_fault {
	int device, after;
};

struct app {
	struct ay_registry *registry; /* grows when a command needs operators outside the catalogue */
	struct ay_arena *arena;       /* lives as long as the command */
	const char *version;
	const struct device_fault *fault; /* NULL: no device is made to fail */
};

#define C(fn, name, text) int cmd_##fn(struct app *app, int argc, const char **argv, struct ay_err *err);
AY_COMMANDS(C)
#undef C

enum opt_kind { OPT_FLAG, OPT_TEXT, OPT_INT, OPT_REAL };

struct opt {
	/* without dashes; alternatives are separated by '|', and the first one is shown in the
	 * help */
	const char *name;
	enum opt_kind kind;
	void *value;     /* bool *, const char **, int64_t *, double * */
	const char *arg; /* name of the argument in the help */
	const char *help;
	double lo, hi; /* range of a number, both ends included; 0 and 0: any number */
	bool empty;    /* a text may be '' */
};

/* Values for lo and hi: "above 0", and "as large as the type allows". */
#define OPT_ABOVE_0 1e-300
#define OPT_ANY     9e18
/* Values of options that were not given, where every number of the range has a meaning. */
#define AY_UNSET      INT64_MIN
#define AY_UNSET_REAL NAN
enum { THREADS_MAX = 1024, WORKERS_MAX = 256 };
#define SECONDS_MAX 1e7

struct usage {
	const char *line;     /* "assay check FILE [options]" */
	const char *text;     /* a description of one or two sentences */
	const char *examples; /* lines with commands */
	/* the first operand begins a command; all arguments after it belong to that command */
	bool command;
	int most; /* most operands */
};

enum { OPERANDS_ANY = 1 << 20 };

/* Parses options anywhere among the arguments, up to "--". Moves the operands to the front of argv.
 * Returns their number, -1 on a usage error, or -2 if help was printed. */
int opt_parse(int argc, const char **argv, const struct opt *opts, const struct usage *u, struct ay_err *err);
/* Prints the text of --help, in lines of 80 columns. */
void help_print(const struct opt *opts, const struct usage *u);
/* Converts a negative result of opt_parse to an exit status. */
static inline int opt_status(int n)
{
	return n == -2 ? EXIT_PASSED : EXIT_FAILED;
}

/* Fails if these options, which several commands have, contradict each other. */
int check_run_options(const char *out, const char *resume, bool unsafe, bool no_sandbox, struct ay_err *err);

/* Returns the word of a NULL-ended list that is most similar, or NULL if none is similar. */
const char *nearest(const char *word, const char *const *list);

#endif
