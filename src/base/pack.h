/* SPDX-License-Identifier: Apache-2.0
 *
 * pack - several named texts in one block of memory, as tools/pack.sh writes it. Each text is
 * preceded by a line with its name and its length in bytes.
 */
#ifndef AY_BASE_PACK_H
#define AY_BASE_PACK_H

#include <stddef.h>

/* Returns the text called `name` and stores its length in *len. Returns NULL if the pack has no
 * such text. The text is not NUL-terminated. */
const char *ay_pack_find(const char *pack, const char *end, const char *name, size_t *len);

/* Gives the text that begins at `at`, first the pack itself: its name of *n bytes and its *len bytes. Returns where the
 * next one begins, or NULL at the end of the pack. */
const char *ay_pack_next(const char *at, const char *end, const char **name, size_t *n, const char **text,
			 size_t *len);

#endif
