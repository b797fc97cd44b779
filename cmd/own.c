/* SPDX-License-Identifier: Apache-2.0 */
#include "own.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int own_load(struct own_options *o, struct app *app, struct ay_python *p, const char *baseline, struct ay_err *err)
{
	if (!o->file && baseline && !strcmp(baseline, "ref"))
		return ay_fail(
			err, AY_ERR_USAGE,
			"--baseline ref is reference() of your own operator's file: name that with --ref FILE");
	if (!o->file)
		return 0;
	if (ay_torch_schemas_ref(app->registry, p, o->file, app->arena, &o->ref, err))
		return -1;
	return ay_ref_op_cases(app->registry, &o->ref, app->arena, &o->cases, err);
}

void own_policy(const struct own_options *o, struct ay_policy *p)
{
	p->ref_fd = o->ref.fd;
	p->ref_file = o->ref.file;
}

const char *own_suite_name(const struct own_options *o)
{
	return ay_file_basename(o->file);
}

bool own_is_suite(const struct own_options *o, const char *suite)
{
	return o->file && (!suite || !strcmp(suite, own_suite_name(o)) ||
			   (o->then && !strcmp(suite, ay_file_basename(o->then))));
}

/* Stores the absolute path, because a resumed run may start in another folder. */
void own_write(const struct own_options *o, json_t *header)
{
	char *whole = o->file ? realpath(o->file, NULL) : NULL;

	if (!o->file)
		return;
	json_object_set_new(header, "ref", ay_json_name(whole ? whole : o->file));
	json_object_set_new(header, "ref_sha256", json_string(o->ref.sha256));
	ay_xfree(whole);
}

void own_take(struct own_options *o, const json_t *header, struct ay_arena *a)
{
	const char *file = json_string_value(json_object_get(header, "ref"));

	o->then = file ? ay_strdup(a, file) : NULL;
	o->file = o->file ? o->file : o->then;
}

int own_check_same(const struct own_options *o, const json_t *header, const char *run, struct ay_err *err)
{
	const char *then = json_string_value(json_object_get(header, "ref_sha256"));

	if (!o->file || (then && !strcmp(then, o->ref.sha256)))
		return 0;
	if (!then)
		return ay_fail(err, AY_ERR_USAGE,
			       "'%s' cannot be resumed with --ref: it was started without; leave it out, or start "
			       "a new run",
			       run);
	return ay_fail(
		err, AY_ERR_USAGE,
		"'%s' cannot be resumed: %s has changed since it was started (SHA-256 %.12s then, %.12s now), and "
		"verdicts of two references would be mixed; put the old file back, or start a new run",
		run, o->file, then, o->ref.sha256);
}

void own_close(struct own_options *o)
{
	ay_suite_release(&o->cases);
	if (o->ref.fd > 0)
		close(o->ref.fd);
	o->ref.fd = 0;
}
