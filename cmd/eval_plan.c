/* SPDX-License-Identifier: Apache-2.0
 *
 * eval: what there is to do. Cases from the suite, kernels from the folder.
 */
#include "eval.h"
#include "base/file.h"
#include "base/hash.h"
#include "judge/foreign.h"
#include "op/narrow.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Lines of operators that are not in the catalogue are judged against torch, where there is one. */
static int add_foreign(struct eval *e, const char *from, enum ay_tier most, struct ay_err *err)
{
	struct ay_err why = { 0 };

	if (ay_foreign_load(e->app->registry, &e->o.torch.interpreter, e->o.cache, &why)) {
		fprintf(stderr,
			"assay: %d lines are for operators outside the catalogue, which torch answers: %s\n",
			e->suite.foreign, why.msg);
		return 0;
	}
	ay_suite_release(&e->suite);
	e->suite = (struct ay_suite){ 0 };
	return ay_suite_named(&e->suite, e->app->arena, e->app->registry, from, most, err);
}

static int find_cases(struct eval *e, struct ay_err *err)
{
	const enum ay_tier most = e->timing.mode ? AY_PERF : e->o.quick ? AY_QUICK : AY_FULL;
	const char *from;

	if (e->o.dtypes && ay_dtypes_find(e->o.dtypes, &e->dtypes, err))
		return -1;
	if (strcasecmp(e->o.suite, "opinfo") ? eval_find_data(e, &from, err) : eval_opinfo(e, &from, err))
		return -1;
	if (ay_suite_named(&e->suite, e->app->arena, e->app->registry, from, most, err) ||
	    (e->suite.foreign && add_foreign(e, from, most, err)))
		return -1;
	if (e->suite.bad)
		fprintf(stderr, "assay: %d lines of %s are not cases; the first: %s\n", e->suite.bad, from,
			e->suite.first_bad);
	ay_suite_keep_dtypes(&e->suite, e->dtypes);
	return 0;
}

int eval_suite(struct eval *e, struct ay_err *err)
{
	struct ay_narrow narrow = { .ops = e->o.ops, .largest = e->o.topn, .smallest = e->o.smallest };
	int n;

	if (find_cases(e, err))
		return -1;
	if (e->suite.listed)
		ay_suite_merge(&e->suite, e->app->arena);
	if (ay_suite_narrow(&e->suite, &narrow, err))
		return -1;
	if (e->o.device.cuda) /* there a small answer vouches for the larger ones: judge/witness.h */
		ay_suite_sort(&e->suite);
	ay_suite_pick(&e->suite, e->timing.mode, e->o.quick);
	n = e->suite.n;
	for (int i = 0; i < n; i++)
		e->suite.c[i].id = i;
	if (e->suite.foreign)
		fprintf(stderr, "assay: %d lines are for operators that nobody here knows; they are left out\n",
			e->suite.foreign);
	if (!n)
		return ay_fail(err, AY_ERR_USAGE, "the suite '%s' has no case%s%s%s%s", e->o.suite,
			       e->o.ops ? " for " : "", e->o.ops ? e->o.ops : "", e->o.dtypes ? " in " : "",
			       e->o.dtypes ? e->o.dtypes : "");
	if (narrow.missing[0])
		fprintf(stderr, "assay: the suite '%s' has no case for '%s'\n", e->o.suite, narrow.missing);
	return 0;
}

/* A case takes some time however small it is: as much as so many bytes take. Triton compiles for many of them. */
#define LEAST_BYTES        0x1p20
#define LEAST_BYTES_TRITON 0x1p25

/* Is the case one of the job's? A package's job has all operators of a file under ops/. A kernel file has one operator, by
 * its name, and the out= and in-place forms that its functions may stand for; what else the file defines is not known
 * until it is loaded (struct ay_task_watch, planned). */
static bool may_answer(const struct eval *e, const struct eval_job *j, const struct ay_suite_case *c)
{
	const struct ay_entry_op *owner = NULL;

	if (j->lang >= AY_LANG_ATEN)
		return !strcmp(c->op->path, j->op->path);
	if (c->op == j->op)
		return true;
	return j->file && ay_registry_functional(e->app->registry, c->schema, &owner) && owner == j->op;
}

/* Counts the cases that the job may answer, and their work. Where the suite has no case of the job's operator the job is
 * recorded under the first operator that it has a case of. Returns false if there is none. */
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

static int add_files(struct eval *e, struct ay_err *err)
{
	const char *dir = e->o.kernels ? e->o.kernels : "generated_kernels";

	if (ay_backend_scan(&e->backend, e->app->arena, e->app->registry, dir, err))
		return -1;
	e->job = AY_NEW_N(e->app->arena, struct eval_job, e->backend.n + 1);
	for (int i = 0; i < e->backend.n; i++) {
		const struct ay_kernel_file *f = &e->backend.file[i];
		struct eval_job *j = &e->job[e->njob];
		struct ay_err unreadable = { 0 };
		struct ay_hash h;
		char *text;
		size_t len;

		if (!f->op)
			continue;
		*j = (struct eval_job){ .file = f->path, .op = f->op, .schema = f->schema, .lang = f->lang };
		if (!count_cases(e, j))
			continue;
		if (!ay_file_read(e->app->arena, f->path, SOURCE_MAX, &text, &len, &unreadable)) {
			ay_hash_init(&h);
			ay_hash_add(&h, text, len);
			ay_hash_end(&h, j->sha256);
		}
		e->njob++;
	}
	return 0;
}

static int add_references(struct eval *e, struct ay_err *err)
{
	char build[65]; /* the reference is as old as we are */

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

/* --- packages of Python: no files, one job an operator ---------------------------------------------------- */

/* Which package, and of whose operators it may have functions. */
static const struct {
	const char *name, *package, *ns, *get;
	enum ay_lang lang;
} packages[] = {
	{ "aten", "torch", "aten", "install torch there", AY_LANG_ATEN },
	{ "flag_gems", "flag_gems", "aten", "install FlagGems there", AY_LANG_FLAG_GEMS },
};
enum { PACKAGES = sizeof packages / sizeof *packages };

static int find_package(const char *backend)
{
	int i = 0;

	while (i < PACKAGES && strcmp(packages[i].name, backend))
		i++;
	return i;
}

bool eval_is_package(const struct eval *e)
{
	return find_package(e->o.backend) < PACKAGES;
}

/* "aten 2.13.0+cpu": what its records say in place of a file, and what their kernel's hash is made of. */
static const char *name_package(const struct eval *e, int i, struct ay_err *err)
{
	struct ay_arena *a = e->app->arena;
	const char *path, *version;

	if (ay_python_find(a, e->o.torch.python, &path, err) ||
	    ay_python_version(a, path, packages[i].package, &version, err))
		return NULL;
	if (!version) {
		ay_fail(err, AY_ERR_USAGE, "'%s' has no package %s: %s, or name another interpreter with --python",
			path, packages[i].package, packages[i].get);
		return NULL;
	}
	return ay_sprintf(a, "%s %s", packages[i].name, version);
}

/* Forms of an operator share a file, and a job. */
static bool is_first_of_file(const struct ay_registry *r, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(r->op[k].path, r->op[i].path))
			return false;
	return true;
}

static int add_package(struct eval *e, struct ay_err *err)
{
	const int p = find_package(e->o.backend);
	const char *name = name_package(e, p, err);
	const struct ay_registry *r = e->app->registry;
	struct ay_hash h;

	if (!name)
		return -1;
	e->job = AY_NEW_N(e->app->arena, struct eval_job, r->n + 1);
	for (int i = 0; i < r->n; i++) {
		struct eval_job *j = &e->job[e->njob];

		if (strcmp(r->op[i].schema[0]->ns, packages[p].ns) || !is_first_of_file(r, i))
			continue;
		*j = (struct eval_job){ .file = name, .op = &r->op[i], .lang = packages[p].lang };
		if (!count_cases(e, j))
			continue;
		ay_hash_init(&h);
		ay_hash_add(&h, name, strlen(name));
		ay_hash_end(&h, j->sha256);
		e->njob++;
	}
	return 0;
}

static int make_jobs(struct eval *e, struct ay_err *err)
{
	if (!strcmp(e->o.backend, "reference"))
		return add_references(e, err);
	if (!strcmp(e->o.backend, "directory"))
		return add_files(e, err);
	if (eval_is_package(e))
		return add_package(e, err);
	return ay_fail(
		err, AY_ERR_USAGE,
		"there is no backend '%s': reference, aten, flag_gems, directory with --kernels DIR, llm, or "
		"kernel_agent",
		e->o.backend);
}

void eval_print_list(const struct eval *e)
{
	for (int i = 0; i < e->backend.n; i++) {
		const struct ay_kernel_file *f = &e->backend.file[i];
		struct ay_str name = { 0 };

		if (f->schema)
			ay_schema_name(&name, f->schema);
		printf("%-52s %s%s\n", f->path, f->op ? (f->schema ? ay_str_text(&name) : f->op->name) : "- ",
		       f->op ? "" : f->why);
		ay_str_release(&name);
	}
	for (int i = 0; i < e->njob && !e->backend.n; i++)
		printf("%-52s %d cases\n", e->job[i].op->name, e->job[i].cases);
}

int eval_plan(struct eval *e, struct ay_err *err)
{
	return eval_suite(e, err) || make_jobs(e, err) ? -1 : 0;
}
