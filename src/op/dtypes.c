/* SPDX-License-Identifier: Apache-2.0
 *
 * Selects cases by the dtype that they are about (--dtypes). Selection by operator and by
 * size: suite_filter.c.
 */
#include "op/suite.h"

#include <string.h>

int ay_dtypes_find(const char *list, uint32_t *set, struct ay_err *err)
{
	*set = 0;
	while (*list) {
		const size_t n = strcspn(list, ",");
		const enum ay_dt dt = ay_dt_find(list, n);

		if (dt == AY_DT_NONE)
			return ay_fail(err, AY_ERR_USAGE,
				       "--dtypes: there is no dtype '%.*s' (f32, bf16, i64, ...)",
				       n < 40 ? (int)n : 40, list);
		*set |= 1u << dt;
		list += n + (list[n] == ',');
	}
	return *set ? 0 : ay_fail(err, AY_ERR_USAGE, "--dtypes: name at least one, such as f32,bf16");
}

/* Sets *dt to the dtype of the heavier class; of equal classes the first counts. A case with f32
 * and an index is about f32. */
static void weigh(const struct ay_value *v, enum ay_dt *dt)
{
	if (v->kind == AY_V_LIST)
		for (int i = 0; i < v->list.n; i++)
			weigh(&v->list.v[i], dt);
	if (v->kind == AY_V_TENSOR && (*dt == AY_DT_NONE || ay_dt_info(v->t->dt)->cls > ay_dt_info(*dt)->cls))
		*dt = v->t->dt;
}

enum ay_dt ay_case_dtype(const struct ay_case *c)
{
	enum ay_dt dt = AY_DT_NONE;

	for (int i = 0; i < c->narg; i++)
		weigh(&c->arg[i], &dt);
	for (int i = 0; i < c->nkw; i++)
		weigh(&c->kw[i].v, &dt);
	for (int i = 0; i < c->nkw && dt == AY_DT_NONE; i++) /* arange and similar operators */
		if (c->kw[i].v.kind == AY_V_DTYPE)
			dt = c->kw[i].v.dt;
	return dt;
}

void ay_suite_keep_dtypes(struct ay_suite *s, uint32_t set)
{
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		const enum ay_dt dt = set ? ay_case_dtype(s->c[i].line) : AY_DT_NONE;

		if (dt == AY_DT_NONE || set >> dt & 1)
			s->c[n++] = s->c[i];
	}
	s->n = n;
}
