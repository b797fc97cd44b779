/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/str.h"
#include "output.h"
#include "pages.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
	int (*fn)(struct app *, int, const char **, struct ay_err *);
} commands[] = {
#define C(fn, name, text) { name, text, cmd_##fn },
	AY_COMMANDS(C)
#undef C
};

enum { COMMANDS = sizeof commands / sizeof *commands, NAME_SHOWN = 400 };

static int help(void)
{
	printf("assay judges compute kernels: are they right, and how fast?\n\n"
	       "  assay COMMAND [--help]\n\n");
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].text);
	printf("\nstart here:\n"
	       "  assay show aten::relu               what a kernel must do, and its C prototype\n"
	       "  assay check kernels/c/aten_relu.c   judge one\n");
	pages_list();
	return EXIT_PASSED;
}

static int unknown(const char *name)
{
	const char *names[COMMANDS + 1], *best;
	struct ay_str shown = { 0 };

	for (int i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	names[COMMANDS] = NULL;
	best = nearest(name, names);
	ay_term_text(&shown, name, NAME_SHOWN);
	fprintf(stderr, "assay: there is no command '%s'", ay_str_text(&shown));
	fprintf(stderr, best ? "; did you mean %s?\n" : " (see: assay --help)\n", best);
	ay_str_release(&shown);
	return EXIT_FAILED;
}

/* Runs a command. *said: set if a failure was printed. */
static int run(int which, const char *version, int argc, const char **argv, bool *said)
{
	struct ay_registry registry;
	struct ay_arena arena = { 0 };
	struct ay_err err = { 0 };
	struct app app = { .registry = &registry, .arena = &arena, .version = version };
	int status = EXIT_FAILED;

	if (!ay_registry_init(&registry, ay_op_files, &err))
		status = commands[which].fn(&app, argc, argv, &err);
	*said = err.code;
	if (err.code) {
		fflush(stdout);
		fprintf(stderr, "assay: %s\n", err.msg);
		status = EXIT_FAILED;
	}
	ay_registry_release(&registry);
	ay_arena_release(&arena);
	return status;
}

static int print_page(const char *page, bool *said)
{
	struct ay_err err = { 0 };

	if (!pages_print(page, &err))
		return EXIT_PASSED;
	*said = true;
	fprintf(stderr, "assay: %s\n", err.msg);
	return EXIT_FAILED;
}

/* Returns the index of a command, or -1. */
static int find_command(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return i;
	return -1;
}

/* `assay help COMMAND` is `assay COMMAND --help`; other names are those of pages. */
static int help_about(const char *what, bool *said)
{
	const int i = find_command(what);

	return i < 0 ? print_page(what, said) : run(i, AY_VERSION, 1, (const char *[]){ "--help", NULL }, said);
}

static int dispatch(int argc, char **argv, bool *said)
{
	const char *name = argc > 1 ? argv[1] : "--help";
	const int i = find_command(name);

	if (!strcmp(name, "help") && argc > 2 && argv[2][0] != '-')
		return help_about(argv[2], said);
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
		return help();
	if (!strcmp(name, "--version") || !strcmp(name, "version")) {
		printf("assay %s\n", AY_VERSION);
		return EXIT_PASSED;
	}
	return i < 0 ? unknown(name) : run(i, AY_VERSION, argc - 2, (const char **)argv + 2, said);
}

int main(int argc, char **argv)
{
	bool said = false;
	int status;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe must fail a write(), not end the process */
	signal(SIGXFSZ, SIG_IGN); /* and so must a limit on file sizes */
	output_begin();
	status = dispatch(argc, argv, &said);
	return output_end(said) ? EXIT_FAILED : status;
}
