/* SPDX-License-Identifier: Apache-2.0 */
#include "store/index.h"
#include "base/arena.h"

#include <string.h>

static struct ay_index_entry *probe(const struct ay_index *x, struct ay_record_id id)
{
	size_t i = (size_t)id.k[0] & (x->cap - 1);

	while (x->slot[i].attempts && memcmp(&x->slot[i].id, &id, sizeof id))
		i = (i + 1) & (x->cap - 1);
	return &x->slot[i];
}

static void grow(struct ay_index *x)
{
	struct ay_index old = *x;

	x->cap = old.cap ? old.cap * 2 : 256;
	x->slot = ay_xrealloc(NULL, x->cap * sizeof *x->slot);
	memset(x->slot, 0, x->cap * sizeof *x->slot);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].attempts)
			*probe(x, old.slot[i].id) = old.slot[i];
	ay_xfree(old.slot);
}

struct ay_index_entry *ay_index_find(const struct ay_index *x, struct ay_record_id id)
{
	struct ay_index_entry *e = x->cap ? probe(x, id) : NULL;

	return e && e->attempts ? e : NULL;
}

struct ay_index_entry *ay_index_get(struct ay_index *x, struct ay_record_id id)
{
	struct ay_index_entry *e;

	if (x->n + 1 > x->cap / 2)
		grow(x);
	e = probe(x, id);
	if (!e->attempts) {
		*e = (struct ay_index_entry){ .id = id, .verdict = AY_VERDICT_NONE };
		x->n++;
	}
	return e;
}

void ay_index_note(struct ay_index_entry *e, enum ay_verdict v, uint64_t offset, size_t len)
{
	enum ay_verdict worst = ay_verdict_merge((enum ay_verdict)e->verdict, v);

	if (!e->attempts || worst != (enum ay_verdict)e->verdict) {
		e->offset = offset;
		e->len = (uint32_t)len;
	}
	e->verdict = worst;
	e->attempts++;
}

void ay_index_release(struct ay_index *x)
{
	ay_xfree(x->slot);
	*x = (struct ay_index){ 0 };
}
