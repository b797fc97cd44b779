/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_help.h"

#include "base/file.h"
#include "base/process.h"
#include "timing/ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

struct ay_registry registry;
struct ay_arena arena;

noreturn void die(const struct ay_err *err)
{
	fprintf(stderr, "bench: %s\n", err->msg);
	exit(2);
}

void help_start(void)
{
	struct ay_err err = { 0 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (ay_registry_init(&registry, ay_op_files, &err))
		die(&err);
}

struct ay_call *help_bind(const char *text, struct ay_suite_case *sc)
{
	struct ay_err err = { 0 };
	struct ay_case *line;
	struct ay_call *c;

	*sc = (struct ay_suite_case){ 0 };
	if (ay_case_parse(&arena, text, strlen(text), &line, &err))
		die(&err);
	sc->line = line;
	sc->op = ay_registry_find_case(&registry, line, &sc->schema, &err);
	if (!sc->op || ay_call_bind(&arena, sc->op->op[0], sc->schema, line, &c, &err))
		die(&err);
	return c;
}

int help_build(const char *source, size_t len, const struct ay_entry_op *e)
{
	const struct ay_proto *protos[32];
	struct ay_err err = { 0 };
	struct ay_forge f = { 0 };
	struct ay_built b;
	int n = 0;

	for (int k = 0; k < e->nschema && n < 32; k++)
		protos[n++] = help_proto(e->schema[k]);
	if (ay_forge_init(&f, NULL, &err) ||
	    ay_forge_build(&f, &arena, source, len, AY_LANG_C, n, protos, 60, &b, &err))
		die(&err);
	if (!b.ok)
		fprintf(stderr, "%s", b.log), exit(2);
	ay_forge_release(&f);
	return b.fd;
}

int help_build_file(const char *path, const struct ay_entry_op *e)
{
	struct ay_err err = { 0 };
	char *source;
	size_t len;

	if (ay_file_read(&arena, path, 1 << 20, &source, &len, &err))
		die(&err);
	return help_build(source, len, e);
}

const struct ay_proto *help_proto(const struct ay_schema *s)
{
	struct ay_err err = { 0 };
	struct ay_proto *p;

	if (ay_proto_make(&arena, s, &p, &err))
		die(&err);
	return p;
}

void help_head(const char *what)
{
	struct ay_ceilings c;
	struct ay_err err = { 0 };
	struct utsname u;
	time_t now = time(NULL);
	char date[32];

	if (ay_ceilings_get(&c, &err))
		die(&err);
	uname(&u);
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	printf("%s\n%s, %d CPUs of %s, Linux %s\n", what, date, ay_cpu_count(), c.cpu, u.release);
}
