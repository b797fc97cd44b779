/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_backend - finds the kernels: checks that the backend, its folder or package exists, and
 * lists what is in it.
 */
#include "eval.h"
#include "base/file.h"
#include "exec/interpreter.h"
#include "exec/python.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 4 /* most files to list that are not understood */ };

/* --- packages of Python ----------------------------------------------------------------------- */

static const struct eval_package packages[] = {
	{ "aten", "torch", "aten", "install torch there", AY_LANG_ATEN },
	{ "flag_gems", "flag_gems", "aten", "install FlagGems there", AY_LANG_FLAG_GEMS },
	{ 0 },
};

const struct eval_package *eval_package(const char *backend)
{
	const struct eval_package *p = packages;

	while (p->name && strcmp(p->name, backend))
		p++;
	return p->name ? p : NULL;
}

bool eval_is_package(const struct eval *e)
{
	return eval_package(e->o.backend);
}

/* Finds the package and makes its text, "aten 2.13.0+cpu". Records have it in place of a file, and
 * the kernel's hash is made from it. */
static int find_package(struct eval *e, const struct eval_package *p, struct ay_err *err)
{
	struct ay_arena *a = e->app->arena;
	const char *path, *version;

	if (ay_python_find(a, e->o.torch.python, &path, err) ||
	    ay_python_version(a, path, p->package, &version, err))
		return -1;
	if (!version)
		return ay_fail(err, AY_ERR_USAGE,
			       "'%s' has no package %s: %s, or name another interpreter with --python", path,
			       p->package, p->get);
	e->package = ay_sprintf(a, "%s %s", p->name, version);
	return 0;
}

/* --- a folder --------------------------------------------------------------------------------- */

const char *eval_folder(const struct eval *e)
{
	return e->o.kernels ? e->o.kernels : "generated_kernels";
}

/* Lists files that are not understood: "a.c: its name is no operator's; b.f90: ...; 3 more".
 * Returns their number. */
static int list_unread(const struct eval *e, struct ay_str *b)
{
	int n = 0;

	for (int i = 0; i < e->backend.n; i++) {
		const struct ay_kernel_file *f = &e->backend.file[i];

		if (!f->op && n++ < SHOWN)
			ay_str_addf(b, "%s%s: %s", n > 1 ? "; " : "",
				    ay_shown(e->app->arena, ay_file_basename(f->path)), f->why);
	}
	if (n > SHOWN)
		ay_str_addf(b, "; and %d more", n - SHOWN);
	return n;
}

/* Fails for a folder without any kernel: it is a mistake, not 121 operators without a kernel. */
static int look_into(struct eval *e, struct ay_err *err)
{
	const char *dir = eval_folder(e);
	int rc = ay_backend_scan(&e->backend, e->app->arena, e->app->registry, dir, e->o.follow_links, err);

	if (!rc && !e->backend.n)
		rc = ay_fail(
			err, AY_ERR_USAGE,
			"there is no kernel in the folder '%s': put files there that are named after their "
			"operators, as aten_relu.c or relu.py (docs/kernel-abi.md), or name another folder with "
			"--kernels",
			dir);
	ay_backend_release(&e->backend);
	return rc;
}

static int check_files(const struct eval *e, struct ay_err *err)
{
	const char *dir = eval_folder(e);
	struct ay_str b = { 0 };
	const int unread = list_unread(e, &b);
	int rc = 0;

	if (unread && unread == e->backend.n)
		rc = ay_fail(
			err, AY_ERR_USAGE,
			"no file in '%s' is a kernel that is understood: %s. Name files after their operators, "
			"as aten_relu.c or relu.py (docs/kernel-abi.md; see: assay eval --list)",
			dir, ay_str_text(&b));
	else if (unread && !e->o.resume)
		fprintf(stderr, "assay: %d of %d files in '%s' are not understood: %s\n", unread, e->backend.n,
			ay_shown(e->app->arena, dir), ay_str_text(&b));
	ay_str_release(&b);
	return rc;
}

/* Checks that there is an interpreter for kernels in Python. Reports it once now, rather than in
 * each record. */
static int check_python(const struct eval *e, struct ay_err *err)
{
	struct ay_err why = { 0 };
	struct ay_interpreter found;
	int python = 0, all = 0;

	for (int i = 0; i < e->backend.n; i++) {
		all += e->backend.file[i].op != NULL;
		python += e->backend.file[i].op && e->backend.file[i].lang == AY_LANG_PY;
	}
	if (!python || !ay_interpreter_look(e->app->arena, e->o.torch.python, &found, &why))
		return 0;
	if (python == all)
		return ay_fail(err, why.code, "the kernels in '%s' are in Python: %s", eval_folder(e), why.msg);
	fprintf(stderr, "assay: %d of %d kernels in '%s' are in Python and cannot be judged: %s\n", python, all,
		ay_shown(e->app->arena, eval_folder(e)), why.msg);
	return 0;
}

int eval_scan(struct eval *e, struct ay_err *err)
{
	if (ay_backend_scan(&e->backend, e->app->arena, e->app->registry, eval_folder(e), e->o.follow_links, err))
		return -1;
	return !e->o.list && (check_files(e, err) || check_python(e, err)) ? -1 : 0;
}

/* --- any -------------------------------------------------------------------------------------- */

int eval_backend(struct eval *e, struct ay_err *err)
{
	static const char *const names[] = { "reference", "aten",         "flag_gems", "directory",
					     "llm",       "kernel_agent", NULL };
	const struct eval_package *p = eval_package(e->o.backend);
	const char *meant = nearest(e->o.backend, names);

	if (e->o.kernels && strcmp(e->o.backend, "directory") && !e->o.resume)
		return ay_fail(
			err, AY_ERR_USAGE,
			"--kernels is for the backend directory, and --backend is %s: leave one of them out",
			e->o.backend);
	if (!strcmp(e->o.backend, "reference") || llm_is_backend(e->o.backend))
		return 0;
	if (p)
		return find_package(e, p, err);
	if (!strcmp(e->o.backend, "directory"))
		return look_into(e, err);
	return ay_fail(err, AY_ERR_USAGE,
		       "there is no backend '%s'%s%s%s: reference, aten, flag_gems, directory with --kernels DIR, "
		       "llm, or kernel_agent",
		       e->o.backend, meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

/* --- --list ----------------------------------------------------------------------------------- */

static const char *overload_of(const struct eval *e, const struct ay_kernel_file *f)
{
	struct ay_str b = { 0 };
	const char *name;

	if (!f->schema)
		return NULL;
	ay_schema_name(&b, f->schema);
	name = ay_strdup(e->app->arena, ay_str_text(&b));
	ay_str_release(&b);
	return name;
}

static void print_file(const struct eval *e, const struct ay_kernel_file *f)
{
	const char *overload = overload_of(e, f);
	json_t *j;

	if (!e->o.json) {
		printf("%-52s %s%s\n", ay_shown(e->app->arena, f->path),
		       overload ? overload
		       : f->op  ? f->op->name
				: "- ",
		       f->op ? "" : f->why);
		return;
	}
	j = json_pack("{s:s, s:o}", "type", "file", "file", ay_json_text(f->path, strlen(f->path), 4096));
	json_object_set_new(j, "operator", f->op ? json_string(f->op->name) : json_null());
	json_object_set_new(j, "overload", overload ? json_string(overload) : json_null());
	if (!f->op)
		json_object_set_new(j, "why", ay_json_text(f->why, strlen(f->why), 1000));
	ay_json_line(stdout, j);
	json_decref(j);
}

void eval_print_cases(const struct eval *e, const char *name, int cases)
{
	json_t *j;

	if (!e->o.json) {
		printf("%-52s %d cases\n", name, cases);
		return;
	}
	j = json_pack("{s:s, s:s, s:i}", "type", "operator", "operator", name, "cases", cases);
	ay_json_line(stdout, j);
	json_decref(j);
}

void eval_print_list(const struct eval *e)
{
	for (int i = 0; i < e->backend.n; i++)
		print_file(e, &e->backend.file[i]);
	for (int i = 0; i < e->njob && !e->backend.n; i++)
		eval_print_cases(e, e->job[i].op->name, e->job[i].cases);
}
