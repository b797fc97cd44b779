/* SPDX-License-Identifier: Apache-2.0
 *
 * device_fixture - runs a command in its own process with a device that fails, and reads the
 * records of its run.
 */
#ifndef AY_TEST_DEVICE_RIG_H
#define AY_TEST_DEVICE_RIG_H

#include "../../cmd/cmd.h"
#include "base/json.h"

typedef int (*rig_command)(struct app *, int, const char **, struct ay_err *);

/* Runs a command and returns its exit status. args: words separated by blanks. in: a file for
 * standard input; NULL: none. *out is what it prints on both streams, in the arena. */
int rig_run(struct ay_arena *a, rig_command cmd, const struct device_fault *fault, const char *args,
	    const char *in, char **out);

enum { RIG_DEVICES = 4 };

struct rig_found {
	int cases, kernels, errors, lost; /* numbers of records */
	int twice;                        /* cases or kernels with two records */
	int after;                        /* records of a device after its "device" record */
	int on[RIG_DEVICES];              /* cases by device */
	int split;                        /* kernels with cases on several devices */
	int tried, passed;                /* cases, by the records of attempts */
	json_t *verdict;                  /* verdict of each case and kernel */
	json_t *error;                    /* error of the last such record */
};

struct rig_found rig_look(struct ay_arena *a, const char *dir);
/* Checks that both runs have the same cases with equal verdicts, each once. */
void rig_check_whole(const struct rig_found *f, const struct rig_found *whole);

#endif
