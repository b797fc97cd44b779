/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"
#include "base/json.h"
#include "op/original_coverage.h"
#include "op/proto.h"

#include <stdio.h>
#include <string.h>

static json_t *dtypes_json(uint64_t set)
{
	json_t *j = json_array();

	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (set & 1ull << dt)
			json_array_append_new(j, json_string(ay_dt_info(dt)->name));
	return j;
}

static json_t *texts_json(const struct ay_op_doc_texts *t)
{
	json_t *j = json_array();

	for (int i = 0; i < t->n; i++)
		json_array_append_new(j, json_string(t->text[i]));
	return j;
}

static json_t *line_json(const struct ay_case *line)
{
	struct ay_str b = { 0 };
	json_t *j;

	ay_case_print(&b, line);
	j = json_string(ay_str_text(&b));
	ay_str_release(&b);
	return j;
}

static int overloads_json(struct app *app, const struct ay_entry_op *e, json_t *j, struct ay_err *err)
{
	json_t *list = json_array(), *omitted = json_object();
	struct ay_str b = { 0 };

	json_object_set_new(j, "overloads", list);
	json_object_set_new(j, "no_kernels", omitted);
	for (int k = 0; k < e->nschema; k++) {
		json_t *o = json_object();
		struct ay_err none = { 0 };
		struct ay_proto *p;

		json_array_append_new(list, o);
		ay_str_clear(&b);
		ay_schema_print(&b, e->schema[k]);
		json_object_set_new(o, "schema",
				    json_string(show_is_torchs(e) ? ay_str_text(&b) : e->op[0]->schemas[k]));
		ay_str_clear(&b);
		if (!ay_proto_make(app->arena, e->schema[k], &p, &none))
			ay_proto_print(&b, p);
		/* operators of the catalogue always have a prototype */
		else if (!show_is_torchs(e))
			return *err = none, -1;
		json_object_set_new(o, "c", b.len ? json_string(ay_str_text(&b)) : json_null());
		ay_str_clear(&b);
		ay_proto_python(&b, e->schema[k]);
		json_object_set_new(o, "python", json_string(ay_str_text(&b)));
	}
	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		if (!strcmp(o->name, e->name))
			json_object_set_new(omitted, ay_omit_word(o->omit), json_string(o->overloads));
	ay_str_release(&b);
	return 0;
}

static json_t *judged_json(const struct ay_op *op, const struct ay_op_doc *f)
{
	json_t *j = json_object(), *differs = json_array(), *ulps;

	json_object_set_new(j, "by",
			    json_string(op->scalar              ? "value"
					: op->flags & AY_META   ? "shape"
					: op->flags & AY_RANDOM ? "distribution"
					: op->flags & AY_EXACT  ? "bits"
								: "bound"));
	if (ay_op_doc_has_bound(op)) {
		json_object_set_new(j, "k_out", json_real(op->k_out ? op->k_out : 1));
		json_object_set_new(j, "k_acc", json_real(AY_K_ACC));
		json_object_set_new(j, "ulps", (ulps = json_object()));
		for (int dt = 0; dt < AY_DT_COUNT; dt++)
			if (f->bound[dt].seen)
				json_object_set_new(ulps, ay_dt_info(dt)->name,
						    json_pack("{s:o,s:f,s:f}", "case",
							      line_json(f->bound[dt].line), "least",
							      f->bound[dt].least, "median", f->bound[dt].median));
	}
	if (op->rounds)
		json_object_set_new(j, "rounds", json_string(op->rounds));
	if (op->promises)
		json_object_set_new(j, "not_promised", json_string(op->promises));
	for (int i = 0; i < f->ndiffer; i++)
		json_array_append_new(
			differs, json_pack("{s:s,s:i}", "why", f->differ[i].why, "cases", f->differ[i].cases));
	json_object_set_new(j, "aten_differs", differs);
	return j;
}

static json_t *tested_json(const struct ay_op_doc *f)
{
	json_t *j = json_object(), *args = json_object(), *layouts = json_object();

	for (int i = 0; i < f->narg; i++) {
		json_t *o = json_object();

		if (f->arg[i].dtypes)
			json_object_set_new(o, "dtypes", dtypes_json(f->arg[i].dtypes));
		json_object_set_new(o, f->arg[i].dtypes ? "shapes" : "values", texts_json(&f->arg[i].value));
		json_object_set_new(args, f->arg[i].name, o);
	}
	for (int k = 0; ay_op_doc_layout(k); k++)
		json_object_set_new(layouts, ay_op_doc_layout(k), json_integer(f->layout[k]));
	json_object_set_new(j, "arguments", args);
	json_object_set_new(j, "layouts", layouts);
	json_object_set_new(j, "fills", texts_json(&f->fills));
	return j;
}

static json_t *cases_json(const struct ay_op_doc *f)
{
	static const char *const tiers[] = { "quick", "full", "perf" };
	json_t *j = json_object();

	for (int t = 0; t <= AY_PERF; t++) {
		json_t *list = json_array();

		for (int i = 0; i < f->suite.n; i++)
			if ((int)f->suite.c[i].tier == t)
				json_array_append_new(list, line_json(f->suite.c[i].line));
		json_object_set_new(j, tiers[t], list);
	}
	return j;
}

static json_t *floors_json(const struct ay_op_doc *f)
{
	json_t *j = json_array();

	for (int i = 0; i < f->nfloor; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "case", line_json(f->floor[i].line));
		json_object_set_new(o, "bytes", json_real(f->floor[i].bytes));
		json_object_set_new(o, "flops", json_real(f->floor[i].flops));
		if (f->measured) {
			json_object_set_new(o, "ns_one_thread", json_real(f->floor[i].ns_one));
			json_object_set_new(o, "ns_all_cpus", json_real(f->floor[i].ns_all));
			json_object_set_new(o, "ns_flops_all_cpus", json_real(f->floor[i].ns_flops));
		}
		json_array_append_new(j, o);
	}
	return j;
}

/* Prints an operator that only torch knows, without cases. */
static int torch_json(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	json_t *j = json_pack("{s:s,s:n,s:{s:s,s:s?}}", "name", e->name, "file", "judged", "by",
			      e->why ? "nothing" : "aten", "why", e->why);
	const int rc = overloads_json(app, e, j, err);

	if (!rc)
		ay_json_line(stdout, j);
	json_decref(j);
	return rc;
}

int show_json(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_err *err)
{
	struct ay_op_doc *f = AY_NEW(app->arena, struct ay_op_doc);
	const struct ay_original_coverage *o = ay_original_coverage_find(e->name);
	json_t *j;
	int rc;

	if (show_is_torchs(e))
		return torch_json(app, e, err);
	if (show_page(app, e, cases, f, err))
		return -1;
	j = json_object();
	json_object_set_new(j, "name", json_string(e->name));
	json_object_set_new(j, "file", json_string(e->path));
	json_object_set_new(j, "doc", json_string(e->op[0]->doc));
	rc = overloads_json(app, e, j, err);
	json_object_set_new(j, "judged", judged_json(e->op[0], f));
	json_object_set_new(j, "tested", tested_json(f));
	json_object_set_new(j, "cases", cases_json(f));
	json_object_set_new(j, "floor", floors_json(f));
	if (o)
		json_object_set_new(
			j, "original",
			json_pack("{s:i,s:s?,s:s?}", "cases", o->cases, "broken", o->broken, "why", o->why));
	if (!rc)
		ay_json_line(stdout, j);
	json_decref(j);
	ay_op_doc_release(f);
	return rc;
}
