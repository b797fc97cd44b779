/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct ay_arena_block {
	struct ay_arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

enum { FIRST_BLOCK = 16 << 10, LARGEST_STEP = 1 << 20, MANY_BYTES = 16 << 20, PAGE = 4096 };

/* Asks Linux for huge pages. For arrays of gigabytes, getting memory in pages of 4 KiB takes
 * longer than filling it. A failure is ignored. */
static void ask_for_large_pages(void *p, size_t bytes)
{
	const uintptr_t at = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE;

	madvise((void *)at, ((uintptr_t)p + bytes - at) / PAGE * PAGE, MADV_HUGEPAGE);
}

void *ay_xrealloc(void *p, size_t bytes)
{
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		AY_BUG("out of memory (%zu bytes)", bytes);
	if (bytes >= MANY_BYTES)
		ask_for_large_pages(p, bytes);
	return p;
}

void ay_xfree(void *p)
{
	free(p);
}

static struct ay_arena_block *grow(struct ay_arena *a, size_t bytes)
{
	size_t size = a->head ? a->head->size * 2 : FIRST_BLOCK;
	struct ay_arena_block *b;

	if (size > LARGEST_STEP)
		size = LARGEST_STEP;
	if (size < bytes)
		size = bytes;
	b = ay_xrealloc(NULL, sizeof *b + size);
	b->next = a->head;
	b->used = 0;
	b->size = size;
	return a->head = b;
}

void *ay_alloc_raw(struct ay_arena *a, size_t bytes)
{
	struct ay_arena_block *b = a->head;
	void *p;

	if (bytes > SIZE_MAX / 2)
		AY_BUG("absurd allocation of %zu bytes", bytes);
	bytes = (bytes + 15) & ~(size_t)15;
	if (!b || b->size - b->used < bytes)
		b = grow(a, bytes);
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

void *ay_alloc(struct ay_arena *a, size_t bytes)
{
	return memset(ay_alloc_raw(a, bytes), 0, bytes);
}

char *ay_strndup(struct ay_arena *a, const char *s, size_t n)
{
	char *p = ay_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *ay_strdup(struct ay_arena *a, const char *s)
{
	return ay_strndup(a, s, strlen(s));
}

char *ay_sprintf(struct ay_arena *a, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		AY_BUG("bad format '%s'", fmt);
	p = ay_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

static void free_blocks(struct ay_arena_block *b)
{
	while (b) {
		struct ay_arena_block *next = b->next;

		ay_xfree(b);
		b = next;
	}
}

void ay_arena_clear(struct ay_arena *a)
{
	if (!a->head)
		return;
	free_blocks(a->head->next);
	a->head->next = NULL;
	a->head->used = 0;
	if (a->head->size >= MANY_BYTES) /* the next case rarely needs as much */
		ay_arena_release(a);
}

void ay_arena_release(struct ay_arena *a)
{
	free_blocks(a->head);
	a->head = NULL;
}
