/* SPDX-License-Identifier: Apache-2.0
 *
 * verify - checks the outputs of a timed batch.
 *
 * The executor is frozen, so the outputs are read in place. The judge draws the sets and rows to
 * compare after the batch. It compares one whole set as often as that costs little beside the
 * batches (on a GPU: beside everything). Chance decides when. Stress sets are preferred. Of some
 * other sets a few rows are compared. Results that a kernel returned in memory of its own are
 * fetched first.
 *
 * Of a random operator, whole sets are tested (struct ay_op, check). Then three sets of the batch, one
 * behind the other, are compared with each other and with those of earlier batches: their generators
 * had different states, so they must not share draws (oracle/repeats.h).
 */
#ifndef AY_TIMING_VERIFY_H
#define AY_TIMING_VERIFY_H

#include "op/registry.h"
#include "oracle/repeats.h"
#include "timing/inputs.h"

/* Places [lo, lo + n) of `of` along a dimension. Applies to every tensor that is not broadcast
 * along it. */
struct ay_verify_part {
	int behind; /* dimensions from this one to the last, itself included */
	int64_t of, lo, n;
};

struct ay_verify {
	const struct ay_entry_op *op;
	struct ay_call *call; /* its operands are pointed at the data that is compared */
	int threads;
	uint8_t *old; /* old content of updated arguments, made again */
	uint64_t old_bytes;
	/* expected cost of comparing a whole set, and of comparing some rows; 0: not tried yet */
	double whole_ns, rows_ns;
	/* a tenth of all time may be spent, not a fraction of the time of the batches */
	bool of_wall;
	/* no foreign code, and it was judged right before: comparing rows is enough, if it has
	 * rows */
	bool trusted;
	/* draws of a random operator are not compared between calls */
	bool keeps_no_draws;
	double spent_ns; /* time spent on all checks */
	int set;         /* the set that was compared last */
	int64_t ended;   /* when the last check ended; 0: never */
	/* Copies the results of a set to where they are compared. `need` names the bytes of each
	 * operand that must be copied; NULL: all. Returns false if they cannot be had. A NULL
	 * callback means that they are already there. */
	bool (*fetch)(void *user, int set, const struct ay_byte_range *need);
	void *user;
	/* Returns true if another checker, which is stricter than the oracle, finds the whole set
	 * right; false: not known. A NULL callback means that no such checker exists. */
	bool (*right)(void *user, int set);
	/* For operators without a reference in assay: sets c->given to the right answer for what
	 * the operands hold. Returns false if there is none. A NULL callback means that the
	 * operator has a reference. */
	bool (*answer)(void *answerer, struct ay_call *c, struct ay_arena *a);
	void *answerer;
	/* Of a random operator: what earlier sets have drawn, and the deviations of the last one, in
	 * the part of a result that is always used for that. Made by the first comparison. */
	struct ay_repeats *repeats;
	struct ay_draws was;
	struct ay_verify_part part;
	/* a set that is compared again and again: its memory is the same in each batch */
	int home;
};

enum ay_verified {
	AY_VERIFIED,
	AY_WRONG,      /* not the right answer */
	AY_UNFINISHED, /* poison: the element was not written when the executor was frozen */
	AY_UNFETCHED,  /* the `fetch` callback failed */
	AY_REPEATED,   /* right by itself, but it has the draws of another set */
};

/* Checks sets [from, from + n) as described above. batch_ns: time of the batch. text: receives a
 * description of a fault. */
enum ay_verified ay_verify_batch(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				 int n, uint8_t poison, double batch_ns, char text[200]);
/* The sets of a random operator that are compared with each other. */
enum { AY_VERIFY_TOGETHER = 3 };

/* Checks rows of one of these sets, always, without a draw. If the result has no rows, checks one
 * whole set. */
enum ay_verified ay_verify_once(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				int n, uint8_t poison, char text[200]);
/* Checks one whole set. */
enum ay_verified ay_verify_set(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int set,
			       uint8_t poison, char text[200]);
void ay_verify_release(struct ay_verify *v);

#endif
