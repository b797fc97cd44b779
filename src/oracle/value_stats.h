/* SPDX-License-Identifier: Apache-2.0
 *
 * wanted - what the wanted values of a case are like, where they are real numbers in double, which most are.
 */
#ifndef AY_ORACLE_VALUE_STATS_H
#define AY_ORACLE_VALUE_STATS_H

#include "oracle/oracle.h"

/* Adds n of them to d's zeros, least and most. */
void ay_value_stats_doubles(struct ay_diff *d, const double *x, int64_t n);

#endif
