/* SPDX-License-Identifier: Apache-2.0
 *
 * verify - were the outputs of a timed batch right? The seat stands still, so they are read where they lie.
 *
 * Which sets and rows are looked at is drawn after the batch. One set is compared whole as often as that costs
 * little beside the batches themselves (on a GPU: beside everything), when is chance, hard ones by preference; of some others a few rows are. Results
 * that a kernel returned in memory of its own are fetched before they are compared.
 */
#ifndef AY_TIMING_VERIFY_H
#define AY_TIMING_VERIFY_H

#include "op/registry.h"
#include "timing/inputs.h"

struct ay_verify {
	const struct ay_entry_op *op;
	struct ay_call *call; /* its operands are pointed at what is compared */
	int threads;
	uint8_t *old; /* content of arguments before the call, made again */
	uint64_t old_bytes;
	double whole_ns, rows_ns; /* expected, of comparing a whole set, and some rows; 0 = not tried */
	bool of_wall;             /* a tenth of all time may go into it, not a part of that of the batches */
	bool trusted;    /* nobody's kernel, which was right a moment ago: rows will do, if there are any */
	double spent_ns; /* on all of it */
	int set;         /* the one that was compared last */
	int64_t ended;   /* when it was last over; 0 = never */
	/* Puts the results of a set where they belong, at least what of each operand `need` (NULL: everything) names; false:
	 * they cannot be had. NULL: they are there. */
	bool (*fetch)(void *user, int set, const struct ay_byte_range *need);
	void *user;
	/* Is all of a set right, by somebody else's word, who refuses more than the oracle? false: not known. NULL: nobody is
	 * asked. */
	bool (*right)(void *user, int set);
	/* Operators that have no reference here: c->given becomes the right answer for what the operands hold. false: there
	 * is none. NULL: they have one. */
	bool (*answer)(void *answerer, struct ay_call *c, struct ay_arena *a);
	void *answerer;
};

enum ay_verified {
	AY_VERIFIED,
	AY_WRONG,      /* not the right answer */
	AY_UNFINISHED, /* poison: nothing was written there when the executor stood still */
	AY_UNFETCHED,  /* what fetch says */
};

/* Checks sets [from, from + n) as said above. batch_ns: what the batch took; text: what was found, for people. */
enum ay_verified ay_verify_batch(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				 int n, uint8_t poison, double batch_ns, char text[200]);
/* The same, now and not by chance: rows of one of them; where there are no rows, a whole set. */
enum ay_verified ay_verify_once(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				int n, uint8_t poison, char text[200]);
/* One set, whole. */
enum ay_verified ay_verify_set(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int set,
			       uint8_t poison, char text[200]);
void ay_verify_release(struct ay_verify *v);

#endif
