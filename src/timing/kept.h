/* SPDX-License-Identifier: Apache-2.0
 *
 * kept - executors that outlive their seats, frozen, for the next one who sits there.
 *
 * A process with a context on a GPU takes half a second to start, one with torch in it several, and a case opens some six
 * seats. On the processor nothing is kept: there a new process is a new draw of what makes one faster than another.
 */
#ifndef AY_TIMING_KEPT_H
#define AY_TIMING_KEPT_H

#include "exec/exec.h"

enum { AY_KEPT = 8, AY_KEPT_NAME = 65 };

struct ay_kept {
	int n;
	struct ay_kept_one {
		char who[AY_KEPT_NAME]; /* a hash of all that makes two of them the same */
		struct ay_exec *exec;
	} one[AY_KEPT];
};

void ay_kept_name(const struct ay_exec_spec *spec, char who[AY_KEPT_NAME]);
/* One that was kept, which is the caller's from now on; NULL: there is none. */
struct ay_exec *ay_kept_take(struct ay_kept *k, const char *who);
/* Keeps x, which stands still; the one that was kept longest goes if there is no room. k NULL: ends it. */
void ay_kept_give(struct ay_kept *k, const char *who, struct ay_exec *x);
/* Ends all of them. */
void ay_kept_release(struct ay_kept *k);

#endif
