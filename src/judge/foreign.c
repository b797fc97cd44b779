/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/foreign.h"

#include "base/file.h"
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
	if (ay_python_find(&a, p->wish, &path, err) || !(version = ay_python_torch(&a, path, err)))
		goto out;
	cache = cache ? cache : ay_machine_cache(&a);
	file = cache && cache[0] ? ay_sprintf(&a, "%s/torch-%s.schemas", cache, version) : NULL;
	if (file && !ay_file_read(&a, file, SCHEMAS_MAX, &kept, &len, &ignored))
		text = kept;
	if (!text) {
		text = ay_python_output(&a, path, "assay.schemas", &len, err);
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
