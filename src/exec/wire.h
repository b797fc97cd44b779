/* SPDX-License-Identifier: Apache-2.0
 *
 * wire - what judge and executor say to each other. Shared by both; depends on libc and kernel.h alone.
 *
 * A message is a head and `bytes` bytes of payload, one packet. A payload beyond AY_WIRE_INLINE travels as one
 * more sealed memfd behind the message's own descriptors. There are no pointers in a message, and nothing of what
 * the judge keeps to itself: no line, no fill, no seed of the inputs. Numbers are in the machine's byte order,
 * since both ends are on it.
 *
 *	HELLO	nothing is sent: the executor is up and in its jail
 *	LOAD	fd: the kernel's object; none: the empty call, AY_WIRE_NOTHING. For Python the fd is its source, and the
 *		payload a JSON text about it (torch/assay/boot.py). Answered by LOADED (names) or LOAD_FAILED (text), then
 *		`done`
 *	MAP	fds: inputs, outputs (none where all slots are a device's); slots. Replaces the pool mapped before
 *	LEND	fds: memory of the device, one for each of the next of its slots
 *	HEAP	fd: memory of the device for what kernels allocate. Takes the place of one before it, in which blocks that
 *		are handed out stay
 *	CALL	one call on one or more sets of tensors
 *	HOLD	as CALL, but only made ready
 *	RUN	calls some sets of what is held: two words, the first and how many. fds: memory of the device, one for each
 *		slot that is late, and which part of the slot it is
 *	WATCH	as RUN, but not for the clock: looked at as a CALL is
 *	REPLAY	as RUN, for native kernels on a GPU and not for the clock: the calls are captured into a CUDA graph,
 *		which is launched once. What that took goes into the page, 0 if they cannot be captured
 *	FORGET	drops what those calls returned, which is kept until then, and the memory that came with them; and poisons
 *		what is free of the heap: a word, with the byte
 *	BUSY	as RUN, but nothing is called: does nothing, for AY_WIRE_CALIBRATE_NS by the clock (of the device, if it has one),
 *		which shows what a batch of that length costs besides
 *	QUIT	ends the executor
 *
 * Everything here that reads takes a bounded buffer from the other side and never goes beyond it.
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
	AY_WIRE_PAGE = 64 << 10, /* of the shared page, which is some pages */
	AY_WIRE_FD_SOCKET = 3,
	AY_WIRE_FD_PAGE = 4,
	AY_WIRE_FD_LIFE = 5,      /* init's: see struct ay_wire_life */
	AY_WIRE_GUARD = 64 << 10, /* address space left empty before and behind a slot */
	AY_WIRE_GUARD_DEVICE = 2 << 20,
	AY_WIRE_DIMS = 16,
	AY_WIRE_PARAMS = 256,
	AY_WIRE_ENTRIES = 1024,
	AY_WIRE_NAME = 256,
	AY_WIRE_LINE = 64, /* bytes that two writers must not share */
	AY_WIRE_CALIBRATE_NS = 3000000,
	AY_WIRE_SHIFTS = 4096,    /* of the stack, in steps of 16 */
	AY_WIRE_LAUNCH = 1 << 16, /* AY_GLUE_LAUNCH of op/proto.h */
	AY_WIRE_HEAP_GRAIN = 2 << 20,
	AY_WIRE_FDS = 64, /* at most with one message; the system would take 253 */
};

enum ay_wire_type {
	AY_WIRE_HELLO = 1,
	AY_WIRE_LOAD,
	AY_WIRE_MAP,
	AY_WIRE_CALL,
	AY_WIRE_PREPARE,
	AY_WIRE_RUN,
	AY_WIRE_RUN_TRACED,
	AY_WIRE_REPLAY,
	AY_WIRE_DROP_RESULTS,
	AY_WIRE_CALIBRATE,
	AY_WIRE_QUIT,
	AY_WIRE_MAP_DEVICE,
	AY_WIRE_HEAP,
	AY_WIRE_LOADED,
	AY_WIRE_LOAD_FAILED,
};

/* The entry of an executor that was loaded with nothing: returns 0. */
#define AY_WIRE_NOTHING "ay_nothing"

struct ay_wire_head {
	uint32_t magic;
	uint16_t version, type;
	uint32_t seq, bytes;
};

/* --- the shared page ------------------------------------------------------------------------------------- */

enum ay_wire_what {
	AY_WIRE_UNSET,     /* the judge's word: a `done` that comes with it was not raised by the executor */
	AY_WIRE_RAN,       /* rc: of a GPU, a launch that failed without the kernel's noticing; 0 = none */
	AY_WIRE_REFUSED,   /* rc */
	AY_WIRE_STARVED,   /* rc, after scratch was refused; or no memory for a MAP */
	AY_WIRE_SIGNAL,    /* signal, slot, fault, fault_at */
	AY_WIRE_BROKEN,    /* the executor could not follow the message: rc is an errno */
	AY_WIRE_RAISED,    /* an exception; it and what follows have their words in struct ay_wire_told */
	AY_WIRE_UNFIT,     /* what was returned is no result of this function */
	AY_WIRE_FORBIDDEN, /* it called what it must not */
	AY_WIRE_FAULTED,   /* the device stopped its work: rc is CUDA's error */
};

enum ay_wire_fault { AY_WIRE_NO_FAULT, AY_WIRE_INPUT, AY_WIRE_GUARDED, AY_WIRE_ELSEWHERE, AY_WIRE_ON_DEVICE };

struct ay_wire_status {
	uint32_t what, set;
	int32_t rc, signal, slot;
	uint32_t fault;
	int64_t fault_at;
};

/* Words by who writes them: a line of the cache each. */
struct ay_wire_page {
	_Alignas(AY_WIRE_LINE) uint32_t go;
	uint32_t spin_us; /* how long to spin before sleeping */
	uint32_t judge_sleeps;
	uint32_t filter_n;    /* at the start: instructions of the filter of system calls, in `scalar` */
	uint32_t own_pids;    /* the executor is in a pid namespace of its own */
	uint32_t stack_shift; /* how many bytes lower than usual the stack of calls begins; below AY_WIRE_SHIFTS */
	uint32_t printed;     /* somebody reads what it prints: nothing is kept back in a buffer */
	uint32_t cuda;        /* the executor has a GPU, which is the one with this identity */
	uint8_t uuid[16];
	_Alignas(AY_WIRE_LINE) uint32_t done;
	uint32_t exec_sleeps;
	_Alignas(AY_WIRE_LINE) struct ay_wire_status status;
	uint64_t
		claimed_ns; /* what events of the device say that the last order to run took; trusted for nothing */
	uint64_t claimed_graph_ns; /* the same of the graph of a REPLAY; 0: there was none */
	uint64_t
		mapped_ns; /* CLOCK_MONOTONIC when the memory that came with the last order was mapped; 0: none came */
	_Alignas(AY_WIRE_LINE) ay_scalar scalar[]; /* nset * nscalar results that are not tensors */
};

enum { AY_WIRE_SCALARS = (AY_WIRE_PAGE - (int)sizeof(struct ay_wire_page)) / (int)sizeof(ay_scalar) };

/* A copy of the page's status, judged: false if it cannot be. */
bool ay_wire_status_ok(const struct ay_wire_status *s, uint32_t nset, uint32_t nslot);

/*
 * What comes through the socket to init. The executor sends one as its first deed, for the process number that the
 * system writes on it, and closes its end; init sends one as its last, when the executor has ended. Both come from
 * before or outside of any kernel.
 */
struct ay_wire_life {
	int32_t ended;        /* 0: here I am; 1: it has ended */
	int32_t code, status; /* as in siginfo_t: CLD_EXITED or CLD_KILLED, and with what */
};

/* --- bounded reading and writing ------------------------------------------------------------------------- */

struct ay_wire_reader {
	const uint8_t *p;
	size_t left;
	bool bad;
};

/* The next n bytes and what pads them to 8; NULL, and bad for ever, if they are not there. */
const void *ay_wire_take(struct ay_wire_reader *r, size_t n);
/* Copies instead. */
bool ay_wire_get(struct ay_wire_reader *r, void *dst, size_t n);

struct ay_wire_writer {
	uint8_t *buf;
	size_t cap, len;
	bool full;
};

/* Appends and pads to 8; once something did not fit, nothing more is written. */
void ay_wire_put(struct ay_wire_writer *w, const void *src, size_t n);

/* n bytes that came in one packet: magic, version, and a length that is exact (0 behind the head if beyond
 * INLINE). */
bool ay_wire_head_ok(const void *msg, size_t n, struct ay_wire_head *h);

/* --- payloads -------------------------------------------------------------------------------------------- */

/* In the pool's memory: `offset` bytes into its file. On the device: in memory of its own, which is `offset` bytes longer
 * on either side, so that those can be touched too (0: they cannot); late: an address now, the memory with each RUN. */
enum { AY_WIRE_POOLED, AY_WIRE_MAPPED, AY_WIRE_LATE };

struct ay_wire_slot {
	uint32_t written, device;
	uint64_t offset, bytes;
};

/* The head of a MAP; the slots follow. They are mapped in their order, AY_WIRE_GUARD before each and behind the last;
 * `at`: the address at which that begins, 0 = anywhere. */
struct ay_wire_map {
	uint64_t count, at;
};

/* LEND: a descriptor for each of the first n slots of the device from slot `from` on. */
struct ay_wire_lend {
	uint32_t from, n;
};

bool ay_wire_lend_open(const void *payload, size_t n, uint32_t nslot, struct ay_wire_lend *l);

struct ay_wire_heap {
	uint64_t bytes; /* a multiple of AY_WIRE_HEAP_GRAIN */
};

bool ay_wire_heap_open(const void *payload, size_t n, struct ay_wire_heap *h);

/* Nothing, or what the heap's free memory is to hold from here on. */
struct ay_wire_forget {
	uint32_t poison, pad;
};

bool ay_wire_forget_open(const void *payload, size_t n, struct ay_wire_forget *f);

/* Returns how many slots there are, or -1. */
int ay_wire_map_open(const void *payload, size_t n, uint64_t *at, const struct ay_wire_slot **slot);

struct ay_wire_operand {
	ay_dtype dtype;
	int32_t ndim;
	uint32_t flags, wrapped; /* wrapped: a plain number that stands for a tensor */
	int64_t shape[AY_WIRE_DIMS], stride[AY_WIRE_DIMS];
};

/* Where element 0 of an operand of a set lies. */
struct ay_wire_place {
	uint32_t slot, pad;
	uint64_t byte;
};

enum ay_wire_tag {
	AY_WIRE_NULL,    /* v[i] = NULL */
	AY_WIRE_BYTES,   /* v[i] points at a copy of the payload */
	AY_WIRE_TENSOR,  /* int32 operand */
	AY_WIRE_TENSORS, /* int32 operands; -1 = None */
	AY_WIRE_STRS,    /* NUL-ended strings */
	AY_WIRE_RNG,     /* the set's */
	AY_WIRE_OUT,     /* uint32 number of a scalar result */
	AY_WIRE_CTX,
};

struct ay_wire_param {
	uint32_t tag, bytes;
};

/* The head of a CALL; operands, places (set by set), one ay_rng per set, and params with their payloads follow. */
struct ay_wire_call_head {
	uint32_t entry, threads, nset, noperand, nparam, nscalar;
	uint64_t scratch_max;
	uint32_t told_slot,
		nresult; /* where a struct ay_wire_told goes, with as many results per set; UINT32_MAX: not asked */
	uint64_t plain;  /* bit i: argument i of the schema has its default value */
	uint32_t open;   /* nresult is room; ay_wire_told.count is how many there are, of one set */
	uint8_t poison
		[4]; /* what memory of the heap holds before a call that is not timed: of set i the i % 4th */
};

/* What an executor tells whose kernels return tensors of their own: these lie in its own memory, and the judge reads
 * them there. One ay_wire_result per set and result follows. */
struct ay_wire_told {
	uint32_t count, pad;
	char text[1016]; /* words about `what` of the status; NUL-ended */
};

/* Where a result lies. */
enum ay_wire_where {
	AY_WIRE_HERE,    /* in the executor's own memory, on the processor: `data` is an address */
	AY_WIRE_IN_HEAP, /* `data` bytes into it */
	AY_WIRE_IN_SLOT, /* `data` bytes into slot `slot`, which is memory of the device */
	/* In other memory of the device, at the address `data`: its content was copied to where a native kernel would have
	 * written it. */
	AY_WIRE_COPIED,
};

struct ay_wire_result {
	uint64_t data; /* element 0 */
	ay_dtype dtype;
	int32_t ndim;   /* -1: there is none */
	uint32_t flags; /* as of an ay_tensor */
	uint32_t where, slot, pad;
	int64_t shape[AY_WIRE_DIMS], stride[AY_WIRE_DIMS];
};

#define AY_WIRE_NOT_TOLD UINT32_MAX

/* Are `bytes` of elements spread over so many that reading all of them would be a waste? From the heap such are copied
 * as those are that lie elsewhere, though they are told to lie in it. */
bool ay_wire_is_sparse(uint64_t span, uint64_t bytes);

/* A CALL that was found to be in order. Borrows the message. */
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
/* Everything a kernel is given for one set, made anew in mem (set_bytes, 16-byte aligned), which begins with the
 * v[] of the glue. base[i] is where slot i is mapped. Scalar results begin as all ones, a kind that is none. */
void ay_wire_call_build(const struct ay_wire_call *c, uint32_t set, uint8_t *const *base, const ay_ctx *ctx,
			void *mem);

/* RUN: sets [from, from + n) of the nset that are held, in their order, and all of them `again` times more; a part of each
 * late slot follows, which is what the memory that comes along is. */
struct ay_wire_run {
	uint32_t from, n, again, pad;
};

struct ay_wire_part {
	uint64_t offset, bytes;
};

/* part: as many as there are late slots, or NULL where none come. */
bool ay_wire_run_open(const void *payload, size_t n, uint32_t nset, const struct ay_wire_slot *slot,
		      uint32_t nslot, struct ay_wire_run *r, const struct ay_wire_part **part);

/* The head of a LOADED; NUL-ended names follow, each an identifier. */
struct ay_wire_loaded {
	uint32_t n, flags;
};

enum { AY_WIRE_INTERPRETED = 1 /* it runs in Triton's interpreter */ };

/* Returns how many names there are, or -1. */
int ay_wire_loaded_open(const void *payload, size_t n, uint32_t *flags, const char **names);

#endif
