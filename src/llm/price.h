/* SPDX-License-Identifier: Apache-2.0
 *
 * price - what tokens cost. A table of list prices as of AY_PRICES_AS_OF, without discounts for caches or batches.
 *
 * $ASSAY_PRICES is a JSON file, or the JSON itself, whose entries come before the table's:
 * {"my-model": [0.5, 1.5], "gpt-*": [1, 2]}, US dollars per million tokens read and written. A name is also that of
 * its dated versions (gpt-4o: gpt-4o-2024-08-06, gpt-4o-latest); with a * at its end, of all that begin like it. The
 * longest that fits counts. A model that is not there has no price: nothing is guessed.
 */
#ifndef AY_LLM_PRICE_H
#define AY_LLM_PRICE_H

#include "base/err.h"

#include <stdint.h>

#define AY_PRICES_AS_OF "2025-11"

struct ay_price {
	double in, out; /* US dollars per million tokens; < 0: not known */
};

/* -1: $ASSAY_PRICES cannot be read. */
int ay_price_find(const char *model, struct ay_price *p, struct ay_err *err);
/* < 0: not known. */
double ay_price_of(const struct ay_price *p, int64_t tokens_in, int64_t tokens_out);

#endif
