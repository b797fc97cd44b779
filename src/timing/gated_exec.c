/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/gated_exec.h"

#include "base/process.h"
#include "exec/encode.h"
#include "exec/wire.h"
#include "op/fill.h"
#include "sandbox/freeze.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	PROBES = 4, /* elements of an output that are checked after each audited call */
	/* A process that sleeps during a call wakes up late, and a short call ends before it
	 * sleeps. The difference would look like the kernel's time. So with a CPU of its own the
	 * executor never sleeps during a batch, and without one it always does. */
	SPIN_NS = 100000000,
	RESULT_LOOKS = 4, /* elements that are read from what a batch of Python kernels returned */
	/* A CPU that has been idle responds late: 50 us later after 1 ms and 130 us after 5 ms on
	 * a virtual machine. So the judge keeps the executor's CPUs busy for this long before the
	 * clock starts. */
	WAKE_NS = 150000,
};

#define HEAP_LEAST (256ull << 20) /* for temporary tensors */

static void say_late(struct ay_gated_exec *s, struct ay_outcome *o)
{
	*o = (struct ay_outcome){ .what = AY_EXEC_HUNG, .slot = -1 };
	snprintf(o->text, sizeof o->text, "did not stand still within %g s of raising `done`", s->timeout_s);
}

/* Freezes the executor after a batch. If its process has ended, *o says so. */
static int freeze(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	enum ay_freeze how;
	int64_t took;

	if (ay_freeze(ay_exec_pid(s->exec), ay_exec_group(s->exec), s->timeout_s, &how, &took, err))
		return -1;
	if (how == AY_FREEZE_LATE) {
		say_late(s, o);
	} else if (how == AY_FREEZE_GONE && o->what == AY_EXEC_RAN) {
		*o = (struct ay_outcome){ .what = AY_EXEC_CRASHED, .slot = -1 };
		snprintf(o->text, sizeof o->text, "its process ended after the call");
	}
	return 0;
}

static void end_if_gone(struct ay_gated_exec *s, const struct ay_outcome *o)
{
	if (ay_exec_is_alive(o))
		return;
	ay_exec_stop(s->exec);
	s->exec = NULL;
}

static int get_sets(struct ay_gated_exec *s, const struct ay_gated_exec_spec *spec, struct ay_err *err)
{
	if (spec->device)
		return ay_input_sets_init_gpu(&s->sets, spec->template, spec->cap, spec->empty, s->python,
					      s->ungated, err);
	if (!spec->sets)
		return ay_input_sets_init(&s->sets, spec->template, spec->cap, spec->empty, err);
	AY_ASSERT(spec->sets->cap == spec->cap);
	s->sets = *spec->sets;
	*spec->sets = (struct ay_input_sets){ .pool = { .fd = { -1, -1 } } };
	return 0;
}

/* Thaws an executor from the cache, or starts a new one. */
static int get_executor(struct ay_gated_exec *s, const struct ay_exec_spec *spec, struct ay_arena *names,
			struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec_entries e;
	bool other = false;
	int64_t took;

	*o = (struct ay_outcome){ .slot = -1 };
	if (s->kept)
		ay_exec_cache_name(spec, &s->name);
	s->exec = ay_exec_cache_take(s->kept, &s->name, &other);
	if (!s->exec)
		return ay_exec_start(spec, names, &s->exec, &e, o, err);
	if (ay_thaw(ay_exec_pid(s->exec), ay_exec_group(s->exec), &took, err))
		return -1;
	if (other && ay_exec_load(s->exec, spec, names, &e, o, err))
		return -1;
	if (o->what != AY_EXEC_RAN) {
		ay_exec_stop(s->exec);
		s->exec = NULL;
	}
	return 0;
}

/* Reserves device memory for what a batch of Python kernels returns, and for temporary tensors. */
static int give_heap(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	const struct ay_call *c = s->sets.m->call;
	uint64_t bytes = HEAP_LEAST + 2 * s->sets.m->bytes;

	if (!s->dev || !s->python || s->sets.shared_storage)
		return 0;
	for (int i = 0; i < c->noperand; i++)
		if (c->operand[i]->role == AY_RESULT)
			bytes += (ay_operand_bytes(c->operand[i]) + 1024) * (uint64_t)s->sets.cap;
	ay_exec_poison(s->exec, AY_GATED_EXEC_POISON);
	return ay_exec_need_heap(s->exec, bytes, o, err);
}

static int hold(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	if (!s->exec || o->what != AY_EXEC_RAN)
		return 0;
	s->batch.pool = &s->sets.pool;
	s->batch.slot = s->sets.slot;
	s->batch.offset = s->sets.offset;
	s->batch.told = s->sets.told;
	s->batch.rng_place = s->sets.has_rng ? &s->sets.rng : NULL;
	s->batch.mapping = s->dev ? &s->sets.mapping : NULL;
	memset(s->batch.poison, AY_GATED_EXEC_POISON, sizeof s->batch.poison);
	if (give_heap(s, o, err))
		return -1;
	return o->what == AY_EXEC_RAN ? ay_exec_hold(s->exec, &s->batch, o, err) : 0;
}

int ay_gated_exec_shift(int n)
{
	enum { STEP = 159 * 16 }; /* an odd multiple of 16 near the golden section of a page */

	return n * STEP % AY_WIRE_SHIFTS;
}

static struct ay_exec_spec executor_of(const struct ay_gated_exec_spec *spec)
{
	return (struct ay_exec_spec){ .so_fd = spec->impl.so_fd,
				      .python = spec->impl.python,
				      .about = spec->impl.about,
				      .folders = spec->impl.folders,
				      .stack_shift = spec->stack_shift,
				      .load_timeout_s = spec->timeout_s,
				      .spin = spec->spare,
				      .freezable = true,
				      .sandbox = spec->sandbox,
				      .device = spec->device,
				      .cpus = spec->cpus };
}

int ay_gated_exec_prepare(const struct ay_gated_exec_spec *spec, int n, struct ay_err *err)
{
	struct ay_exec_spec x = executor_of(spec);
	struct ay_arena names = { 0 };
	struct ay_outcome o = { .slot = -1 };
	struct ay_exec_entries e;
	struct ay_exec_cache_name name;
	struct ay_exec *exec;
	int rc = 0;

	x.cpus = NULL; /* another judge may be timing on those CPUs */
	ay_exec_cache_name(&x, &name);
	while (!rc && o.what == AY_EXEC_RAN && ay_exec_cache_count(spec->kept, &name) < n) {
		rc = ay_exec_start(&x, &names, &exec, &e, &o, err);
		if (!rc && o.what == AY_EXEC_RAN && ay_exec_move(exec, spec->cpus)) {
			ay_exec_stop(exec);
			break;
		}
		if (!rc && o.what == AY_EXEC_RAN)
			ay_exec_cache_give(spec->kept, &name, exec);
	}
	ay_arena_release(&names);
	return rc;
}

int ay_gated_exec_open(struct ay_gated_exec *s, const struct ay_gated_exec_spec *spec, struct ay_outcome *o,
		       struct ay_err *err)
{
	struct ay_exec_spec x = executor_of(spec);
	struct ay_arena names = { 0 };
	int rc = -1;

	*s = (struct ay_gated_exec){ .timeout_s = spec->timeout_s,
				     .cpus = *spec->cpus,
				     .python = spec->impl.python };
	s->dev = spec->device;
	s->kept = spec->kept;
	s->ungated = spec->ungated && spec->device;
	s->batch = (struct ay_batch){ .proto = spec->impl.proto,
				      .call = spec->template->call,
				      .nset = spec->cap,
				      .threads = spec->threads,
				      .timeout_s = spec->timeout_s };
	if (!get_sets(s, spec, err) && !get_executor(s, &x, &names, o, err)) {
		rc = hold(s, o, err);
		if (s->exec)
			ay_exec_spin(s->exec, spec->spare ? SPIN_NS : 0);
		if (!rc && s->exec && ay_exec_is_alive(o) && !s->ungated)
			rc = freeze(s, o, err);
		if (!rc && s->exec)
			end_if_gone(s, o);
	}
	if (rc) {
		s->kept = NULL;
		ay_gated_exec_close(s);
	}
	ay_arena_release(&names);
	return rc;
}

void ay_gated_exec_leave(struct ay_gated_exec *s, struct ay_input_sets *sets)
{
	if (s->exec)
		ay_exec_stop(s->exec);
	s->exec = NULL;
	*sets = s->sets;
	s->sets = (struct ay_input_sets){ .pool = { .fd = { -1, -1 } } };
}

void ay_gated_exec_close(struct ay_gated_exec *s)
{
	struct ay_err ignored = { 0 };
	struct ay_outcome o;

	if (s->exec && s->ungated && (ay_exec_lighten(s->exec, &o, &ignored) || o.what != AY_EXEC_RAN)) {
		/* only a frozen executor may be kept, and an ungated one is not frozen */
		ay_exec_stop(s->exec);
		s->exec = NULL;
	}
	if (s->exec)
		ay_exec_cache_give(s->kept, &s->name, s->exec);
	ay_input_sets_release(&s->sets);
	s->exec = NULL;
}

/* --- a batch --------------------------------------------------------------------------------------------- */

static double cpu_ns(pid_t pid)
{
	struct timespec t = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void wake_cpus(const struct ay_gated_exec *s)
{
	cpu_set_t mine, one;

	if (sched_getaffinity(0, sizeof mine, &mine))
		return;
	for (int i = 0; i < CPU_SETSIZE; i++) {
		int64_t until;

		if (!CPU_ISSET(i, &s->cpus))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		if (sched_setaffinity(0, sizeof one, &one))
			continue;
		until = ay_now_ns() + WAKE_NS;
		while (ay_now_ns() < until)
			;
	}
	sched_setaffinity(0, sizeof mine, &mine);
}

/* After the order was posted: thaws the executor, waits, and freezes it again. */
static int let_go(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	int64_t took;

	if (o->what == AY_EXEC_RAN) {
		if (!s->ungated && ay_thaw(ay_exec_pid(s->exec), ay_exec_group(s->exec), &took, err))
			return -1;
		ay_exec_await(s->exec, s->timeout_s, o);
	}
	return !s->ungated && ay_exec_is_alive(o) && freeze(s, o, err) ? -1 : 0;
}

/* Maps memory for a batch that does not read it, and checks whether the device is idle. */
static int ready_device(struct ay_gated_exec *s, struct ay_err *err)
{
	double ns = 0;

	if (s->sets.shared_storage && !s->ungated && ay_input_sets_map_nothing(&s->sets, s->empty_bytes, err))
		return -1;
	ay_dev_reset_cache(s->dev);
	if (ay_dev_idle(s->dev, &ns, err))
		return -1;
	s->device_busy = ns > AY_IDLE_NS;
	return 0;
}

/* Adds elements of Python results to probe[], at the places that the executor reports. A result
 * with a wrong place is skipped; fetching the results finds it. */
static void choose_results(struct ay_gated_exec *s, int from, int n)
{
	const int results = ay_encode_nresult(s->batch.call);
	struct ay_outcome ignored;

	for (int i = 0; i < RESULT_LOOKS && results && s->sets.nprobe < AY_PROBE_MAX; i++) {
		struct ay_dev_probe_place *l = &s->sets.probe[s->sets.nprobe];
		struct ay_view v;
		uint64_t at;

		if (ay_exec_find(s->exec, &s->batch, from + (int)ay_secret_below((uint64_t)n),
				 (int)ay_secret_below((uint64_t)results), &v, &at, &ignored) ||
		    !at || !ay_numel_of(&v))
			continue;
		*l = (struct ay_dev_probe_place){ .rows = 1, .width = (uint32_t)ay_dt_info(v.dt)->bytes };
		l->at = at +
			(uint64_t)ay_view_at(&v, (int64_t)ay_secret_below((uint64_t)ay_numel_of(&v))) * l->width;
		/* the reported place may lie in a slot, perhaps in a part of it that is not mapped
		 * now */
		s->sets.nprobe += ay_exec_in_heap(s->exec, l->at, l->width) ||
				  ay_input_sets_hold(&s->sets, l->at, l->width);
	}
}

/* After a batch: reads elements of its outputs before the clock stops. */
static int probe(struct ay_gated_exec *s, int from, int n, struct ay_outcome *o, struct ay_err *err)
{
	if (!s->dev || s->ungated || o->what != AY_EXEC_RAN)
		return 0;
	ay_input_sets_choose_probes(&s->sets, from, n ? n : 1, !s->python || s->sets.shared_storage);
	if (s->python && !s->sets.shared_storage && n)
		choose_results(s, from, n);
	return s->sets.nprobe ? ay_dev_probe(s->dev, s->sets.nprobe, s->sets.probe, err) : 0;
}

/* Drops results while the next content does not exist yet. So a thread of the kernel that runs
 * meanwhile has nothing to work on. */
static int forget(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	if (ay_exec_post_forget(s->exec, o, err) || let_go(s, o, err))
		return -1;
	end_if_gone(s, o);
	ay_input_sets_unmap(&s->sets);
	return 0;
}

/* Returns the device memory that travels with an order; NULL: none. */
static const struct ay_dev_mems *dev_mems_of(const struct ay_gated_exec *s)
{
	return s->dev && s->sets.mems.n ? &s->sets.mems : NULL;
}

/* Subtracts the mapping time from T. Batches with gigabytes of memory scatter by 0.1 ms and more,
 * those with little memory by 0.02 ms. The executor reports the mapping time itself. At most the
 * mapping time of a trusted executor is subtracted, so an executor that lies gains only the
 * difference. */
static void note_mapping(struct ay_gated_exec *s, int64_t begin, struct ay_batch_time *b,
			 const struct ay_outcome *o)
{
	const int64_t at = s->dev && !s->ungated && o->what == AY_EXEC_RAN ? ay_exec_mapped_ns(s->exec) : 0;
	const double ns = at > begin ? (double)(at - begin) : 0;

	s->map_ns = ns < b->ns ? ns : b->ns;
	b->ns -= s->map_ns < s->map_most ? s->map_ns : s->map_most;
}

/* Runs a batch of sets [from, from + n), with `extra_passes` more passes. n = 0: runs the calibration
 * batch, which is busy for a fixed time. */
static int run_batch(struct ay_gated_exec *s, int from, int n, int extra_passes, struct ay_batch_time *b,
		     struct ay_outcome *o, struct ay_err *err)
{
	const pid_t pid = ay_exec_pid(s->exec);
	const double cpu = cpu_ns(pid);
	const struct ay_dev_mems *mems;
	int64_t begin;

	*b = (struct ay_batch_time){ 0 };
	if (s->dev && ready_device(s, err))
		return -1;
	mems = dev_mems_of(s);
	wake_cpus(s);
	begin = ay_now_ns();
	if (n ? ay_exec_post(s->exec, from, n, extra_passes, mems, o, err)
	      : ay_exec_post_busy(s->exec, mems, o, err))
		return -1;
	if (!s->ungated) /* the executor is frozen, and finds the order when it is thawed */
		begin = ay_now_ns();
	if (let_go(s, o, err) || probe(s, from, n, o, err))
		return -1;
	b->ns = (double)(ay_now_ns() - begin);
	note_mapping(s, begin, b, o);
	b->claimed_ns = s->dev && o->what == AY_EXEC_RAN ? ay_exec_claimed_ns(s->exec) : 0;
	if (ay_exec_is_alive(o))
		b->cpu_ns = cpu_ns(pid) - cpu;
	end_if_gone(s, o);
	return 0;
}

int ay_gated_exec_batch(struct ay_gated_exec *s, int n, struct ay_batch_time *b, struct ay_outcome *o,
			struct ay_err *err)
{
	return run_batch(s, 0, n, s->extra_passes, b, o, err);
}

/* Returns the part of a trusted batch that was not the hand-over: the time between two device
 * events, or the time that the calibration batch was busy. The empty call of Python lies between
 * the events. That of a native kernel does too, because its first launch is only then. */
static double inside_ns(const struct ay_batch_time *b, bool busy)
{
	if (b->claimed_ns > 0)
		return fmin(b->claimed_ns, b->ns);
	return busy ? AY_WIRE_CALIBRATE_NS : 0;
}

int ay_gated_exec_hand_over(struct ay_gated_exec *s, bool busy, double *ns, struct ay_outcome *o,
			    struct ay_err *err)
{
	struct ay_batch_time b;

	AY_ASSERT(s->sets.shared_storage);
	if (run_batch(s, 0, !busy, 0, &b, o, err) || (s->dev && s->exec && forget(s, o, err)))
		return -1;
	*ns = b.ns - inside_ns(&b, busy);
	return 0;
}

/* --- what was returned ------------------------------------------------------------------------------------- */

int ay_gated_exec_take(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, struct ay_outcome *o,
		       struct ay_err *err)
{
	struct ay_batch b = s->batch, into;

	*o = (struct ay_outcome){ .slot = -1 };
	if (!s->exec || !s->python || s->sets.shared_storage)
		return 0;
	if (s->dev) {
		into = (struct ay_batch){ .pool = &s->sets.shadow->pool,
					  .slot = s->sets.shadow->slot,
					  .offset = s->sets.shadow->offset };
		b.into = &into;
		b.mapping = &s->sets.mapping;
		b.need = need;
	}
	return ay_exec_take(s->exec, &b, set, o, err);
}

int ay_gated_exec_late(struct ay_gated_exec *s, bool *late, struct ay_err *err)
{
	double ns;

	*late = false;
	if (!s->dev || s->ungated || s->sets.shared_storage)
		return 0;
	return ay_dev_idle(s->dev, &ns, err) || ay_input_sets_reread_probes(&s->sets, late, err) ? -1 : 0;
}

int ay_gated_exec_fetch(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err)
{
	*changed = false;
	return s->dev ? ay_input_sets_fetch(&s->sets, set, need, changed, err) : 0;
}

int ay_gated_exec_watch(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, struct ay_outcome *o,
			struct ay_err *err)
{
	*o = (struct ay_outcome){ .slot = -1 };
	if (!s->exec || !s->python)
		return 0;
	if (ay_input_sets_write(&s->sets, key, set, 1, poison, err) ||
	    ay_exec_post_watched(s->exec, set, 1, dev_mems_of(s), o, err) || let_go(s, o, err))
		return -1;
	end_if_gone(s, o);
	return 0;
}

int ay_gated_exec_forget(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err)
{
	*o = (struct ay_outcome){ .slot = -1 };
	return s->exec && (s->python || s->dev) ? forget(s, o, err) : 0;
}

/* --- an audit -------------------------------------------------------------------------------------------- */

/* Returns true if some element that is only written is still poison. Reads the bytes of random
 * elements. */
static bool is_unfinished(const struct ay_input_sets *s, int set, uint8_t poison)
{
	const struct ay_call *c = s->m->call;

	for (int k = 0; k < c->nout; k++) {
		const struct ay_operand *o = c->out[k];
		const int64_t item = ay_dt_info(o->view.dt)->bytes, n = ay_numel_of(&o->view);
		int same = 0;

		if (o->role == AY_INOUT || n < PROBES)
			continue;
		for (int p = 0; p < PROBES; p++) {
			const int64_t i = (int64_t)ay_secret_below((uint64_t)n);
			const uint8_t *at = ay_input_sets_at(s, set, o->ordinal) +
					    (o->view.offset + ay_view_at(&o->view, i)) * item;
			int left = 0;

			while (left < item && at[left] == poison)
				left++;
			same += left == item;
		}
		if (same == PROBES)
			return true;
	}
	return false;
}

/* Runs one set alone under the gate. If the executor ran on between two calls, it could work on
 * the next set while this is being written, or finish the last one after its `done`. */
int ay_gated_exec_one(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, double *ns,
		      bool *unfinished, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_batch_time one;

	*unfinished = false;
	if ((!s->dev || !s->sets.shared_storage) && ay_input_sets_write(&s->sets, key, set, 1, poison, err))
		return -1;
	if (run_batch(s, set, 1, 0, &one, o, err))
		return -1;
	*ns = one.ns;
	if (o->what != AY_EXEC_RAN || s->sets.shared_storage)
		return 0;
	if (s->dev)
		return ay_gated_exec_late(s, unfinished, err);
	if (ay_gated_exec_take(s, set, NULL, o, err))
		return -1;
	*unfinished = o->what == AY_EXEC_RAN && is_unfinished(&s->sets, set, poison);
	return 0;
}
