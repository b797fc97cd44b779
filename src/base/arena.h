/* SPDX-License-Identifier: Apache-2.0
 *
 * arena - memory that dies together. Everything said about one case lives in one arena; nothing inside is
 * freed alone. Running out of small memory aborts: there is nothing useful left to do.
 */
#ifndef AY_BASE_ARENA_H
#define AY_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct ay_arena {
	struct ay_arena_block *head;
};

/* Zeroed, aligned to 16 bytes, never NULL. */
void *ay_alloc(struct ay_arena *a, size_t bytes);
/* The same, but not zeroed: for what is written at once, all of it. */
void *ay_alloc_raw(struct ay_arena *a, size_t bytes);
char *ay_strndup(struct ay_arena *a, const char *s, size_t n);
char *ay_strdup(struct ay_arena *a, const char *s);
char *ay_sprintf(struct ay_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Empty and reusable again; keeps its newest block, so that a loop over cases does not go back to malloc. */
void ay_arena_clear(struct ay_arena *a);
void ay_arena_release(struct ay_arena *a);

#define AY_NEW(a, type)      ((type *)ay_alloc(a, sizeof(type)))
#define AY_NEW_N(a, type, n) ((type *)ay_alloc(a, sizeof(type) * (size_t)(n)))

/* The one door to the heap. xrealloc(NULL, n) allocates. */
void *ay_xrealloc(void *p, size_t bytes);
void ay_xfree(void *p);

#endif
