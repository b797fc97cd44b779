/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_settle - fills in the options that were not given: from the run that is resumed, else with
 * defaults.
 */
#include "eval.h"

#include <math.h>

struct text_option {
	const char *key, **to;
};

static void take_texts(struct eval *e, const json_t *from, const struct text_option *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *v = json_string_value(json_object_get(from, o[i].key));

		if (v && *v && !*o[i].to)
			*o[i].to = ay_strdup(e->app->arena, v);
	}
}

/* A resumed run draws the cases that it has drawn before, or none. */
static void take_drawing(struct eval *e, const json_t *drawn)
{
	e->o.drawn.n = json_integer_value(json_object_get(drawn, "cases_per_overload"));
	if (e->o.drawn.n < 0 || e->o.drawn.n > AY_DRAWN_MAX)
		e->o.drawn.n = 0;
	e->drawing.seed = (uint64_t)json_integer_value(json_object_get(drawn, "seed"));
}

/* Takes over the rules of judging, because records under different rules must not be mixed. */
static void take_policy(struct eval *e, const json_t *policy)
{
	const struct text_option texts[] = { { "timing", &e->o.clock.timing },
					     { "baseline", &e->o.clock.baseline },
					     { "gate", &e->o.clock.gate },
					     { "allow_torch", &e->o.torch.allow } };
	const json_t *threads = json_object_get(policy, "threads"), *seed = json_object_get(policy, "seed"),
		     *call = json_object_get(policy, "call_timeout_s");

	take_texts(e, policy, texts, sizeof texts / sizeof *texts);
	if (e->o.threads == AY_UNSET && json_is_integer(threads))
		e->o.threads = json_integer_value(threads);
	if (e->o.seed < 0 && json_is_integer(seed))
		e->o.seed = json_integer_value(seed);
	if (isnan(e->o.call_timeout) && json_is_number(call))
		e->o.call_timeout = json_number_value(call);
	take_drawing(e, json_object_get(policy, "drawn"));
}

static int take_over(struct eval *e, struct ay_err *err)
{
	json_t *j = ay_run_head(e->o.resume, err);
	const struct text_option texts[] = { { "suite", &e->o.suite },
					     { "backend", &e->o.backend },
					     { "kernels", &e->o.kernels },
					     { "data", &e->o.data },
					     { "ops", &e->o.ops },
					     { "dtypes", &e->o.dtypes },
					     { "device", &e->o.device.wish },
					     { "device_count", &e->o.device.count } };

	if (!j)
		return -1;
	take_texts(e, j, texts, sizeof texts / sizeof *texts);
	own_take(&e->o.own, j, e->app->arena);
	take_policy(e, json_object_get(j, "policy"));
	if (!e->o.topn && !e->o.smallest) {
		e->o.topn = json_integer_value(json_object_get(j, "topn"));
		e->o.smallest = json_integer_value(json_object_get(j, "smallest"));
	}
	if (!e->o.clock.budget)
		e->o.clock.budget = json_number_value(json_object_get(j, "budget_s"));
	e->o.quick |= json_is_true(json_object_get(j, "quick"));
	e->o.follow_links |= json_is_true(json_object_get(j, "follow_links"));
	json_decref(j);
	return 0;
}

int eval_settle(struct eval *e, struct ay_err *err)
{
	if (check_run_options(e->o.out, e->o.resume, e->o.unsafe, e->o.no_sandbox, err) ||
	    (e->o.resume && take_over(e, err)))
		return -1;
	if (e->o.threads == AY_UNSET)
		e->o.threads = 1;
	if (isnan(e->o.call_timeout))
		e->o.call_timeout = 10;
	/* values of a damaged run.json */
	if (e->o.threads < 1 || e->o.threads > THREADS_MAX || !(e->o.call_timeout > 0))
		return ay_fail(err, AY_ERR_USAGE, "run.json of '%s' has a policy that no run can have",
			       e->o.resume);
	return 0;
}
