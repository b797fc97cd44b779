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
#ifndef AY_TIMING_INPUTS_H
#define AY_TIMING_INPUTS_H

#include "base/arena.h"
#include "base/rng.h"
#include "device/dev_mem.h"
#include "op/call.h"
#include <assay/kernel.h>
#include "oracle/read_set.h"
#include "tensor/buffer.h"

struct ay_fill_op; /* device/dev_fill.h */

struct ay_input_template {
	const struct ay_call *call;
	struct ay_key root;                  /* from the call's */
	struct ay_input_template_part *part; /* per operand */
	uint64_t *noise;
	uint64_t bytes;            /* of one set, all operands */
	bool trusted;              /* who sits there */
	struct ay_gpu_master *gpu; /* where sets lie on a GPU: see inputs_gpu.c; NULL = here */
};

void ay_input_template_init(struct ay_input_template *m, struct ay_call *c);
/* The same by several threads. trusted: nobody sits there who would know a tensor again by some of its lines, so that small
 * ones are made of lines too: hundreds of them filled anew take longer than the batch. */
void ay_input_template_init_by(struct ay_input_template *m, struct ay_call *c, int threads, bool trusted);
/* The key of content number n of this call. */
struct ay_key ay_input_template_key(const struct ay_input_template *m, uint64_t n);
/* What a random operator starts from in a set, whatever the content. */
ay_rng ay_input_template_rng(const struct ay_input_template *m, int set);
/* Sets of it are made on this device from here on. */
int ay_input_template_to_device(struct ay_input_template *m, struct ay_dev *d, struct ay_err *err);
void ay_input_template_release(struct ay_input_template *m);
/* The storage of operand i in a set, as it is before the call. */
void ay_input_template_write(const struct ay_input_template *m, int i, struct ay_key key, int set, uint8_t *dst);
/* Of the same storage at least the bytes that `part` names, each at its place. */
void ay_input_template_write_part(const struct ay_input_template *m, int i, struct ay_key key, int set,
				  struct ay_byte_range part, uint8_t *dst);
/* The same for ay_dev_fill, where the master and its noise lie on a device: to, and what ay_fill_op_aim sets,
 * are the caller's to fill in. False: it has no master (ay_input_template_write fills it anew, or the kernel writes it). */
bool ay_input_template_plan(const struct ay_input_template *m, int i, struct ay_key key, int set,
			    struct ay_fill_op *k);
/* What lies at `from` then (`noise`: m->noise, AY_NOISE_LINES lines); NULL for what only the kernel writes. */
const uint8_t *ay_input_template_base(const struct ay_input_template *m, int i);
/* How much of it; 0 where there is no plan. */
uint64_t ay_input_template_base_bytes(const struct ay_input_template *m, int i);
/* Is this set one of the hard ones? */
bool ay_input_template_is_hard(const struct ay_input_template *m, struct ay_key key, int set);

/* Room for sets in memory that one executor shares: two slots, what it reads and what it writes, tensors one behind
 * the other at random multiples of 64 bytes, in the order in which they are called; and one in which an executor
 * tells of results that lie in its own memory, there for all, so that seats of two kinds have the same pages. */
struct ay_input_sets {
	const struct ay_input_template *m;
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
	struct ay_dev_mems loans;
	struct ay_dev_mem
		fixed[AY_DEV_MEMS]; /* memory of slots that the executor has always; bytes 0: it has not */
	struct ay_dev_mapping lent; /* what it has now */
	struct ay_input_sets *shadow;
	struct ay_key key;          /* of the content */
	uint64_t step[AY_DEV_MEMS]; /* bytes of a slot from one set to the next */
	struct ay_dev_probe_place
		look[AY_PROBE_MAX]; /* what was read when the last batch had said that it was done */
	int nlook;
};

int ay_input_sets_init(struct ay_input_sets *s, const struct ay_input_template *m, int cap, bool fold,
		       struct ay_err *err);
/*
 * Gives two of one kind their memory, in turns. Which pages of the machine one gets makes some per cent of the speed
 * of what streams through them, and whoever came first got the worse ones: 4 %, always the same way.
 */
void ay_input_sets_share_pages(const struct ay_input_sets *x, const struct ay_input_sets *y);
void ay_input_sets_release(struct ay_input_sets *s);
/* Inputs of sets [from, from + n), and poison in what is only written. On a device: in new memory. */
int ay_input_sets_write(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			struct ay_err *err);
/* Where storage of an operand of a set begins; on a device, of the set that was fetched. */
uint8_t *ay_input_sets_at(const struct ay_input_sets *s, int set, int operand);

/* --- on a device (inputs_gpu.c) --- */

/* Bytes of one set that come with an order to run. */
uint64_t ay_input_template_read_bytes(const struct ay_input_template *m);
/* Is operand i something that is there before the call? */
bool ay_input_template_is_input(const struct ay_input_template *m, int i);
/* Has it an output whose old content counts? */
bool ay_input_template_is_updated(const struct ay_input_template *m);
void ay_input_template_release_gpu(struct ay_input_template *m);
/* m: on a device. numbers: numbers that stand for tensors are read here, as Python does. plain: see struct ay_input_sets. */
int ay_input_sets_init_gpu(struct ay_input_sets *s, const struct ay_input_template *m, int cap, bool fold,
			   bool numbers, bool plain, struct ay_err *err);
void ay_input_sets_release_gpu(struct ay_input_sets *s);
int ay_input_sets_write_gpu(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			    struct ay_err *err);
/* New memory of so many bytes for each slot, with nothing in it: for calls that do not look at it. */
int ay_input_sets_lend_nothing(struct ay_input_sets *s, uint64_t bytes, struct ay_err *err);
/* Reads elements of the outputs of sets [from, from + n), drawn by lot: they must be there, for all is done. For results
 * that lie elsewhere (Python) the caller adds to look[]. */
void ay_input_sets_choose_looks(struct ay_input_sets *s, int from, int n, bool results);
/* Is this in memory that is lent now? */
bool ay_input_sets_hold(const struct ay_input_sets *s, uint64_t at, uint64_t bytes);
/* Reads them once more. *late: one of them is another now. */
int ay_input_sets_look_again(struct ay_input_sets *s, bool *late, struct ay_err *err);
/* Brings one set here (fetch_gpu.c), inputs as they were made: of each operand at least what `need` names, NULL: all.
 * *changed: an input of it is not what it was, wherever that is. */
int ay_input_sets_fetch(struct ay_input_sets *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err);
/* Is the call a product whose results its device can look at, and should (matmul_gpu.c)? */
bool ay_input_template_can_multiply(const struct ay_input_template *m, const struct ay_entry_op *op);
/* Then: is every element of a set within its bound, and every input what it was? false: it must be looked at here. Results
 * that Python returned were brought here before. */
int ay_input_sets_are_right(struct ay_input_sets *s, const struct ay_entry_op *op, int set, bool *right,
			    struct ay_err *err);
/* Nobody needs the content any more. */
void ay_input_sets_take_back(struct ay_input_sets *s);

#endif
