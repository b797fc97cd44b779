/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pack.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

const char *ay_pack_next(const char *at, const char *end, const char **name, size_t *n, const char **text,
			 size_t *len)
{
	const char *nl, *space;

	if (at >= end)
		return NULL;
	nl = memchr(at, '\n', (size_t)(end - at));
	space = nl ? memchr(at, ' ', (size_t)(nl - at)) : NULL;
	AY_ASSERT(space);
	*name = at;
	*n = (size_t)(space - at);
	*text = nl + 1;
	*len = (size_t)strtoull(space + 1, NULL, 10);
	return *text + *len;
}

const char *ay_pack_find(const char *pack, const char *end, const char *name, size_t *len)
{
	const char *found, *text;
	size_t n;

	while ((pack = ay_pack_next(pack, end, &found, &n, &text, len)))
		if (n == strlen(name) && !memcmp(found, name, n))
			return text;
	return NULL;
}
