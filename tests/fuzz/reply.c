/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a model's answer: the outcome is one of those that there are, a source comes with those that have one,
 * and all its lines are lines of the answer.
 */
#include "llm/reply.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const char *text, size_t len, const struct ay_reply *r)
{
	const char *end = r->source + r->len;

	for (const char *p = r->source, *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (nl > p && !memmem(text, len, p, (size_t)(nl - p)))
			abort();
	}
	if (r->len > len + 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "aten_relu", "relu", NULL };
	struct ay_arena a = { 0 };
	struct ay_reply r;
	char *text;
	bool cut;

	if (!size)
		return 0;
	cut = data[0] & 2;
	text = ay_xrealloc(NULL, size - 1); /* of its own size, so that a read behind it is noticed */
	memcpy(text, data + 1, size - 1);
	ay_reply_find(&a, text, size - 1, cut, data[0] & 1 ? AY_LANG_PY : AY_LANG_C, names, &r);
	if ((unsigned)r.kind >= AY_REPLY_KINDS || !r.source != (r.kind > AY_REPLY_UNCLOSED) ||
	    (r.source && !r.len))
		abort();
	if (cut && (r.kind == AY_REPLY_UNCLOSED || r.kind == AY_REPLY_BARE || r.kind == AY_REPLY_EMPTY))
		abort();
	if (r.source)
		check_lines(text, size - 1, &r);
	ay_xfree(text);
	ay_arena_release(&a);
	return 0;
}
