/* SPDX-License-Identifier: Apache-2.0
 *
 * device_rig - a command in a process of its own, with a device that fails; and what the records of its run say.
 */
#ifndef AY_TEST_DEVICE_RIG_H
#define AY_TEST_DEVICE_RIG_H

#include "../../cmd/cmd.h"
#include "base/json.h"

typedef int (*rig_command)(struct app *, int, const char **, struct ay_err *);

/* Its exit status. args: words separated by blanks; in: a file to read, NULL: none. What it prints, on both streams, is
 * in the arena. */
int rig_run(struct ay_arena *a, rig_command cmd, const struct device_fault *fault, const char *args,
	    const char *in, char **out);

enum { RIG_DEVICES = 4 };

struct rig_found {
	int cases, kernels, errors, lost; /* records */
	int twice;                        /* a case of a kernel, or a kernel, that has two */
	int after;                        /* cases and kernels that a device said after it was taken out */
	int on[RIG_DEVICES];              /* cases */
	int split;                        /* kernels with cases of several devices */
	int tried, passed;                /* cases, by the records of attempts */
	json_t *verdict;                  /* of each case and kernel */
	json_t *error;                    /* of the last */
};

struct rig_found rig_look(struct ay_arena *a, const char *dir);
/* The same cases with the same verdicts, each once. */
void rig_check_whole(const struct rig_found *f, const struct rig_found *whole);

#endif
