/* SPDX-License-Identifier: Apache-2.0
 *
 * opinfo - the samples that PyTorch tests itself with, as a suite.
 *
 * torch/assay/opinfo.py writes them as case lines, which takes minutes; so it is done once for each version of torch,
 * each set of dtypes and each version of that program, and kept in the cache. Two files: NAME.lines is the suite,
 * NAME.left says what is not in it and why. Both are written whole or not at all, NAME.lines last.
 */
#ifndef AY_EXEC_OPINFO_H
#define AY_EXEC_OPINFO_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_opinfo {
	const char *python; /* --python; NULL = look for one */
	const char *cache;  /* the folder; NULL: $XDG_CACHE_HOME/assay or ~/.cache/assay */
	uint32_t
		dtypes; /* 1 << dt; 0 = f32, bf16, i64 and c64, of which a part is theirs to pick (ay_case_dtype) */
	const char *ops; /* only these entries of op_db; NULL = all */
	/* While it is made: entries done and in all; NULL = nobody wants to know. */
	void (*progress)(void *user, int done, int total);
	void *user;
};

struct ay_opinfo_files {
	const char *lines, *left; /* paths, in the arena */
	bool made;                /* now, not found */
};

int ay_opinfo(struct ay_arena *a, const struct ay_opinfo *o, struct ay_opinfo_files *files, struct ay_err *err);

#endif
