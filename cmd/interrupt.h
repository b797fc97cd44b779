/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt - prints a message when SIGINT or SIGTERM ends a command: how to resume, or what is
 * known so far.
 *
 * The text is made beforehand, because a signal handler may do no more than write it. The process
 * then ends with 128 plus the signal's number. A signal that was ignored when assay started stays
 * ignored.
 */
#ifndef AY_CMD_INTERRUPT_H
#define AY_CMD_INTERRUPT_H

/* From now on a signal writes a copy of `text` to fd (1 or 2) and ends the process. Flushes
 * standard output now. NULL restores the default. In children that are forked later, a signal ends
 * the process without a message. */
void interrupt_say(int fd, const char *text);
/* Sets the message for a run folder: "go on with: assay COMMAND --resume-from DIR". */
void interrupt_say_resume(const char *command, const char *dir);

#endif
