/* SPDX-License-Identifier: Apache-2.0
 *
 * op_observer - has torch's dispatcher call two C functions at every operator, in all threads.
 *
 * torch's own observers (at::addGlobalCallback, which its profilers use) are C++. Their classes are
 * as simple as C structs, so no C++ compiler and no header of torch's is needed here. Whether this
 * torch's are what this file takes them for is tried out once, in the zygote.
 */
#ifndef AY_TORCH_OP_OBSERVER_H
#define AY_TORCH_OP_OBSERVER_H

#include <stdbool.h>

/* Called at the begin of an operator, with its name (aten::relu), and at its end, by the thread
 * that runs it. Most callers do not hold the interpreter's lock. */
struct op_observer {
	void (*enter)(const char *name);
	void (*leave)(void);
};

/* Finds torch's functions. Returns false if this torch or this processor has none. */
bool observer_open(const struct op_observer *o);
/* From now on, or no more. */
void observer_add(void);
void observer_remove(void);
/* Returns true if this thread runs a part of an operator that another thread was called for. */
bool observer_is_helper(void);

#endif
