/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt - the last words of a command that SIGINT or SIGTERM ends: how to go on, or what is known so far.
 *
 * The text is made beforehand, since a signal handler may do no more than write it. The process then ends with 128 plus the
 * signal's number. A signal that was ignored when assay was started stays ignored.
 */
#ifndef AY_CMD_INTERRUPT_H
#define AY_CMD_INTERRUPT_H

/* From now on a signal writes `text`, which is copied, to fd (1 or 2) before the process ends. What is buffered for standard
 * output goes out first, now. NULL: signals end the process as they always do. Children that are forked later die of
 * signals without a word. */
void interrupt_say(int fd, const char *text);
/* The same for a run folder: "go on with: assay COMMAND --resume-from DIR". */
void interrupt_say_resume(const char *command, const char *dir);

#endif
