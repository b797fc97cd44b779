/* SPDX-License-Identifier: Apache-2.0 */
#include "device_opts.h"

#include "base/str.h"
#include "store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 2 /* lost devices after which a kernel is given up */, SILENT_S = 600, ID_SHOWN = 4096 };

static bool wants_gpu(const struct device_options *o)
{
	return o->wish && ay_starts(o->wish, "cuda");
}

/* --- which there are -------------------------------------------------------------------------- */

static void name(const struct device_options *o, int i, char *text, size_t n)
{
	snprintf(text, n, "%s:%d", o->cuda ? "cuda" : "cpu", o->number[i]);
}

/* Reads --device-count. Returns 0 for "all", -1 on an error. */
static int read_count(const struct device_options *o, struct ay_err *err)
{
	char *end;
	long n;

	if (!strcmp(o->count, "all"))
		return 0;
	n = strtol(o->count, &end, 10);
	if (o->count[0] < '0' || o->count[0] > '9' || *end || n < 1 || n > AY_DEV_MAX)
		return ay_fail(err, AY_ERR_USAGE, "--device-count is a number from 1 to %d, or all, not '%s'",
			       AY_DEV_MAX, o->count);
	return (int)n;
}

/* Plans `want` GPUs (0: all). */
static int plan_gpus(struct device_options *o, int want, struct ay_err *err)
{
	const int have = ay_dev_count_cuda(err);

	o->cuda = true;
	if (have < 0)
		return -1;
	if (want > have)
		return ay_fail(err, AY_ERR_USAGE, "--device-count %d: the driver shows %d GPU%s", want, have,
			       have == 1 ? "" : "s");
	if (!have)
		return ay_fail(err, AY_ERR_USAGE, "the driver shows no GPU");
	o->n = want ? want : have < AY_DEV_MAX ? have : AY_DEV_MAX;
	return 0;
}

/* Plans the devices that were named. A single one is checked later, when it is opened. */
static int plan_named(struct device_options *o, int named, struct ay_err *err)
{
	int have;

	o->cuda = true;
	o->n = named;
	if (o->count)
		return ay_fail(err, AY_ERR_USAGE,
			       "--device %s says which devices, --device-count how many: leave one out", o->wish);
	if (named == 1)
		return 0;
	have = ay_dev_count_cuda(err);
	for (int i = 0; i < named && have >= 0; i++)
		if (o->number[i] >= have)
			return ay_fail(err, AY_ERR_USAGE,
				       "--device %s: the driver shows %d GPU%s, so there is no cuda:%d", o->wish,
				       have, have == 1 ? "" : "s", o->number[i]);
	return have < 0 ? -1 : 0;
}

int device_plan(struct device_options *o, struct ay_err *err)
{
	struct ay_err unknown = { 0 };
	char why[300];
	int named, want;

	if (o->wish && ay_dev_check_wish(o->wish, err))
		return -1;
	named = o->wish ? ay_dev_numbers(o->wish, o->number) : 0;
	want = o->count ? read_count(o, err) : 1;
	if (want < 0)
		return -1;
	if (named)
		return plan_named(o, named, err);
	for (int i = 0; i < AY_DEV_MAX; i++)
		o->number[i] = i;
	o->n = want ? want : 1;
	/* an error is reported later, when a kernel needs the GPU */
	if (wants_gpu(o) && !o->count) {
		if (plan_gpus(o, 0, &unknown))
			o->n = 1;
		return 0;
	}
	if (!o->count)
		return 0;
	if (wants_gpu(o) || ((!o->wish || !strcmp(o->wish, "auto")) && ay_dev_has_cuda(why, sizeof why)))
		return plan_gpus(o, want, err);
	return want ? 0
		    : ay_fail(err, AY_ERR_USAGE,
			      "--device-count all counts GPUs; of the processor's workers say how many");
}

int device_jobs(const struct device_options *o, int cores)
{
	if (o->cuda || wants_gpu(o))
		return cores > 2 ? 2 : cores;
	return o->count ? 1 : cores;
}

int device_check_jobs(const struct device_options *o, int64_t jobs, struct ay_err *err)
{
	if (jobs >= 1 && jobs * (o->n ? o->n : 1) <= WORKERS_MAX)
		return 0;
	if (o->n > 1)
		return ay_fail(err, AY_ERR_USAGE, "--jobs is for each of the %d devices: from 1 to %d", o->n,
			       WORKERS_MAX / o->n);
	return ay_fail(err, AY_ERR_USAGE, "--jobs is a number from 1 to %d", WORKERS_MAX);
}

/* --- in a worker ------------------------------------------------------------------------------ */

void device_take(struct device_options *o, int group, const struct device_fault *fault)
{
	o->mine = group;
	o->fault = fault;
}

static int open_gpu(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err)
{
	const char *which = o->n ? ay_sprintf(a, "cuda:%d", o->number[o->mine]) : wants_gpu(o) ? o->wish : "cuda";
	char why[300];

	if (!o->open && !wants_gpu(o) && !ay_dev_has_cuda(why, sizeof why)) {
		t->no_device = ay_sprintf(a, "a CUDA kernel, and there is no NVIDIA GPU here: %s", why);
		return 0;
	}
	if (!o->open && ay_dev_open(&o->open, which, err)) {
		o->refused = err->code != AY_ERR_USAGE; /* the GPU exists but does not answer */
		return -1;
	}
	t->policy.device = o->open;
	return 0;
}

/* Closes the interpreter if it was started for another device, so that it starts again. Kernels in
 * other languages need an interpreter for their baseline. */
static void match_python(struct ay_task *t)
{
	struct ay_python *p = t->policy.python;

	if (!p || p->device == t->policy.device || (t->lang < AY_LANG_PY && t->timing.mode == AY_TIMED_NONE))
		return;
	ay_python_close(p);
	p->device = t->policy.device;
}

int device_choose(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err)
{
	t->policy.device = NULL;
	t->no_device = NULL;
	if (o->wish && ay_dev_check_wish(o->wish, err))
		return -1;
	if (t->lang == AY_LANG_CU && o->wish && !strcmp(o->wish, "cpu")) {
		t->no_device = "a CUDA kernel, and --device is cpu";
		return 0;
	}
	if (t->lang == AY_LANG_CU || (t->lang >= AY_LANG_SO && wants_gpu(o))) {
		if (open_gpu(o, t, a, err))
			return -1;
		match_python(t);
		return 0;
	}
	if (wants_gpu(o))
		return ay_fail(err, AY_ERR_USAGE, "--device %s: kernels in C and C++ run on the processor",
			       o->wish);
	match_python(t);
	return 0;
}

int device_judged(struct device_options *o)
{
	const struct device_fault *f = o->fault;

	return o->n && f && (f->device < 0 || f->device == o->number[o->mine]) && o->cases++ >= f->after ? -1 : 0;
}

bool device_is_lost(struct device_options *o, struct ay_err *err)
{
	struct ay_err why = { 0 };

	if (o->refused)
		return true;
	if (o->fault && o->cases > o->fault->after) {
		ay_err_clear(err);
		ay_fail(err, AY_ERR_SYS, "it was made to fail");
		return true;
	}
	if (!o->open || !ay_dev_is_well(o->open, &why))
		return false;
	*err = why;
	return true;
}

const char *device_text(const struct device_options *o, const struct ay_dev *d, struct ay_arena *a)
{
	const struct ay_dev_info *v = d ? &d->info : NULL;

	if (!d && o->n > 1 && !o->cuda)
		return ay_sprintf(a, "cpu:%d", o->number[o->mine]);
	if (!v || v->kind == AY_DEV_CPU)
		return NULL;
	return ay_sprintf(a, "cuda:%d %s, sm_%d%d, CUDA %d.%d", v->number, v->name, v->major, v->minor,
			  v->driver / 1000, v->driver % 1000 / 10);
}

void device_close(struct device_options *o)
{
	ay_dev_close(o->open);
	o->open = NULL;
}

/* --- lost ones -------------------------------------------------------------------------------- */

json_t *device_lost(const struct device_options *o, int group, const char *why, int left)
{
	json_t *rec = json_object();
	char text[20];

	name(o, group, text, sizeof text);
	fprintf(stderr, "%sassay: %s is taken out: %s; %s\n", isatty(2) ? "\r\033[K" : "", text, why,
		left ? "its work goes to the others" : "no device is left");
	json_object_set_new(rec, "type", json_string(AY_RECORD_DEVICE));
	json_object_set_new(rec, "device", json_string(text));
	json_object_set_new(rec, "state", json_string("taken out"));
	json_object_set_new(rec, "detail", ay_json_text(why, strlen(why), 2000));
	return rec;
}

json_t *device_blame(const struct device_options *o, struct device_losses *l, int group, const char *id, int left)
{
	const int before = l->last;
	struct ay_str shown = { 0 };
	char first[20], second[20];
	json_t *rec;

	l->last = group;
	if (++l->n < TRIES)
		return NULL;
	name(o, before, first, sizeof first);
	name(o, group, second, sizeof second);
	ay_term_text(&shown, id, ID_SHOWN);
	fprintf(stderr, "assay: %s: %s and then %s were lost while it was judged on them: it may be the reason\n",
		ay_str_text(&shown), first, second);
	ay_str_release(&shown);
	if (!left)
		return NULL;
	rec = json_object();
	json_object_set_new(rec, "type", json_string(AY_RECORD_ERROR));
	json_object_set_new(rec, "id", ay_json_name(id));
	json_object_set_new(
		rec, "error",
		json_sprintf("%s and then %s were lost while it was judged on them: it may be the reason, and is "
			     "not tried on a third device",
			     first, second));
	return rec;
}

int device_watch(const struct device_options *o, struct ay_worker_pool *c, double timeout_s, double budget_s,
		 const struct ay_worker_pool_events *e)
{
	return o->cuda ? ay_worker_pool_watch(c, SILENT_S + 2 * timeout_s + 4 * budget_s, e) : 0;
}

int device_none_left(const struct device_options *o, struct ay_err *err)
{
	return ay_fail(err, AY_ERR_SYS, "%s; what is known is kept",
		       o->n > 1 ? "every device was taken out" : "the device was taken out");
}

double device_eta(const struct ay_worker_pool *c, int done, int left)
{
	const int workers = ay_worker_pool_size(c);

	return done > 0 && workers && left >= 0 ? ay_worker_pool_work_s(c) / done * left / workers : -1;
}
