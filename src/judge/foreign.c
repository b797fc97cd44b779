/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/foreign.h"

#include "base/file.h"
#include "base/json.h"
#include "exec/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/machine.h"

enum { SCHEMAS_MAX = 16 << 20 };

static bool has_foreign(const struct ay_registry *r)
{
	return r->n && r->op[r->n - 1].op[0]->flags & AY_FOREIGN;
}

int ay_foreign_load(struct ay_registry *r, struct ay_python *p, const char *cache, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	const char *path, *version, *text = NULL, *file;
	char *kept;
	size_t len;
	int rc = -1;

	if (has_foreign(r))
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
		if (file && !ay_file_mkdirs(cache, &ignored))
			ay_file_write(file, text, len, &ignored); /* a cache that cannot be written is none */
	}
	rc = ay_registry_extend(r, text, len, err);
out:
	ay_arena_release(&a);
	return rc;
}

/* --- a user's own ------------------------------------------------------------------------------------------- */

static int take_ref(struct ay_registry *r, const json_t *o, struct ay_arena *a, struct ay_ref_op *ref,
		    struct ay_err *err)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const json_t *cases = json_object_get(o, "cases");
	const struct ay_schema *s;
	struct ay_schema *parsed;
	bool exact;

	if (!schema || !json_array_size(cases))
		return ay_fail(err, AY_ERR_PARSE, "%s: no SCHEMA or no CASES", ref->file);
	if (ay_schema_parse(a, schema, &parsed, err)) {
		ay_err_prefix(err, "%s, SCHEMA", ref->file);
		return -1;
	}
	if (!ay_schema_is_kernel(parsed))
		return ay_fail(err, AY_ERR_PARSE, "%s, SCHEMA: it takes and gives no tensors that a kernel could",
			       ref->file);
	if (ay_registry_extend(r, schema, strlen(schema), err))
		return -1;
	ref->op = ay_registry_find(r, ay_proto_symbol(a, parsed), &s, &exact, err);
	if (!ref->op)
		return -1;
	ref->nline = (int)json_array_size(cases);
	ref->line = AY_NEW_N(a, const char *, ref->nline);
	for (int i = 0; i < ref->nline; i++)
		ref->line[i] = ay_strdup(a, json_string_value(json_array_get(cases, (size_t)i)));
	return 0;
}

int ay_foreign_ref(struct ay_registry *r, struct ay_python *p, const char *file, struct ay_arena *a,
		   struct ay_ref_op *ref, struct ay_err *err)
{
	const char *path, *text;
	char *source, *full = realpath(file, NULL);
	json_t *o = NULL;
	size_t len;
	int rc = -1;

	*ref = (struct ay_ref_op){ .file = ay_strdup(a, file), .fd = -1 };
	if (!full)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", file);
	if (!ay_file_read(a, file, SCHEMAS_MAX, &source, &len, err) && !ay_python_find(a, p->wish, &path, err)) {
		ref->fd = ay_launch_memfd("assay-ref", source, len, 0);
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
