/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_plan - makes eval's jobs from the suite's cases and the backend's kernels.
 */
#include "eval.h"
#include "base/file.h"
#include "base/hash.h"
#include "judge/torch_schemas.h"
#include "op/suite_filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Reads the suite again with torch's operators: lines outside the catalogue are judged by torch, if
 * there is one. */
static int add_uncatalogued(struct eval *e, const char *from, enum ay_tier most, struct ay_err *err)
{
	struct ay_err why = { 0 };

	if (ay_torch_schemas_load(e->app->registry, &e->o.torch.interpreter, e->o.cache, &why)) {
		fprintf(stderr,
			"assay: %d lines are for operators outside the catalogue, which torch answers: %s\n",
			e->suite.uncatalogued, why.msg);
		return 0;
	}
	ay_suite_release(&e->suite);
	e->suite = (struct ay_suite){ 0 };
	return ay_suite_named(&e->suite, e->app->arena, e->app->registry, from, most, err);
}

/* Reads the suite by its name, or the cases of the --ref file. */
static int read_cases(struct eval *e, struct ay_err *err)
{
	const enum ay_tier most = e->timing.mode ? AY_PERF : e->o.quick ? AY_QUICK : AY_FULL;
	const char *from;

	if (own_is_suite(&e->o.own, e->o.suite)) {
		e->suite = e->o.own.cases;
		e->o.own.cases = (struct ay_suite){ 0 };
		return 0;
	}
	if (strcasecmp(e->o.suite, "opinfo") ? eval_find_data(e, &from, err) : eval_opinfo(e, &from, err))
		return -1;
	if (ay_suite_named(&e->suite, e->app->arena, e->app->registry, from, most, err) ||
	    (e->suite.uncatalogued && !e->o.own.file && add_uncatalogued(e, from, most, err)))
		return -1;
	/* torch makes the lines of opinfo, not the user. Lines that no operator's description
	 * allows, such as a fraction in an i64 arange, are counted in run.json. */
	if (e->suite.bad && strcasecmp(e->o.suite, "opinfo"))
		fprintf(stderr, "assay: %d lines of %s are not cases; the first: %s\n", e->suite.bad,
			ay_shown(e->app->arena, from), e->suite.first_bad);
	return 0;
}

static int find_cases(struct eval *e, struct ay_err *err)
{
	if ((e->o.dtypes && ay_dtypes_find(e->o.dtypes, &e->dtypes, err)) || read_cases(e, err))
		return -1;
	ay_suite_keep_dtypes(&e->suite, e->dtypes);
	return 0;
}

/* --- the names of --ops ----------------------------------------------------------------------- */

/* Returns true if the catalogue has the name, or if the suite names it without a case. */
static bool is_known(const struct eval *e, const char *name)
{
	const char *colons = strstr(name, "::"), *bare = colons ? colons + 2 : name;

	for (int i = 0; i < e->nleft; i++)
		if (!strcmp(strstr(e->left[i].op, "::") + 2, bare) ||
		    !strcmp(strstr(e->left[i].overload, "::") + 2, bare))
			return true;
	for (int i = 0; i < e->app->registry->n; i++)
		for (int k = 0; k < e->app->registry->op[i].nschema; k++)
			if (ay_schema_wanted(e->app->registry->op[i].schema[k], name))
				return true;
	return false;
}

/* Fails if the list names no operator, or for unknown names, which it lists all. */
static int check_names(const struct eval *e, const char *lacks, struct ay_err *err)
{
	struct ay_arena *a = e->app->arena;
	const char *list = e->o.ops, *name, *last = NULL, *unknown = "";
	bool exact;
	const struct ay_schema *s;
	int n = 0;

	if (!ay_names_next(&list, &name, a))
		return ay_fail(err, AY_ERR_USAGE, "--ops '%s' names no operator", e->o.ops);
	while (ay_names_next(&lacks, &name, a)) {
		if (is_known(e, name))
			continue;
		unknown = ay_sprintf(a, "%s%s'%s'", unknown, n++ ? ", " : "", last = name);
	}
	if (n > 1)
		return ay_fail(err, AY_ERR_USAGE, "there are no operators %s (see: assay ops)", unknown);
	/* one of its other names */
	if (n && ay_registry_find(e->app->registry, last, &s, &exact, err))
		return ay_fail(err, AY_ERR_USAGE, "--ops takes names as add or add.Tensor, not '%s': write %s",
			       last, s->base);
	return n ? -1 : 0;
}

/* Returns true if the suite has a case of the overload. */
static bool has_case(const struct ay_suite *s, int n, const struct ay_schema *schema)
{
	for (int i = 0; i < n; i++)
		if (s->c[i].schema == schema)
			return true;
	return false;
}

/* Adds drawn cases for the overloads that the suite has cases of. */
static int add_drawn(struct eval *e, struct ay_err *err)
{
	const struct ay_registry *r = e->app->registry;
	const int listed = e->suite.n;
	int n = listed;

	e->drawing.dtypes = e->dtypes;
	for (int i = 0; i < r->n && e->drawing.n; i++)
		if (ay_suite_add_drawn(&e->suite, e->app->arena, r, &r->op[i], &e->drawing, err))
			return -1;
	for (int i = listed; i < e->suite.n; i++)
		if (has_case(&e->suite, listed, e->suite.c[i].schema))
			e->suite.c[n++] = e->suite.c[i];
	e->suite.n = n;
	return 0;
}

static int no_case(const struct eval *e, struct ay_err *err)
{
	/* operators that KernelGenBench does not have, as relu, are known to `assay ops` as others are */
	const bool other = e->o.ops && !e->o.dtypes && !strncasecmp(e->o.suite, "kernelgenbench", 14);

	return ay_fail(err, AY_ERR_USAGE, "the suite '%s' has no case%s%s%s%s%s", e->o.suite,
		       e->o.ops ? " for " : "", e->o.ops ? e->o.ops : "", e->o.dtypes ? " in " : "",
		       e->o.dtypes ? e->o.dtypes : "",
		       other ? ": smoke and demo have every operator of `assay ops`" : "");
}

int eval_suite(struct eval *e, struct ay_err *err)
{
	struct ay_suite_filter narrow = { .ops = e->o.ops, .largest = e->o.topn, .smallest = e->o.smallest };
	const char *lacks = "";
	int n;

	if (find_cases(e, err))
		return -1;
	if (e->suite.listed)
		ay_suite_merge(&e->suite, e->app->arena);
	if (e->o.ops) {
		lacks = ay_suite_lacks(&e->suite, e->o.ops, e->app->arena);
		if (check_names(e, lacks, err))
			return -1;
	}
	if (ay_suite_apply_filter(&e->suite, &narrow, err))
		return -1;
	/* on a GPU a small answer confirms the larger ones: judge/aten_oracle.h */
	if (e->o.device.cuda)
		ay_suite_sort(&e->suite);
	ay_suite_pick(&e->suite, e->timing.mode, e->o.quick);
	if (add_drawn(e, err))
		return -1;
	n = e->suite.n;
	for (int i = 0; i < n; i++)
		e->suite.c[i].id = i;
	if (e->suite.uncatalogued)
		fprintf(stderr, "assay: %d lines are for operators that are unknown here; they are left out\n",
			e->suite.uncatalogued);
	if (!n)
		return no_case(e, err);
	if (*lacks)
		fprintf(stderr, "assay: the suite '%s' has no case for %s\n", ay_shown(e->app->arena, e->o.suite),
			ay_shown(e->app->arena, lacks));
	return 0;
}

/* The least work of a case, as a number of bytes, however small it is. Triton compiles for many
 * cases. */
#define LEAST_BYTES        0x1p20
#define LEAST_BYTES_TRITON 0x1p25

/* Returns true if the case may be one of the job's. A package's job has all operators of a file
 * under ops/. A kernel file has the operator of its name, and the out= and in-place forms that its
 * functions may stand for. What else the file defines is unknown until it is loaded (struct
 * ay_task_watch, planned). */
static bool may_answer(const struct eval *e, const struct eval_job *j, const struct ay_suite_case *c)
{
	const struct ay_entry_op *owner = NULL;

	if (j->lang >= AY_LANG_ATEN)
		return !strcmp(c->op->path, j->op->path);
	if (c->op == j->op)
		return true;
	return j->file && ay_registry_functional(e->app->registry, c->schema, &owner) && owner == j->op;
}

json_t *eval_planned(const struct eval *e)
{
	json_t *planned = json_object();

	for (int k = 0; k < e->njob; k++) {
		/* cases of one operator mostly follow each other */
		const struct ay_entry_op *last = NULL;

		for (int i = 0; i < e->suite.n; i++) {
			const struct ay_suite_case *c = &e->suite.c[i];

			if (c->op == last || !may_answer(e, &e->job[k], c))
				continue;
			json_object_set_new(planned, c->op->name, json_true());
			last = c->op;
		}
	}
	return planned;
}

/* Counts the cases that the job may answer, and their work. If the suite has no case of the job's
 * operator, the job is recorded under the first operator with a case. Returns false if there is no
 * case. */
static bool count_cases(const struct eval *e, struct eval_job *j)
{
	const double least = j->lang == AY_LANG_FLAG_GEMS ? LEAST_BYTES_TRITON : LEAST_BYTES;
	const struct ay_entry_op *first = NULL;
	bool own = false;

	for (int i = 0; i < e->suite.n; i++) {
		const struct ay_suite_case *c = &e->suite.c[i];

		if (!may_answer(e, j, c))
			continue;
		first = first ? first : c->op;
		own |= c->op == j->op;
		j->cases++;
		j->work += least + (double)ay_case_bytes(c->line);
	}
	j->op = own || !first ? j->op : first;
	return j->cases;
}

/* A worker reports a file that could not be read. */
static void read_source(const struct eval *e, const struct ay_kernel_file *f, struct eval_job *j)
{
	struct ay_arena *a = e->app->arena;
	struct ay_err err = { 0 };
	struct ay_hash h;
	char *text;

	if (ay_kernel_file_read(f, a, e->o.follow_links, SOURCE_MAX, &text, &j->len, &err)) {
		j->unread = ay_strdup(a, err.msg);
		return;
	}
	j->source = text;
	ay_hash_init(&h);
	ay_hash_add(&h, text, j->len);
	ay_hash_end(&h, j->sha256);
}

static int add_files(struct eval *e, struct ay_err *err)
{
	const char *first = NULL, *first_op = NULL;

	e->job = AY_NEW_N(e->app->arena, struct eval_job, e->backend.n + 1);
	for (int i = 0; i < e->backend.n; i++) {
		const struct ay_kernel_file *f = &e->backend.file[i];
		struct eval_job *j = &e->job[e->njob];

		if (!f->op)
			continue;
		if (!first)
			first = ay_file_basename(f->path), first_op = f->op->name;
		*j = (struct eval_job){ .file = f->path, .op = f->op, .schema = f->schema, .lang = f->lang };
		if (!count_cases(e, j))
			continue;
		if (!e->o.list)
			read_source(e, f, j);
		e->njob++;
	}
	if (!e->njob && first && !e->o.list)
		return ay_fail(
			err, AY_ERR_USAGE,
			"the suite '%s' has no case%s%s for any kernel in '%s' (%s is for %s): name another "
			"suite or folder",
			e->o.suite, e->o.ops ? " of " : "", e->o.ops ? e->o.ops : "", eval_folder(e), first,
			first_op);
	return 0;
}

static int add_references(struct eval *e, struct ay_err *err)
{
	char build[65]; /* the reference is part of this program */

	if (ay_build_sha256(build, err))
		return -1;
	e->job = AY_NEW_N(e->app->arena, struct eval_job, e->app->registry->n + 1);
	for (int i = 0; i < e->app->registry->n; i++) {
		struct eval_job *j = &e->job[e->njob];

		*j = (struct eval_job){ .op = &e->app->registry->op[i] };
		memcpy(j->sha256, build, sizeof build);
		e->njob += count_cases(e, j);
	}
	return 0;
}

/* --- packages of Python: no files, one job an operator ---------------------------------------- */

/* Returns true for the first operator of a file: forms of an operator share a file and a job. */
static bool is_first_of_file(const struct ay_registry *r, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(r->op[k].path, r->op[i].path))
			return false;
	return true;
}

static void add_package(struct eval *e)
{
	const struct eval_package *p = eval_package(e->o.backend);
	const char *name = e->package;
	const struct ay_registry *r = e->app->registry;
	struct ay_hash h;

	e->job = AY_NEW_N(e->app->arena, struct eval_job, r->n + 1);
	for (int i = 0; i < r->n; i++) {
		struct eval_job *j = &e->job[e->njob];

		if (strcmp(r->op[i].schema[0]->ns, p->ns) || !is_first_of_file(r, i))
			continue;
		*j = (struct eval_job){ .file = name, .op = &r->op[i], .lang = p->lang };
		if (!count_cases(e, j))
			continue;
		ay_hash_init(&h);
		ay_hash_add(&h, name, strlen(name));
		ay_hash_end(&h, j->sha256);
		e->njob++;
	}
}

static int make_jobs(struct eval *e, struct ay_err *err)
{
	if (!strcmp(e->o.backend, "reference"))
		return add_references(e, err);
	if (!strcmp(e->o.backend, "directory"))
		return eval_scan(e, err) || add_files(e, err) ? -1 : 0;
	add_package(e);
	return 0;
}

/* Checks the backend before the suite is made, which may take minutes. */
int eval_plan(struct eval *e, struct ay_err *err)
{
	return eval_backend(e, err) || eval_suite(e, err) || make_jobs(e, err) ? -1 : 0;
}
