/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites by name.
 */
#include "op/suite.h"
#include "base/file.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SMOKE_PER_OP = 2, SMOKE_MAX_ELEMENTS = 1 << 14, FILE_MAX = 256 << 20 };

/* The operators of a named suite; NULL source = all of the set. */
static const struct {
	const char *name, *source;
} sets[] = {
	{ "kernelgenbench", NULL },
	{ "kernelgenbench-aten", "aten" },
	{ "kernelgenbench-vllm", "vllm" },
	{ "kernelgenbench-cublas", "cublas" },
};

/* KernelGenBench's own numbers of operators. */
static const struct {
	const char *source;
	int n;
} promised[] = { { "aten", 110 }, { "vllm", 50 }, { "cublas", 50 } };

int ay_suite_promised(const char *name, const char *source)
{
	int sum = 0;

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		for (size_t k = 0; k < sizeof promised / sizeof *promised; k++)
			if (!strcasecmp(name, sets[i].name) &&
			    (!sets[i].source || !strcmp(sets[i].source, promised[k].source)) &&
			    (!source || !strcmp(source, promised[k].source)))
				sum += promised[k].n;
	return sum;
}

static int add_set(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, const char *source,
		   enum ay_tier max, struct ay_err *err)
{
	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];

		if (e->op[0]->flags & AY_EXTRA || (source && strcmp(ay_entry_source(e), source)))
			continue;
		if (ay_suite_add_op(s, a, r, e, max, err))
			return -1;
	}
	return 0;
}

static bool has_elements(struct ay_arena *a, const struct ay_suite_case *c)
{
	struct ay_err err = { 0 };
	struct ay_call *call;
	int64_t n = 0;

	if (ay_call_bind(a, c->op->op[0], c->schema, c->line, &call, &err))
		return false;
	for (int k = 0; k < call->noperand; k++)
		n += ay_numel_of(&call->operand[k]->view);
	/* one element is all that it gives */
	if (c->op->op[0]->scalar || c->op->op[0]->flags & AY_ONE)
		return n <= SMOKE_MAX_ELEMENTS;
	return call->nout && ay_numel_of(&call->out[0]->view) > 1 && n <= SMOKE_MAX_ELEMENTS;
}

static int add_smoke(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, struct ay_err *err)
{
	for (int i = 0; i < r->n; i++) {
		struct ay_suite all = { 0 };
		int taken = 0;

		if (ay_suite_add_op(&all, a, r, &r->op[i], AY_QUICK, err))
			return -1;
		for (int k = 0; k < all.n && taken < SMOKE_PER_OP; k++) {
			if (!has_elements(a, &all.c[k]))
				continue;
			ay_suite_push(s, &all.c[k]);
			taken++;
		}
		ay_suite_release(&all);
	}
	return 0;
}

/* Adds the quick cases of every operator, and the first of its cases worth timing. */
static int add_demo(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, struct ay_err *err)
{
	for (int i = 0; i < r->n; i++) {
		struct ay_suite all = { 0 };
		bool timed = false;

		if (ay_suite_add_op(&all, a, r, &r->op[i], AY_PERF, err))
			return -1;
		for (int k = 0; k < all.n; k++) {
			const bool perf = all.c[k].tier == AY_PERF && !all.c[k].derived && !timed;

			if (perf || all.c[k].tier == AY_QUICK)
				ay_suite_push(s, &all.c[k]);
			timed |= perf;
		}
		ay_suite_release(&all);
	}
	return 0;
}

static void note_bad(struct ay_suite *s, int line, const char *msg)
{
	if (!s->bad++)
		snprintf(s->first_bad, sizeof s->first_bad, "line %d: %.250s", line, msg);
}

static bool is_known(const struct ay_registry *r, const struct ay_case *c)
{
	for (int i = 0; i < r->n; i++)
		if (!strcmp(r->op[i].schema[0]->base, c->base) &&
		    (!c->ns || !strcmp(r->op[i].schema[0]->ns, c->ns)))
			return true;
	return false;
}

/* Renames an overload that has another name in old traces. */
static void rename_old(struct ay_case *c)
{
	if (c->base && !strcmp(c->base, "sum") && !strcmp(c->overload, "SymInt"))
		c->overload = "dim_IntList";
}

static int add_file(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, const char *path,
		    struct ay_err *err)
{
	struct ay_reader reader = { 0 };
	char *text;
	int got;

	if (ay_file_read(a, path, FILE_MAX, &text, &reader.len, err))
		return -1;
	reader.text = text;
	s->listed = true;
	for (;;) {
		struct ay_suite_case sc = { 0 };
		struct ay_err bad = { 0 };
		struct ay_case *line;
		struct ay_call *call;

		got = ay_reader_next(&reader, a, &line, &bad);
		if (!got)
			return 0;
		if (got < 0) {
			note_bad(s, reader.line, bad.msg);
			continue;
		}
		rename_old(line);
		if (line->base && !is_known(r, line)) {
			s->uncatalogued++;
			continue;
		}
		sc.line = line;
		sc.op = ay_registry_find_case(r, line, &sc.schema, &bad);
		if (!sc.op || ay_call_bind(a, sc.op->op[0], sc.schema, line, &call, &bad))
			note_bad(s, reader.line, bad.msg);
		else
			ay_suite_push(s, &sc);
	}
}

/* Returns the path of a trace that assay ships, in the source tree or as installed; NULL if it does
 * not exist. */
static const char *shipped(struct ay_arena *a, const char *name)
{
	static const char *const places[] = { "../share/assay/suites", "../suites", "../../suites" };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;

	if (!slash)
		return NULL;
	*slash = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *path = ay_sprintf(a, "%s/%s/%s.trace", self, places[i], name);

		if (ay_file_exists(path))
			return path;
	}
	return NULL;
}

int ay_suite_named(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r, const char *name,
		   enum ay_tier max, struct ay_err *err)
{
	const char *file = strchr(name, '/') || ay_file_exists(name) ? name : shipped(a, name);
	int rc = 1;

	if (!strcasecmp(name, "smoke"))
		rc = add_smoke(s, a, r, err);
	else if (!strcasecmp(name, "demo"))
		rc = add_demo(s, a, r, err);
	for (size_t i = 0; i < sizeof sets / sizeof *sets && rc == 1; i++)
		if (!strcasecmp(name, sets[i].name))
			rc = add_set(s, a, r, sets[i].source, max, err);
	if (rc == 1 && !file)
		return ay_fail(
			err, AY_ERR_USAGE,
			"there is no suite '%s': smoke, demo, kernelgenbench (-aten, -vllm, -cublas), opinfo, "
			"torchbench, a trace of suites/ (bert), or a file of case lines",
			name);
	if (rc == 1)
		rc = add_file(s, a, r, file, err);
	for (int i = 0; i < s->n; i++)
		s->c[i].id = i;
	return rc;
}

void ay_suite_hash(const struct ay_suite *s, char hex[65])
{
	struct ay_hash h;
	struct ay_str b = { 0 };

	ay_hash_init(&h);
	for (int i = 0; i < s->n; i++) {
		if (s->c[i].drawn)
			continue;
		ay_str_clear(&b);
		ay_case_print(&b, s->c[i].line);
		ay_hash_add_str(&h, ay_str_text(&b));
	}
	ay_hash_end(&h, hex);
	ay_str_release(&b);
}
