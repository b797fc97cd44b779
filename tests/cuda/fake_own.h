/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernels for the fake driver: what the .cu files of src/device do, over ordinary memory.
 */
#include "device/matmul_bound.h"

#include <math.h>
#include <string.h>

#pragma weak sqrt /* the judge has it, and executors, which load this too, need none */

/* As assay_make of src/device/dev_fill.cu: every block its chunks. */
static void run_make(void **args, unsigned blocks)
{
	const struct ay_fill_op *list = *(const struct ay_fill_op **)args[0];
	const uint64_t *first = *(const uint64_t **)args[1];
	const uint32_t n = *(const uint32_t *)args[2];

	for (unsigned b = 0; b < blocks; b++)
		for (uint64_t c = b; c < first[n]; c += blocks) {
			const uint32_t i = ay_fill_op_find(first, n, c);
			const struct ay_fill_op *m = &list[i];
			const struct ay_lanes l = ay_lanes_of(m->dt);
			const uint64_t u0 = (c - first[i]) * AY_CHUNK_UNITS;

			for (uint64_t u = u0; u < u0 + AY_CHUNK_UNITS && u < ay_fill_op_units(m); u++) {
				uint64_t at;
				const uint32_t len = ay_fill_op_span(m, u, &at);

				ay_unit_store_part(m->to + at, ay_unit_of(m, m->how, &l, at, len), len);
			}
		}
}

/* As assay_same of src/device/dev_compare.cu. */
static void run_same(void **args)
{
	const struct ay_fill_op *m = args[0];
	struct ay_diff_count *t = *(struct ay_diff_count **)args[1];

	for (uint64_t u = ay_fill_op_units(m); u--;) {
		const uint64_t at = ay_unit_differs(m, u);

		t->first = at < t->first ? at : t->first;
	}
}

/* As assay_compare. */
static void run_compare(void **args)
{
	const struct ay_compare_input *c = args[0];
	struct ay_diff_count *t = *(struct ay_diff_count **)args[1];

	for (uint64_t i = c->n; i--;) {
		double ratio;

		if (!ay_element_within(c, i, &ratio)) {
			t->outside++;
			t->first = i;
		}
		t->worst = ay_bits_of_double(ratio) > t->worst ? ay_bits_of_double(ratio) : t->worst;
	}
}

/* As assay_widen of src/device/matmul_check.cu. */
static void run_widen(void **args)
{
	const struct ay_widen *w = args[0];

	for (uint64_t i = 0; i < w->n; i++)
		((double *)w->to)[i] = ay_widen_at(w, i);
}

static void run_square(void **args)
{
	double *x = *(double **)args[0];

	for (uint64_t n = *(const uint64_t *)args[1]; n--; x++)
		*x *= *x;
}

static void run_bound(void **args)
{
	const struct ay_sums *s = args[0];

	for (uint64_t i = 0; i < s->n; i++) {
		double want, bound;

		ay_sums_judge(s, i, sqrt(ay_sums_squares(s, i)), &want, &bound);
		((double *)s->sum)[i] = want;
		((double *)s->squares)[i] = bound;
	}
}

/* False: it is none of them. */
static bool own_launch(const char *name, unsigned blocks, void **args)
{
	static const struct {
		const char *name;
		void (*run)(void **args);
	} list[] = { { "assay_same", run_same },
		     { "assay_compare", run_compare },
		     { "assay_widen", run_widen },
		     { "assay_square", run_square },
		     { "assay_bound", run_bound } };

	if (!strcmp(name, "assay_make")) {
		run_make(args, blocks);
		return true;
	}
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(name, list[i].name)) {
			list[i].run(args);
			return true;
		}
	return false;
}
