/* SPDX-License-Identifier: Apache-2.0
 *
 * host_memory - the host memory that a case needs, and whether the machine has it.
 *
 * Theory of operation. A case that needs more memory than the machine has is SKIPPED. That must
 * follow from the case and the machine: a kernel that keeps memory from call to call (leaked,
 * static, in a thread, in a memfd) must not turn its large cases into SKIPPED cases. So a case is
 * SKIPPED only if it needs more than was available before any kernel ran. If less is available now,
 * the judge ends the kernel's executor, with which everything ends that the kernel holds, and frees
 * its own pool. If that is not enough, other processes hold the memory. Kernels of other judges may
 * be among them, so the judge waits, and then reports a failure, which is no verdict.
 */
#include "judge/case_run.h"
#include "base/process.h"
#include "tensor/buffer.h"

#include <time.h>

enum {
	SMALL = 64 << 20,  /* bytes that are assumed to be always available */
	WAIT_S = 5,        /* how long other processes may take to free memory */
	WAIT_CROWD_S = 60, /* the same if other judges work on this machine */
	LARGE_SHARE = 8,   /* a pool is large from this fraction of a judge's share of the memory on */
};

uint64_t ay_judge_memory(const struct ay_policy *p)
{
	return p->memory_now ? p->memory_now() : ay_memory_available();
}

static bool fits(uint64_t need, uint64_t have)
{
	return need < have - have / 8;
}

static uint64_t need_of(const struct case_run *t)
{
	uint64_t need = ay_layout_own_bytes(t);

	for (int i = 0; i < t->nneed; i++)
		need += ay_slot_bytes(ay_case_run_device(t)->info.grain, t->need[i].bytes);
	return need;
}

/* Waits until the memory is available. Returns false if it is not in time. */
static bool wait_for(const struct ay_policy *p, uint64_t need)
{
	const int64_t until = ay_now_ns() + (p->crowd > 1 ? WAIT_CROWD_S : WAIT_S) * 1000000000ll;

	while (!fits(need, ay_judge_memory(p))) {
		if (ay_now_ns() >= until)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	return true;
}

int ay_case_run_host_room(struct case_run *t, struct ay_err *err)
{
	const struct ay_policy *p = &t->j->policy;
	const uint64_t need = need_of(t);

	/* querying the system would take longer than a small case */
	if (need < SMALL || fits(need, ay_judge_memory(p)))
		return 0;
	if (!fits(need, p->memory_free)) {
		ay_case_run_say(t, AY_VERDICT_SKIPPED,
				ay_sprintf(t->a, "needs %llu bytes of memory, %llu are free",
					   (unsigned long long)need, (unsigned long long)p->memory_free));
		return 1;
	}
	ay_judge_stop_exec(t->j);
	if (wait_for(p, need))
		return 0;
	return ay_fail(err, AY_ERR_MEMORY,
		       "a case needs %llu bytes of memory: %llu were free at the start, and other processes have "
		       "left %llu: judge it again, or with fewer --jobs",
		       (unsigned long long)need, (unsigned long long)p->memory_free,
		       (unsigned long long)ay_judge_memory(p));
}

bool ay_case_run_free_memory(struct case_run *t, bool pool)
{
	struct ay_judge *j = t->j;

	if (!j->aten_oracle.short_of_memory || (!j->exec && !(pool && j->has_pool)))
		return false;
	if (pool)
		ay_judge_stop_exec(j);
	else
		ay_judge_stop(j);
	return true;
}

void ay_judge_trim_host_memory(struct ay_judge *j)
{
	const int crowd = j->policy.crowd;

	if (crowd < 2 || !j->has_pool || j->policy.device)
		return;
	if (j->pool.used[0] + j->pool.used[1] > j->policy.memory_free / (uint64_t)(LARGE_SHARE * crowd))
		ay_judge_stop_exec(j);
}
