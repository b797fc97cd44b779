/* SPDX-License-Identifier: Apache-2.0
 *
 * folder - files of a run folder, written so that a reader sees the old or the new one, never a half.
 *
 * The temporary name is fixed (".<name>.tmp"): the run's lock keeps other writers away, and what a kill -9 leaves
 * is overwritten by the next try. Names never follow links.
 */
#ifndef AY_STORE_FOLDER_H
#define AY_STORE_FOLDER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_folder {
	int fd;
	const char *path; /* for messages; borrowed */
};

/* errno as an error: what could not be done to which file, and what to do about it. Always -1. */
int ay_folder_fail(const struct ay_folder *d, const char *what, const char *name, struct ay_err *err);

/* A file that grows piece by piece; a failure shows at the end. {0} first. */
struct ay_folder_file {
	const struct ay_folder *dir;
	const char *name; /* borrowed */
	char tmp[300];
	int fd;
	int failed; /* errno */
	struct ay_str buf;
};

int ay_folder_begin(struct ay_folder_file *f, const struct ay_folder *d, const char *name, struct ay_err *err);
/* Add to f->buf, then call this: it writes when enough has gathered. */
void ay_folder_flush(struct ay_folder_file *f);
/* Puts the file in place, or removes it if anything failed. sync: through to the disk before the old one goes. */
int ay_folder_end(struct ay_folder_file *f, bool sync, struct ay_err *err);

int ay_folder_write(const struct ay_folder *d, const char *name, const void *data, size_t n, bool sync,
		    struct ay_err *err);
/* A regular file of at most max bytes, with a NUL behind it; in the arena. *data is NULL where there is none. */
int ay_folder_read(const struct ay_folder *d, const char *name, struct ay_arena *a, size_t max, char **data,
		   size_t *n, struct ay_err *err);

#endif
