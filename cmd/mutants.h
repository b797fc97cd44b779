/* SPDX-License-Identifier: Apache-2.0
 *
 * mutants - prints the table of `assay mutants`, for the command and for the test that compares
 * docs/mutants.md with it.
 */
#ifndef AY_CMD_MUTANTS_H
#define AY_CMD_MUTANTS_H

#include "judge/class_mutation.h"
#include "judge/mutation.h"

#include <stdio.h>

void mutants_head(FILE *out, bool markdown);
void mutants_row(FILE *out, const char *name, const struct ay_mutation *m, bool markdown);
/* The second table: kernels that are wrong on a class of calls. */
void mutants_class_head(FILE *out, bool markdown);
void mutants_class_row(FILE *out, const char *name, const struct ay_call_class_score *s, bool markdown);

#endif
