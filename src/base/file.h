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
 * not count. */
int ay_file_read(struct ay_arena *a, const char *path, size_t max, char **data, size_t *len, struct ay_err *err);
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
