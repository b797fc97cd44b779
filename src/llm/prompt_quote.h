/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_quote - puts untrusted text into a prompt: cuts it to length, escapes control bytes and
 * invalid UTF-8, and encloses it in a fence longer than any inside it. Seeds are removed from the
 * judge's messages.
 */
#ifndef AY_LLM_PROMPT_QUOTE_H
#define AY_LLM_PROMPT_QUOTE_H

#include "base/str.h"

/* Appends a block: fence, label, text, fence. If the text exceeds max bytes, its last line says how
 * many are missing. */
void ay_prompt_quote(struct ay_str *b, const char *label, const char *text, size_t max);
/* Appends a block like ay_prompt_quote, with seeds removed, for messages of a judge or compiler. */
void ay_prompt_quote_said(struct ay_str *b, const char *text, size_t max);
/* Appends a text without its seeds as one line, for use inside a sentence. */
void ay_prompt_quote_inline(struct ay_str *b, const char *text, size_t max);
/* Appends a case line without its seed, or nothing if the line cannot be parsed. */
void ay_prompt_quote_case(struct ay_str *b, const char *line, size_t max);

#endif
