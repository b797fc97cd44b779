/* SPDX-License-Identifier: Apache-2.0
 *
 * show - what the files that show an operator share.
 */
#ifndef AY_CMD_SHOW_H
#define AY_CMD_SHOW_H

#include "cmd.h"
#include "judge/op_doc.h"
#include "op/registry.h"

/* `cases` NULL: the operator's own cases, from its file under ops/. */
/* Makes the operator's page, with this machine's floors if they were measured. ay_op_doc_release
 * frees what is not in app's arena. */
int show_page(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_op_doc *p,
	      struct ay_err *err);
/* Prints one prototype as a line. lang: c, cuda, python or triton; else fails. */
int show_proto(struct app *app, const struct ay_schema *s, const char *lang, struct ay_err *err);
void show_wrapped(const char *text, int indent);
/* Finds an operator as ay_registry_find does. If the catalogue lacks it, looks in the torch of
 * `python` (--python, may be NULL) and adds it to the registry. */
const struct ay_entry_op *show_find(struct app *app, const char *name, const char *python,
				    const struct ay_schema **s, bool *exact, struct ay_err *err);
/* Returns true if only torch knows the operator. */
bool show_is_torchs(const struct ay_entry_op *e);
int show_torch_page(struct app *app, const struct ay_entry_op *e, struct ay_err *err);
/* Prints the page as one JSON object, with every case. */
int show_json(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_err *err);

#endif
