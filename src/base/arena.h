/* SPDX-License-Identifier: Apache-2.0
 *
 * arena - memory that is freed all at once. All data about one case is in one arena; a single
 * allocation cannot be freed. If the system has no memory left, an allocation aborts the process.
 */
#ifndef AY_BASE_ARENA_H
#define AY_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct ay_arena {
	struct ay_arena_block *head;
};

/* Returns zeroed memory, aligned to 16 bytes, never NULL. */
void *ay_alloc(struct ay_arena *a, size_t bytes);
/* Like ay_alloc, but the memory is not zeroed: for buffers that the caller overwrites completely
 * at once. */
void *ay_alloc_raw(struct ay_arena *a, size_t bytes);
/* Return a NUL-terminated copy or a formatted string, in the arena. Never NULL. */
char *ay_strndup(struct ay_arena *a, const char *s, size_t n);
char *ay_strdup(struct ay_arena *a, const char *s);
char *ay_sprintf(struct ay_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Empties the arena for reuse. The newest block stays allocated (unless it has 16 MiB or more), so
 * that a loop over cases does not call malloc every time. */
void ay_arena_clear(struct ay_arena *a);
/* Frees all memory of the arena. The arena is then empty and can be used again. */
void ay_arena_release(struct ay_arena *a);

#define AY_NEW(a, type)      ((type *)ay_alloc(a, sizeof(type)))
#define AY_NEW_N(a, type, n) ((type *)ay_alloc(a, sizeof(type) * (size_t)(n)))

/* All heap memory outside arenas comes from here. ay_xrealloc(NULL, n) allocates; it aborts if
 * memory is exhausted. */
void *ay_xrealloc(void *p, size_t bytes);
void ay_xfree(void *p);

#endif
