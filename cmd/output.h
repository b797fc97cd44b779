/* SPDX-License-Identifier: Apache-2.0
 *
 * output - standard output of all commands.
 *
 * Theory of operation. Commands print by stdio and ignore errors. At the end of a command main
 * calls output_end. If anything could not be written, the status is EXIT_FAILED and output_end
 * prints the reason. As in other programs, no message is printed if the reader has closed its pipe
 * (assay ops | head -n 1). Commands that run for long print their lines by output_line and stop
 * when the reader is gone.
 */
#ifndef AY_CMD_OUTPUT_H
#define AY_CMD_OUTPUT_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

/* Opens /dev/null in place of each closed standard stream, so that no file gets its number. */
void output_begin(void);
/* Writes a JSON value as one line, at once. Fails if standard output cannot be written. */
int output_line(const json_t *j, struct ay_err *err);
/* Returns true if standard output is a pipe whose reader is gone. */
bool output_is_unread(void);
/* Flushes standard output. Returns -1 if anything could not be written. Prints the reason unless
 * `said` says that a failure was printed already. */
int output_end(bool said);

#endif
