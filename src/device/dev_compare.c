/* SPDX-License-Identifier: Apache-2.0 */
#include "device/dev_compare.h"

#include "device/compare_units.h"
#include "device/dev_fill.h"
#include "device/judge_kernels.h"

enum { BLOCKS_A_SM = 8 };

static const struct ay_diff_count nothing = { .first = AY_NOWHERE };

/* Runs one of the two comparing kernels over n units or elements and reads its result. */
static int look_there(struct ay_dev *d, enum ay_judge_kernels which, void *what, uint64_t n,
		      struct ay_diff_count *t, struct ay_err *err)
{
	const uint64_t most = (uint64_t)d->info.sms * BLOCKS_A_SM,
		       blocks = (n + AY_JUDGE_KERNEL_THREADS - 1) / AY_JUDGE_KERNEL_THREADS;
	uint64_t at;
	void *args[] = { what, &at };

	if (ay_judge_kernels_room(d, sizeof *t, &at, err) || ay_judge_kernels_copy_in(d, at, t, sizeof *t, err) ||
	    ay_judge_kernels_run(d, which, blocks < most ? blocks : most, args, err))
		return -1;
	return ay_judge_kernels_copy_out(d, t, at, sizeof *t, err);
}

int ay_dev_same(struct ay_dev *d, uint64_t at, uint64_t want_at, uint64_t bytes, int64_t *first,
		struct ay_err *err)
{
	struct ay_fill_op m = { .to = at, .from = want_at, .bytes = bytes };
	const uint64_t units = ay_fill_op_units(&m);
	struct ay_diff_count t = nothing;

	if (d->info.kind == AY_DEV_CPU) {
		for (uint64_t u = 0; u < units && t.first == AY_NOWHERE; u++)
			t.first = ay_unit_differs(&m, u);
	} else if (units && look_there(d, AY_JUDGE_KERNEL_SAME, &m, units, &t, err)) {
		return -1;
	}
	*first = (int64_t)t.first;
	return 0;
}

static void look_here(const struct ay_compare_input *c, struct ay_diff_count *t)
{
	double worst = 0;

	for (uint64_t i = 0; i < c->n; i++) {
		double ratio;

		if (!ay_element_within(c, i, &ratio) && !t->outside++)
			t->first = i;
		worst = worst < ratio ? ratio : worst;
	}
	t->worst = ay_bits_of_double(worst);
}

int ay_dev_compare(struct ay_dev *d, const struct ay_dev_numbers *x, struct ay_dev_diff *diff, struct ay_err *err)
{
	struct ay_compare_input c = { x->got, x->want, x->bound, (uint64_t)x->n, ay_lane_kind(x->dt) };
	const uint64_t bytes = ay_lanes_of(c.kind).bytes;
	struct ay_diff_count t = nothing;

	if (c.kind == AY_LANES_NONE)
		return ay_fail(err, AY_ERR_SYS, "%s is not compared on a device", ay_dt_info(x->dt)->name);
	if (x->n < 0 || c.got % bytes || c.want % sizeof(double) || c.bound % sizeof(double))
		return ay_fail(err, AY_ERR_SYS, "what is to be compared on a device is not aligned");
	if (d->info.kind == AY_DEV_CPU)
		look_here(&c, &t);
	else if (c.n && look_there(d, AY_JUDGE_KERNEL_COMPARE, &c, c.n, &t, err))
		return -1;
	*diff = (struct ay_dev_diff){ (int64_t)t.outside, (int64_t)t.first, ay_double_of_bits(t.worst) };
	return 0;
}
