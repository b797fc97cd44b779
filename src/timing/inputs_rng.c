/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs_rng - the states of random generators that timed sets get.
 */
#include "timing/inputs.h"

#include <stdio.h>
#include <string.h>

bool ay_input_template_has_rng(const struct ay_input_template *m)
{
	const struct ay_schema *s = m->call->s;

	for (int i = 0; i < s->narg; i++)
		if (s->arg[i].type.base == AY_TYPE_GENERATOR)
			return true;
	return false;
}

/* Derives the key of one content's states. Kernels see the states, which must not reveal the
 * content. */
static struct ay_key key_of_states(struct ay_key content)
{
	char label[80];

	snprintf(label, sizeof label, "assay timed rng %016llx%016llx", (unsigned long long)content.k[0],
		 (unsigned long long)content.k[1]);
	return ay_key_from_seed(label, 0);
}

static ay_rng draw(struct ay_key key, int set)
{
	uint64_t x[4];

	ay_philox(key, (const uint64_t[4]){ (uint64_t)set }, x);
	return (ay_rng){ x[0], x[1] >> 32 };
}

ay_rng ay_input_rng(struct ay_key key, int set)
{
	return draw(key_of_states(key), set);
}

void ay_input_sets_write_rng(struct ay_input_sets *s, struct ay_key key, int from, int n)
{
	const struct ay_key states = key_of_states(key);

	for (int set = from; s->has_rng && set < from + n; set++) {
		const ay_rng rng = draw(states, set);

		memcpy(s->pool.slot[s->rng.slot].mem + s->rng.offset + (size_t)set * sizeof rng, &rng, sizeof rng);
	}
}
