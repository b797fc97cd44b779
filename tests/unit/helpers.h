/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_TEST_HELPERS_H
#define AY_TEST_HELPERS_H

#include "op/suite.h"
#include "test.h"

/* All operators; made once a process. */
const struct ay_registry *help_registry(void);
/* A line parsed and bound; NULL and err. */
struct ay_call *help_bind(const struct ay_registry *r, struct ay_arena *a, const char *line, struct ay_err *err);
/* Folder in which the program under test lies. */
const char *help_build_dir(void);
/* Where the tests keep compiled kernels ($ASSAY_TEST_CACHE, else cache/ in the build folder): for XDG_CACHE_HOME.
 */
const char *help_cache(void);
/* A path in the scratch folder of the test; sixteen live at once. */
const char *help_path(const char *name);
/* What is in a file, and how much (n: NULL if nobody wants to know), followed by a zero. "" if the test has failed. */
char *help_slurp(struct ay_arena *a, const char *path, size_t *n);
void help_spill(const char *path, const void *data, size_t n);
/* Runs a shell command; its output (both streams) in the arena, and its exit status. */
int help_run(struct ay_arena *a, const char *cmd, double timeout_s, char **output);
/* An interpreter with torch; the test is skipped where there is none, with $ASSAY_NO_TORCH as the reason if it is set
 * (tools/check.sh). */
const char *help_python(void);

/* A library of tests/cuda in this test's folder, made of these files and loaded: who opens it by its name finds it. */
void help_stand_in(struct ay_arena *a, const char *files, const char *name);
/* A driver that only looks like one (tests/cuda/fake.c) is from here on what this process takes for libcuda.so.1; it lies
 * in test_dir(). */
void help_fake_gpu(struct ay_arena *a);

/* An operator by its name ("aten::add"); NULL and err. */
const struct ay_entry_op *help_operator(const char *name, struct ay_err *err);
/* For TEST_EACH: the names of all operators; of the files that match a pattern. */
void help_list_operators(test_add_value_fn add);
void help_list_files(const char *pattern, test_add_value_fn add);
/* Is it an operator of PyTorch (aten::, and what we judge beside the catalogue)? */
bool help_is_torch(const struct ay_entry_op *e);
/* Is this operator's file among those asked for? $ASSAY_OP is a part of its path; without it all are. */
bool help_is_meant(const struct ay_entry_op *e);

#endif
