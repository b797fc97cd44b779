/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ways to show an operator share.
 */
#ifndef AY_CMD_SHOW_H
#define AY_CMD_SHOW_H

#include "cmd.h"
#include "judge/op_doc.h"
#include "op/registry.h"

/* Cases NULL: the operator's own, of its file under ops/. */
/* Its page, with the floors of this machine if they were measured. ay_op_doc_release gives back what is not in the
 * arena of app. */
int show_page(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_op_doc *p,
	      struct ay_err *err);
/* One prototype and its line end. lang: c, cuda, python or triton, else an error. */
int show_proto(struct app *app, const struct ay_schema *s, const char *lang, struct ay_err *err);
void show_wrapped(const char *text, int indent);
/* As ay_registry_find; what is not in the catalogue is looked for in the torch of `python` (--python, may be NULL), and
 * added to the registry. */
const struct ay_entry_op *show_find(struct app *app, const char *name, const char *python,
				    const struct ay_schema **s, bool *exact, struct ay_err *err);
/* Is it one that only torch knows? */
bool show_is_torchs(const struct ay_entry_op *e);
int show_torch_page(struct app *app, const struct ay_entry_op *e, struct ay_err *err);
/* The page as one JSON object, with every case. */
int show_json(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_err *err);

#endif
