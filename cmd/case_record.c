/* SPDX-License-Identifier: Apache-2.0 */
#include "case_record.h"
#include "store/timing_json.h"

#include <math.h>
#include <string.h>

enum { TEXT_MAX = 8192 };

static void set_text(json_t *j, const char *key, const char *s)
{
	if (s)
		json_object_set_new(j, key, ay_json_text(s, strlen(s), TEXT_MAX));
}

static void set_name(json_t *j, const char *key, const struct ay_schema *s)
{
	struct ay_str name = { 0 };

	ay_schema_name(&name, s);
	set_text(j, key, ay_str_text(&name));
	ay_str_release(&name);
}

int ay_worker_sandbox(struct ay_policy *p, const struct ay_sandbox *parent, struct ay_forge *f, struct ay_err *err)
{
	if (p->sandbox)
		return 0;
	if (ay_sandbox_new(&p->sandbox, ay_sandbox_mode(parent), err))
		return -1;
	f->sandbox = p->sandbox;
	return 0;
}

/* Adds where the time was spent, to a millisecond. Most cases have nothing to add. */
static void set_spent(json_t *to, const struct ay_report *r)
{
	json_t *j = json_object();

	for (int i = 0; i < AY_SPENT_COUNT; i++)
		if (r->spent[i] >= 0.0005)
			json_object_set_new(j, ay_spent_name((enum ay_spent)i),
					    json_real(round(r->spent[i] * 1e3) / 1e3));
	if (json_object_size(j))
		json_object_set(to, "spent", j);
	json_decref(j);
}

json_t *record_case(const struct record_facts *f, const struct ay_suite_case *sc, const struct ay_report *r)
{
	json_t *j = json_object(), *all = json_array();

	json_object_set_new(j, "type", json_string("case"));
	set_text(j, "operator", f->operator_name);
	set_name(j, "overload", sc->schema);
	if (r->line) /* never cut, because a cut line does not reproduce the case */
		json_object_set_new(j, "line", ay_json_text(r->line, strlen(r->line), AY_LINE_MAX));
	if (sc->drawn)
		json_object_set_new(j, "drawn", json_true());
	json_object_set_new(j, "verdict", json_string(ay_verdict_name(r->verdict)));
	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (r->all >> v & 1)
			json_array_append_new(all, json_string(ay_verdict_name((enum ay_verdict)v)));
	json_object_set_new(j, "all", all);
	set_text(j, "detail", r->detail);
	set_text(j, "hint", r->hint);
	set_text(j, "derived", r->derived);
	set_text(j, "oracle", r->oracle ? r->oracle : "native");
	set_text(j, "oracle_device", r->oracle_device);
	set_text(j, "ref", f->ref);
	if (r->at) {
		set_text(j, "out", r->out);
		set_text(j, "at", r->at);
		json_object_set_new(j, "want", ay_json_wide(r->want));
		json_object_set_new(j, "got", ay_json_wide(r->got));
		json_object_set_new(j, "bound", ay_json_real(r->bound));
		json_object_set_new(j, "bad", json_integer(r->bad));
	}
	set_text(j, "printed", r->printed);
	if (r->printed_dropped)
		json_object_set_new(j, "printed_dropped", json_integer((json_int_t)r->printed_dropped));
	set_text(j, "dump", r->dump);
	json_object_set_new(j, "elements", json_integer(r->total));
	if (sc->line && sc->line->cnt >= 0)
		json_object_set_new(j, "calls", json_integer(sc->line->cnt));
	json_object_set_new(j, "wall_s", json_real(r->wall_s));
	set_spent(j, r);
	if (r->timing)
		json_object_set_new(j, "timing", record_timing(r->timing));
	set_text(j, "file", f->file);
	json_object_set_new(j, "kernel_sha256", json_string(f->kernel_sha256));
	set_text(j, "sandbox", f->sandbox);
	set_text(j, "device", f->device);
	set_text(j, "assay", f->version);
	return j;
}

json_t *record_timing(const struct ay_timing *t)
{
	return ay_timing_json_write(t);
}

static json_t *overloads_of(const struct ay_task_result *r)
{
	json_t *all = json_object();

	for (int i = 0; i < r->ntally; i++) {
		const struct ay_tally *t = &r->tally[i];
		json_t *o = json_object(), *counts = json_object();
		struct ay_str name = { 0 };

		for (int v = 0; v < AY_VERDICT_COUNT; v++)
			if (t->count[v])
				json_object_set_new(counts, ay_verdict_name((enum ay_verdict)v),
						    json_integer(t->count[v]));
		json_object_set_new(o, "verdict", json_string(ay_verdict_name(t->verdict)));
		json_object_set_new(o, "cases", json_integer(t->n));
		json_object_set_new(o, "counts", counts);
		if (t->derived)
			json_object_set_new(o, "derived", json_true());
		ay_schema_name(&name, t->schema);
		json_object_set_new(all, ay_str_text(&name), o);
		ay_str_release(&name);
	}
	return all;
}

json_t *record_kernel(const struct record_facts *f, const struct ay_task_result *r, const char *type)
{
	json_t *j = json_object();

	json_object_set_new(j, "type", json_string(type));
	json_object_set_new(j, "verdict", json_string(ay_verdict_name(r->verdict)));
	set_text(j, "operator", r->op->name);
	set_text(j, "file", f->file);
	set_text(j, "detail", r->detail ? r->detail : r->verdict == AY_VERDICT_BUILD ? r->built.log : NULL);
	json_object_set_new(j, "overloads", overloads_of(r));
	json_object_set_new(j, "cases", json_integer(r->judged));
	if (r->drawn)
		json_object_set_new(j, "drawn",
				    json_pack("{s:i,s:i}", "cases", r->drawn, "not_passed", r->drawn_bad));
	json_object_set_new(j, "cases_left", json_integer(r->left));
	json_object_set_new(j, "wall_s", json_real(r->wall_s));
	json_object_set_new(j, "build_s", json_real(r->built.wall_s));
	set_text(j, "build", r->built.command);
	json_object_set_new(j, "kernel_sha256", json_string(r->built.sha256));
	set_text(j, "sandbox", f->sandbox);
	set_text(j, "device", f->device);
	set_text(j, "assay", f->version);
	return j;
}
