/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign - the operators of the user's torch that are not in the catalogue.
 */
#ifndef AY_JUDGE_FOREIGN_H
#define AY_JUDGE_FOREIGN_H

#include "exec/python.h"
#include "op/registry.h"

/*
 * Adds them to the registry, once. The schemas are asked of torch the first time (seconds) and then kept in the cache
 * folder (NULL: the usual one; "": nowhere) under torch's version.
 */
int ay_foreign_load(struct ay_registry *r, struct ay_python *p, const char *cache, struct ay_err *err);

#endif
