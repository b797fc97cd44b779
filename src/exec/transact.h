/* SPDX-License-Identifier: Apache-2.0
 *
 * transact - sends one message to an executor and handles what follows: the inner part of exec.c.
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
	struct ay_sandbox *own; /* made for this executor; NULL: the caller's sandbox is used */
	pid_t pid;              /* of init, the judge's child; 0: reaped */
	pid_t executor;
	bool killed; /* by the judge */
	bool ended;  /* init reported the executor's end; `end` says how */
	siginfo_t end;
	int sock, life;
	int out;                    /* a pipe with what it prints, or -1 */
	struct ay_printed *printed; /* where that is stored */
	struct ay_wire_page *page;
	uint32_t seq;
	bool spin;
	int64_t spin_ns;
	uint64_t pool_id, pool_bytes, scratch_max, oom_kills;
	bool nothing;               /* loaded without a kernel */
	struct ay_dev *device;      /* NULL: the processor */
	uint64_t mapped_bytes;      /* bytes of the device that it has mapped for the pool */
	struct ay_dev_mem own_heap; /* the heap, if this struct owns it; else {0} */
	struct ay_dev_mem heap;     /* the heap that the executor has on its device; {0}: none */
	/* byte in the heap's free memory, from the next DROP_RESULTS on */
	uint8_t poison;
	bool python;
	uint64_t pool_at; /* where the executor has the pool; Python only */
	/* where it describes the results of the current batch; or NULL */
	const struct ay_wire_told *words;
	int held, held_slots; /* the number of held sets, and of slots of their pool */
	uint32_t nset, nslot; /* limits for a status of the current message */
	int nentry;
	const char **entry;
	uint8_t *msg; /* head and payload */
	size_t msg_cap;
	ay_scalar *scalar;
	int nscalar;
};

/* Begins a new message: sets its number, and how many sets and slots its status may name. Clears
 * the page's status. */
void ay_exec_next_number(struct ay_exec *x, uint32_t nset, uint32_t nslot);
/* Reads one message from the socket to init. Returns false if there is none. */
bool ay_exec_read_init(struct ay_exec *x);
/* Raises `go` for the message that was sent (at the start: none was) and waits for the answer. */
void ay_exec_exchange(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* Waits for the answer. */
void ay_exec_wait_answer(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* Sends a message as ay_exec_transact does and raises `go`, without waiting. If the executor does
 * not read its messages, it is ended and *o says so. */
int ay_exec_send(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		 struct ay_outcome *o, struct ay_err *err);
/* Sends `bytes` of payload from x->msg with fds, and waits for *o. Returns -1 only for assay's own
 * failures. */
int ay_exec_transact(struct ay_exec *x, enum ay_wire_type type, size_t bytes, const int *fds, int nfd,
		     double timeout_s, struct ay_outcome *o, struct ay_err *err);
/* Kills what is left of the process and reaps it. */
void ay_exec_finish(struct ay_exec *x);
/* Ends the executor because it sent something impossible: AY_EXEC_LIED with this text. */
void ay_exec_reject(struct ay_exec *x, struct ay_outcome *o, const char *text);
/* Sets the outcome with a text that the executor wrote, made safe to print. */
void ay_exec_say(struct ay_outcome *o, enum ay_exec_status what, const char *text, size_t n);
/* Returns how many processes of this machine were killed for memory so far. */
uint64_t ay_exec_oom_kills(void);

#endif
