/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "base/str.h"

#include <string.h>

static bool wants_gpu(const struct device_options *o)
{
	return o->wish && ay_starts(o->wish, "cuda");
}

static int open_gpu(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err)
{
	char why[300];

	if (!o->open && !wants_gpu(o) && !ay_dev_has_cuda(why, sizeof why)) {
		t->no_device = ay_sprintf(a, "a CUDA kernel, and there is no NVIDIA GPU here: %s", why);
		return 0;
	}
	if (!o->open && ay_dev_open(&o->open, wants_gpu(o) ? o->wish : "cuda", err))
		return -1;
	t->policy.device = o->open;
	return 0;
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
		if (t->lang >= AY_LANG_PY && t->policy.python && t->policy.python->device != t->policy.device) {
			ay_python_close(t->policy.python); /* it starts anew, for a GPU */
			t->policy.python->device = t->policy.device;
		}
		return 0;
	}
	if (wants_gpu(o))
		return ay_fail(err, AY_ERR_USAGE, "--device %s: kernels in C and C++ run on the processor",
			       o->wish);
	return 0;
}

int device_jobs(const struct device_options *o, int cores)
{
	return wants_gpu(o) && cores > 2 ? 2 : cores;
}

const char *device_text(const struct ay_dev *d, struct ay_arena *a)
{
	const struct ay_dev_info *v = d ? &d->info : NULL;

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
