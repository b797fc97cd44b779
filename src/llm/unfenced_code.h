/* SPDX-License-Identifier: Apache-2.0
 *
 * bare - code in a text that has no fences: from the first line that looks like code to the last one.
 */
#ifndef AY_LLM_UNFENCED_CODE_H
#define AY_LLM_UNFENCED_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* A part of the text, len bytes; NULL if no line looks like code. Whether it defines what is wanted is not asked. */
const char *ay_unfenced_code_find(const char *text, size_t n, bool python, size_t *len);

#endif
