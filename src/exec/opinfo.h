/* SPDX-License-Identifier: Apache-2.0
 *
 * opinfo - makes a suite of the samples that PyTorch tests itself with.
 *
 * torch/assay/opinfo.py writes the samples as case lines, which takes minutes. So it runs once for
 * each version of torch, each set of dtypes and each version of that program, and the result is
 * cached in two files. NAME.lines is the suite; NAME.left says what is not in it and why. Each is
 * written whole or not at all, NAME.lines last.
 */
#ifndef AY_EXEC_OPINFO_H
#define AY_EXEC_OPINFO_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_opinfo {
	const char *python; /* --python; NULL: search for one */
	const char *cache;  /* the folder; NULL: $XDG_CACHE_HOME/assay or ~/.cache/assay */
	/* 1 << dt for each dtype; 0: those of f32, bf16, i64 and c64 that ay_case_dtype selects */
	uint32_t dtypes;
	const char *ops; /* only these entries of op_db; NULL: all */
	/* called while the suite is made, with the entries done and in all; may be NULL */
	void (*progress)(void *user, int done, int total);
	void *user;
};

struct ay_opinfo_files {
	const char *lines, *left; /* paths, in the arena */
	bool made;                /* true: made now; false: found in the cache */
};

/* Gives the files of the suite, made if the cache does not have them. */
int ay_opinfo(struct ay_arena *a, const struct ay_opinfo *o, struct ay_opinfo_files *files, struct ay_err *err);

#endif
