/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/exec_cache.h"

#include "base/hash.h"
#include "base/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert((int)AY_EXEC_CACHE_NAME == (int)AY_SHA256_HEX, "a name is a hash");

#define GATE_OLD_NS 60000000000ll /* a measurement older than this is repeated */
/* difference in bytes of a batch's memory; this much changes the cost by 2 us */
#define GATE_NEAR (64ull << 20)

/* --- names ----------------------------------------------------------------------------------------------- */

static void add_where(struct ay_hash *h, const struct ay_exec_spec *spec)
{
	char text[100];

	snprintf(text, sizeof text, "%p %p", (const void *)spec->python, (const void *)spec->device);
	ay_hash_init(h);
	ay_hash_add_str(h, text);
	for (int i = 0; spec->folders && spec->folders[i]; i++)
		ay_hash_add_str(h, spec->folders[i]);
}

/* Identifies the object by its file number without reading it. While the file is open, no other
 * file has this number. */
void ay_exec_cache_name(const struct ay_exec_spec *spec, struct ay_exec_cache_name *name)
{
	struct stat st = { 0 };
	struct ay_hash h;
	char text[80];

	if (spec->so_fd >= 0)
		fstat(spec->so_fd, &st);
	add_where(&h, spec);
	snprintf(text, sizeof text, "%d %llu %llu", spec->so_fd >= 0, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	ay_hash_add_str(&h, text);
	ay_hash_add_str(&h, spec->about ? spec->about : "");
	ay_hash_end(&h, name->who);
	name->kind[0] = 0;
	if (!spec->python || spec->so_fd >= 0)
		return;
	add_where(&h, spec);
	ay_hash_end(&h, name->kind);
}

/* --- executors ------------------------------------------------------------------------------------------- */

static struct ay_exec *remove_one(struct ay_exec_cache *k, int i)
{
	struct ay_exec *x = k->one[i].exec;

	memmove(&k->one[i], &k->one[i + 1], sizeof *k->one * (size_t)(--k->n - i));
	return x;
}

struct ay_exec *ay_exec_cache_take(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, bool *other)
{
	*other = false;
	for (int i = 0; k && i < k->n; i++)
		if (!strcmp(k->one[i].name.who, name->who))
			return remove_one(k, i);
	*other = true;
	for (int i = 0; k && name->kind[0] && i < k->n; i++)
		if (!strcmp(k->one[i].name.kind, name->kind))
			return remove_one(k, i);
	return NULL;
}

int ay_exec_cache_count(const struct ay_exec_cache *k, const struct ay_exec_cache_name *name)
{
	int n = 0;

	for (int i = 0; i < k->n; i++)
		n += !strcmp(k->one[i].name.who, name->who) ||
		     (name->kind[0] && !strcmp(k->one[i].name.kind, name->kind));
	return n;
}

void ay_exec_cache_give(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, struct ay_exec *x)
{
	if (!k) {
		ay_exec_stop(x);
		return;
	}
	if (k->n == AY_EXEC_CACHE)
		ay_exec_stop(remove_one(k, 0));
	k->one[k->n++] = (struct ay_exec_cache_one){ *name, x };
}

void ay_exec_cache_release(struct ay_exec_cache *k)
{
	while (k->n)
		ay_exec_stop(remove_one(k, k->n - 1));
}

/* --- gates ----------------------------------------------------------------------------------------------- */

static bool is_like(const struct ay_exec_cache_gate *a, const struct ay_exec_cache_gate *b)
{
	const uint64_t apart = a->empty_bytes > b->empty_bytes ? a->empty_bytes - b->empty_bytes
							       : b->empty_bytes - a->empty_bytes;

	return a->ungated == b->ungated && (a->ungated || apart <= GATE_NEAR) && !strcmp(a->name.who, b->name.who);
}

const struct ay_exec_cache_gate *ay_exec_cache_find_gate(const struct ay_exec_cache *k,
							 const struct ay_exec_cache_gate *like)
{
	for (int i = 0; k && i < k->ngate; i++)
		if (is_like(&k->gate[i], like) && ay_now_ns() - k->gate[i].when < GATE_OLD_NS)
			return &k->gate[i];
	return NULL;
}

void ay_exec_cache_note_gate(struct ay_exec_cache *k, const struct ay_exec_cache_gate *g)
{
	int at = 0;

	if (!k)
		return;
	for (; at < k->ngate && !is_like(&k->gate[at], g); at++)
		;
	if (at == AY_EXEC_CACHE_GATES) { /* the oldest is dropped */
		memmove(&k->gate[0], &k->gate[1], sizeof *k->gate * (AY_EXEC_CACHE_GATES - 1));
		at = k->ngate = AY_EXEC_CACHE_GATES - 1;
	}
	k->gate[at] = *g;
	k->gate[at].when = ay_now_ns();
	k->ngate += at == k->ngate;
}
