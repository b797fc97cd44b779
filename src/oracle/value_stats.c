/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/value_stats.h"
#include "base/multiversion.h"

#include <math.h>
#include <string.h>

/* As many doubles as fit in a vector, in two independent chains, so that one need not wait for
 * the other. */
typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_bits __attribute__((vector_size(32)));
enum { LANES = sizeof(lanes) / sizeof(double), CHAINS = 2 };

#define PICK(cond, a, b) ((lanes)(((cond) & (lane_bits)(a)) | (~(cond) & (lane_bits)(b))))

AY_MULTIVERSION("avx2") void ay_value_stats_doubles(struct ay_diff *d, const double *x, int64_t n)
{
	lanes least[CHAINS], most[CHAINS];
	lane_bits zeros[CHAINS] = { 0 };
	int64_t p = 0;

	for (int j = 0; j < CHAINS; j++) {
		least[j] = (lanes){ 0 } + INFINITY;
		most[j] = (lanes){ 0 } - INFINITY;
	}
	for (; p + LANES * CHAINS <= n; p += LANES * CHAINS)
		for (int j = 0; j < CHAINS; j++) {
			lanes v;

			memcpy(&v, x + p + j * LANES, sizeof v);
			zeros[j] -= (v == 0) | (v != v); /* true is -1 */
			least[j] = PICK(v < least[j], v, least[j]);
			most[j] = PICK(v > most[j], v, most[j]);
		}
	for (int k = 0; k < LANES * CHAINS; k++) {
		d->zeros += zeros[k / LANES][k % LANES];
		d->least = fminl(d->least, least[k / LANES][k % LANES]);
		d->most = fmaxl(d->most, most[k / LANES][k % LANES]);
	}
	for (; p < n; p++) {
		d->zeros += x[p] == 0 || isnan(x[p]);
		d->least = x[p] < d->least ? x[p] : d->least;
		d->most = x[p] > d->most ? x[p] : d->most;
	}
}
