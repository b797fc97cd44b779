/* SPDX-License-Identifier: Apache-2.0
 *
 * value_stats - statistics of a case's wanted values, for the common case of real numbers
 * in double.
 */
#ifndef AY_ORACLE_VALUE_STATS_H
#define AY_ORACLE_VALUE_STATS_H

#include "oracle/oracle.h"

/* Adds the n values to d's zeros, least and most. */
void ay_value_stats_doubles(struct ay_diff *d, const double *x, int64_t n);

#endif
