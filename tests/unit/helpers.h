/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_TEST_HELPERS_H
#define AY_TEST_HELPERS_H

#include "op/suite.h"
#include "test.h"

/* Returns all operators; made once per process. */
const struct ay_registry *help_registry(void);
/* Parses and binds a case line. Returns NULL and err on failure. */
struct ay_call *help_bind(const struct ay_registry *r, struct ay_arena *a, const char *line, struct ay_err *err);
/* Returns the folder of the program under test. */
const char *help_build_dir(void);
/* Returns the folder where tests keep compiled kernels: $ASSAY_TEST_CACHE, else cache/ in the build
 * folder. For XDG_CACHE_HOME. */
const char *help_cache(void);
/* Returns a path in the test's scratch folder. Sixteen results are valid at one time. */
const char *help_path(const char *name);
/* Reads a file and adds a zero byte. Stores its length in *n unless n is NULL. On failure the test
 * fails and the result is "". */
char *help_slurp(struct ay_arena *a, const char *path, size_t *n);
void help_spill(const char *path, const void *data, size_t n);
/* Runs a shell command. Returns its exit status; *output is both of its streams, in the arena. */
int help_run(struct ay_arena *a, const char *cmd, double timeout_s, char **output);
/* Returns an interpreter with torch. If there is none, skips the test; $ASSAY_NO_TORCH, if set
 * (tools/check.sh), is the reason. */
const char *help_python(void);

/* Returns the program of tests/container.c, which runs a command as in a default Docker container.
 * Skips the test if this process is not root. */
const char *help_container(struct ay_arena *a);
/* Compiles these files (tests/cuda/...) to a library in the test's folder and loads it. A later
 * dlopen of `name` finds this library. */
void help_fake_library(struct ay_arena *a, const char *files, const char *name);
/* From now on this process finds a fake driver (tests/cuda/fake.c) as libcuda.so.1. It lies in
 * test_dir(). */
void help_fake_gpu(struct ay_arena *a);

/* Finds an operator by its name ("aten::add"). Returns NULL and err if there is none. */
const struct ay_entry_op *help_operator(const char *name, struct ay_err *err);
/* For TEST_EACH: list all operators, or the files that match a pattern. */
void help_list_operators(test_add_value_fn add);
void help_list_files(const char *pattern, test_add_value_fn add);
/* Returns true for operators of PyTorch: aten::, and those judged outside the catalogue. */
bool help_is_torch(const struct ay_entry_op *e);
/* Returns true if the operator's file is to be tested: $ASSAY_OP is a part of its path, or is not
 * set. */
bool help_is_meant(const struct ay_entry_op *e);

#endif
