/* SPDX-License-Identifier: Apache-2.0
 *
 * native - the parts of the executor program. It is small, depends on libc, libdl, wire.h and kernel.h alone, and
 * is the one place under src/ with globals: it has no caller to hand them to, and a signal handler needs them.
 */
#ifndef AY_EXEC_NATIVE_H
#define AY_EXEC_NATIVE_H

#include "exec/wire.h"

/* The pool that is mapped now. */
struct pool {
	uint32_t nslot;
	struct ay_wire_slot *slot;
	uint8_t **base;
	void *span; /* all of it: slots, guards */
	size_t span_bytes;
};

extern struct ay_wire_page *page;
extern struct pool pool;
/* What the handler of fatal signals reports: the message and the set in hand. */
extern volatile uint32_t now_seq, now_set;

/* Maps the slots with guards between them; an errno. */
int pool_map(const struct ay_wire_slot *slot, uint32_t n, const int fd[2]);

/* Zeroed memory that is not in any heap of the kernel's; NULL if there is none. */
void *pages_get(size_t bytes);
void pages_free(void *p, size_t bytes);

/* Scratch of at most `max` bytes from here on. */
int scratch_limit(size_t max);
void *scratch_get(const ay_ctx *ctx, size_t bytes);
/* Whether any was refused since the last call of this; everything handed out is free again. */
bool scratch_reset(void);
/* Gives large scratch back to the system. */
void scratch_trim(void);

/* Comes back once, in the executor; the other process is its init and ends with it. */
void split(void);
void catch_signals(void);
/* Raises `done` to seq with this status beside it. */
void answer(uint32_t seq, struct ay_wire_status s);

#endif
