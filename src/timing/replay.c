/* SPDX-License-Identifier: Apache-2.0
 *
 * replay - measures what a kernel's calls cost on the device without their launches.
 *
 * The executor captures one batch into a CUDA graph and launches it. Its events tell how long the
 * graph took (exec/runtime/runtime_replay.c).
 *
 * This is a claim of the executor. It is only reported and decides nothing. A kernel may detect
 * the capture and do something else in it. So the outputs are checked once, like those of a batch,
 * and a claim about wrong outputs is dropped. A kernel that fails, hangs or dies in a capture has
 * passed before and keeps its verdict and times. But its process is not used again, since the
 * failed capture may have left it in another state. In the following cases the kernel is not
 * captured any more.
 */
#include "timing/ab_internal.h"

#include <stdio.h>
#include <string.h>

/* Returns true if the calls can be captured: native kernels under the gate. Torch's own functions
 * allocate memory, which a capture forbids unless torch itself does the capture. */
static bool is_asked(const struct pair *p)
{
	const struct ay_impl *k = &p->s->kernel;

	return p->s->device && !p->s->plain && !k->python && !k->aten && p->n && p->a->exec &&
	       !(p->a->kept && !strcmp(p->a->kept->uncaptured, p->a->name.who));
}

/* Ensures that the next case starts another process. */
static void leave(struct pair *p)
{
	if (p->a->kept)
		snprintf(p->a->kept->uncaptured, sizeof p->a->kept->uncaptured, "%s", p->a->name.who);
	p->a->kept = NULL;
	p->died |= !p->a->exec;
}

/* Checks the outputs of the replay. The report stays unchanged. */
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
