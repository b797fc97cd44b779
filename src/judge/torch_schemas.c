/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/torch_schemas.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "exec/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/machine.h"

enum { SCHEMAS_MAX = 16 << 20 };

static bool has_uncatalogued(const struct ay_registry *r)
{
	return r->n && r->op[r->n - 1].op[0]->flags & AY_UNCATALOGUED;
}

int ay_torch_schemas_load(struct ay_registry *r, struct ay_python *p, const char *cache, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	const char *path, *version, *text = NULL, *file;
	char *kept;
	size_t len;
	int rc = -1;

	if (has_uncatalogued(r))
		return 0;
	if (ay_python_find(&a, p->wish, &path, err) || ay_python_version(&a, path, "torch", &version, err))
		goto out;
	cache = cache ? cache : ay_machine_cache(&a);
	file = cache && cache[0] ? ay_sprintf(&a, "%s/torch-%s.schemas", cache, version) : NULL;
	if (file && !ay_file_read(&a, file, SCHEMAS_MAX, &kept, &len, &ignored))
		text = kept;
	if (!text) {
		text = ay_python_output(&a, path, "assay.schemas", NULL, &len, err);
		if (!text)
			goto out;
		/* a cache that cannot be written is no failure */
		if (file && !ay_file_mkdirs(cache, &ignored))
			ay_file_write(file, text, len, &ignored);
	}
	rc = ay_registry_extend(r, text, len, err);
out:
	ay_arena_release(&a);
	return rc;
}

/* --- a user's own ------------------------------------------------------------------------------------------- */

static const char *text_of(struct ay_arena *a, const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && *s ? ay_strdup(a, s) : NULL;
}

static int take_ref(struct ay_registry *r, const json_t *o, struct ay_arena *a, struct ay_ref_op *ref,
		    struct ay_err *err)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const json_t *cases = json_object_get(o, "cases");

	if (!schema || !json_array_size(cases))
		return ay_fail(err, AY_ERR_PARSE, "%s: no SCHEMA or no CASES", ref->file);
	ref->doc = text_of(a, o, "doc");
	ref->code = text_of(a, o, "code");
	if (ay_registry_add_own(r, schema, ref->file,
				ref->doc ? ref->doc : ay_sprintf(a, "What reference() of %s computes.", ref->file),
				&ref->op, err)) {
		ay_err_prefix(err, "%s, SCHEMA", ref->file);
		return -1;
	}
	ref->nline = (int)json_array_size(cases);
	ref->line = AY_NEW_N(a, const char *, ref->nline);
	for (int i = 0; i < ref->nline; i++)
		ref->line[i] = ay_strdup(a, json_string_value(json_array_get(cases, (size_t)i)));
	return 0;
}

static int add_case(const struct ay_registry *r, const struct ay_ref_op *ref, const char *text, struct ay_arena *a,
		    struct ay_suite *s, struct ay_err *err)
{
	struct ay_suite_case sc = { 0 };
	struct ay_case *line;
	struct ay_call *c;

	if (ay_case_parse(a, text, strlen(text), &line, err))
		return -1;
	if (!line->base) {
		line->ns = ref->op->schema[0]->ns;
		line->base = ref->op->schema[0]->base;
		line->overload = ref->op->schema[0]->overload;
	}
	sc.op = ay_registry_find_case(r, line, &sc.schema, err);
	sc.line = line;
	if (!sc.op || ay_call_bind(a, sc.op->op[0], sc.schema, line, &c, err))
		return -1;
	if (sc.op != ref->op)
		return ay_fail(err, AY_ERR_USAGE, "the line is for %s, SCHEMA for %s", sc.op->name, ref->op->name);
	ay_suite_push(s, &sc);
	return 0;
}

int ay_ref_op_cases(const struct ay_registry *r, const struct ay_ref_op *ref, struct ay_arena *a,
		    struct ay_suite *s, struct ay_err *err)
{
	s->listed = true;
	for (int i = 0; i < ref->nline; i++)
		if (add_case(r, ref, ref->line[i], a, s, err)) {
			ay_err_prefix(err, "%s, CASES[%d]", ref->file, i);
			return -1;
		}
	return 0;
}

int ay_torch_schemas_ref(struct ay_registry *r, struct ay_python *p, const char *file, struct ay_arena *a,
			 struct ay_ref_op *ref, struct ay_err *err)
{
	const char *path, *text;
	char *source, *full = realpath(file, NULL);
	json_t *o = NULL;
	struct ay_hash h;
	size_t len;
	int rc = -1;

	*ref = (struct ay_ref_op){ .file = ay_strdup(a, file), .fd = -1 };
	if (!full)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", file);
	if (!ay_file_read(a, file, SCHEMAS_MAX, &source, &len, err) && !ay_python_find(a, p->wish, &path, err)) {
		ref->fd = ay_launch_memfd("assay-ref", source, len, 0);
		ay_hash_init(&h);
		ay_hash_add(&h, source, len);
		ay_hash_end(&h, ref->sha256);
		text = ay_python_output(a, path, "assay.ref", full, &len, err);
		o = text ? json_loadb(text, len, 0, NULL) : NULL;
		rc = o ? take_ref(r, o, a, ref, err) : -1;
	}
	if (rc && !err->code)
		ay_fail(err, AY_ERR_EXEC, "%s: what it says of itself cannot be read", file);
	json_decref(o);
	ay_xfree(full);
	return rc;
}
