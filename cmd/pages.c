/* SPDX-License-Identifier: Apache-2.0
 *
 * pages - the pages of docs/, carried inside assay and printed by `assay help PAGE`.
 */
#include "pages.h"
#include "base/pack.h"
#include "base/str.h"
#include "base/wrap.h"

#include <stdio.h>
#include <string.h>

extern const char ay_embedded_docs[], ay_embedded_docs_end[];

static const char suffix[] = ".md";

/* The names of all pages without their suffix, in one line of text. */
static void add_names(struct ay_str *b)
{
	const char *at = ay_embedded_docs, *name, *text;
	size_t n, len;

	while ((at = ay_pack_next(at, ay_embedded_docs_end, &name, &n, &text, &len)))
		ay_str_addf(b, "%s%.*s", b->len ? ", " : "", (int)(n - (sizeof suffix - 1)), name);
}

void pages_list(void)
{
	struct ay_str names = { 0 }, lines = { 0 };

	add_names(&names);
	ay_wrap(&lines, ay_str_text(&names), 2, 2, AY_WIDTH);
	printf("\npages of documentation (assay help PAGE):\n  %s\n", ay_str_text(&lines));
	ay_str_release(&names);
	ay_str_release(&lines);
}

int pages_print(const char *page, struct ay_err *err)
{
	struct ay_str name = { 0 }, names = { 0 };
	const char *text;
	size_t len;
	int rc = 0;

	ay_str_addf(&name, "%s%s", page, suffix);
	text = ay_pack_find(ay_embedded_docs, ay_embedded_docs_end, ay_str_text(&name), &len);
	if (text) {
		fwrite(text, 1, len, stdout);
	} else {
		add_names(&names);
		rc = ay_fail(err, AY_ERR_USAGE, "there is no page '%s'; the pages are %s", page,
			     ay_str_text(&names));
	}
	ay_str_release(&name);
	ay_str_release(&names);
	return rc;
}
