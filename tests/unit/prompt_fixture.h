/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_fixture - a prompt for an operator, for tests of prompts.
 */
#ifndef AY_TEST_PROMPT_RIG_H
#define AY_TEST_PROMPT_RIG_H

#include "llm/prompt.h"

struct prompt_fixture {
	struct ay_arena a;
	struct ay_prompt_spec s;
	struct ay_str system, user;
	struct ay_err err;
};

/* Ceilings that do not depend on the real machine. */
extern const struct ay_ceilings prompt_fixture_machine;

void prompt_fixture_begin(struct prompt_fixture *r, const char *op, enum ay_prompt_lang lang);
/* Returns the user part of the prompt. past: NULL for a first attempt. */
const char *prompt_fixture_ask(struct prompt_fixture *r, const struct ay_prompt_past *past);
void prompt_fixture_end(struct prompt_fixture *r);

#endif
