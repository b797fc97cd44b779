/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pack.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

const char *ay_pack_find(const char *pack, const char *end, const char *name, size_t *len)
{
	const size_t n = strlen(name);

	while (pack < end) {
		const char *nl = memchr(pack, '\n', (size_t)(end - pack)),
			   *space = nl ? memchr(pack, ' ', (size_t)(nl - pack)) : NULL;

		AY_ASSERT(space);
		*len = (size_t)strtoull(space + 1, NULL, 10);
		if ((size_t)(space - pack) == n && !memcmp(pack, name, n))
			return nl + 1;
		pack = nl + 1 + *len;
	}
	return NULL;
}
