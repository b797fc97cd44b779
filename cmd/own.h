/* SPDX-License-Identifier: Apache-2.0
 *
 * own - the option --ref: an operator of the user's own, for every command that judges or describes operators.
 */
#ifndef AY_CMD_OWN_H
#define AY_CMD_OWN_H

#include "cmd.h"
#include "base/json.h"
#include "judge/torch_schemas.h"
#include "judge/judge.h"

struct own_options {
	const char *file;     /* --ref; NULL = none */
	const char *then;     /* the file of the run that is resumed, which may lie elsewhere now; NULL = none */
	struct ay_ref_op ref; /* what it holds, after own_load */
	struct ay_suite cases;
};

#define OWN_OPTS(o)                                                                                               \
	{                                                                                                         \
		"ref", OPT_TEXT, &(o)->file, "FILE",                                                              \
			"an operator of your own: a Python file with SCHEMA, CASES, reference() (docs/oracle.md)" \
	}

/* Reads the file, by running it, and adds its operator to the registry; without --ref nothing. Fails where --baseline ref
 * is asked for and there is no --ref. */
int own_load(struct own_options *o, struct app *app, struct ay_python *p, const char *baseline,
	     struct ay_err *err);
/* The reference of the witness, and as a baseline. */
void own_policy(const struct own_options *o, struct ay_policy *p);
/* Does the suite of that name mean the CASES of the file? NULL: yes, where there is a file. */
bool own_is_suite(const struct own_options *o, const char *suite);
/* The name of that suite: the file's, without its folders. */
const char *own_suite_name(const struct own_options *o);
/* Into a run's header, by path and hash; and the path out of the header of a run that is resumed, unless --ref was given. */
void own_write(const struct own_options *o, json_t *header);
void own_take(struct own_options *o, const json_t *header, struct ay_arena *a);
/* Is the file that of the run, by its hash? After own_load. Fails with what to do. */
int own_check_same(const struct own_options *o, const json_t *header, const char *run, struct ay_err *err);
void own_close(struct own_options *o);

#endif
