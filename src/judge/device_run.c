/* SPDX-License-Identifier: Apache-2.0
 *
 * device_run - runs a batch on the memory of a device, and finds out what happened on a GPU that
 * stopped.
 *
 * On the CPU these functions do almost nothing.
 */
#include "base/process.h"
#include "device/cuda.h"
#include "judge/case_run.h"

#include <string.h>
#include <time.h>

#define CONTEXT_BYTES \
	(1ull << 30) /* GPU memory that stays free for an executor's own context, which takes half of it */

enum {
	LATE_MAX = 3,        /* most checks for late writes */
	LATE_NS = 120000000, /* pause before each of them */
};

struct ay_dev *ay_case_run_device(const struct case_run *t)
{
	return t->j->policy.device ? t->j->policy.device : ay_dev_cpu();
}

#define HEAP_LEAST (128ull << 20)

int ay_judge_enter(struct ay_judge *j, struct ay_perf_lock *lock, struct ay_err *err)
{
	const int64_t begin = ay_now_ns();

	lock->n = 0;
	if (!j->policy.beside_clock || j->entered)
		return 0;
	if (ay_perf_lock_gpu_shared(lock, j->policy.device->info.uuid, err))
		return -1;
	j->entered = true;
	j->waited += (double)(ay_now_ns() - begin) / 1e9;
	return 0;
}

void ay_judge_leave(struct ay_judge *j, struct ay_perf_lock *lock)
{
	if (!lock->n)
		return;
	ay_perf_unlock(lock);
	j->entered = false;
}

void ay_judge_unmap_device(struct ay_judge *j)
{
	if (j->mapping.nslot)
		ay_dev_unmap(j->policy.device, &j->mapping);
}

/* Frees the memory of a large case, so that other processes can use it until the next case. */
void ay_judge_trim_device_memory(struct ay_judge *j)
{
	struct ay_err ignored = { 0 };
	struct ay_perf_lock lock;
	struct ay_outcome o;
	bool well;

	if (!j->exec || !j->policy.device || j->policy.device->info.kind != AY_DEV_CUDA ||
	    !ay_exec_is_heavy(j->exec) || ay_judge_enter(j, &lock, &ignored))
		return;
	ay_judge_unmap_device(j);
	well = !ay_exec_lighten(j->exec, &o, &ignored) && o.what == AY_EXEC_RAN;
	ay_judge_leave(j, &lock);
	if (!well)
		ay_judge_stop(j);
}

/* Checks that the next case has enough memory. A kernel may keep GPU memory from case to case. If
 * too little is left, the judge ends its executor. Returns 1 if there is too little in any case:
 * then the verdict says so. */
static int make_room(struct case_run *t, struct ay_err *err)
{
	struct ay_dev *d = ay_case_run_device(t);
	uint64_t need = CONTEXT_BYTES;

	ay_judge_unmap_device(t->j);
	for (int i = 0; i < t->nneed; i++)
		need += ay_slot_bytes(d->info.grain, t->need[i].bytes);
	if (need <= ay_dev_free_bytes(d))
		return 0;
	ay_judge_stop(t->j);
	if (ay_dev_is_well(d, err))
		return -1;
	if (need <= ay_dev_free_bytes(d))
		return 0;
	ay_case_run_say(t, AY_VERDICT_SKIPPED,
			ay_sprintf(t->a, "needs %llu bytes of the GPU's memory, %llu are free",
				   (unsigned long long)need, (unsigned long long)ay_dev_free_bytes(d)));
	return 1;
}

int ay_case_run_room(struct case_run *t, struct ay_err *err)
{
	struct ay_perf_lock lock;
	int rc;

	if (ay_case_run_device(t)->info.kind == AY_DEV_CPU)
		return 0;
	if (t->j->has_pool && t->j->mapping.nslot && ay_pool_fits(&t->j->pool, t->nneed, t->need))
		return 0; /* the memory is already mapped */
	if (ay_judge_enter(t->j, &lock, err))
		return -1;
	rc = make_room(t, err);
	ay_judge_leave(t->j, &lock);
	return rc;
}

/* Returns the memory for what the case's sets return, and as much again for temporary tensors.
 * Results that do not fit are copied. */
static uint64_t heap_need(const struct case_run *t)
{
	uint64_t need = 0;

	for (int i = 0; i < t->nneed; i++)
		need += t->need[i].bytes;
	return HEAP_LEAST + 2 * need;
}

/* Reads the results of a set and protects them from the executor. */
static int read_set(struct case_run *t, const struct ay_batch *b, int set, struct ay_outcome *o,
		    struct ay_err *err)
{
	if (ay_exec_take(t->j->exec, b, set, o, err))
		return -1;
	if (o->what == AY_EXEC_RAN)
		ay_layout_take(t, set);
	return 0;
}

static int read_sets(struct case_run *t, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	int rc = 0;

	for (int s = 0; s < b->nset && !rc && o->what == AY_EXEC_RAN; s++)
		rc = read_set(t, b, s, o, err);
	return rc;
}

/* Calls set after set, and reads what a call gave before the next one. Otherwise a kernel could
 * finish the first result during the second call. */
static int call_in_turn(struct case_run *t, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_batch first = *b;
	int rc;

	first.called = 1;
	rc = ay_exec_call(t->j->exec, &first, o, err);
	for (int s = 0; s < b->nset && !rc && o->what == AY_EXEC_RAN; s++) {
		if (s)
			rc = ay_exec_call_set(t->j->exec, b, s, o, err);
		if (!rc && o->what == AY_EXEC_RAN)
			rc = read_set(t, b, s, o, err);
	}
	return rc;
}

/* Runs the batch on memory of the device. */
static int call_mapped(struct case_run *t, const struct ay_batch *b, struct ay_dev_mapping *mapping,
		       struct ay_outcome *o, struct ay_err *err)
{
	struct ay_batch with = *b;
	int rc;

	with.mapping = mapping;
	rc = ay_exec_need_heap(t->j->exec, heap_need(t), o, err);
	if (!rc && o->what == AY_EXEC_RAN)
		rc = ay_exec_call(t->j->exec, &with, o, err);
	if (!rc && o->what == AY_EXEC_RAN)
		rc = ay_dev_fetch(ay_case_run_device(t), b->pool, mapping, err);
	for (int i = 0; i < mapping->nslot && t->changed < 0; i++)
		if (mapping->slot[i].changed)
			t->changed = i;
	return rc;
}

/* Removes an executor that has died. Checks the device before another kernel is judged on it. */
static int reap(struct case_run *t, const struct ay_outcome *o, struct ay_err *err)
{
	if (!t->j->exec || ay_exec_is_alive(o))
		return 0;
	ay_judge_stop(t->j);
	return ay_dev_is_well(ay_case_run_device(t), err);
}

/* Maps the pool on the device. If a kernel has taken all device memory in the previous call,
 * its executor is restarted. Then there is enough memory, because ay_case_run_room has checked
 * that. */
static int map_pool(struct case_run *t, const struct ay_batch *b, enum ay_map_mode how,
		    struct ay_dev_mapping *mapping, struct ay_err *err)
{
	struct ay_dev *d = ay_case_run_device(t);
	struct ay_outcome o = { 0 };

	if (!ay_dev_map(d, b->pool, how, mapping, err))
		return 0;
	if (err->code != AY_ERR_MEMORY)
		return -1;
	ay_err_clear(err);
	ay_judge_stop(t->j);
	if (ay_dev_is_well(d, err) || ay_judge_start(t->j, t->a, &o, err))
		return -1;
	return t->j->exec ? ay_dev_map(d, b->pool, how, mapping, err)
			  : ay_fail(err, AY_ERR_EXEC, "a kernel that was loaded before cannot be loaded again");
}

/* Describes what the kernel changed, in order of slots. A changed input is the most informative
 * fault. */
static const char *what_changed(struct case_run *t, const struct ay_dev_mapping *l, bool outside,
				enum ay_verdict *v)
{
	for (int i = 0; i < l->nslot; i++) {
		if (!l->slot[i].changed)
			continue;
		*v = AY_VERDICT_INPUT_WRITTEN;
		return ay_sprintf(t->a, "wrote to its input '%s'", ay_case_run_slot_name(t, i));
	}
	*v = AY_VERDICT_OVERRUN;
	for (int i = 0; i < l->nslot; i++)
		if (l->slot[i].touched)
			return ay_sprintf(t->a, "wrote %s '%s'",
					  l->slot[i].touched < 0 ? "before the start of" : "behind the end of",
					  ay_case_run_slot_name(t, i));
	if (outside)
		return "read outside of its tensors";
	*v = AY_VERDICT_INPUT_WRITTEN;
	return "wrote to an input what was there already";
}

static void say_fault(struct case_run *t, const struct ay_outcome *o, const struct ay_dev_mapping *again,
		      bool outside)
{
	enum ay_verdict v = AY_VERDICT_CRASH;
	const char *detail, *error = ay_dev_error(ay_case_run_device(t), o->rc);

	if (again)
		detail = what_changed(t, again, outside, &v);
	else if (o->rc == AY_CU_OUT_OF_MEMORY)
		v = AY_VERDICT_OOM, detail = "the GPU ran out of memory";
	else
		detail = ay_sprintf(t->a, "stopped the GPU: %s (%d)", error, o->rc);
	ay_case_run_say(t, v, detail);
}

/*
 * Runs the case again to find out what stopped the GPU. A GPU that stopped at an address reports
 * no more than that. So the case runs in a new process on memory that extends beyond both ends of
 * every tensor and is writable everywhere. A change shows which tensor it was. If nothing changed,
 * the kernel has read outside of its tensors, or has written to an input what was there already. A
 * third run, in which inputs are read-only, distinguishes the two.
 */
static int run_again(struct case_run *t, const struct ay_batch *b, enum ay_map_mode how,
		     struct ay_dev_mapping *mapping, struct ay_outcome *o, struct ay_err *err)
{
	if (!t->j->exec && ay_judge_start(t->j, t->a, o, err))
		return -1;
	if (t->j->exec && (map_pool(t, b, how, mapping, err) || call_mapped(t, b, mapping, o, err)))
		return -1;
	t->changed = -1; /* say_fault reports the change here */
	return reap(t, o, err);
}

static bool nothing_changed(const struct ay_dev_mapping *l)
{
	for (int i = 0; i < l->nslot; i++)
		if (l->slot[i].changed || l->slot[i].touched)
			return false;
	return true;
}

int ay_case_run_fault(struct case_run *t, const struct ay_batch *b, const struct ay_outcome *fault,
		      struct ay_err *err)
{
	struct ay_dev *d = ay_case_run_device(t);
	struct ay_outcome open = { 0 }, padded = { 0 };
	struct ay_dev_mapping mapping = { 0 }, third = { 0 };
	struct ay_perf_lock lock;
	int rc = 0;

	if (ay_judge_enter(t->j, &lock, err))
		return -1;

	open.what = padded.what = AY_EXEC_FAULTED;
	if (fault->rc == AY_CU_ILLEGAL_ADDRESS)
		rc = run_again(t, b, AY_MAP_WRITABLE, &mapping, &open, err);
	if (!rc && open.what == AY_EXEC_RAN && nothing_changed(&mapping))
		rc = run_again(t, b, AY_MAP_PADDED, &third, &padded, err);
	if (!rc)
		say_fault(t, fault, open.what == AY_EXEC_RAN ? &mapping : NULL, padded.what == AY_EXEC_RAN);
	ay_dev_unmap(d, &mapping);
	ay_dev_unmap(d, &third);
	ay_judge_leave(t->j, &lock);
	return rc;
}

int ay_case_run_call(struct case_run *t, const struct ay_batch *b, bool wanted, struct ay_outcome *o,
		     struct ay_err *err)
{
	const bool in_turn = wanted && ay_case_run_device(t)->info.kind == AY_DEV_CPU;
	struct ay_judge *j = t->j;
	struct ay_perf_lock lock;
	int rc;

	if (ay_judge_enter(j, &lock, err))
		return -1;
	rc = map_pool(t, b, AY_MAP_GUARDED, &j->mapping, err);
	if (!rc)
		rc = in_turn ? call_in_turn(t, b, o, err) : call_mapped(t, b, &j->mapping, o, err);
	if (!rc)
		rc = reap(t, o, err);
	ay_judge_leave(j, &lock);
	if (!rc && wanted && !in_turn)
		rc = read_sets(t, b, o, err);
	j->deaths += !rc && ay_case_run_device(t)->info.kind != AY_DEV_CPU && !ay_exec_is_alive(o);
	return rc;
}

/* Returns the name of the first operand whose written device memory differs from what was judged;
 * NULL: none differs. What a kernel in Python returns lies in its heap, so it is not compared. */
static const char *find_change(struct case_run *t)
{
	const int n = t->call->noperand;

	for (int at = 0; at < t->nset * n; at++) {
		const struct ay_slot *s = &t->j->pool.slot[t->slot[at]];
		const struct ay_operand *o = t->call->operand[at % n];

		if (s->written && !s->host && !(t->j->kernel.about && o->role == AY_RESULT) &&
		    memcmp(s->mem, t->copy[at], s->bytes) != 0)
			return o->name;
	}
	return NULL;
}

/* Finds work that continued after the call. The executor does not wait for work in another context
 * of the kernel, or launched by its own thread. Such a kernel has written too little when its
 * results are read, so only wrong results are checked again. */
int ay_case_run_late(struct case_run *t, struct ay_err *err)
{
	const struct timespec nap = { 0, LATE_NS };
	const enum ay_verdict v = t->rep->verdict;
	struct ay_perf_lock lock;
	const char *name;
	int rc;

	if (!t->j->mapping.nslot || t->j->late >= LATE_MAX ||
	    (v != AY_VERDICT_MISMATCH && v != AY_VERDICT_UNWRITTEN && v != AY_VERDICT_UNSTABLE))
		return 0;
	t->j->late++;
	ay_layout_keep(t);
	nanosleep(&nap, NULL);
	if (ay_judge_enter(t->j, &lock, err))
		return -1;
	rc = ay_dev_fetch(ay_case_run_device(t), &t->j->pool, &t->j->mapping, err);
	ay_judge_leave(t->j, &lock);
	if (rc)
		return -1;
	name = find_change(t);
	if (name)
		ay_case_run_say(t, AY_VERDICT_CHEAT,
				ay_sprintf(t->a, "went on writing to '%s' after its call was over", name));
	return 0;
}
