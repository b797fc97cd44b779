/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/kept.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert((int)AY_KEPT_NAME == (int)AY_SHA256_HEX, "a name is a hash");

/* The object's file is not read: while somebody has it open, no other one has its number. */
void ay_kept_name(const struct ay_exec_spec *spec, char who[AY_KEPT_NAME])
{
	struct stat st = { 0 };
	struct ay_hash h;
	char text[160];

	if (spec->so_fd >= 0)
		fstat(spec->so_fd, &st);
	snprintf(text, sizeof text, "%d %llu %llu %p %p", spec->so_fd >= 0, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino, (const void *)spec->python, (const void *)spec->device);
	ay_hash_init(&h);
	ay_hash_add_str(&h, text);
	ay_hash_add_str(&h, spec->about ? spec->about : "");
	for (int i = 0; spec->folders && spec->folders[i]; i++)
		ay_hash_add_str(&h, spec->folders[i]);
	ay_hash_end(&h, who);
}

static struct ay_exec *remove_one(struct ay_kept *k, int i)
{
	struct ay_exec *x = k->one[i].exec;

	memmove(&k->one[i], &k->one[i + 1], sizeof *k->one * (size_t)(--k->n - i));
	return x;
}

struct ay_exec *ay_kept_take(struct ay_kept *k, const char *who)
{
	for (int i = 0; k && i < k->n; i++)
		if (!strcmp(k->one[i].who, who))
			return remove_one(k, i);
	return NULL;
}

void ay_kept_give(struct ay_kept *k, const char *who, struct ay_exec *x)
{
	if (!k) {
		ay_exec_stop(x);
		return;
	}
	if (k->n == AY_KEPT)
		ay_exec_stop(remove_one(k, 0));
	snprintf(k->one[k->n].who, sizeof k->one[k->n].who, "%s", who);
	k->one[k->n++].exec = x;
}

void ay_kept_release(struct ay_kept *k)
{
	while (k->n)
		ay_exec_stop(remove_one(k, k->n - 1));
}
