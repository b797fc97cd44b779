/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange - one message to an executor and what becomes of it: the inside of exec.c.
 */
#ifndef AY_EXEC_TRANSACT_H
#define AY_EXEC_TRANSACT_H

#include "exec/exec.h"
#include "exec/wire.h"
#include "sandbox/jail.h"

#include <signal.h>

enum { AY_SPIN_US = 40 };

struct ay_exec {
	struct ay_arena arena;
	struct ay_jailed jail;
	struct ay_sandbox *own; /* made for this one; NULL = the caller's is used */
	pid_t pid;              /* of init, our child; 0: reaped */
	pid_t executor;
	bool killed; /* by us */
	bool ended;  /* init said so, and `end` how */
	siginfo_t end;
	int sock, life;
	int out;                    /* what it prints comes here, or -1 */
	struct ay_printed *printed; /* and is kept there */
	struct ay_wire_page *page;
	uint32_t seq;
	bool spin;
	int64_t spin_ns;
	uint64_t pool_id, pool_bytes, scratch_max, oom_kills;
	bool nothing;               /* loaded without a kernel */
	struct ay_dev *device;      /* NULL: the processor */
	uint64_t lent_bytes;        /* of the pool that it has mapped */
	struct ay_dev_mem own_heap; /* the heap, if it is ours to drop; else {0} */
	struct ay_dev_mem heap;     /* that it has on its device; {0} = none */
	uint8_t poison;             /* of what is free in it, from the next order to forget on */
	bool python;
	uint64_t pool_at;                 /* where the executor has the pool; Python only */
	const struct ay_wire_told *words; /* where it tells of the batch in hand; or NULL */
	int held, held_slots;             /* sets that were made ready, and the slots of their pool */
	uint32_t nset, nslot;             /* of the exchange in hand: what a status may name */
	int nentry;
	const char **entry;
	uint8_t *msg; /* head and payload */
	size_t msg_cap;
	ay_scalar *scalar;
	int nscalar;
};

/* The number of the next message, and how many sets and slots its status may name. */
void ay_exec_next_number(struct ay_exec *x, uint32_t nset, uint32_t nslot);
/* Reads what came through the socket to init; false if nothing did. */
bool ay_exec_read_init(struct ay_exec *x);
/* Raises `go` and waits for the answer to the message that was sent (or, at the start, to none). */
void ay_exec_exchange(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* Its second half. */
void ay_exec_wait_answer(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* Sends a message as ay_exec_transact does and raises `go`, without waiting. If the executor does not take it, *o says
 * so and it is gone. */
int ay_exec_send(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		 struct ay_outcome *o, struct ay_err *err);
/* Sends `bytes` of payload from x->msg with fds, and waits. -1 for our failures; else *o. */
int ay_exec_transact(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		     double timeout_s, struct ay_outcome *o, struct ay_err *err);
/* Kills what is left of the process and reaps it. */
void ay_exec_finish(struct ay_exec *x);
/* What it said cannot be: AY_EXEC_LIED, and the end of it. */
void ay_exec_reject(struct ay_exec *x, struct ay_outcome *o, const char *text);
/* Text of the executor's own, made safe to print. */
void ay_exec_say(struct ay_outcome *o, enum ay_exec_status what, const char *text, size_t n);
/* How many processes of this machine were killed for memory so far. */
uint64_t ay_exec_oom_kills(void);

#endif
