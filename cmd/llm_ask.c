/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_ask - the problems, their prompts, and the files that show both: prompt_R/ and round_R/ of
 * the run.
 */
#include "llm_internal.h"
#include "base/file.h"
#include "base/process.h"
#include "base/rng.h"
#include "llm/docstring.h"
#include "op/suite_filter.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEBUG_OPS = 8 };

/* --- problems --------------------------------------------------------------------------------- */

static struct llm_problem *find_problem(struct llm *m, const struct ay_suite_case *sc)
{
	for (int i = 0; i < m->nproblem; i++)
		if (m->problem[i].op == sc->op && (!m->problem[i].only || m->problem[i].only == sc->schema))
			return &m->problem[i];
	return NULL;
}

/* Returns a name that every file system accepts and ay_backend_file_op understands:
 * "aten.add.Tensor". */
static const char *file_name(struct ay_arena *a, const char *problem)
{
	char *name = ay_strdup(a, problem), *colons = strstr(name, "::");

	if (colons) {
		*colons = '.';
		memmove(colons + 1, colons + 2, strlen(colons + 2) + 1);
	}
	for (char *p = name; *p; p++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *p))
			*p = '_';
	return name;
}

static void list_problems(struct llm *m)
{
	const struct ay_suite *s = &m->e->suite;

	m->problem = AY_NEW_N(m->e->app->arena, struct llm_problem, s->n + 1);
	m->nproblem = 0;
	for (int i = 0; i < s->n; i++) {
		struct llm_problem *p = find_problem(m, &s->c[i]);

		if (!p) {
			struct ay_str name = { 0 };

			p = &m->problem[m->nproblem++];
			p->op = s->c[i].op;
			p->only = m->e->llm.per_overload ? s->c[i].schema : NULL;
			if (p->only)
				ay_schema_name(&name, p->only);
			else
				ay_str_add(&name, p->op->name);
			p->name = ay_strdup(m->e->app->arena, ay_str_text(&name));
			p->file = file_name(m->e->app->arena, p->name);
			ay_str_release(&name);
		}
		ay_suite_push(&p->suite, &s->c[i]);
	}
}

void llm_release_problems(struct llm *m)
{
	for (int i = 0; i < m->nproblem; i++) {
		ay_suite_release(&m->problem[i].suite);
		ay_suite_release(&m->problem[i].held);
		json_decref(m->problem[i].judged);
	}
}

/* Applies --single-test and --debug. They reduce the run's suite; run.json stores the names, so
 * that a resumed run has equal problems. */
static int take_few(struct llm *m, struct ay_err *err)
{
	struct eval *e = m->e;
	const uint64_t draw = e->o.seed >= 0 ? (uint64_t)e->o.seed : ay_secret_u64();
	const int first = e->llm.single ? (int)(draw % (uint64_t)m->nproblem) : 0;
	struct ay_str ops = { 0 };
	struct ay_suite_filter narrow = { 0 };
	int taken = 0;

	for (int i = first; i < m->nproblem && taken < (e->llm.single ? 1 : DEBUG_OPS); i++) {
		if (i > first && m->problem[i].op == m->problem[i - 1].op)
			continue;
		ay_str_addf(&ops, "%s%s", taken++ ? "," : "", m->problem[i].op->name);
	}
	e->o.ops = narrow.ops = ay_strdup(e->app->arena, ay_str_text(&ops));
	ay_str_release(&ops);
	e->nleft = 0;
	llm_release_problems(m);
	if (ay_suite_apply_filter(&e->suite, &narrow, err))
		return -1;
	list_problems(m);
	return 0;
}

/* Gets the operators' docstrings from torch, if there is a torch; prompts work without them. */
static void find_docstrings(struct llm *m)
{
	struct ay_arena *a = m->e->app->arena;
	const char **names = AY_NEW_N(a, const char *, m->nproblem + 1),
		   **text = AY_NEW_N(a, const char *, m->nproblem + 1);
	const char *python;
	struct ay_err without = { 0 };

	for (int i = 0; i < m->nproblem; i++)
		names[i] = m->problem[i].op->name;
	if (ay_python_find(a, m->e->o.torch.python, &python, &without) ||
	    ay_docstrings(a, python, m->nproblem, names, text, &without))
		return;
	for (int i = 0; i < m->nproblem; i++)
		m->problem[i].docstring = text[i];
}

int llm_make_problems(struct llm *m, struct ay_err *err)
{
	if (eval_suite(m->e, err))
		return -1;
	list_problems(m);
	if ((m->e->llm.single || m->e->llm.debug) && !m->e->o.ops && take_few(m, err))
		return -1;
	if (llm_draw_held(m, err))
		return -1;
	/* torch has no docstring for a user's own operator */
	if (!m->e->o.list && !own_is_suite(&m->e->o.own, m->e->o.suite))
		find_docstrings(m);
	return 0;
}

json_t *llm_absent(const struct llm *m)
{
	static const char *const sources[] = { "aten", "vllm", "cublas" };
	const struct eval_options *o = &m->e->o;
	json_t *j = json_object();

	for (size_t k = 0; !o->ops && !o->dtypes && k < sizeof sources / sizeof *sources; k++) {
		int n = ay_suite_promised(o->suite, sources[k]);

		for (int i = 0; i < m->nproblem && n; i++)
			n -= !strcmp(ay_entry_source(m->problem[i].op), sources[k]) &&
			     (!i || m->problem[i].op != m->problem[i - 1].op);
		if (n > 0)
			json_object_set_new(j, sources[k], json_integer(n));
	}
	return j;
}

/* --- prompts ---------------------------------------------------------------------------------- */

static int make_prompt(struct llm *m, struct llm_problem *p, const struct ay_prompt_past *past, struct ay_arena *a,
		       const char **system, const char **user, struct ay_err *err)
{
	const struct ay_op_doc_spec about = { .registry = m->e->app->registry,
					      .op = p->op,
					      .only = p->only,
					      .suite = &p->suite,
					      .ceilings = m->measured ? &m->ceilings : NULL };
	struct ay_prompt_spec s = { .registry = m->e->app->registry,
				    .op = p->op,
				    .only = p->only,
				    .lang = m->lang,
				    .device = m->device,
				    .ceilings = m->measured ? &m->ceilings : NULL,
				    .allow_torch = ay_torch_use_name(m->e->policy.torch_use),
				    .docstring = p->docstring,
				    .templates = m->e->llm.prompts };
	const struct ay_ref_op *own = &m->e->o.own.ref;
	struct ay_arena tmp = { 0 };
	struct ay_op_doc *page = AY_NEW(&tmp, struct ay_op_doc);
	struct ay_str x = { 0 }, y = { 0 };
	int rc = ay_op_doc_make(&about, &tmp, page, err);

	s.page = page;
	s.code = p->op == own->op && !own->doc ? own->code : NULL;
	if (!rc)
		rc = ay_prompt_make(&s, past, &x, &y, err);
	*system = ay_strdup(a, ay_str_text(&x));
	*user = ay_strdup(a, ay_str_text(&y));
	ay_str_release(&x);
	ay_str_release(&y);
	ay_op_doc_release(page);
	ay_arena_release(&tmp);
	if (rc)
		ay_err_prefix(err, "the prompt for %s", p->name);
	return rc;
}

int llm_prompt(struct llm *m, const struct ay_lane *l, struct ay_arena *a, const char **system, const char **user,
	       struct ay_err *err)
{
	struct llm_problem *p = &m->problem[l->problem];
	struct ay_prompt_past past;

	if (llm_past(m, l, a, &past))
		return make_prompt(m, p, &past, a, system, user, err);
	if (!p->system && make_prompt(m, p, NULL, m->e->app->arena, &p->system, &p->user, err))
		return -1;
	*system = p->system;
	*user = p->user;
	return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static const char *path_of(const struct llm *m, struct ay_arena *a, const char *folder, const struct ay_lane *l,
			   const char *end)
{
	const char *name = m->problem[l->problem].file;

	if (m->kind == AY_TRACK_AGENT)
		name = ay_sprintf(a, "%s__w%d", name, l->worker);
	return ay_sprintf(a, "%s/%s_%d/%s%s", m->dir, folder, l->round, name, end);
}

int llm_keep(struct llm *m, struct ay_arena *a, const char *folder, const struct ay_lane *l, const char *end,
	     const char *text, size_t len, const char **path, struct ay_err *err)
{
	*path = path_of(m, a, folder, l, end);
	if (ay_file_mkdirs(ay_sprintf(a, "%s/%s_%d", m->dir, folder, l->round), err))
		return -1;
	return ay_file_write(*path, text, len, err);
}

void llm_discard(struct llm *m)
{
	static const char *const names[] = { "run.json",      "run.lock",        "results.jsonl",
					     "progress.json", "exchanges.jsonl", NULL };
	struct ay_arena a = { 0 };
	int rounds = 0;

	if (!m->made || m->answers)
		return;
	for (int i = 0; i < m->nproblem * m->track.lanes; i++) {
		struct ay_lane l = m->track.lane[i];

		rounds = l.round > rounds ? l.round : rounds;
		for (; l.round; l.round--)
			unlink(path_of(m, &a, "prompt", &l, ".txt"));
	}
	for (; rounds; rounds--)
		rmdir(ay_sprintf(&a, "%s/prompt_%d", m->dir, rounds));
	for (int i = 0; names[i]; i++)
		unlink(ay_sprintf(&a, "%s/%s", m->dir, names[i]));
	rmdir(m->dir); /* rmdir keeps a folder that has other files */
	if (!m->e->o.out)
		rmdir("runs");
	ay_arena_release(&a);
}

int llm_print_prompts(struct llm *m)
{
	struct ay_arena a = { 0 };
	int rc = 0;

	for (int i = 0; i < m->nproblem && !rc; i++) {
		const char *system, *user;

		ay_arena_clear(&a);
		rc = llm_prompt(m, ay_track_lane(&m->track, i, 0), &a, &system, &user, m->err);
		if (!rc)
			printf("%s# system\n\n%s\n\n# user\n\n%s\n", i ? "\n" : "", system, user);
	}
	ay_arena_release(&a);
	return rc ? EXIT_FAILED : EXIT_PASSED;
}

void llm_print_list(const struct llm *m)
{
	for (int i = 0; i < m->nproblem; i++)
		eval_print_cases(m->e, m->problem[i].name, m->problem[i].suite.n);
}
