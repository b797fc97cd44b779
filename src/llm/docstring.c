/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/docstring.h"

#include "base/json.h"
#include "base/str.h"
#include "exec/python.h"

/* One argument of a program can hold 128 KiB. */
enum { ASKED_MAX = 100000 };

static int ask(struct ay_arena *a, const char *python, const char *names, json_t **answer, struct ay_err *err)
{
	size_t len;
	const char *text = ay_python_output(a, python, "assay.docs", names, &len, err);

	*answer = text ? json_loadb(text, len, 0, NULL) : NULL;
	if (text && !json_is_object(*answer)) {
		json_decref(*answer);
		return ay_fail(err, AY_ERR_EXEC, "%s: what it says of torch's documentation cannot be read",
			       python);
	}
	return text ? 0 : -1;
}

int ay_docstrings(struct ay_arena *a, const char *python, int n, const char *const *names, const char **text,
		  struct ay_err *err)
{
	for (int first = 0, last; first < n; first = last) {
		struct ay_str list = { 0 };
		json_t *answer = NULL;
		int rc;

		for (last = first; last < n && list.len < ASKED_MAX; last++)
			ay_str_addf(&list, "%s%s", last > first ? " " : "", names[last]);
		rc = ask(a, python, ay_str_text(&list), &answer, err);
		ay_str_release(&list);
		if (rc)
			return -1;
		for (int i = first; i < last; i++) {
			const char *s = json_string_value(json_object_get(answer, names[i]));

			text[i] = s ? ay_strdup(a, s) : NULL;
		}
		json_decref(answer);
	}
	return 0;
}
