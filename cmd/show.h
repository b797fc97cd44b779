/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two ways to show an operator share.
 */
#ifndef AY_CMD_SHOW_H
#define AY_CMD_SHOW_H

#include "cmd.h"
#include "judge/page.h"

/* Cases NULL: the operator's own, of its file under ops/. */
/* Its page, with the floors of this machine if they were measured. ay_page_release gives back what is not in the
 * arena of app. */
int show_page(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_page *p,
	      struct ay_err *err);
/* The page as one JSON object, with every case. */
int show_json(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_err *err);

#endif
