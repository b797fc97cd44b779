/* SPDX-License-Identifier: Apache-2.0 */
#include "block_cache.h"

static int find(const struct spare *s, uint64_t at)
{
	int i = 0;

	while (i < s->n && s->block[i].at != at)
		i++;
	return i;
}

static void forget(struct spare *s, int i)
{
	s->block[i] = s->block[--s->n];
}

void spare_add(struct spare *s, uint64_t at, uint64_t bytes, void *stream)
{
	if (s->n == SPARE_BLOCKS)
		return;
	s->block[s->n].at = at;
	s->block[s->n].bytes = bytes;
	s->block[s->n].stream = stream;
	s->block[s->n].free = s->block[s->n].shared = false;
	s->n++;
}

uint64_t spare_take(struct spare *s, uint64_t bytes, void *stream)
{
	int best = -1;

	for (int i = 0; i < s->n; i++)
		if (s->block[i].free && s->block[i].stream == stream && s->block[i].bytes >= bytes &&
		    s->block[i].bytes / 2 <= bytes && (best < 0 || s->block[i].bytes < s->block[best].bytes))
			best = i;
	if (best < 0)
		return 0;
	s->block[best].free = false;
	s->bytes -= s->block[best].bytes;
	return s->block[best].at;
}

bool spare_give(struct spare *s, uint64_t at)
{
	const int i = find(s, at);

	if (i == s->n)
		return false;
	if (s->block[i].free) /* freed twice */
		return true;
	if (s->block[i].shared || s->bytes + s->block[i].bytes > SPARE_BYTES) {
		forget(s, i);
		return false;
	}
	s->block[i].free = true;
	s->bytes += s->block[i].bytes;
	return true;
}

void spare_share(struct spare *s, uint64_t at, void *stream)
{
	const int i = find(s, at);

	if (i < s->n && s->block[i].stream != stream)
		s->block[i].shared = true;
}

uint64_t spare_drop(struct spare *s)
{
	for (int i = 0; i < s->n; i++) {
		const uint64_t at = s->block[i].at;

		if (!s->block[i].free)
			continue;
		s->bytes -= s->block[i].bytes;
		forget(s, i);
		return at;
	}
	return 0;
}
