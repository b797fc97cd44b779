/* SPDX-License-Identifier: Apache-2.0
 *
 * folder - writes files of a run folder so that a reader sees the old or the new file, never a part
 * of one.
 *
 * The temporary name is fixed (".<name>.tmp"). The run's lock keeps other writers away, and the
 * next write overwrites a temporary file that a kill -9 left. Symbolic links are never followed.
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

/* Turns errno into an error that says which file could not be handled how, and what to do about it.
 * Always returns -1. */
int ay_folder_fail(const struct ay_folder *d, const char *what, const char *name, struct ay_err *err);

/* A file that is written in pieces; ay_folder_end reports a failure of any piece. Start with
 * {0}. */
struct ay_folder_file {
	const struct ay_folder *dir;
	const char *name; /* borrowed */
	char tmp[300];
	int fd;
	int failed; /* errno of the first failure, or 0 */
	struct ay_str buf;
};

int ay_folder_begin(struct ay_folder_file *f, const struct ay_folder *d, const char *name, struct ay_err *err);
/* Call this after appending to f->buf: writes the buffer once enough has gathered. */
void ay_folder_flush(struct ay_folder_file *f);
/* Puts the file in place, or removes it if anything failed. sync: forces the new content to the
 * disk before it replaces the old file. */
int ay_folder_end(struct ay_folder_file *f, bool sync, struct ay_err *err);

int ay_folder_write(const struct ay_folder *d, const char *name, const void *data, size_t n, bool sync,
		    struct ay_err *err);
/* Reads a regular file of at most max bytes into the arena, with a NUL after it. Stores NULL in
 * *data if the file does not exist. */
int ay_folder_read(const struct ay_folder *d, const char *name, struct ay_arena *a, size_t max, char **data,
		   size_t *n, struct ay_err *err);

#endif
