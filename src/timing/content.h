/* SPDX-License-Identifier: Apache-2.0
 *
 * content - fresh inputs for timed sets, at the speed of memory.
 *
 * Every batch must hold content that its executor has never seen, or answers could be kept; and writing it must not
 * take longer than reading it does. So one master of each input is made by its fill, and a set is made of its lines
 * of 64 bytes, drawn with replacement, so that what was learned of one set (where the large, the negative or the
 * even elements are, what all of them add up to) is not true of the next. Besides, the significands of floats are
 * XORed with lines of noise that are drawn along with them. What is small, or not made of independent elements, is
 * filled anew; a large tensor of an operator's own fill, where every element has its place (a triangle), keeps the
 * places and gets other significands. A key is 128 bits of the judge's own chance, and each set's draws have their
 * own, so that none can be guessed from the others.
 *
 * One set in sixteen or so is hard: a stretch of one input is 32 times larger. Whoever leaves out the care that
 * large values need (subtracting the largest one) once he sees that he is being timed is wrong there.
 */
#ifndef AY_TIMING_CONTENT_H
#define AY_TIMING_CONTENT_H

#include "base/arena.h"
#include "base/rng.h"
#include "op/call.h"
#include "tensor/buffer.h"

struct ay_master {
	const struct ay_call *call;
	struct ay_master_part *part; /* per operand */
	uint64_t *noise;
	uint64_t bytes; /* of one set, all operands */
};

void ay_master_init(struct ay_master *m, struct ay_call *c);
void ay_master_release(struct ay_master *m);
/* The storage of operand i in a set, as it is before the call. */
void ay_master_write(const struct ay_master *m, int i, struct ay_key key, int set, uint8_t *dst);
/* Is this set one of the hard ones? */
bool ay_master_is_hard(const struct ay_master *m, struct ay_key key, int set);

/* Room for sets in memory that one executor shares: two slots, what it reads and what it writes, tensors one behind
 * the other at random multiples of 64 bytes, in the order in which they are called; and one in which an executor
 * tells of results that lie in its own memory, there for all, so that seats of two kinds have the same pages. */
struct ay_sets {
	const struct ay_master *m;
	int cap;
	bool fold; /* all sets lie at one place: for calls that do not look at them */
	int told;  /* the slot for that */
	struct ay_pool pool;
	int *slot; /* per set and operand, as in struct ay_batch */
	uint64_t *offset;
};

int ay_sets_init(struct ay_sets *s, const struct ay_master *m, int cap, bool fold, struct ay_err *err);
/*
 * Gives two of one kind their memory, in turns. Which pages of the machine one gets makes some per cent of the speed
 * of what streams through them, and whoever came first got the worse ones: 4 %, always the same way.
 */
void ay_sets_share_pages(const struct ay_sets *x, const struct ay_sets *y);
void ay_sets_release(struct ay_sets *s);
/* Inputs of sets [from, from + n), and poison in what is only written. */
void ay_sets_write(const struct ay_sets *s, struct ay_key key, int from, int n, uint8_t poison);
/* Where storage of an operand of a set begins. */
uint8_t *ay_sets_at(const struct ay_sets *s, int set, int operand);

#endif
