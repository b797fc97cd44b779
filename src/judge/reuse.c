/* SPDX-License-Identifier: Apache-2.0
 *
 * reuse - memory that one judge leaves for the next.
 */
#include "judge/case_run.h"

void ay_judge_take_memory(struct ay_judge *j)
{
	struct ay_idle_memory *m = j->policy.memory;

	if (!m)
		return;
	j->pool = m->pool;
	j->has_pool = m->pool.slot;
	j->aten_oracle.pool = m->aten_oracle;
	j->copy = m->copy;
	j->copy_bytes = m->copy_bytes;
	*m = (struct ay_idle_memory){ 0 };
}

static void keep_pool(struct ay_pool *to, struct ay_pool *p)
{
	if (!p->slot || to->slot || !ay_pool_is_small(p))
		return;
	*to = *p;
	*p = (struct ay_pool){ .fd = { -1, -1 } };
}

/* If another judge has left memory already, this judge's is freed. */
void ay_judge_keep_memory(struct ay_judge *j)
{
	struct ay_idle_memory *m = j->policy.memory;

	if (!m)
		return;
	if (j->has_pool)
		keep_pool(&m->pool, &j->pool);
	j->has_pool = j->has_pool && j->pool.slot;
	keep_pool(&m->aten_oracle, &j->aten_oracle.pool);
	if (!m->copy && ay_memory_is_small(j->copy_bytes)) {
		m->copy = j->copy;
		m->copy_bytes = j->copy_bytes;
		j->copy = NULL;
	}
}
