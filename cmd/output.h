/* SPDX-License-Identifier: Apache-2.0
 *
 * output - standard output as every command has it.
 *
 * Theory of operation. Commands print by stdio and do not look at what becomes of it. When a command is over, main asks
 * output_end: if anything could not be written the status is EXIT_FAILED, with the reason. A reader that has gone away
 * (assay ops | head -n 1) is told nothing, as other programs do it. Commands that run for long print their lines by
 * output_line and stop when nobody reads them.
 */
#ifndef AY_CMD_OUTPUT_H
#define AY_CMD_OUTPUT_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

/* Puts something in the place of a standard stream that is closed: no file that is opened later may get its number. */
void output_begin(void);
/* Writes a JSON value as one line, at once. Fails if standard output cannot be written. */
int output_line(const json_t *j, struct ay_err *err);
/* Has the reader of standard output, a pipe, gone away? */
bool output_is_unread(void);
/* Writes what is left. Returns -1 if not everything that was printed could be written, and says why unless a failure
 * was said already. */
int output_end(bool said);

#endif
