/* SPDX-License-Identifier: Apache-2.0
 *
 * help_cc - compiles the fakes and kernels of tests/cuda, once for all tests.
 *
 * A shared object is kept in help_cache()/cc. Its name is a hash of the options, the compiler and
 * the content of every source and header that `cc -M` names, so a changed file is compiled again.
 */
#ifndef AY_TEST_HELP_CC_H
#define AY_TEST_HELP_CC_H

#include "base/arena.h"

#include <stdbool.h>

/* Makes the shared object `path` with `cc -shared -fPIC ARGS`. ARGS are options and sources; paths
 * are relative to the top folder of the tree. The test fails if ARGS do not compile. Returns true
 * if the file is there. */
bool help_cc(struct ay_arena *a, const char *args, const char *path);

#endif
