/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs_gpu - timed sets on a GPU.
 *
 * The template lies on the device, in the judge's memory. Kernels of the judge make the sets from
 * it there, in memory that is new for each batch. Content that is not made from the template
 * (REFILL) is made on the host and copied. Without NVRTC all content is.
 */
#include "timing/inputs_gpu_internal.h"

#include "exec/exec.h"
#include "op/fill.h"

#include <string.h>

enum { COLOURS = 4 }; /* places where a tensor may begin */

#define FOLDED (8ull << 30) /* bytes of a slot for calls that do not read it */

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* --- the template ------------------------------------------------------------------------------------------ */

static int upload(struct ay_input_template *m, struct ay_gpu_master *g, uint64_t noise_bytes, struct ay_err *err)
{
	uint64_t at = g->base.at;

	g->noise = at;
	if (ay_dev_write(g->dev, at, m->noise, noise_bytes, err))
		return -1;
	at += round_up(noise_bytes, g->dev->info.align);
	for (int i = 0; i < m->call->noperand; i++) {
		const uint64_t bytes = ay_input_template_base_bytes(m, i);

		g->at[i] = at;
		if (ay_dev_write(g->dev, at, ay_input_template_base(m, i), bytes, err))
			return -1;
		at += round_up(bytes, g->dev->info.align);
	}
	return 0;
}

/* Returns true if the device can make content: tries a small fill. */
static bool can_make(struct ay_gpu_master *g)
{
	const struct ay_fill_op one = { .to = g->spare.at, .bytes = 64, .how = AY_FILL_OP_POISON };
	struct ay_err no = { 0 };

	return !ay_dev_fill(g->dev, &one, 1, &no);
}

int ay_input_template_to_device(struct ay_input_template *m, struct ay_dev *d, struct ay_err *err)
{
	const uint64_t align = d->info.align, noise = AY_NOISE_LINES * AY_LINE;
	struct ay_gpu_master *g = ay_xrealloc(NULL, sizeof *g);
	uint64_t need = round_up(noise, align), set = align;

	*g = (struct ay_gpu_master){ .dev = d, .base.fd = -1, .spare.fd = -1, .stage.fd = -1 };
	m->gpu = g;
	g->at = ay_xrealloc(NULL, sizeof *g->at * (size_t)(m->call->noperand + 1));
	g->again = ay_xrealloc(NULL, sizeof *g->again * (size_t)(m->call->noperand + 1));
	for (int i = 0; i < m->call->noperand; i++) {
		need += round_up(ay_input_template_base_bytes(m, i), align);
		g->again[i] = set - align;
		set += round_up(ay_operand_bytes(m->call->operand[i]), align);
	}
	if (ay_dev_mem_alloc(d, round_up(need, d->info.grain), false, &g->base, err) ||
	    ay_dev_mem_alloc(d, round_up(set, d->info.grain), false, &g->spare, err) || upload(m, g, noise, err))
		return -1;
	for (int i = 0; i < m->call->noperand; i++)
		g->again[i] += g->spare.at;
	g->can_make = can_make(g);
	return 0;
}

void ay_input_template_release_gpu(struct ay_input_template *m)
{
	struct ay_gpu_master *g = m->gpu;

	if (!g)
		return;
	ay_dev_mem_free(g->dev, &g->base);
	ay_dev_mem_free(g->dev, &g->spare);
	ay_dev_mem_free(g->dev, &g->stage);
	ay_xfree(g->at);
	ay_xfree(g->again);
	ay_xfree(g->made);
	ay_xfree(g->job);
	ay_xfree(g);
	m->gpu = NULL;
}

/* --- sets ------------------------------------------------------------------------------------------------ */

static int slot_for(const struct ay_operand *o, bool numbers)
{
	return o->wrapped && numbers ? SLOT_NUMBERS : o->role == AY_IN ? SLOT_IN : SLOT_OUT;
}

/* Places the operands. All sets are laid out alike, one behind the other, so that one element of
 * several sets can be read at once. end: how much of each slot is used. */
static void lay_out(struct ay_input_sets *s, uint64_t end[SLOTS], bool numbers)
{
	const uint64_t align = s->dev->info.align;
	const int n = s->m->call->noperand;
	uint64_t step[SLOTS] = { 0 };

	for (int i = 0; i < n; i++) {
		const int slot = slot_for(s->m->call->operand[i], numbers);

		s->slot[i] = slot;
		s->offset[i] = step[slot] + ay_secret_below(COLOURS) * align;
		step[slot] = round_up(s->offset[i] + ay_operand_bytes(s->m->call->operand[i]), align);
	}
	for (int k = n; k < n * s->cap; k++) {
		s->slot[k] = s->slot[k % n];
		s->offset[k] = s->offset[k % n] + (s->shared_storage ? 0 : (uint64_t)(k / n) * step[s->slot[k]]);
	}
	for (int slot = 0; slot < SLOTS; slot++)
		end[slot] = step[slot] * (uint64_t)(s->shared_storage ? 1 : s->cap);
	memcpy(s->step, step, sizeof s->step);
}

/* Allocates memory of a slot that lasts as long as the sets. */
static int fix_slot(struct ay_input_sets *s, int i, struct ay_err *err)
{
	struct ay_dev_mem *l = &s->fixed[i];

	if (ay_dev_mem_alloc(s->dev, s->pool.slot[i].bytes, true, l, err))
		return -1;
	s->mapping.slot[i] = (struct ay_dev_mapping_slot){ .fd = l->fd, .at = l->at, .bytes = l->bytes };
	return 0;
}

int ay_input_sets_init_gpu(struct ay_input_sets *s, const struct ay_input_template *m, int cap,
			   bool shared_storage, bool numbers, bool ungated, struct ay_err *err)
{
	const int n = m->call->noperand;
	uint64_t at[SLOTS] = { 0 };

	*s = (struct ay_input_sets){ .m = m,
				     .cap = cap,
				     .shared_storage = shared_storage,
				     .told = SLOT_TOLD,
				     .python = numbers,
				     .dev = m->gpu->dev,
				     .ungated = ungated,
				     .pool = { .fd = { -1, -1 } } };
	s->slot = ay_xrealloc(NULL, sizeof *s->slot * (size_t)(n * cap + 1));
	s->offset = ay_xrealloc(NULL, sizeof *s->offset * (size_t)(n * cap + 1));
	for (int i = 0; i < AY_DEV_MEMS; i++)
		s->fixed[i].fd = s->mems.mem[i].fd = -1;
	lay_out(s, at, numbers);
	if (shared_storage && !ungated) /* addresses only */
		at[SLOT_IN] = FOLDED;
	s->has_rng = ay_input_template_has_rng(m);
	s->rng = (struct ay_rng_place){ SLOT_NUMBERS, round_up(at[SLOT_NUMBERS], AY_ALIGN) };
	if (s->has_rng)
		at[SLOT_NUMBERS] = s->rng.offset + sizeof(ay_rng) * (uint64_t)cap;
	{
		const struct ay_need need[SLOTS] = { { at[SLOT_IN], false, false, true },
						     { at[SLOT_OUT], true, false, true },
						     { ay_exec_told_bytes(m->call, cap), true, true, false },
						     { at[SLOT_NUMBERS], false, true, false } };

		if (ay_pool_init_grain(&s->pool, s->dev->info.grain, SLOTS, need, err))
			return -1;
	}
	s->mapping = (struct ay_dev_mapping){ .id = ay_secret_u64(), .nslot = SLOTS };
	s->mapping.slot = ay_xrealloc(NULL, sizeof *s->mapping.slot * SLOTS);
	for (int i = 0; i < SLOTS; i++)
		s->mapping.slot[i] = (struct ay_dev_mapping_slot){ .fd = -1 };
	if ((ungated && fix_slot(s, SLOT_IN, err)) ||
	    ((ungated || !ay_input_template_is_updated(m)) && fix_slot(s, SLOT_OUT, err)))
		return -1;
	for (int k = 0; k < n * cap; k++)
		if (s->slot[k] == SLOT_NUMBERS) /* given by the line: equal in all sets */
			ay_input_template_write(m, k % n, (struct ay_key){ 0 }, 0,
						s->pool.slot[SLOT_NUMBERS].mem + s->offset[k]);
	s->shadow = ay_xrealloc(NULL, sizeof *s->shadow);
	return ay_input_sets_init(s->shadow, m, cap, true, err);
}

void ay_input_sets_unmap(struct ay_input_sets *s)
{
	for (int i = 0; s->dev && i < s->mems.n; i++) {
		ay_dev_mem_free(s->dev, &s->mems.mem[i]);
		s->mapping.slot[i].bytes = 0;
	}
	s->mems.n = s->nprobe = 0;
}

void ay_input_sets_release_gpu(struct ay_input_sets *s)
{
	ay_input_sets_unmap(s);
	for (int i = 0; i < AY_DEV_MEMS; i++)
		ay_dev_mem_free(s->dev, &s->fixed[i]);
	ay_xfree(s->mapping.slot);
	if (s->shadow)
		ay_input_sets_release(s->shadow);
	ay_xfree(s->shadow);
}

static int late_slots(const struct ay_input_sets *s)
{
	return s->ungated ? 0 : s->fixed[SLOT_OUT].bytes ? 1 : AY_DEV_MEMS;
}

/* Returns the present memory of a slot. */
static const struct ay_dev_mem *dev_mem_of(const struct ay_input_sets *s, int slot)
{
	return s->fixed[slot].bytes ? &s->fixed[slot] : &s->mems.mem[slot];
}

/* The range of bytes of a slot in which some sets lie. */
struct span {
	uint64_t lo, hi;
};

static void find_spans(const struct ay_input_sets *s, int from, int n, struct span span[AY_DEV_MEMS])
{
	const int ops = s->m->call->noperand;

	for (int i = 0; i < AY_DEV_MEMS; i++)
		span[i] = (struct span){ UINT64_MAX, 0 };
	for (int k = from * ops; k < (from + n) * ops; k++) {
		struct span *p = &span[s->slot[k] < AY_DEV_MEMS ? s->slot[k] : 0];
		const uint64_t end = s->offset[k] + ay_operand_bytes(s->m->call->operand[k % ops]);

		if (s->slot[k] >= AY_DEV_MEMS)
			continue;
		p->lo = s->offset[k] < p->lo ? s->offset[k] : p->lo;
		p->hi = end > p->hi ? end : p->hi;
	}
	for (int i = 0; i < AY_DEV_MEMS; i++)
		if (span[i].lo > span[i].hi)
			span[i] = (struct span){ 0, 0 };
}

static int take_dev_mem(struct ay_input_sets *s, int i, uint64_t bytes, struct ay_err *err)
{
	if (ay_dev_mem_alloc(s->dev, bytes, true, &s->mems.mem[i], err))
		return -1;
	s->mems.n = i + 1;
	s->mapping.slot[i].at = s->mems.mem[i].at;
	s->mapping.slot[i].bytes = bytes;
	return 0;
}

/* Allocates new memory for the parts of the late slots that hold these sets. Late slots are those
 * whose memory the executor gets only with the order to run. */
static int share_memory(struct ay_input_sets *s, const struct span span[AY_DEV_MEMS], struct ay_err *err)
{
	const uint64_t grain = s->dev->info.grain;

	ay_input_sets_unmap(s);
	for (int i = 0; i < late_slots(s); i++) {
		const uint64_t offset = span[i].lo / grain * grain;
		const uint64_t bytes = round_up(span[i].hi - offset, grain);

		/* memory of 0 bytes cannot be allocated */
		if (take_dev_mem(s, i, bytes ? bytes : grain, err))
			return -1;
		s->mems.mem[i].offset = offset;
		s->mapping.slot[i].at = s->mems.mem[i].at - offset;
	}
	return 0;
}

int ay_input_sets_map_nothing(struct ay_input_sets *s, uint64_t bytes, struct ay_err *err)
{
	ay_input_sets_unmap(s);
	for (int i = 0; i < late_slots(s); i++) {
		const uint64_t most = s->pool.slot[i].bytes, want = round_up(bytes + 1, s->dev->info.grain);

		if (take_dev_mem(s, i, want < most ? want : most, err))
			return -1;
	}
	return 0;
}

uint64_t ay_input_sets_address(const struct ay_input_sets *s, int k)
{
	const struct ay_dev_mem *l = dev_mem_of(s, s->slot[k]);

	return l->at + s->offset[k] - l->offset;
}

struct ay_fill_op *ay_input_sets_job(const struct ay_input_sets *s, int i)
{
	struct ay_gpu_master *g = s->m->gpu;

	if (i >= g->njob) {
		g->njob = 2 * i + 64;
		g->job = ay_xrealloc(g->job, sizeof *g->job * (size_t)g->njob);
	}
	return &g->job[i];
}

/* Returns space for `bytes` more of content that is made on the host. */
static uint8_t *stage_room(struct ay_gpu_master *g, uint64_t used, uint64_t bytes)
{
	if (used + bytes > g->made_bytes) {
		g->made_bytes = round_up(2 * (used + bytes), g->dev->info.grain);
		g->made = ay_xrealloc(g->made, g->made_bytes);
	}
	return g->made + used;
}

/* Copies the content made on the host to the device in one piece. Fill operations then copy it to
 * its places. */
static int send_stage(struct ay_gpu_master *g, uint64_t used, int njob, struct ay_err *err)
{
	if (!used)
		return 0;
	if (used > g->stage.bytes) {
		ay_dev_mem_free(g->dev, &g->stage);
		if (ay_dev_mem_alloc(g->dev, g->made_bytes, false, &g->stage, err))
			return -1;
	}
	for (int i = 0; i < njob; i++)
		if (g->job[i].how == AY_FILL_OP_COPY)
			g->job[i].from += g->stage.at;
	return ay_dev_write(g->dev, g->stage.at, g->made, used, err);
}

static int make_there(struct ay_input_sets *s, const struct span span[AY_DEV_MEMS], int from, int n,
		      uint8_t poison, struct ay_err *err)
{
	const struct ay_dev_mem *out = dev_mem_of(s, SLOT_OUT);
	const struct ay_fill_op wipe = { .to = out->at + span[SLOT_OUT].lo - out->offset,
					 .bytes = span[SLOT_OUT].hi - span[SLOT_OUT].lo,
					 .start = poison,
					 .how = AY_FILL_OP_POISON };
	struct ay_gpu_master *g = s->m->gpu;
	const int ops = s->m->call->noperand;
	uint64_t used = 0;
	int njob = 0;

	for (int k = from * ops; k < (from + n) * ops; k++) {
		struct ay_fill_op *job = ay_input_sets_job(s, njob);

		if (s->slot[k] >= AY_DEV_MEMS || !ay_input_template_is_input(s->m, k % ops))
			continue;
		if (ay_input_template_plan(s->m, k % ops, s->key, k / ops, job)) {
			ay_fill_op_aim(job, g->at[k % ops], g->noise);
		} else {
			*job = (struct ay_fill_op){ .how = AY_FILL_OP_COPY, .from = used };
			job->bytes = ay_operand_bytes(s->m->call->operand[k % ops]);
			ay_input_template_write(s->m, k % ops, s->key, k / ops, stage_room(g, used, job->bytes));
			used += round_up(job->bytes, s->dev->info.align);
		}
		job->to = ay_input_sets_address(s, k);
		njob += job->bytes > 0;
	}
	if ((wipe.bytes && ay_dev_fill(s->dev, &wipe, 1, err)) || send_stage(g, used, njob, err))
		return -1;
	return njob ? ay_dev_fill(s->dev, g->job, njob, err) : 0;
}

static int make_here(struct ay_input_sets *s, const struct span span[AY_DEV_MEMS], int from, int n, uint8_t poison,
		     struct ay_err *err)
{
	const int ops = s->m->call->noperand;
	int rc = 0;

	for (int slot = 0; slot < AY_DEV_MEMS && !rc; slot++) {
		const struct ay_dev_mem *l = dev_mem_of(s, slot);
		const uint64_t lo = span[slot].lo, bytes = span[slot].hi - lo;
		uint8_t *mem = ay_xrealloc(NULL, bytes + 1);

		memset(mem, poison, bytes);
		for (int k = from * ops; k < (from + n) * ops; k++)
			if (s->slot[k] == slot)
				ay_input_template_write(s->m, k % ops, s->key, k / ops, mem + s->offset[k] - lo);
		rc = ay_dev_write(s->dev, l->at + lo - l->offset, mem, bytes, err);
		ay_xfree(mem);
	}
	return rc;
}

int ay_input_sets_write_gpu(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			    struct ay_err *err)
{
	struct span span[AY_DEV_MEMS];

	s->key = key;
	find_spans(s, from, n, span);
	if (share_memory(s, span, err))
		return -1;
	return (s->m->gpu->can_make ? make_there : make_here)(s, span, from, n, poison, err);
}

/* --- probes ---------------------------------------------------------------------------------------------- */

/* Returns a random output that lies in mapped memory: for native kernels any output, for Python
 * only those that are arguments. */
static const struct ay_operand *draw_output(const struct ay_input_sets *s, bool results)
{
	const struct ay_call *c = s->m->call;
	const struct ay_operand *o = c->nout ? c->out[ay_secret_below((uint64_t)c->nout)] : NULL;

	return o && ay_numel_of(&o->view) && (results || o->role != AY_RESULT) ? o : NULL;
}

static uint64_t element_at(const struct ay_input_sets *s, int set, const struct ay_operand *o, int64_t i)
{
	return ay_input_sets_address(s, set * s->m->call->noperand + o->ordinal) +
	       (uint64_t)((o->view.offset + ay_view_at(&o->view, i)) * ay_dt_info(o->view.dt)->bytes);
}

/* Chooses elements without content, so that the copy engine gets as many orders as for a kernel's
 * batch. */
static void first_of_nothing(struct ay_input_sets *s, uint32_t width)
{
	const struct ay_dev_mem *l = dev_mem_of(s, SLOT_OUT);

	for (s->nprobe = 0; s->nprobe < 2; s->nprobe++)
		s->probe[s->nprobe] = (struct ay_dev_probe_place){
			.at = l->at, .pitch = 4096, .width = width, .rows = AY_PROBE_ROWS
		};
}

/* Chooses one element in several sets, and several elements of one set. */
void ay_input_sets_choose_probes(struct ay_input_sets *s, int from, int n, bool results)
{
	const struct ay_operand *o = draw_output(s, results);
	const int64_t count = o ? ay_numel_of(&o->view) : 0;
	const uint32_t width = o ? (uint32_t)ay_dt_info(o->view.dt)->bytes : 0;
	const int every = n / AY_PROBE_ROWS + 1, first = from + (int)ay_secret_below((uint64_t)every);
	const int64_t range = count / AY_PROBE_ROWS;

	s->nprobe = 0;
	if (!o)
		return;
	if (s->shared_storage) { /* there is no content, but reading takes as long */
		first_of_nothing(s, width);
		return;
	}
	s->probe[s->nprobe++] = (struct ay_dev_probe_place){
		.at = element_at(s, first < from + n ? first : from, o, (int64_t)ay_secret_below((uint64_t)count)),
		.pitch = s->step[s->slot[o->ordinal]] * (uint64_t)every,
		.width = width,
		.rows = (uint32_t)(first < from + n ? (from + n - first + every - 1) / every : 1)
	};
	if (range && ay_view_is_dense(&o->view))
		s->probe[s->nprobe++] = (struct ay_dev_probe_place){
			.at = element_at(s, from + (int)ay_secret_below((uint64_t)n), o,
					 (int64_t)ay_secret_below((uint64_t)range)),
			.pitch = (uint64_t)range * width,
			.width = width,
			.rows = AY_PROBE_ROWS
		};
}

bool ay_input_sets_hold(const struct ay_input_sets *s, uint64_t at, uint64_t bytes)
{
	for (int i = 0; i < AY_DEV_MEMS; i++) {
		const struct ay_dev_mem *l = dev_mem_of(s, i);

		if (l->bytes && at >= l->at && at - l->at <= l->bytes && bytes <= l->bytes - (at - l->at))
			return true;
	}
	return false;
}

int ay_input_sets_reread_probes(struct ay_input_sets *s, bool *late, struct ay_err *err)
{
	struct ay_dev_probe_place now[AY_PROBE_MAX];

	*late = false;
	memcpy(now, s->probe, sizeof *now * (size_t)s->nprobe);
	if (s->nprobe && ay_dev_probe(s->dev, s->nprobe, now, err))
		return -1;
	for (int i = 0; i < s->nprobe; i++)
		*late |= memcmp(now[i].found, s->probe[i].found, (size_t)now[i].width * now[i].rows) != 0;
	return 0;
}
