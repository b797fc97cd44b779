/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_template - texts with {{PLACES}}: built-in ones (src/llm/prompts, packed into the binary),
 * or a user's of the same name.
 *
 * The text put into a place is not searched for places. Line ends at its end are dropped. If a line
 * consists of one place and the place stays empty, the line is removed. If that line stood between
 * two empty lines, one of these is removed too.
 */
#ifndef AY_LLM_PROMPT_TEMPLATE_H
#define AY_LLM_PROMPT_TEMPLATE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Names of all templates, "new.txt"..., NULL at the end. */
extern const char *const ay_prompt_template_names[];

struct ay_prompt_template {
	const char *file; /* for messages: the user's path, or the built-in name */
	const char *text;
	size_t len;
};

/* ay_prompt_template_read reads a template into the arena: the user's file if it exists, else the
 * built-in one. ay_prompt_template_check fails if the folder does not exist, has no templates, or
 * has a .txt file with an unknown name (probably misspelt). */
int ay_prompt_template_read(struct ay_arena *a, const char *dir, const char *name, struct ay_prompt_template *t,
			    struct ay_err *err);
int ay_prompt_template_check(const char *dir, struct ay_err *err);

/* Returns true for worked examples, which have no places and are copied as they are. */
bool ay_template_is_verbatim(const char *name);

/* Appends the text for the place, or fails. */
typedef int ay_fill_place(void *user, const char *place, struct ay_str *b, struct ay_err *err);
/* Fills a template. places: all valid names, NULL at the end. An unknown name is an error that
 * gives file and line. fill NULL: only checks. */
int ay_prompt_template_fill(const struct ay_prompt_template *t, const char *const *places, ay_fill_place *fill,
			    void *user, struct ay_str *b, struct ay_err *err);

#endif
