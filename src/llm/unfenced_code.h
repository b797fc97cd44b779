/* SPDX-License-Identifier: Apache-2.0
 *
 * unfenced_code - finds code in a text without fences: from the first line that looks like code to
 * the last one.
 */
#ifndef AY_LLM_UNFENCED_CODE_H
#define AY_LLM_UNFENCED_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns a part of the text and its length, or NULL if no line looks like code. Does not check
 * whether the code defines the wanted function. */
const char *ay_unfenced_code_find(const char *text, size_t n, bool python, size_t *len);

#endif
