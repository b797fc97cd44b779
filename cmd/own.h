/* SPDX-License-Identifier: Apache-2.0
 *
 * own - the option --ref: a user's own operator, for every command that judges or describes
 * operators.
 */
#ifndef AY_CMD_OWN_H
#define AY_CMD_OWN_H

#include "cmd.h"
#include "base/json.h"
#include "judge/torch_schemas.h"
#include "judge/judge.h"

struct own_options {
	const char *file; /* --ref; NULL = none */
	/* the file of the run that is resumed, which may have moved; NULL = none */
	const char *then;
	struct ay_ref_op ref; /* content of the file, after own_load */
	struct ay_suite cases;
};

#define OWN_OPTS(o)                                                                                               \
	{                                                                                                         \
		"ref", OPT_TEXT, &(o)->file, "FILE",                                                              \
			"an operator of your own: a Python file with SCHEMA, CASES, reference() (docs/oracle.md)" \
	}

/* Reads the file by running it, and adds its operator to the registry. Does nothing without --ref,
 * but fails if `baseline` is "ref". */
int own_load(struct own_options *o, struct app *app, struct ay_python *p, const char *baseline,
	     struct ay_err *err);
/* Sets the policy's own reference, which serves the oracle and as a baseline. */
void own_policy(const struct own_options *o, struct ay_policy *p);
/* Returns true if that suite name means the file's CASES. NULL means them if there is a file. */
bool own_is_suite(const struct own_options *o, const char *suite);
/* Returns the name of that suite: the file's name without its folders. */
const char *own_suite_name(const struct own_options *o);
/* own_write stores path and hash of the file in a run's header. own_take reads the path from the
 * header of a resumed run, unless --ref was given. */
void own_write(const struct own_options *o, json_t *header);
void own_take(struct own_options *o, const json_t *header, struct ay_arena *a);
/* Fails, and says what to do, if the file's hash differs from the run's. Call it after own_load. */
int own_check_same(const struct own_options *o, const json_t *header, const char *run, struct ay_err *err);
void own_close(struct own_options *o);

#endif
