/* SPDX-License-Identifier: Apache-2.0
 *
 * template - texts with {{PLACES}}: ours (src/llm/prompts, packed into the binary), or a user's of the same name.
 *
 * What is put into a place is not looked at again. A line that holds nothing but a place into which nothing is put goes,
 * and of two empty lines around it one. Line ends at the end of what is put in are dropped.
 */
#ifndef AY_LLM_PROMPT_TEMPLATE_H
#define AY_LLM_PROMPT_TEMPLATE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* NULL-ended: the names that there are, "new.txt"... */
extern const char *const ay_prompt_template_names[];

struct ay_prompt_template {
	const char *file; /* for messages: the user's path, or the name of ours */
	const char *text;
	size_t len;
};

/* From the folder if it is there, else ours. In the arena. A folder that is not there, or that has other files .txt than
 * templates (a name that was meant and misspelt), is an error: ay_prompt_template_check. */
int ay_prompt_template_read(struct ay_arena *a, const char *dir, const char *name, struct ay_prompt_template *t,
			    struct ay_err *err);
int ay_prompt_template_check(const char *dir, struct ay_err *err);

/* Is it there to be copied as it is? Worked examples have no places. */
bool ay_template_is_verbatim(const char *name);

/* Puts what belongs into the place, or fails. */
typedef int ay_fill_place(void *user, const char *place, struct ay_str *b, struct ay_err *err);
/* places: the names that there are, NULL-ended; any other is an error that names file and line. fill NULL: only looks. */
int ay_prompt_template_fill(const struct ay_prompt_template *t, const char *const *places, ay_fill_place *fill,
			    void *user, struct ay_str *b, struct ay_err *err);

#endif
