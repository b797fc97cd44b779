/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes over the wire, from either side: the first byte says what the rest is taken for.
 */
#include "exec/result_desc.h"
#include "exec/wire.h"

#include <stdlib.h>
#include <string.h>

/* The same bytes at an address as aligned as a packet's, and nothing behind them. */
static void *copy(const uint8_t *data, size_t n)
{
	void *p = malloc(n ? n : 1);

	if (p && n)
		memcpy(p, data, n);
	return p;
}

static void call(const void *payload, size_t n)
{
	static const struct ay_wire_slot slot[] = { { 0, 0, 0, 4096 }, { 1, 0, 0, 8192 }, { 0, 0, 4096, 4096 } };
	static uint8_t memory[3][8192];
	uint8_t *const base[] = { memory[0], memory[1], memory[2] };
	ay_ctx ctx = { .abi = AY_ABI };
	struct ay_wire_call c;
	void *mem;

	if (!ay_wire_call_open(payload, n, 4, slot, 3, &c) || c.set_bytes > 1 << 20)
		return;
	mem = malloc(c.set_bytes);
	for (uint32_t i = 0; mem && i < c.h.nset && i < 8; i++)
		ay_wire_call_build(&c, i, base, &ctx, mem);
	free(mem);
}

/* A CALL that is in order, with bytes of it replaced: gets deeper than bytes alone. */
static void patched(const uint8_t *data, size_t n)
{
	static _Alignas(16) uint8_t buf[4096];
	struct ay_wire_writer w = { buf, sizeof buf, 0, false };
	struct ay_wire_call_head h = {
		.threads = 1, .nset = 2, .noperand = 2, .nparam = 7, .nscalar = 1, .called = 1
	};
	struct ay_wire_operand o = {
		.dtype = { AY_CODE_FLOAT, 32, 1 }, .ndim = 2, .shape = { 2, 3 }, .stride = { 3, 1 }
	};
	struct ay_wire_place place = { .slot = 1, .byte = 64 };
	const uint32_t tags[] = { AY_WIRE_TENSOR, AY_WIRE_TENSORS, AY_WIRE_STRS, AY_WIRE_BYTES,
				  AY_WIRE_OUT,    AY_WIRE_RNG,     AY_WIRE_CTX };
	const uint32_t bytes[] = { 4, 12, 4, 5, 4, 0, 0 };
	const ay_rng rng = { 1, 2 };
	uint8_t *mem;

	ay_wire_put(&w, &h, sizeof h);
	for (int i = 0; i < 2; i++)
		ay_wire_put(&w, &o, sizeof o);
	for (int i = 0; i < 4; i++)
		ay_wire_put(&w, &place, sizeof place);
	for (int i = 0; i < 2; i++)
		ay_wire_put(&w, &rng, sizeof rng);
	for (int i = 0; i < 7; i++) {
		struct ay_wire_param p = { tags[i], bytes[i] };

		ay_wire_put(&w, &p, sizeof p);
		ay_wire_put(&w, "\0\0\0\0\0\0\0\0\0\0\0\0", bytes[i]);
	}
	for (size_t i = 0; i + 3 <= n; i += 3)
		buf[(data[i] | data[i + 1] << 8) % w.len] = data[i + 2];
	mem = copy(buf, w.len);
	if (mem)
		call(mem, w.len);
	free(mem);
}

static void loaded(const void *payload, size_t n)
{
	const char *names;
	uint32_t flags = 0;
	int count = ay_wire_loaded_open(payload, n, &flags, &names);

	for (int i = 0; i < count; i++)
		names += strlen(names) + 1;
}

static void status(const void *payload, size_t n)
{
	struct ay_wire_status s = { 0 };

	memcpy(&s, payload, n < sizeof s ? n : sizeof s);
	if (ay_wire_status_ok(&s, 3, 2) && (s.set > 3 || s.slot >= 2 || s.slot < -1))
		abort();
}

static bool inside(const struct ay_wire_part *p, uint64_t bytes)
{
	struct ay_wire_part part;

	memcpy(&part, p, sizeof part);
	return part.bytes && part.offset < bytes && part.bytes <= bytes - part.offset;
}

/* What passes names sets that are held, or slots that there are, and no others. */
static void run(const void *payload, size_t n)
{
	static const uint32_t held[] = { 0, 1, 7, UINT32_MAX };
	static const struct ay_wire_slot slot[] = { { 0, AY_WIRE_LATE, 0, 1 << 20 },
						    { 1, AY_WIRE_POOLED, 0, 1 << 16 },
						    { 1, AY_WIRE_LATE, 0, 1 << 22 } };
	const struct ay_wire_part *part;
	struct ay_wire_lend l;
	struct ay_wire_run r;
	struct ay_wire_heap h;
	struct ay_wire_forget f;

	if (ay_wire_heap_open(payload, n, &h) && (!h.bytes || h.bytes % AY_WIRE_HEAP_GRAIN))
		abort();
	if (ay_wire_forget_open(payload, n, &f) && f.poison > 0xff)
		abort();

	for (int i = 0; i < 4; i++) {
		if (ay_wire_run_open(payload, n, held[i], slot, 3, &r, &part) &&
		    (!r.n || (uint64_t)r.from + r.n > (uint64_t)held[i] ||
		     (part && !(inside(part, 1 << 20) && inside(part + 1, 1 << 22)))))
			abort();
		if (ay_wire_lend_open(payload, n, held[i], &l) &&
		    (!l.n || l.n > AY_WIRE_FDS || (uint64_t)l.from + l.n > (uint64_t)held[i]))
			abort();
	}
}

/* What is told of a result, with the first byte for what is due; what passes lies inside of [lo, hi), and can be laid
 * down from there. */
static void told(const uint8_t *payload, size_t n)
{
	static const enum ay_dt types[] = { AY_DT_F32, AY_DT_B8, AY_DT_C64, AY_DT_F64 };
	struct ay_operand want = { .name = "out", .view = { .ndim = 2, .shape = { 2, 3 }, .stride = { 3, 1 } } };
	struct ay_wire_result r = { 0 };
	struct ay_result_desc t;
	uint64_t item, most = 0;
	uint8_t *mem, due[6 * 16];
	char text[100];

	if (!n)
		return;
	want.view.dt = types[payload[0] % 4];
	want.has_stride = payload[0] & 4;
	want.view.data = due;
	item = (uint64_t)ay_dt_info(want.view.dt)->bytes;
	if (payload[0] & 8) { /* the truth, but for what follows */
		r = (struct ay_wire_result){ .data = 1 << 20, .ndim = 2, .shape = { 2, 3 }, .stride = { 3, 1 } };
		r.dtype = (ay_dtype){ ay_dt_info(want.view.dt)->dl_code, ay_dt_info(want.view.dt)->dl_bits, 1 };
		for (size_t i = 1; i + 2 <= n; i += 2)
			((uint8_t *)&r)[payload[i] % 96] = payload[i + 1];
	} else {
		memcpy(&r, payload + 1, n - 1 < sizeof r ? n - 1 : sizeof r);
	}
	if (ay_result_desc_examine(&t, &r, &want, payload[0] & 16, text, sizeof text))
		return;
	for (int64_t i = 0; i < 6; i++) {
		uint64_t at = (uint64_t)ay_view_at(&t.view, i) * item;

		most = at > most ? at : most;
	}
	if (t.hi < t.lo || most + item != t.hi - t.lo)
		abort();
	if (!ay_result_desc_is_sparse(&t) && t.hi - t.lo > 64 << 20)
		abort();
	mem = calloc(1, ay_result_desc_is_sparse(&t) ? 6 * item : t.hi - t.lo);
	if (mem)
		ay_result_desc_lay(&t, mem, &want.view);
	free(mem);
}

/* The same of a device: what passes lies inside of what it is told to lie in. */
static void told_device(const uint8_t *payload, size_t n)
{
	static const struct ay_slot slot[] = { { .bytes = 4096 },
					       { .bytes = 4096, .host = true },
					       { .bytes = 8192 } };
	const struct ay_result_desc_memory m = { 1 << 21, 3, slot };
	const struct ay_operand want = {
		.name = "out", .view = { .dt = AY_DT_F32, .ndim = 2, .shape = { 2, 3 }, .stride = { 3, 1 } }
	};
	struct ay_wire_result r = { .ndim = 2, .shape = { 2, 3 }, .stride = { 3, 1 }, .where = AY_WIRE_IN_HEAP };
	uint64_t room = m.heap;
	struct ay_result_desc t;
	char text[100];

	r.dtype = (ay_dtype){ ay_dt_info(AY_DT_F32)->dl_code, ay_dt_info(AY_DT_F32)->dl_bits, 1 };
	for (size_t i = 0; i + 2 <= n; i += 2)
		((uint8_t *)&r)[payload[i] % sizeof r] = payload[i + 1];
	if (ay_result_desc_find(&t, &r, &want, true, &m, text, sizeof text) || t.where == AY_WIRE_COPIED)
		return;
	if (t.where == AY_WIRE_IN_SLOT && (t.slot > 2 || slot[t.slot].host))
		abort();
	if (t.where == AY_WIRE_IN_SLOT)
		room = slot[t.slot].bytes;
	if (t.where == AY_WIRE_HERE || t.offset > room || t.hi - t.lo > room - t.offset)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct ay_wire_slot *slot;
	struct ay_wire_head head;
	uint64_t where;
	uint8_t *payload;

	if (!n)
		return 0;
	payload = copy(data + 1, n - 1);
	if (!payload)
		return 0;
	switch (data[0] % 9) {
	case 0: call(payload, n - 1); break;
	case 1: loaded(payload, n - 1); break;
	case 2: status(payload, n - 1); break;
	case 3: ay_wire_map_open(payload, n - 1, &where, &slot); break;
	case 4: patched(payload, n - 1); break;
	case 5: run(payload, n - 1); break;
	case 6: told(payload, n - 1); break;
	case 7: told_device(payload, n - 1); break;
	default: ay_wire_head_ok(payload, n - 1, &head);
	}
	free(payload);
	return 0;
}
