/* SPDX-License-Identifier: Apache-2.0
 *
 * price - what a model's tokens cost. Has a table of list prices as of AY_PRICES_AS_OF, without
 * discounts for caches or batches.
 *
 * $ASSAY_PRICES is a JSON file or JSON text whose entries override the table: {"my-model": [0.5,
 * 1.5], "gpt-*": [1, 2]}, in US dollars per million input and output tokens. A name also matches
 * its dated versions (gpt-4o: gpt-4o-2024-08-06, gpt-4o-latest). A name with a * at its end matches
 * all names that begin with it. The longest match counts. A model without an entry has no price:
 * prices are never guessed.
 */
#ifndef AY_LLM_PRICE_H
#define AY_LLM_PRICE_H

#include "base/err.h"

#include <stdint.h>

#define AY_PRICES_AS_OF "2025-11"

struct ay_price {
	double in, out; /* US dollars per million tokens; < 0: unknown */
};

/* Returns -1 if $ASSAY_PRICES cannot be read. */
int ay_price_find(const char *model, struct ay_price *p, struct ay_err *err);
/* Returns US dollars, or a number < 0 if the price or a count is unknown. */
double ay_price_of(const struct ay_price *p, int64_t tokens_in, int64_t tokens_out);

#endif
