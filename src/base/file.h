/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_BASE_FILE_H
#define AY_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/* Reads a regular file of at most max bytes into the arena, with a NUL behind it. */
int ay_file_read(struct ay_arena *a, const char *path, size_t max, char **data, size_t *len, struct ay_err *err);
/* Writes to a temporary name beside path, then renames: readers see the old or the new file, never a half. */
int ay_file_write(const char *path, const void *data, size_t len, struct ay_err *err);
/* All missing folders of path, like mkdir -p. */
int ay_file_mkdirs(const char *path, struct ay_err *err);
bool ay_file_exists(const char *path);
/* A program by name along PATH; in the arena, or NULL. */
char *ay_file_program(struct ay_arena *a, const char *name);
/* The path of `name` in the folder of the running program, links followed; it may not exist. NULL: that is not known. */
char *ay_file_beside(struct ay_arena *a, const char *name);
const char *ay_file_basename(const char *path);

#endif
