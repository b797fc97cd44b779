/* SPDX-License-Identifier: Apache-2.0
 *
 * file - reads and writes whole files, makes folders, and finds programs.
 */
#ifndef AY_BASE_FILE_H
#define AY_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/* Reads a regular file of at most max bytes into the arena and appends a NUL, which *len does
 * not count. Fails if the file changes meanwhile. Does not open a file of another kind. */
int ay_file_read(struct ay_arena *a, const char *path, size_t max, char **data, size_t *len, struct ay_err *err);
/* Like ay_file_read, but follows no symbolic link in the part of the path behind its first `folder`
 * bytes, which name a folder. */
int ay_file_read_below(struct ay_arena *a, const char *path, size_t folder, size_t max, char **data, size_t *len,
		       struct ay_err *err);
struct stat;
/* Returns NULL for a regular file, else words such as "it is a FIFO". */
const char *ay_file_why_not(const struct stat *st);
/* Writes a temporary file beside path and renames it to path. A reader sees the old or the new
 * content, never a part. */
int ay_file_write(const char *path, const void *data, size_t len, struct ay_err *err);
/* Creates all missing folders of path, like mkdir -p. */
int ay_file_mkdirs(const char *path, struct ay_err *err);
bool ay_file_exists(const char *path);
/* Returns the path of the program `name` found along PATH, or NULL. Allocated in the arena. */
char *ay_file_program(struct ay_arena *a, const char *name);
/* Returns the path of `name` in the folder of the running program, with links resolved. The file
 * may not exist. Returns NULL if the folder is unknown. */
char *ay_file_beside(struct ay_arena *a, const char *name);
/* Returns the part of path after the last '/', as a pointer into path. */
const char *ay_file_basename(const char *path);

#endif
