/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs - new content for the inputs of timed sets, written at the speed of memory.
 *
 * Every batch must hold content that its executor has never seen, or a kernel could reuse answers.
 * Writing this content must take no longer than reading it.
 *
 * So the judge fills one template (the `template`) of each input by the fill of the case. A set
 * consists of 64-byte lines of the template, drawn with replacement. What a kernel learns from one
 * set is therefore not true of the next: where the large, negative or even elements are, or their
 * sum. In addition, the significands of floats are XORed with lines of noise, which are also
 * drawn. This is left out where it would lead out of the range of a uniform fill, so that
 * probabilities stay probabilities. Other inputs are made differently:
 * - An operator's own fill can give every element its place (a triangle). A large tensor of such a
 *   fill keeps the places and gets other significands: sign and exponent of a place stay. An
 *   operator whose kernels could use that (a sort) says that its elements may stand anywhere
 *   (struct ay_maker); then lines are drawn.
 * - If such a tensor has no significands to change (indices into windows), there are two
 *   templates, and a set takes each line from one or the other.
 * - A tensor that is small, or whose elements are not independent, is filled anew.
 *
 * Template and noise follow from the seed of the call. The key of a content (128 bits) is a
 * one-way hash of this seed and a random 64-bit number that only the judge knows. The draws of
 * each set have a key of their own. So no draws can be guessed from others, or from the seed. The
 * content can be made again from seed, number and set: see timed= of a case line.
 *
 * About one set in sixteen is a stress set: a range of one of its inputs is 32 times
 * larger. A kernel that skips the care that large values need (subtracting the largest one) when
 * it detects timing is wrong there.
 */
#ifndef AY_TIMING_INPUTS_H
#define AY_TIMING_INPUTS_H

#include "base/arena.h"
#include "base/rng.h"
#include "device/dev_mem.h"
#include "exec/exec.h"
#include "op/call.h"
#include <assay/kernel.h>
#include "oracle/read_set.h"
#include "tensor/buffer.h"

struct ay_fill_op; /* device/dev_fill.h */

struct ay_input_template {
	const struct ay_call *call;
	struct ay_key root;                  /* derived from the key of the call */
	struct ay_input_template_part *part; /* one per operand */
	uint64_t *noise;
	uint64_t bytes;            /* bytes of one set, all operands */
	bool trusted;              /* the executor runs trusted code only */
	struct ay_gpu_master *gpu; /* for sets on a GPU: see inputs_gpu.c; NULL: host memory */
};

void ay_input_template_init(struct ay_input_template *m, struct ay_call *c);
/* Initializes *m like ay_input_template_init, with several threads. `trusted`: the executor runs
 * no foreign code that could recognise reused data, so small tensors are also assembled from
 * template lines. Filling hundreds of small tensors anew takes longer than a batch. */
void ay_input_template_init_by(struct ay_input_template *m, struct ay_call *c, int threads, bool trusted);
/* Returns the key of content number n of this call. */
struct ay_key ay_input_template_key(const struct ay_input_template *m, uint64_t n);
/* Returns the state of the random generator that an operator gets in a set of this content. No two
 * calls get the same state, and no state can be guessed from others. */
ay_rng ay_input_rng(struct ay_key key, int set);
/* Copies the template to a device. From then on its sets are made there. */
int ay_input_template_to_device(struct ay_input_template *m, struct ay_dev *d, struct ay_err *err);
void ay_input_template_release(struct ay_input_template *m);
/* Writes the storage of operand i of a set, as it is before the call, to dst. */
void ay_input_template_write(const struct ay_input_template *m, int i, struct ay_key key, int set, uint8_t *dst);
/* Writes at least the bytes of this storage that `part` names, each at its offset from dst. */
void ay_input_template_write_part(const struct ay_input_template *m, int i, struct ay_key key, int set,
				  struct ay_byte_range part, uint8_t *dst);
/* Plans the content of operand i for ay_dev_fill, if template and noise are on a device. The
 * caller sets `to` and calls ay_fill_op_aim. Returns false if the operand is not made from the
 * template: it is filled anew by ay_input_template_write, or only the kernel writes it. */
bool ay_input_template_plan(const struct ay_input_template *m, int i, struct ay_key key, int set,
			    struct ay_fill_op *k);
/* Returns the template of operand i, which `from` of the fill op points at; NULL: only the kernel
 * writes the operand. The noise is m->noise, AY_NOISE_LINES lines. */
const uint8_t *ay_input_template_base(const struct ay_input_template *m, int i);
/* Returns the bytes of the template of operand i; 0: it has no plan. */
uint64_t ay_input_template_base_bytes(const struct ay_input_template *m, int i);
/* Returns true if this set is a stress set. */
bool ay_input_template_is_stress(const struct ay_input_template *m, struct ay_key key, int set);

/* Returns true if the call has a random generator. */
bool ay_input_template_has_rng(const struct ay_input_template *m);

/* Memory for sets, shared with one executor. It has two slots: one that the executor reads and one
 * that it writes. Tensors lie one behind the other in the order of the calls, at random multiples
 * of 64 bytes. In a third slot the executor describes results that lie in its own memory. All
 * executors have this slot, so that executors of two kinds have the same pages. The states of random
 * generators lie in a slot that the executor reads. They are written with the inputs, so each call
 * of each batch has a state that no executor has seen. */
struct ay_input_sets {
	const struct ay_input_template *m;
	int cap;
	bool python; /* Python on a device: new tensors lie in the executor's own memory */
	/* shared_storage: all sets lie at one place, for calls that do not read them */
	bool shared_storage;
	int told; /* the slot for result descriptions */
	struct ay_pool pool;
	int *slot; /* per set and operand, as in struct ay_batch */
	uint64_t *offset;
	/* the states of random generators, one per set; only for calls that have a generator */
	bool has_rng;
	struct ay_rng_place rng;
	/* On a device, inputs lie in memory that is new for each content. Outputs that are only
	 * written always lie in the same memory, which the executor has from the beginning.
	 * `shadow` has space for one set in host memory, into which a set is fetched. */
	struct ay_dev *dev; /* NULL: host memory only */
	bool ungated;       /* the executor is trusted and has all memory from the beginning */
	/* device memory that travels with each order: the slot of inputs, and the slot of outputs
	 * if these are also read */
	struct ay_dev_mems mems;
	/* memory of the slots that the executor has from the beginning; bytes 0: none */
	struct ay_dev_mem fixed[AY_DEV_MEMS];
	struct ay_dev_mapping mapping; /* the memory that the executor has mapped now */
	struct ay_input_sets *shadow;
	struct ay_key key;          /* key of the present content */
	uint64_t step[AY_DEV_MEMS]; /* bytes from one set to the next in a slot */
	/* elements that were read when the last batch had reported `done` */
	struct ay_dev_probe_place probe[AY_PROBE_MAX];
	int nprobe;
};

int ay_input_sets_init(struct ay_input_sets *s, const struct ay_input_template *m, int cap, bool shared_storage,
		       struct ay_err *err);
/* Touches the memory of two equal sets of sets alternately, so that both get physical pages of the
 * same quality. The pages make some per cent of the speed of streaming code. When one side got all
 * its pages first, it was always slower, by 4 %. */
void ay_input_sets_share_pages(const struct ay_input_sets *x, const struct ay_input_sets *y);
void ay_input_sets_release(struct ay_input_sets *s);
/* Writes the inputs of sets [from, from + n), and poison to memory that is only written. On a
 * device this allocates new memory. */
int ay_input_sets_write(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			struct ay_err *err);
/* Writes the states of the random generators of sets [from, from + n), if the call has one. It is part
 * of ay_input_sets_write. */
void ay_input_sets_write_rng(struct ay_input_sets *s, struct ay_key key, int from, int n);
/* Returns the address of the storage of an operand of a set; on a device, of the fetched copy in
 * host memory. */
uint8_t *ay_input_sets_at(const struct ay_input_sets *s, int set, int operand);

/* --- on a device (inputs_gpu.c) --- */

/* Returns the bytes of one set that travel with an order to run. */
uint64_t ay_input_template_read_bytes(const struct ay_input_template *m);
/* Returns true if operand i has content before the call. */
bool ay_input_template_is_input(const struct ay_input_template *m, int i);
/* Returns true if the call has an output whose old content matters. */
bool ay_input_template_is_updated(const struct ay_input_template *m);
void ay_input_template_release_gpu(struct ay_input_template *m);
/* Initializes sets of a template that is on a device. `numbers`: 0-dimensional tensors that stand
 * for numbers are read from host memory, as Python does. `ungated`: see struct ay_input_sets. */
int ay_input_sets_init_gpu(struct ay_input_sets *s, const struct ay_input_template *m, int cap,
			   bool shared_storage, bool numbers, bool ungated, struct ay_err *err);
void ay_input_sets_release_gpu(struct ay_input_sets *s);
int ay_input_sets_write_gpu(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			    struct ay_err *err);
/* Allocates new device memory of `bytes` for each slot, without content, for calls that do not
 * read it. */
int ay_input_sets_map_nothing(struct ay_input_sets *s, uint64_t bytes, struct ay_err *err);
/* Chooses random elements of the outputs of sets [from, from + n) in probe[]. The caller reads them
 * at once to prove that all work is done. If results lie elsewhere (Python, `results` false), the
 * caller adds their elements to probe[]. */
void ay_input_sets_choose_probes(struct ay_input_sets *s, int from, int n, bool results);
/* Returns true if these bytes lie in memory that the executor has mapped now. */
bool ay_input_sets_hold(const struct ay_input_sets *s, uint64_t at, uint64_t bytes);
/* Reads the elements of probe[] again. *late: one of them has changed. */
int ay_input_sets_reread_probes(struct ay_input_sets *s, bool *late, struct ay_err *err);
/* Copies one set to host memory (fetch_gpu.c). Inputs are made again, not copied. `need` names the
 * bytes of each operand that must be copied; NULL: all. *changed: an input on the device differs
 * from what the judge wrote. */
int ay_input_sets_fetch(struct ay_input_sets *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err);
/* Returns true if the call is a matrix product that is large enough, and supported, to be checked
 * on the device (matmul_gpu.c). */
bool ay_input_template_can_multiply(const struct ay_input_template *m, const struct ay_entry_op *op);
/* Checks on the device that every element of a set of such a call is within its bound and that
 * every input is unchanged. *right false: not proven, so the judge must compare the set itself.
 * The caller first copies results that Python returned to host memory. */
int ay_input_sets_are_right(struct ay_input_sets *s, const struct ay_entry_op *op, int set, bool *right,
			    struct ay_err *err);
/* Frees the device memory of the present content. */
void ay_input_sets_unmap(struct ay_input_sets *s);

#endif
