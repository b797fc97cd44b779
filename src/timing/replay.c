/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel's calls cost on the device without their launches: one batch, captured into a CUDA graph and
 * launched by its executor, whose events say how long that took (exec/runtime/runtime_replay.c).
 *
 * It is a claim of the executor's, for information, and decides nothing. A kernel may know a capture and do
 * something else in it, so the outputs are looked at once, as those of a batch, and a claim about wrong ones is
 * dropped. Whoever fails, hangs or dies in a capture has passed before, and keeps verdict and times; but its
 * process is not used again, since what was refused may have left it in another state, and in the cases that
 * follow it is not asked any more.
 */
#include "timing/ab_internal.h"

#include <stdio.h>
#include <string.h>

/* Kernels under the gate, in executors that can do it. Torch's own functions allocate, which no capture allows that
 * torch does not know of. */
static bool is_asked(const struct pair *p)
{
	const struct ay_impl *k = &p->s->kernel;

	return p->s->device && !p->s->plain && !k->python && !k->aten && p->n && p->a->exec &&
	       !(p->a->kept && !strcmp(p->a->kept->uncaptured, p->a->name.who));
}

/* The next case begins with another process. */
static void leave(struct pair *p)
{
	if (p->a->kept)
		snprintf(p->a->kept->uncaptured, sizeof p->a->kept->uncaptured, "%s", p->a->name.who);
	p->a->kept = NULL;
	p->died |= !p->a->exec;
}

/* Nothing of it goes into the report. */
static int check(struct pair *p, struct ay_key key, uint8_t poison, bool *right)
{
	const struct ay_ab_report before = *p->r;
	bool late = false;

	p->broken = p->changed = false;
	if (ay_gated_exec_late(p->a, &late, p->err))
		return -1;
	sched_setaffinity(0, sizeof p->check_cpus, &p->check_cpus);
	*right = !late && ay_verify_once(&p->verify, &p->a->sets, key, 0, p->m, poison, p->r->text) == AY_VERIFIED;
	sched_setaffinity(0, sizeof p->judge_cpus, &p->judge_cpus);
	*right &= !p->changed;
	*p->r = before;
	return p->broken ? -1 : 0;
}

int ay_ab_replay(struct pair *p)
{
	const struct ay_key key = ay_ab_key(p);
	const uint8_t poison = ay_ab_poison();
	struct ay_outcome o;
	bool right = false;
	double ns;

	if (!is_asked(p))
		return 0;
	if (ay_input_sets_write(&p->a->sets, key, 0, p->m, poison, p->err)) {
		if (p->err->code != AY_ERR_MEMORY)
			return -1;
		ay_err_clear(p->err);
		return 0;
	}
	if (ay_gated_exec_replay(p->a, p->m, &ns, &o, p->err))
		return -1;
	if (ns > 0 && p->a->exec && check(p, key, poison, &right))
		return -1;
	if (p->a->exec && ay_gated_exec_forget(p->a, &o, p->err))
		return -1;
	if (right && p->a->exec)
		p->t->graph_ns = ns / p->m;
	else
		leave(p);
	return 0;
}
