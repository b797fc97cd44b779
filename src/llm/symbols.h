/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols - finds which names a source defines at its top level, and which it uses.
 *
 * It works on words, not on meaning: it skips comments and strings, counts braces and indentation,
 * and resolves nothing. That is enough to tell a kernel from its header. A mistake does no harm,
 * because the judge compiles what is chosen.
 */
#ifndef AY_LLM_SYMBOLS_H
#define AY_LLM_SYMBOLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Sorted lists without duplicates, in the arena. */
struct ay_symbols {
	int ndef, nshared, nimport, nuse;
	const char **def; /* functions, types, macros; in Python also every assigned name */
	/* of `def`: names that another block can refer to; of variables only constants */
	const char **shared;
	const char **import; /* Python: imported names */
	const char **use;    /* every word of the source, except names that are only defined */
};

void ay_symbols_c(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *s);
void ay_symbols_python(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *s);
bool ay_symbols_has(const char *const *list, int n, const char *name);

#endif
