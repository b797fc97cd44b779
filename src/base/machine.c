/* SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

#include "base/hash.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ay_machine_cpu(struct ay_arena *a)
{
	static const char *const keys[] = { "model name", "flags", "CPU part", "Features" };
	struct ay_str all = { 0 };
	char line[8192], hex[AY_SHA256_HEX], *name = NULL;
	FILE *f = fopen("/proc/cpuinfo", "re");
	struct ay_hash h;

	while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
		char *value = strchr(line, ':');

		for (size_t i = 0; value && i < sizeof keys / sizeof *keys; i++) {
			if (!ay_starts(line, keys[i]))
				continue;
			ay_str_add(&all, value);
			if (!name)
				name = ay_strndup(a, value + 1 + (value[1] == ' '), strcspn(value + 1, "\n"));
		}
	}
	if (f)
		fclose(f);
	ay_hash_init(&h);
	ay_hash_add_str(&h, ay_str_text(&all));
	ay_hash_end(&h, hex);
	ay_str_release(&all);
	if (name)
		name[strcspn(name, "\n")] = 0;
	return ay_sprintf(a, "%s #%.8s", name ? name : "unknown processor", hex);
}

char *ay_machine_cache(struct ay_arena *a)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return ay_sprintf(a, "%s/assay", xdg);
	return home && home[0] == '/' ? ay_sprintf(a, "%s/.cache/assay", home) : NULL;
}
