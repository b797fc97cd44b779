/* SPDX-License-Identifier: Apache-2.0
 *
 * How much is done in a batch, by what hand-over and calls took: made up here.
 */
#include "test.h"
#include "timing_rig.h"
#include "timing/inside.h"

static const struct ay_ceilings machine = { .cache = { 32 << 10, 1 << 20, 4 << 20 } };

/* Two kernels that take 200 and 250 us a call on 6 MB. */
struct calls {
	struct timing_rig r;
	struct ay_pair_spec s;
	struct pair p;
};

static void setup(struct calls *k)
{
	timing_rig_init(&k->r, "aten::relu((T([768, 1024], f32),), {})");
	k->s = (struct ay_pair_spec){ .threads = 1, .call_timeout_s = 10, .ceilings = &machine };
	k->p = (struct pair){ .s = &k->s, .against = AY_AGAINST_KERNEL, .trial_a = 200e3, .trial_b = 250e3 };
	k->p.ga = k->p.gb = &k->p.gate[0];
	ay_master_init(&k->p.master, k->r.call);
}

static void release(struct calls *k)
{
	ay_master_release(&k->p.master);
	timing_rig_release(&k->r);
}

/* When a hand-over takes c0; false: no ratio. */
static bool plan(struct calls *k, double c0, double budget_s)
{
	k->s.budget_s = budget_s;
	k->p.ga->c0 = k->p.ga->empty_c0 = c0;
	k->p.ga->spread = c0 / 10;
	return ay_pair_plan(&k->p);
}

TEST(plan_batches_do_not_drown_in_the_gate)
{
	static struct calls k;

	setup(&k);
	CHECK(plan(&k, 10e3, 20) && k.p.m >= 1 && k.p.passes == 1);
	CHECK(plan(&k, 1e6, 20)); /* a batch of the faster is three times as long */
	CHECKF(k.p.m >= 3 * 1e6 / 200e3 - 1, "%d sets", k.p.m);
	release(&k);
}

/* On a busy machine c0 is some milliseconds: then batches are as long as can be paid for, and not a reason for no ratio. */
TEST(plan_has_a_ratio_on_a_busy_machine)
{
	static struct calls k;

	setup(&k);
	CHECK(plan(&k, 5e6, 2));
	CHECKF(k.p.m >= 1 && k.p.m < 3 * 5e6 / 200e3, "%d sets", k.p.m);
	CHECK(!plan(&k, 100e6, 2)); /* but where not even hand-overs fit, there is none */
	release(&k);
}

static uint64_t much(struct ay_dev *d)
{
	(void)d;
	return 100ull << 30;
}

/* Who is trusted goes over few sets often: two, where writing sixteen would take longer than all calls of a batch. */
TEST(plan_of_the_trusted_goes_over_large_sets_again)
{
	static const struct ay_dev_class cls = { .free_bytes = much };
	static struct ay_dev gpu = { .cls = &cls };
	static struct calls k;

	setup(&k);
	k.s.device = &gpu;
	k.s.trusted = true;
	CHECK(plan(&k, 250e3, 1) && k.p.m >= 15);
	k.p.master.bytes = 600 << 20;
	CHECK(plan(&k, 250e3, 1));
	CHECKF(k.p.m == 2 && k.p.m * k.p.passes * 200e3 > 2e6, "%d sets, %d times", k.p.m, k.p.passes);
	k.s.trusted = false;
	CHECK(plan(&k, 250e3, 1) && k.p.passes == 1);
	release(&k);
}
