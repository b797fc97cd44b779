/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_level - names of cache levels. Code that reads records links this file and nothing else of
 * ceiling.h.
 */
#include "timing/ceiling.h"

const char *ay_level_name(enum ay_level l)
{
	static const char *const names[] = { "L1", "L2", "L3", "memory" };

	return l < AY_LEVEL_COUNT ? names[l] : "?";
}
