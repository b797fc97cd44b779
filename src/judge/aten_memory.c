/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/aten_memory.h"

#include "base/process.h"
#include "op/fill.h"
#include "tensor/buffer.h"

#include <time.h>

enum {
	/* doubles held at a time for each element of an argument; results have as many elements */
	DOUBLES = 8,
	DOUBLES_IN = 3,   /* of these, for arguments alone, if the results are known */
	DOUBLES_BACK = 4, /* for answers in host memory: value and weight, in both processes */
	COPIES = 6,       /* copies of the arguments if only shapes are requested */
	SMALL = 64 << 20, /* bytes that are assumed to be always available */
	/* Half of a GPU's memory is reserved for large answers, in shares that requests wait for.
	 * The rest is for every process. */
	SHARE = 2 * AY_GPU_MEMORY_SHARES, /* a share is this fraction of all memory */
	/* a request for less than this fraction needs no shares */
	LITTLE = 128,
	/* seconds to wait for free memory after the shares are locked */
	WAIT_S = 3,
};

/* Returns the bytes for the arguments, a copy of them, and `doubles` doubles for each element.
 * Half types grow fourfold. */
static uint64_t need_of(const struct ay_call *c, uint64_t doubles)
{
	uint64_t need = 0;

	for (int i = 0; i < c->noperand; i++)
		need += ay_operand_bytes(c->operand[i]) *
			(2 + doubles * sizeof(double) / (uint64_t)ay_dt_info(c->operand[i]->view.dt)->bytes);
	return need;
}

/* Returns the bytes that a request needs. A request to check results includes these results. */
static uint64_t need_for(const struct ay_call *c, enum ay_aten_request q)
{
	uint64_t need = 0;

	if (q == AY_ATEN_REQUEST_ANSWER)
		return need_of(c, DOUBLES);
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		const uint64_t item = (uint64_t)ay_dt_info(o->view.dt)->bytes,
			       doubles = o->role == AY_IN ? DOUBLES_IN : DOUBLES,
			       each = q == AY_ATEN_REQUEST_SHAPES ? COPIES * item
								  : 2 * item + doubles * sizeof(double);

		need += ay_operand_bytes(o) / item * each;
	}
	return need;
}

static bool fits(uint64_t need, uint64_t have)
{
	/* at most half, because the jail of the process may limit it to half */
	return need < SMALL || need < have / 2;
}

bool ay_aten_memory_here(const struct ay_call *c, uint64_t *need, uint64_t *have)
{
	*need = need_of(c, DOUBLES);
	*have = ay_memory_available();
	return fits(*need, *have);
}

bool ay_aten_memory_back(const struct ay_call *c)
{
	return fits(need_of(c, DOUBLES_BACK), ay_memory_available());
}

static uint64_t shares_of(const struct ay_dev *d, uint64_t need)
{
	return need / (d->info.bytes / SHARE + 1) + 1;
}

/* Querying the free memory is no work for the GPU. */
bool ay_aten_memory_on_gpu(struct ay_dev *d, const struct ay_call *c, bool crowded)
{
	const uint64_t need = need_of(c, DOUBLES);

	return crowded ? shares_of(d, need) <= AY_GPU_MEMORY_SHARES : need < ay_dev_free_bytes(d) / 2;
}

bool ay_aten_memory_take(struct ay_dev *d, const struct ay_call *c, enum ay_aten_request q,
			 struct ay_perf_lock *lock)
{
	const struct timespec nap = { 0, 10000000 };
	const uint64_t need = need_for(c, q), shares = shares_of(d, need);
	struct ay_err ignored = { 0 };
	int64_t until;
	bool there;

	lock->n = 0;
	if (need < d->info.bytes / LITTLE)
		return true;
	if (shares > AY_GPU_MEMORY_SHARES || ay_perf_lock_gpu_memory(lock, d->info.uuid, (int)shares, &ignored))
		return false;
	until = ay_now_ns() + WAIT_S * 1000000000ll;
	while (!(there = need < ay_dev_free_bytes(d)) && ay_now_ns() < until)
		nanosleep(&nap, NULL);
	if (!there)
		ay_perf_unlock(lock);
	return there;
}
