/* SPDX-License-Identifier: Apache-2.0
 *
 * check - judge one kernel file now: what a person or an agent iterates with.
 */
#include "cmd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "forge/forge.h"
#include "judge/judge.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 4 << 20, SHOWN_MAX = 3, TEXT_MAX = 8192 };

static const struct usage usage = {
	"assay check FILE [options]",
	"Judges a kernel. The operator is the one that the file's name says (aten_add_Tensor.c), the only one "
	"whose\n"
	"functions the file defines, or --op. Exit status: 0 it passed, 1 it did not, 2 it could not be judged.",
	"  assay check kernels/c/aten_relu.c\n"
	"  assay check my_kernel.c --op aten::add\n"
	"  assay check my_kernel.c --full                 the whole grid of the operator, large shapes too\n"
	"  assay check my_kernel.c --case \"aten::relu((T([7], f32),), {}) seed=1\"\n"
	"  assay check my_kernel.c --json | jq .verdict\n",
};

struct options {
	const char *op, *line, *cache;
	bool json, full, tf32, all;
	int64_t threads, seed;
	double timeout;
};

/* Everything about one check. */
struct check {
	struct app *app;
	struct options o;
	const char *path;
	const struct ay_entry_op *op;
	const char *compiler;
	struct ay_built built;
	struct ay_suite suite;
	struct ay_judge judge;
	bool tty;
};

/* What happened to the cases of one overload. */
struct tally {
	const struct ay_schema *schema;
	bool derived;
	int n, count[AY_VERDICT_COUNT];
	enum ay_verdict verdict;
};

/* --- which operator -------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is `name` a whole identifier somewhere in the text? */
static bool mentions(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p += n)
		if ((p == text || !is_word(p[-1])) && !is_word(p[n]))
			return true;
	return false;
}

/* The only operator file of which the source mentions a function. */
static const struct ay_entry_op *op_by_source(struct app *app, const char *source)
{
	const struct ay_entry_op *found = NULL;

	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];

		for (int k = 0; k < e->nschema; k++) {
			if (!mentions(source, ay_proto_symbol(app->arena, e->schema[k])))
				continue;
			if (found && strcmp(found->path, e->path))
				return NULL;
			if (!found)
				found = e;
		}
	}
	return found;
}

/* aten_sum__reversed.c is a kernel for aten_sum: what follows a double underscore is the author's. */
static const struct ay_entry_op *op_by_name(struct app *app, const char *path)
{
	char *stem = ay_strdup(app->arena, ay_file_basename(path)), *cut = strrchr(stem, '.');
	const struct ay_schema *s;
	bool exact;

	if (cut)
		*cut = 0;
	for (;;) {
		struct ay_err err = { 0 };
		const struct ay_entry_op *e = ay_registry_find(app->registry, stem, &s, &exact, &err);

		if (e)
			return e;
		cut = NULL;
		for (char *p = stem; (p = strstr(p, "__")); p++)
			cut = p;
		if (!cut || cut == stem)
			return NULL;
		*cut = 0;
	}
}

static int find_op(struct check *c, const char *source, struct ay_err *err)
{
	const struct ay_schema *s;
	bool exact;

	if (c->o.line && !c->o.op) {
		struct ay_case *line;

		if (ay_case_parse(c->app->arena, c->o.line, strlen(c->o.line), &line, err))
			return ay_err_prefix(err, "--case"), -1;
		c->op = ay_registry_find_case(c->app->registry, line, &s, err);
		return c->op ? 0 : -1;
	}
	if (c->o.op)
		c->op = ay_registry_find(c->app->registry, c->o.op, &s, &exact, err);
	else if (!(c->op = op_by_name(c->app, c->path)) && !(c->op = op_by_source(c->app, source)))
		ay_fail(err, AY_ERR_USAGE,
			"%s: which operator is it for? Name it with --op, or call the file after the function "
			"(aten_relu.c; see: assay ops)",
			c->path);
	return c->op ? 0 : -1;
}

/* --- building and loading -------------------------------------------------------------------------------- */

/* Forms of an operator share a file (add, add_): the kernel may define any of them. */
static bool same_family(const struct check *c, const struct ay_entry_op *e)
{
	return !strcmp(e->path, c->op->path);
}

static int build(struct check *c, struct ay_forge *f, const char *source, size_t len, struct ay_err *err)
{
	const struct ay_proto **protos = NULL;
	enum ay_lang lang;
	int n = 0, rc = -1;

	if (ay_lang_of(c->path, &lang, err))
		return -1;
	for (int i = 0; i < c->app->registry->n; i++) {
		const struct ay_entry_op *e = &c->app->registry->op[i];

		for (int k = 0; k < e->nschema && same_family(c, e); k++) {
			struct ay_proto *p;

			if (ay_proto_make(c->app->arena, e->schema[k], &p, err))
				goto out;
			protos = ay_xrealloc(protos, sizeof *protos * (size_t)(n + 1));
			protos[n++] = p;
		}
	}
	rc = ay_forge_build(f, c->app->arena, source, len, lang, n, protos, 300, &c->built, err);
out:
	ay_xfree(protos);
	return rc;
}

static const char *list_symbols(struct check *c)
{
	struct ay_str b = { 0 };
	char *s;

	for (int i = 0; i < c->app->registry->n; i++) {
		const struct ay_entry_op *e = &c->app->registry->op[i];

		for (int k = 0; k < e->nschema && same_family(c, e); k++)
			ay_str_addf(&b, "%s%s", b.len ? ", " : "", ay_proto_symbol(c->app->arena, e->schema[k]));
	}
	s = ay_strdup(c->app->arena, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

/* --- which cases ----------------------------------------------------------------------------------------- */

static int add_line(struct check *c, struct ay_err *err)
{
	struct ay_suite *s = &c->suite;
	struct ay_suite_case sc = { 0 };
	struct ay_case *line;

	if (ay_case_parse(c->app->arena, c->o.line, strlen(c->o.line), &line, err))
		return ay_err_prefix(err, "--case"), -1;
	if (!line->base) {
		line->ns = c->op->schema[0]->ns;
		line->base = c->op->schema[0]->base;
		line->overload = c->op->schema[0]->overload;
	}
	sc.op = ay_registry_find_case(c->app->registry, line, &sc.schema, err);
	if (!sc.op)
		return -1;
	sc.line = line;
	s->c = ay_xrealloc(s->c, sizeof *s->c);
	s->c[0] = sc;
	s->n = s->cap = 1;
	return 0;
}

static int add_cases(struct check *c, struct ay_err *err)
{
	if (c->o.line)
		return add_line(c, err);
	for (int i = 0; i < c->app->registry->n; i++) {
		const struct ay_entry_op *e = &c->app->registry->op[i];

		if (same_family(c, e) &&
		    ay_suite_add_op(&c->suite, c->app->arena, c->app->registry, e, AY_PERF, err))
			return -1;
	}
	return 0;
}

/* --- saying it ------------------------------------------------------------------------------------------- */

static void print_number(const char *label, double x)
{
	printf("%s%.9g", label, x);
}

static void print_report(const struct check *c, const struct ay_report *r)
{
	printf("    %s: %s\n", ay_verdict_name(r->verdict), r->detail ? r->detail : ay_verdict_text(r->verdict));
	if (r->at) {
		printf("      %s%s", r->out, r->at);
		print_number(": want ", r->want);
		print_number(", got ", r->got);
		print_number(", bound ", r->bound);
		printf("\n");
	}
	if (r->hint)
		printf("      hint: %s\n", r->hint);
	printf("      case: %s\n", r->line);
	printf("      again: assay check %s --case \"%s\"\n", c->path, r->line);
}

static void set_text(json_t *j, const char *key, const char *s)
{
	if (s)
		json_object_set_new(j, key, ay_json_text(s, strlen(s), TEXT_MAX));
}

static void print_json_case(const struct check *c, const struct ay_suite_case *sc, const struct ay_report *r)
{
	json_t *j = json_object(), *all = json_array();
	struct ay_str name = { 0 };

	ay_schema_name(&name, sc->schema);
	json_object_set_new(j, "type", json_string("case"));
	set_text(j, "overload", ay_str_text(&name));
	set_text(j, "line", r->line);
	json_object_set_new(j, "verdict", json_string(ay_verdict_name(r->verdict)));
	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (r->all >> v & 1)
			json_array_append_new(all, json_string(ay_verdict_name((enum ay_verdict)v)));
	json_object_set_new(j, "all", all);
	set_text(j, "detail", r->detail);
	set_text(j, "hint", r->hint);
	set_text(j, "derived", r->derived);
	if (r->at) {
		set_text(j, "out", r->out);
		set_text(j, "at", r->at);
		json_object_set_new(j, "want", ay_json_real(r->want));
		json_object_set_new(j, "got", ay_json_real(r->got));
		json_object_set_new(j, "bound", ay_json_real(r->bound));
		json_object_set_new(j, "bad", json_integer(r->bad));
	}
	json_object_set_new(j, "elements", json_integer(r->total));
	json_object_set_new(j, "wall_s", json_real(r->wall_s));
	json_object_set_new(j, "kernel_sha256", json_string(c->built.sha256));
	ay_json_line(stdout, j);
	json_decref(j);
	ay_str_release(&name);
}

static int finish(const struct check *c, enum ay_verdict v, const char *detail, int judged, int left,
		  double wall_s)
{
	if (c->o.json) {
		json_t *j = json_object();

		json_object_set_new(j, "type", json_string("summary"));
		json_object_set_new(j, "verdict", json_string(ay_verdict_name(v)));
		json_object_set_new(j, "operator", json_string(c->op->name));
		set_text(j, "file", c->path);
		set_text(j, "detail", detail);
		json_object_set_new(j, "cases", json_integer(judged));
		json_object_set_new(j, "cases_left", json_integer(left));
		json_object_set_new(j, "wall_s", json_real(wall_s));
		json_object_set_new(j, "build_s", json_real(c->built.wall_s));
		set_text(j, "build", c->built.command);
		json_object_set_new(j, "kernel_sha256", json_string(c->built.sha256));
		set_text(j, "assay", c->app->version);
		ay_json_line(stdout, j);
		json_decref(j);
	} else {
		printf("%s  %s", ay_verdict_name(v), detail ? detail : ay_verdict_text(v));
		if (judged)
			printf(": %d cases in %.3f s", judged, wall_s);
		printf(left ? " (%d more with --full)\n" : "\n", left);
	}
	return v == AY_VERDICT_PASS || v == AY_VERDICT_SKIPPED ? EXIT_PASSED : EXIT_NOT_PASSED;
}

static void print_head(const struct check *c)
{
	if (c->o.json)
		return;
	printf("%s  %s", c->op->name, c->path);
	if (c->built.cached)
		printf("  (%s, built before)", ay_file_basename(c->compiler));
	else if (c->compiler)
		printf("  (%s, built in %.2f s)", ay_file_basename(c->compiler), c->built.wall_s);
	printf("\n");
}

/* --- judging --------------------------------------------------------------------------------------------- */

static struct tally *tally_of(struct tally *t, int *n, const struct ay_schema *s, bool derived)
{
	for (int i = 0; i < *n; i++)
		if (t[i].schema == s)
			return &t[i];
	t[*n] = (struct tally){ .schema = s, .derived = derived, .verdict = AY_VERDICT_NONE };
	return &t[(*n)++];
}

static void print_tally(const struct tally *t)
{
	struct ay_str name = { 0 };

	ay_schema_name(&name, t->schema);
	printf("  %-28s", ay_str_text(&name));
	for (int v = AY_VERDICT_COUNT - 1; v >= 0; v--)
		if (t->count[v])
			printf(" %d %s", t->count[v], ay_verdict_name((enum ay_verdict)v));
	printf(t->derived ? "  (through the functional form)\n" : "\n");
	ay_str_release(&name);
}

struct progress {
	int64_t begin, last;
	int done, total;
};

static void show_progress(const struct check *c, struct progress *p)
{
	int64_t now = ay_now_ns();
	double left;

	if (!c->tty || now - p->last < 200000000)
		return;
	p->last = now;
	left = (double)(now - p->begin) / 1e9 / (p->done ? p->done : 1) * (p->total - p->done);
	fprintf(stderr, "\r  %d of %d cases, about %.0f s left \033[K", p->done, p->total, left);
}

/* The first case of each verdict of an overload that the file defines; with --all every one. */
static bool is_news(const struct check *c, const struct tally *y, enum ay_verdict v, int *shown)
{
	return c->o.all || c->o.line || (!y->derived && y->count[v] == 1 && (*shown)++ < SHOWN_MAX);
}

/* Judges every case that the kernel has a function for; prints failures as they come. */
static int judge_cases(struct check *c, struct tally *t, int *nt, int *judged, int *left, struct ay_err *err)
{
	struct progress p = { .begin = ay_now_ns(), .last = ay_now_ns(), .total = c->suite.n };
	enum ay_tier max = c->o.full ? AY_FULL : AY_QUICK;
	struct ay_arena a = { 0 };
	int shown = 0;

	for (int i = 0; i < c->suite.n; i++, p.done++) {
		const struct ay_suite_case *sc = &c->suite.c[i];
		struct ay_report rep;
		struct tally *y;
		bool derived;

		if (!ay_judge_has(&c->judge, sc->schema, &derived) && !c->o.line)
			continue;
		if (sc->tier > max && !c->o.line) {
			*left += sc->tier == AY_FULL;
			continue;
		}
		ay_arena_clear(&a);
		if (ay_judge_case(&c->judge, sc, &a, &rep, err)) {
			ay_arena_release(&a);
			return -1;
		}
		y = tally_of(t, nt, sc->schema, derived);
		y->n++;
		y->count[rep.verdict]++;
		y->verdict = ay_verdict_merge(y->verdict, rep.verdict);
		(*judged)++;
		show_progress(c, &p);
		if (c->o.json)
			print_json_case(c, sc, &rep);
		else if (rep.verdict != AY_VERDICT_PASS && rep.verdict != AY_VERDICT_SKIPPED &&
			 is_news(c, y, rep.verdict, &shown))
			print_report(c, &rep);
	}
	if (c->tty)
		fprintf(stderr, "\r\033[K");
	ay_arena_release(&a);
	return 0;
}

static int judge(struct check *c, struct ay_err *err)
{
	struct ay_policy p = { .threads = (int)c->o.threads,
			       .oracle_threads = ay_cpu_count(),
			       .call_timeout_s = c->o.timeout,
			       .allow_tf32 = c->o.tf32 };
	struct tally t[256];
	struct ay_report rep;
	enum ay_verdict v = AY_VERDICT_NONE;
	int64_t begin = ay_now_ns();
	int n = 0, judged = 0, left = 0;

	if (ay_judge_init(&c->judge, c->app->registry, &p, c->built.fd, c->app->arena, &rep, err))
		return EXIT_FAILED;
	if (rep.verdict != AY_VERDICT_NONE)
		return finish(c, rep.verdict, rep.detail, 0, 0, 0);
	if (!c->judge.kernel.entries.n)
		return finish(c, AY_VERDICT_LOAD,
			      ay_sprintf(c->app->arena, "the file defines none of %s", list_symbols(c)), 0, 0, 0);
	if (add_cases(c, err) || judge_cases(c, t, &n, &judged, &left, err))
		return EXIT_FAILED;
	for (int i = 0; i < n; i++) {
		if (!c->o.json)
			print_tally(&t[i]);
		if (!t[i].derived || n == 1) /* what the file does not define cannot speak against it */
			v = ay_verdict_merge(v, t[i].verdict);
	}
	if (v == AY_VERDICT_NONE)
		return ay_fail(err, AY_ERR_USAGE, "%s: there is no case for what it defines", c->path),
		       EXIT_FAILED;
	return finish(c, v, NULL, judged, left, (double)(ay_now_ns() - begin) / 1e9);
}

static int check(struct check *c, struct ay_err *err)
{
	struct ay_forge f = { 0 };
	char *source;
	size_t len;
	int status = EXIT_FAILED;

	c->built.fd = -1;
	if (ay_file_read(c->app->arena, c->path, SOURCE_MAX, &source, &len, err) || find_op(c, source, err) ||
	    ay_forge_init(&f, c->o.cache, err) || build(c, &f, source, len, err))
		goto out;
	c->compiler = f.cc;
	print_head(c);
	if (c->built.ok) {
		status = judge(c, err);
	} else {
		if (!c->o.json)
			printf("%s", c->built.log);
		status = finish(c, AY_VERDICT_BUILD, c->o.json ? c->built.log : NULL, 0, 0, 0);
	}
out:
	ay_judge_release(&c->judge);
	ay_suite_release(&c->suite);
	if (c->built.fd >= 0)
		close(c->built.fd);
	ay_forge_release(&f);
	return status;
}

int cmd_check(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct check c = { .app = app };
	const struct opt opts[] = {
		{ "op|ops|op-name", OPT_TEXT, &c.o.op, "OP", "the operator, if the file's name does not say it" },
		{ "case", OPT_TEXT, &c.o.line, "LINE", "judge this case line only" },
		{ "full", OPT_FLAG, &c.o.full, NULL, "the whole grid, not only the quick cases" },
		{ "all", OPT_FLAG, &c.o.all, NULL, "print every case that did not pass, not only the first few" },
		{ "json", OPT_FLAG, &c.o.json, NULL, "one JSON object a case, a summary last" },
		{ "threads", OPT_INT, &c.o.threads, "N", "threads the kernel may use (1)" },
		{ "timeout", OPT_REAL, &c.o.timeout, "S", "seconds one call may take (10)" },
		{ "allow-tf32", OPT_FLAG, &c.o.tf32, NULL, "accept errors of inputs rounded to TF32" },
		{ "cache", OPT_TEXT, &c.o.cache, "DIR", "where compiled kernels are kept; '' = nowhere" },
		{ 0 },
	};
	int n;

	c.o.threads = 1;
	c.o.timeout = 10;
	n = opt_parse(argc, argv, opts, &usage, err);
	if (n < 0)
		return opt_status(n);
	if (n != 1)
		return ay_fail(err, AY_ERR_USAGE, "check: name one kernel file (see: assay check --help)"),
		       EXIT_FAILED;
	if (c.o.threads < 1 || c.o.threads > 1024 || !(c.o.timeout > 0))
		return ay_fail(err, AY_ERR_USAGE, "--threads and --timeout must be positive"), EXIT_FAILED;
	c.path = argv[0];
	c.tty = isatty(2) && !c.o.json;
	return check(&c, err);
}
