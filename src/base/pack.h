/* SPDX-License-Identifier: Apache-2.0
 *
 * pack - several texts in one, as tools/pack.sh writes it: for each a line with its name and its bytes, then those.
 */
#ifndef AY_BASE_PACK_H
#define AY_BASE_PACK_H

#include <stddef.h>

/* The text of that name, *len bytes; NULL if there is none. */
const char *ay_pack_find(const char *pack, const char *end, const char *name, size_t *len);

/* Gives the text that begins at `at`, first the pack itself: its name of *n bytes and its *len bytes. Returns where the
 * next one begins, or NULL at the end of the pack. */
const char *ay_pack_next(const char *at, const char *end, const char **name, size_t *n, const char **text,
			 size_t *len);

#endif
