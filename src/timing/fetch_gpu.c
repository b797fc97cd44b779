/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch_gpu - copies sets from a GPU to the host for comparison, one at a time.
 *
 * Outputs are copied. Inputs are made again, because a kernel may have written to those in the
 * mapped memory. Large inputs are made again on the device, in the judge's memory, and the mapped
 * ones are compared with them there. So only the bytes that the comparison needs cross the bus.
 * Small parts of large inputs are made on the host.
 */
#include "timing/inputs_gpu_internal.h"

#include "device/dev_compare.h"
#include "op/fill.h"

#include <string.h>

enum {
	/* inputs up to this size, and parts of others, are made again on the host; larger ones on
	 * the device */
	MADE_HERE = 256 << 10
};

static const struct ay_byte_range all = { 0, UINT64_MAX };

/* Makes inputs of a set that are larger than `larger` bytes again, in the judge's device memory.
 * An INOUT operand gets its content before the call. */
static int make_again(struct ay_input_sets *s, int set, uint64_t larger, struct ay_err *err)
{
	struct ay_gpu_master *g = s->m->gpu;
	int n = 0;

	if (!g->can_make)
		return 0;
	for (int i = 0; i < s->m->call->noperand; i++) {
		struct ay_fill_op *job = ay_input_sets_job(s, n);

		if (!ay_input_template_plan(s->m, i, s->key, set, job) || job->bytes <= larger)
			continue;
		job->to = g->again[i];
		ay_fill_op_aim(job, g->at[i], g->noise);
		n++;
	}
	return n ? ay_dev_fill(s->dev, g->job, n, err) : 0;
}

static bool is_there(const struct ay_input_sets *s, int i)
{
	struct ay_fill_op k;

	return s->m->gpu->can_make && ay_operand_bytes(s->m->call->operand[i]) > MADE_HERE &&
	       ay_input_template_plan(s->m, i, s->key, 0, &k);
}

static int fetch_large(struct ay_input_sets *s, int set, int i, struct ay_byte_range need, bool *changed,
		       struct ay_err *err)
{
	const uint64_t bytes = ay_operand_bytes(s->m->call->operand[i]), again = s->m->gpu->again[i];
	const uint64_t hi = need.hi < bytes ? need.hi : bytes;
	const int k = set * s->m->call->noperand + i;
	uint8_t *to = ay_input_sets_at(s, set, i);
	int64_t first = -1;

	if (s->slot[k] < AY_DEV_MEMS &&
	    ay_dev_same(s->dev, ay_input_sets_address(s, k), again, bytes, &first, err))
		return -1;
	*changed |= first >= 0;
	if (need.lo >= hi)
		return 0;
	if (hi - need.lo > MADE_HERE)
		return ay_dev_read(s->dev, again + need.lo, to + need.lo, hi - need.lo, err);
	ay_input_template_write_part(s->m, i, s->key, set, (struct ay_byte_range){ need.lo, hi }, to);
	return 0;
}

static int fetch_input(struct ay_input_sets *s, int set, int i, struct ay_byte_range need, bool *changed,
		       struct ay_err *err)
{
	const int k = set * s->m->call->noperand + i;
	const uint64_t bytes = ay_operand_bytes(s->m->call->operand[i]);
	uint8_t *to = ay_input_sets_at(s, set, i), *found;
	int rc;

	if (is_there(s, i))
		return fetch_large(s, set, i, need, changed, err);
	ay_input_template_write(s->m, i, s->key, set, to);
	if (s->slot[k] >= AY_DEV_MEMS)
		return 0;
	found = ay_xrealloc(NULL, bytes + 1);
	rc = ay_dev_read(s->dev, ay_input_sets_address(s, k), found, bytes, err);
	*changed |= !rc && memcmp(found, to, bytes) != 0;
	ay_xfree(found);
	return rc;
}

static int fetch_output(struct ay_input_sets *s, int set, int i, struct ay_byte_range need, struct ay_err *err)
{
	const struct ay_operand *o = s->m->call->operand[i];
	const uint64_t bytes = ay_operand_bytes(o), hi = need.hi < bytes ? need.hi : bytes;

	/* read from the executor's own memory by ay_gated_exec_take */
	if (need.lo >= hi || (s->python && o->role == AY_RESULT))
		return 0;
	return ay_dev_read(s->dev, ay_input_sets_address(s, set * s->m->call->noperand + i) + need.lo,
			   ay_input_sets_at(s, set, i) + need.lo, hi - need.lo, err);
}

int ay_input_sets_fetch(struct ay_input_sets *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err)
{
	*changed = false;
	if (make_again(s, set, MADE_HERE, err))
		return -1;
	for (int i = 0; i < s->m->call->noperand; i++) {
		const struct ay_byte_range part = need ? need[i] : all;

		if (s->m->call->operand[i]->role == AY_IN ? fetch_input(s, set, i, part, changed, err)
							  : fetch_output(s, set, i, part, err))
			return -1;
	}
	return 0;
}

/* --- all of them there ----------------------------------------------------------------------------------- */

/* Makes an operand that has no template again on the host and copies it to the device. */
static int send_again(struct ay_input_sets *s, int set, int i, struct ay_err *err)
{
	const uint64_t bytes = ay_operand_bytes(s->m->call->operand[i]);
	uint8_t *mem = ay_xrealloc(NULL, bytes + 1);
	int rc;

	ay_input_template_write(s->m, i, s->key, set, mem);
	rc = ay_dev_write(s->dev, s->m->gpu->again[i], mem, bytes, err);
	ay_xfree(mem);
	return rc;
}

int ay_input_sets_again(struct ay_input_sets *s, int set, bool *changed, struct ay_err *err)
{
	const int ops = s->m->call->noperand;

	*changed = false;
	if (make_again(s, set, 0, err))
		return -1;
	for (int i = 0; i < ops; i++) {
		const uint64_t bytes = ay_operand_bytes(s->m->call->operand[i]);
		const int k = set * ops + i;
		int64_t first = -1;
		struct ay_fill_op job;

		if (!ay_input_template_is_input(s->m, i) || !bytes)
			continue;
		if (!ay_input_template_plan(s->m, i, s->key, set, &job) && send_again(s, set, i, err))
			return -1;
		if (s->m->call->operand[i]->role == AY_IN && s->slot[k] < AY_DEV_MEMS &&
		    ay_dev_same(s->dev, ay_input_sets_address(s, k), s->m->gpu->again[i], bytes, &first, err))
			return -1;
		*changed |= first >= 0;
	}
	return 0;
}
