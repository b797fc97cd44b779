/* SPDX-License-Identifier: Apache-2.0
 *
 * task_op - finds the operator that a kernel's file is for: by its name, by its folder, or by the
 * functions that the source mentions.
 */
#include "base/file.h"
#include "judge/backend.h"
#include "judge/task.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns true if `name` occurs in the text as a whole identifier. */
static bool mentions(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p += n)
		if ((p == text || !is_word(p[-1])) && !is_word(p[n]))
			return true;
	return false;
}

/* Returns the operator if the source mentions functions of one operator file only; else NULL. */
static const struct ay_entry_op *op_by_source(const struct ay_registry *r, struct ay_arena *a, const char *source)
{
	const struct ay_entry_op *found = NULL;

	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];

		for (int k = 0; k < e->nschema; k++) {
			if (!mentions(source, ay_proto_symbol(a, e->schema[k])))
				continue;
			if (found && strcmp(found->path, e->path))
				return NULL;
			if (!found)
				found = e;
		}
	}
	return found;
}

/* Finds the operator by a folder of BackendBench's tree: relu__default/anything.py. */
static const struct ay_entry_op *op_by_folder(const struct ay_registry *r, struct ay_arena *a, const char *file,
					      const struct ay_schema **s)
{
	const char *name = ay_file_basename(file);
	char *folder;

	if (name - file < 2)
		return NULL;
	folder = ay_strndup(a, file, (size_t)(name - file - 1));
	return ay_backend_folder_op(r, a, ay_file_basename(folder), s);
}

const struct ay_entry_op *ay_task_find_op(const struct ay_registry *r, struct ay_arena *a, const char *file,
					  const char *source, struct ay_err *err)
{
	const struct ay_schema *s;
	const struct ay_entry_op *e = ay_backend_file_op(r, a, file, &s);

	if (!e)
		e = op_by_folder(r, a, file, &s);
	if (!e)
		e = op_by_source(r, a, source);
	if (!e)
		ay_fail(err, AY_ERR_USAGE,
			"%s: which operator is it for? Name it with --op, or call the file after the function "
			"(aten_relu.c; "
			"see: assay ops)",
			file);
	return e;
}
