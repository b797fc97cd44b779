/* SPDX-License-Identifier: Apache-2.0
 *
 * quote - text of strangers inside a prompt: cut to length, control bytes and broken UTF-8 written out, in a fence that
 * is longer than any that it has itself. What a judge said is without seeds.
 */
#ifndef AY_LLM_PROMPT_QUOTE_H
#define AY_LLM_PROMPT_QUOTE_H

#include "base/str.h"

/* A block of its own: fence, label, text, fence. What is beyond max bytes is counted in its last line. */
void ay_prompt_quote(struct ay_str *b, const char *label, const char *text, size_t max);
/* The same of what a judge or a compiler said. */
void ay_prompt_quote_said(struct ay_str *b, const char *text, size_t max);
/* That inside a sentence: one line. */
void ay_prompt_quote_inline(struct ay_str *b, const char *text, size_t max);
/* A case line without its seed; nothing if it cannot be read. */
void ay_prompt_quote_case(struct ay_str *b, const char *line, size_t max);

#endif
