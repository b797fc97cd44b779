/* SPDX-License-Identifier: Apache-2.0
 *
 * wire - the messages between judge and executor. Shared by both; depends on libc and kernel.h
 * alone.
 *
 * A message is one packet: a head and `bytes` bytes of payload. A payload beyond AY_WIRE_INLINE
 * travels as a sealed memfd, after the message's own descriptors. A message has no pointers and
 * none of the judge's secrets: no case line, no fill, no seed of the inputs. Numbers are in the
 * machine's byte order, because both ends are on one machine.
 *
 *	HELLO		never sent: stands for the executor's start in its jail
 *	LOAD		fd: the kernel's object; no fd: the empty call, AY_WIRE_NOTHING. For Python
 *			the fd is its source, and the payload a JSON text about it
 *			(torch/assay/boot.py). The executor answers with LOADED (names) or
 *			LOAD_FAILED (text), then raises `done`
 *	MAP		fds: inputs, outputs (no fds if all slots are on a device); payload: slots.
 *			Replaces the pool that was mapped before
 *	MAP_DEVICE	fds: memory of the device, one for each of the next slots on the device
 *	HEAP		fd: memory of the device in which kernels allocate. Replaces the heap
 *			before it; blocks that are in use stay in the old heap
 *	CALL		one call on one or more sets of tensors. All sets are prepared, and the first
 *			ones of them called; they are then "held"
 *	PREPARE		as CALL, but no set is called
 *	RUN		calls some of the held sets: the payload says which. fds: memory of the
 *			device, one for each slot that is late; the payload says which part of the
 *			slot each one is
 *	RUN_TRACED	as RUN, but untimed: torch calls are recorded as for a CALL
 *	DROP_RESULTS	drops what held calls returned, which is kept until then, and the memory
 *			that came with a RUN. Payload: the byte that free memory of the heap is
 *			filled with
 *	CALIBRATE	as RUN, but calls nothing: the executor waits for AY_WIRE_CALIBRATE_NS by
 *			the clock (of the device, if it has one), which shows the fixed cost of a
 *			batch of that length
 *	QUIT		ends the executor
 *
 * Every function here that reads gets a bounded buffer from the other side and never reads beyond
 * its end.
 */
#ifndef AY_EXEC_WIRE_H
#define AY_EXEC_WIRE_H

#include <assay/kernel.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	AY_WIRE_MAGIC = 0x31574159, /* "YAW1" */
	AY_WIRE_VERSION = 1,
	AY_WIRE_INLINE = 64 << 10,
	AY_WIRE_MAX = 64 << 20,
	/* bytes of the shared page, which is several pages of the system */
	AY_WIRE_PAGE = 64 << 10,
	AY_WIRE_FD_SOCKET = 3,
	AY_WIRE_FD_PAGE = 4,
	AY_WIRE_FD_LIFE = 5,      /* to init: see struct ay_wire_life */
	AY_WIRE_GUARD = 64 << 10, /* bytes of address space left empty before and behind a slot */
	AY_WIRE_GUARD_DEVICE = 2 << 20,
	AY_WIRE_DIMS = 16,
	AY_WIRE_PARAMS = 256,
	AY_WIRE_ENTRIES = 1024,
	AY_WIRE_NAME = 256,
	AY_WIRE_LINE = 64, /* a cache line: the two sides never write to one line */
	AY_WIRE_CALIBRATE_NS = 3000000,
	AY_WIRE_SHIFTS = 4096,    /* bytes that a stack may be shifted, in steps of 16 */
	AY_WIRE_LAUNCH = 1 << 16, /* AY_GLUE_LAUNCH of op/proto.h */
	AY_WIRE_HEAP_GRAIN = 2 << 20,
	AY_WIRE_FDS = 64, /* at most with one message; the system's limit is 253 */
};

enum ay_wire_type {
	AY_WIRE_HELLO = 1,
	AY_WIRE_LOAD,
	AY_WIRE_MAP,
	AY_WIRE_CALL,
	AY_WIRE_PREPARE,
	AY_WIRE_RUN,
	AY_WIRE_RUN_TRACED,
	AY_WIRE_DROP_RESULTS,
	AY_WIRE_CALIBRATE,
	AY_WIRE_QUIT,
	AY_WIRE_MAP_DEVICE,
	AY_WIRE_HEAP,
	AY_WIRE_LOADED,
	AY_WIRE_LOAD_FAILED,
};

/* The entry of an executor that was loaded without a kernel: returns 0. */
#define AY_WIRE_NOTHING "ay_nothing"

struct ay_wire_head {
	uint32_t magic;
	uint16_t version, type;
	uint32_t seq, bytes;
};

/* --- the shared page ------------------------------------------------------------------------------------- */

enum ay_wire_what {
	/* written by the judge: `done` was raised, but the executor wrote no status */
	AY_WIRE_UNSET,
	/* rc: on a GPU, the error of a launch that the kernel did not check; 0: none */
	AY_WIRE_RAN,
	AY_WIRE_REFUSED, /* rc */
	AY_WIRE_STARVED, /* rc, after scratch was refused; or no memory for a MAP */
	AY_WIRE_SIGNAL,  /* signal, slot, fault, fault_at */
	AY_WIRE_BROKEN,  /* the executor could not follow the message: rc is an errno */
	/* an exception; this and the next two have a text in struct ay_wire_told */
	AY_WIRE_RAISED,
	AY_WIRE_UNFIT,     /* what was returned is no result of this function */
	AY_WIRE_FORBIDDEN, /* the kernel called what it must not call */
	AY_WIRE_FAULTED,   /* the device stopped its work: rc is CUDA's error */
};

enum ay_wire_fault { AY_WIRE_NO_FAULT, AY_WIRE_INPUT, AY_WIRE_GUARDED, AY_WIRE_ELSEWHERE, AY_WIRE_ON_DEVICE };

struct ay_wire_status {
	uint32_t what, set;
	int32_t rc, signal, slot;
	uint32_t fault;
	int64_t fault_at;
};

/* The shared page. Words that the judge writes and words that the executor writes lie in different
 * cache lines. */
struct ay_wire_page {
	_Alignas(AY_WIRE_LINE) uint32_t go;
	uint32_t spin_us; /* how long to spin before sleeping */
	uint32_t judge_sleeps;
	/* at the start: instructions of the system-call filter, which is in `scalar` */
	uint32_t filter_n;
	uint32_t own_pids; /* 1: the executor is in a pid namespace of its own */
	/* bytes by which the stack of calls begins lower than usual; below AY_WIRE_SHIFTS */
	uint32_t stack_shift;
	/* 1: the judge reads what the executor prints, so stdout is unbuffered */
	uint32_t printed;
	uint32_t cuda; /* 1: the executor has a GPU, the one with this uuid */
	uint8_t uuid[16];
	_Alignas(AY_WIRE_LINE) uint32_t done;
	uint32_t exec_sleeps;
	_Alignas(AY_WIRE_LINE) struct ay_wire_status status;
	/* the time of the last RUN by events of the device; never trusted */
	uint64_t claimed_ns;
	/* CLOCK_MONOTONIC when the memory that came with the last order was mapped; 0: none came */
	uint64_t mapped_ns;
	_Alignas(AY_WIRE_LINE) ay_scalar scalar[]; /* nset * nscalar results that are not tensors */
};

enum { AY_WIRE_SCALARS = (AY_WIRE_PAGE - (int)sizeof(struct ay_wire_page)) / (int)sizeof(ay_scalar) };

/* Checks a copy of the page's status. Returns false if its values are impossible. */
bool ay_wire_status_ok(const struct ay_wire_status *s, uint32_t nset, uint32_t nslot);

/*
 * A message on the socket between the judge and init. The executor sends one as its first action,
 * because the system writes the sender's pid on it, and then closes its end. Init sends one as its
 * last action, when the executor has ended. Both are sent where no kernel's code can run.
 */
struct ay_wire_life {
	int32_t ended; /* 0: the executor has started; 1: it has ended */
	/* as in siginfo_t: CLD_EXITED or CLD_KILLED, and the exit code or signal */
	int32_t code, status;
};

/* --- bounded reading and writing ------------------------------------------------------------------------- */

struct ay_wire_reader {
	const uint8_t *p;
	size_t left;
	bool bad;
};

/* Returns the next n bytes and skips them with their padding to a multiple of 8. Returns NULL if
 * they are not there, and the reader stays `bad`. */
const void *ay_wire_take(struct ay_wire_reader *r, size_t n);
/* As ay_wire_take, but copies the bytes to dst. Returns false if they are not there. */
bool ay_wire_get(struct ay_wire_reader *r, void *dst, size_t n);

struct ay_wire_writer {
	uint8_t *buf;
	size_t cap, len;
	bool full;
};

/* Appends n bytes and pads to a multiple of 8. Sets `full` if they do not fit; nothing is written
 * after that. */
void ay_wire_put(struct ay_wire_writer *w, const void *src, size_t n);

/* Checks n bytes that came in one packet: magic, version and exact length. No payload may follow
 * the head if it is beyond AY_WIRE_INLINE. Copies the head to *h. */
bool ay_wire_head_ok(const void *msg, size_t n, struct ay_wire_head *h);

/* --- payloads -------------------------------------------------------------------------------------------- */

/*
 * Where a slot's memory is. POOLED: `offset` bytes into the pool's memfd. MAPPED: memory of its own
 * on the device, which is `offset` bytes longer on either side, so that a kernel can touch memory
 * there (0: nothing is mapped there). LATE: on the device; MAP gives it an address, and each RUN
 * brings the memory.
 */
enum { AY_WIRE_POOLED, AY_WIRE_MAPPED, AY_WIRE_LATE };

struct ay_wire_slot {
	uint32_t written, device;
	uint64_t offset, bytes;
};

/* The head of a MAP; the slots follow. They are mapped in order, with AY_WIRE_GUARD before each and
 * behind the last. `at` is the address at which the first guard begins; 0: anywhere. */
struct ay_wire_map {
	uint64_t count, at;
};

/* MAP_DEVICE: a descriptor for each of the first n slots of the device, counted from slot `from`
 * on. */
struct ay_wire_lend {
	uint32_t from, n;
};

bool ay_wire_lend_open(const void *payload, size_t n, uint32_t nslot, struct ay_wire_lend *l);

struct ay_wire_heap {
	uint64_t bytes; /* a multiple of AY_WIRE_HEAP_GRAIN */
};

bool ay_wire_heap_open(const void *payload, size_t n, struct ay_wire_heap *h);

/* DROP_RESULTS: no payload, or the byte that the heap's free memory is filled with from here on. */
struct ay_wire_forget {
	uint32_t poison, pad;
};

bool ay_wire_forget_open(const void *payload, size_t n, struct ay_wire_forget *f);

/* Returns the number of slots, or -1 if the payload is malformed. */
int ay_wire_map_open(const void *payload, size_t n, uint64_t *at, const struct ay_wire_slot **slot);

struct ay_wire_operand {
	ay_dtype dtype;
	int32_t ndim;
	uint32_t flags, wrapped; /* wrapped: a Python number is passed in place of this tensor */
	int64_t shape[AY_WIRE_DIMS], stride[AY_WIRE_DIMS];
};

/* Where element 0 of an operand lies, for one set. */
struct ay_wire_place {
	uint32_t slot, pad;
	uint64_t byte;
};

enum ay_wire_tag {
	AY_WIRE_NULL,    /* v[i] = NULL */
	AY_WIRE_BYTES,   /* v[i] points at a copy of the payload */
	AY_WIRE_TENSOR,  /* int32 operand */
	AY_WIRE_TENSORS, /* int32 operands; -1: None */
	AY_WIRE_STRS,    /* NUL-ended strings */
	AY_WIRE_RNG,     /* the set's ay_rng: see rng_slot */
	AY_WIRE_OUT,     /* uint32: the number of a scalar result */
	AY_WIRE_CTX,
};

struct ay_wire_param {
	uint32_t tag, bytes;
};

/* The head of a CALL. Operands, places (set by set), one ay_rng per set, and params with their
 * payloads follow. */
struct ay_wire_call_head {
	uint32_t entry, threads, nset, noperand, nparam, nscalar;
	uint64_t scratch_max;
	/* the slot for a struct ay_wire_told and its results (nresult per set); UINT32_MAX: not
	 * wanted */
	uint32_t told_slot, nresult;
	uint64_t plain; /* bit i: argument i of the schema has its default value */
	/* 1: nresult is a maximum, and ay_wire_told.count says how many the one set has */
	uint32_t open;
	/* the byte that memory of the heap holds before an untimed call: of set i the i % 4th */
	uint8_t poison[4];
	uint32_t called; /* CALL: how many sets are called at once */
	/* a slot of host memory in which the sets' ay_rng lie one behind the other, from byte
	 * rng_at on; UINT32_MAX: the sets use the ay_rng of this message */
	uint32_t rng_slot;
	uint64_t rng_at;
};

/* How an executor describes results that its kernels allocated. The results lie in the executor's
 * own memory, and the judge reads them there. One ay_wire_result per set and result follows. */
struct ay_wire_told {
	uint32_t count, pad;
	char text[1016]; /* explains `what` of the status; NUL-ended */
};

/* Where a result lies. */
enum ay_wire_where {
	AY_WIRE_HERE,    /* in the executor's own memory, on the processor: `data` is an address */
	AY_WIRE_IN_HEAP, /* in the heap: `data` is an offset */
	AY_WIRE_IN_SLOT, /* in slot `slot`, which is memory of the device: `data` is an offset */
	/* In other memory of the device, at address `data`. The executor has copied its content to
	 * where a native kernel would have written the result. */
	AY_WIRE_COPIED,
};

struct ay_wire_result {
	uint64_t data; /* element 0 */
	ay_dtype dtype;
	int32_t ndim;   /* -1: the result does not exist */
	uint32_t flags; /* those of an ay_tensor */
	uint32_t where, slot, pad;
	int64_t shape[AY_WIRE_DIMS], stride[AY_WIRE_DIMS];
};

#define AY_WIRE_NOT_TOLD UINT32_MAX
#define AY_WIRE_NO_SLOT  UINT32_MAX

/* Returns true if `bytes` of elements are spread over so large a `span` that reading all of it
 * would be a waste. The executor copies such a result out of the heap as AY_WIRE_COPIED describes,
 * though it reports AY_WIRE_IN_HEAP. */
bool ay_wire_is_sparse(uint64_t span, uint64_t bytes);

/* A CALL that passed all checks. Borrows the message. */
struct ay_wire_call {
	struct ay_wire_call_head h;
	const struct ay_wire_slot *slot;
	const uint8_t *operand, *place, *rng, *param;
	size_t param_bytes;
	size_t scalar_at; /* where the scalar results lie in a set's memory */
	size_t set_bytes; /* memory that one set needs */
};

bool ay_wire_call_open(const void *payload, size_t n, uint32_t nentry, const struct ay_wire_slot *slot,
		       uint32_t nslot, struct ay_wire_call *c);
/* Builds everything that a kernel gets for one set in mem (set_bytes, 16-byte aligned). mem begins
 * with the v[] of the glue. base[i] is where slot i is mapped. Scalar results begin as all ones,
 * which is no valid kind. */
void ay_wire_call_build(const struct ay_wire_call *c, uint32_t set, uint8_t *const *base, const ay_ctx *ctx,
			void *mem);

/* RUN: calls sets [from, from + n) of the nset held sets in order, and all of them `extra_passes` times
 * more. One ay_wire_part per late slot follows: the part of the slot whose memory comes along. */
struct ay_wire_run {
	uint32_t from, n, extra_passes, pad;
};

struct ay_wire_part {
	uint64_t offset, bytes;
};

/* part: one for each late slot, or NULL if no memory comes along. */
bool ay_wire_run_open(const void *payload, size_t n, uint32_t nset, const struct ay_wire_slot *slot,
		      uint32_t nslot, struct ay_wire_run *r, const struct ay_wire_part **part);

/* The head of a LOADED; NUL-ended names follow, each an identifier. */
struct ay_wire_loaded {
	uint32_t n, flags;
};

enum { AY_WIRE_INTERPRETED = 1 /* it runs in Triton's interpreter */ };

/* Returns the number of names, or -1 if the payload is malformed. */
int ay_wire_loaded_open(const void *payload, size_t n, uint32_t *flags, const char **names);

#endif
