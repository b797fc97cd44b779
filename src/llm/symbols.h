/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols - which names a source defines at its top level, and which it uses.
 *
 * Words, not meaning: comments and strings are skipped, braces and indentation are counted, and nothing is resolved.
 * It is good enough to tell a kernel from its header, and harmless where it errs: the judge compiles what is chosen.
 */
#ifndef AY_LLM_SYMBOLS_H
#define AY_LLM_SYMBOLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Sorted, none twice; in the arena. */
struct ay_symbols {
	int ndef, nshared, nimport, nuse;
	const char **def;    /* functions, types, macros; in Python whatever is assigned, too */
	const char **shared; /* of those: all that another file can mean by the name: no variables but constants */
	const char **import; /* Python: what is imported */
	const char **use;    /* every word, but those that are only defined */
};

void ay_symbols_c(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *s);
void ay_symbols_python(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *s);
bool ay_symbols_has(const char *const *list, int n, const char *name);

#endif
