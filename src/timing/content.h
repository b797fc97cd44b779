/* SPDX-License-Identifier: Apache-2.0
 *
 * content - fresh inputs for timed sets, at the speed of memory.
 *
 * Every batch must hold content that its executor has never seen, or answers could be kept; and writing it must not
 * take longer than reading it does. So one master of each input is made by its fill, and a set is made of its lines
 * of 64 bytes, drawn with replacement, so that what was learned of one set (where the large, the negative or the
 * even elements are, what all of them add up to) is not true of the next. Besides, the significands of floats are
 * XORed with lines of noise that are drawn along with them, unless that would lead out of the range of a
 * uniform fill: probabilities stay probabilities. A large tensor of an operator's own fill, where every element
 * has its place (a triangle), keeps the places and gets other significands; where there are none to change (indices into
 * windows), two masters are made, and a set has every line of either. What is small, or not made of independent elements,
 * is filled anew. Master and noise follow from the call's seed; a key, 128 bits, from that and a number that is the judge's
 * own chance (64 bits), one way, and each set's draws have their own, so that none can be guessed from the others, nor
 * by someone that knows the seed. Who knows seed, number and set has the content again: timed= of a case line.
 *
 * One set in sixteen or so is hard: a stretch of one input is 32 times larger. Whoever leaves out the care that
 * large values need (subtracting the largest one) once he sees that he is being timed is wrong there.
 */
#ifndef AY_TIMING_CONTENT_H
#define AY_TIMING_CONTENT_H

#include "base/arena.h"
#include "base/rng.h"
#include "device/loan.h"
#include "op/call.h"
#include <assay/kernel.h>
#include "oracle/reach.h"
#include "tensor/buffer.h"

struct ay_make; /* device/make.h */

struct ay_master {
	const struct ay_call *call;
	struct ay_key root;          /* from the call's */
	struct ay_master_part *part; /* per operand */
	uint64_t *noise;
	uint64_t bytes;            /* of one set, all operands */
	bool trusted;              /* who sits there */
	struct ay_gpu_master *gpu; /* where sets lie on a GPU: see content_gpu.c; NULL = here */
};

void ay_master_init(struct ay_master *m, struct ay_call *c);
/* The same by several threads. trusted: nobody sits there who would know a tensor again by some of its lines, so that small
 * ones are made of lines too: hundreds of them filled anew take longer than the batch. */
void ay_master_init_by(struct ay_master *m, struct ay_call *c, int threads, bool trusted);
/* The key of content number n of this call. */
struct ay_key ay_master_key(const struct ay_master *m, uint64_t n);
/* What a random operator starts from in a set, whatever the content. */
ay_rng ay_master_rng(const struct ay_master *m, int set);
/* Sets of it are made on this device from here on. */
int ay_master_to_device(struct ay_master *m, struct ay_dev *d, struct ay_err *err);
void ay_master_release(struct ay_master *m);
/* The storage of operand i in a set, as it is before the call. */
void ay_master_write(const struct ay_master *m, int i, struct ay_key key, int set, uint8_t *dst);
/* Of the same storage at least the bytes that `part` names, each at its place. */
void ay_master_write_part(const struct ay_master *m, int i, struct ay_key key, int set, struct ay_stretch part,
			  uint8_t *dst);
/* The same for ay_dev_make, where the master and its noise lie on a device: to, and what ay_make_aim sets,
 * are the caller's to fill in. False: it has no master (ay_master_write fills it anew, or the kernel writes it). */
bool ay_master_plan(const struct ay_master *m, int i, struct ay_key key, int set, struct ay_make *k);
/* What lies at `from` then (`noise`: m->noise, AY_NOISE_LINES lines); NULL for what only the kernel writes. */
const uint8_t *ay_master_base(const struct ay_master *m, int i);
/* How much of it; 0 where there is no plan. */
uint64_t ay_master_base_bytes(const struct ay_master *m, int i);
/* Is this set one of the hard ones? */
bool ay_master_is_hard(const struct ay_master *m, struct ay_key key, int set);

/* Room for sets in memory that one executor shares: two slots, what it reads and what it writes, tensors one behind
 * the other at random multiples of 64 bytes, in the order in which they are called; and one in which an executor
 * tells of results that lie in its own memory, there for all, so that seats of two kinds have the same pages. */
struct ay_sets {
	const struct ay_master *m;
	int cap;
	bool python; /* of a device: new tensors lie in the executor's own memory */
	bool fold;   /* all sets lie at one place: for calls that do not look at them */
	int told;    /* the slot for that */
	struct ay_pool pool;
	int *slot; /* per set and operand, as in struct ay_batch */
	uint64_t *offset;
	/* On a device what is read lies in memory that is new for each content; what is only written lies in the same
	 * always, and the executor has it from the beginning. Here is room for one set, into which it is fetched. */
	struct ay_dev *dev; /* NULL: everything is here */
	bool plain;         /* the executor is trusted: it has all of it from the beginning */
	/* what goes with each order: the slot of inputs, and that of outputs where they are read too */
	struct ay_loans loans;
	struct ay_loan fixed[AY_LOANS]; /* memory of slots that the executor has always; bytes 0: it has not */
	struct ay_lent lent;            /* what it has now */
	struct ay_sets *shadow;
	struct ay_key key;                /* of the content */
	uint64_t step[AY_LOANS];          /* bytes of a slot from one set to the next */
	struct ay_look look[AY_LOOK_MAX]; /* what was read when the last batch had said that it was done */
	int nlook;
};

int ay_sets_init(struct ay_sets *s, const struct ay_master *m, int cap, bool fold, struct ay_err *err);
/*
 * Gives two of one kind their memory, in turns. Which pages of the machine one gets makes some per cent of the speed
 * of what streams through them, and whoever came first got the worse ones: 4 %, always the same way.
 */
void ay_sets_share_pages(const struct ay_sets *x, const struct ay_sets *y);
void ay_sets_release(struct ay_sets *s);
/* Inputs of sets [from, from + n), and poison in what is only written. On a device: in new memory. */
int ay_sets_write(struct ay_sets *s, struct ay_key key, int from, int n, uint8_t poison, struct ay_err *err);
/* Where storage of an operand of a set begins; on a device, of the set that was fetched. */
uint8_t *ay_sets_at(const struct ay_sets *s, int set, int operand);

/* --- on a device (content_gpu.c) --- */

/* Bytes of one set that come with an order to run. */
uint64_t ay_master_read_bytes(const struct ay_master *m);
/* Is operand i something that is there before the call? */
bool ay_master_is_input(const struct ay_master *m, int i);
/* Has it an output whose old content counts? */
bool ay_master_is_updated(const struct ay_master *m);
void ay_master_release_gpu(struct ay_master *m);
/* m: on a device. numbers: numbers that stand for tensors are read here, as Python does. plain: see struct ay_sets. */
int ay_sets_init_gpu(struct ay_sets *s, const struct ay_master *m, int cap, bool fold, bool numbers, bool plain,
		     struct ay_err *err);
void ay_sets_release_gpu(struct ay_sets *s);
int ay_sets_write_gpu(struct ay_sets *s, struct ay_key key, int from, int n, uint8_t poison, struct ay_err *err);
/* New memory of so many bytes for each slot, with nothing in it: for calls that do not look at it. */
int ay_sets_lend_nothing(struct ay_sets *s, uint64_t bytes, struct ay_err *err);
/* Reads elements of the outputs of sets [from, from + n), drawn by lot: they must be there, for all is done. For results
 * that lie elsewhere (Python) the caller adds to look[]. */
void ay_sets_choose_looks(struct ay_sets *s, int from, int n, bool results);
/* Is this in memory that is lent now? */
bool ay_sets_hold(const struct ay_sets *s, uint64_t at, uint64_t bytes);
/* Reads them once more. *late: one of them is another now. */
int ay_sets_look_again(struct ay_sets *s, bool *late, struct ay_err *err);
/* Brings one set here (fetch_gpu.c), inputs as they were made: of each operand at least what `need` names, NULL: all.
 * *changed: an input of it is not what it was, wherever that is. */
int ay_sets_fetch(struct ay_sets *s, int set, const struct ay_stretch *need, bool *changed, struct ay_err *err);
/* Is the call a product whose results its device can look at, and should (product_gpu.c)? */
bool ay_master_can_multiply(const struct ay_master *m, const struct ay_entry_op *op);
/* Then: is every element of a set within its bound, and every input what it was? false: it must be looked at here. Results
 * that Python returned were brought here before. */
int ay_sets_are_right(struct ay_sets *s, const struct ay_entry_op *op, int set, bool *right, struct ay_err *err);
/* Nobody needs the content any more. */
void ay_sets_take_back(struct ay_sets *s);

#endif
