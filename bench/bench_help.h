/* SPDX-License-Identifier: Apache-2.0
 *
 * help - what the programs of bench/ share. Anything that goes wrong ends them with a message.
 */
#ifndef AY_BENCH_BENCH_HELP_H
#define AY_BENCH_BENCH_HELP_H

#include "forge/forge.h"
#include "op/suite.h"

#include <stdnoreturn.h>

extern struct ay_registry registry;
extern struct ay_arena arena;

noreturn void die(const struct ay_err *err);
/* The registry, and nothing else. */
void help_start(void);
/* A case line, bound. */
struct ay_call *help_bind(const char *line, struct ay_suite_case *sc);
/* A kernel for the operator's file, as a sealed memfd; and the prototype of an overload. */
int help_build(const char *source, size_t len, const struct ay_entry_op *e);
int help_build_file(const char *path, const struct ay_entry_op *e);
const struct ay_proto *help_proto(const struct ay_schema *s);
/* The processor and the date, for the head of a table. */
void help_head(const char *what);

#endif
