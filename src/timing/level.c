/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of cache levels: a file of their own, since who reads records needs them and nothing else of ceiling.h.
 */
#include "timing/ceiling.h"

const char *ay_level_name(enum ay_level l)
{
	static const char *const names[] = { "L1", "L2", "L3", "memory" };

	return l < AY_LEVEL_COUNT ? names[l] : "?";
}
