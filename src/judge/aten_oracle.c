/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/aten_oracle.h"

#include "judge/aten_crosscheck.h"
#include "judge/aten_memory.h"
#include "judge/case_run.h"
#include "op/fill.h"

#include <string.h>

enum {
	ROOM = 128, /* most tensors that an answer may have */
	EACH = 4,   /* tensors per result in an answer: see torch/assay/oracle.py */
	ALIAS = 1,
	ABSENT = 2,
	TIMEOUT_S = 120,     /* seconds for an answer */
	BYTES_A_S = 4 << 20, /* a second more for these: some twenty passes over doubles */
	/* Elements from which the GPU is used. An answer of the GPU takes some milliseconds,
	 * however small the call, and its first one a second for a context. The CPU takes 70 ms
	 * for this many elements. */
	LARGE = 1 << 20,
	MUCH = 4 << 20, /* elements from which the CPU is used only if necessary */
	/* shorter, since calls on the GPU are short and other judges wait for them */
	TIMEOUT_GPU_S = 20,
	BYTES_GPU_A_S = 128 << 20, /* larger, but some GPUs are 64 times slower in double */
	FAILURES_MAX = 3,          /* of the GPU on one operator; a hang counts as this many */
};

/* --- executors ------------------------------------------------------------------------------------------- */

static void rest(struct ay_aten_oracle_exec *x)
{
	ay_exec_stop(x->exec);
	x->exec = NULL;
	x->op = NULL;
	ay_arena_clear(&x->arena);
}

static int enter(struct ay_aten_oracle *w, struct ay_perf_lock *lock, struct ay_err *err)
{
	lock->n = 0;
	return w->judge ? ay_judge_enter(w->judge, lock, err) : 0;
}

static void leave(struct ay_aten_oracle *w, struct ay_perf_lock *lock)
{
	if (w->judge)
		ay_judge_leave(w->judge, lock);
}

/* Ends the GPU executor. The end of a context is work for the GPU, so the judge takes the lock. If
 * that fails, the executor is ended all the same. */
static void rest_gpu(struct ay_aten_oracle *w)
{
	struct ay_err ignored = { 0 };
	struct ay_perf_lock lock;

	if (!w->gpu.exec)
		return;
	enter(w, &lock, &ignored);
	rest(&w->gpu);
	leave(w, &lock);
}

/* Returns where an executor is kept for the next oracle; NULL: not kept. An executor with a user's
 * reference has only that, so it is not kept. */
static struct ay_exec **spare_of(struct ay_aten_oracle *w, const struct ay_aten_oracle_exec *x)
{
	return !w->spare || w->ref_fd > 0 ? NULL : &w->spare[x == &w->gpu];
}

static void keep(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x)
{
	struct ay_exec **spare = spare_of(w, x);

	if (!x->exec || !spare || *spare)
		return;
	*spare = x->exec;
	x->exec = NULL;
}

void ay_aten_oracle_release(struct ay_aten_oracle *w)
{
	ay_pool_release(&w->pool);
	w->laid.n = 0;
	keep(w, &w->cpu);
	keep(w, &w->gpu);
	rest_gpu(w);
	rest(&w->cpu);
	ay_arena_release(&w->gpu.arena);
	ay_arena_release(&w->cpu.arena);
}

/* Loads the operator's functions into a running or kept executor. Importing torch and creating a
 * context on a GPU take seconds. */
static int learn(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_exec_spec *spec,
		 struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec **spare = spare_of(w, x);

	if (!x->exec && spare) {
		x->exec = *spare;
		*spare = NULL;
	}
	if (!x->exec)
		return 0;
	if (ay_exec_load(x->exec, spec, &x->arena, &x->entries, o, err))
		return -1;
	if (o->what == AY_EXEC_RAN)
		return 0;
	ay_exec_stop(x->exec);
	x->exec = NULL;
	return 0;
}

/* Provides an executor with the functions of the operator. */
static int get_ready(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_entry_op *op,
		     struct ay_outcome *o, struct ay_err *err)
{
	struct ay_python_kernel kernel = { .backend = "oracle", .file = w->ref_file };
	struct ay_exec_spec spec = { .so_fd = w->ref_fd > 0 ? w->ref_fd : -1,
				     .python = w->python,
				     .load_timeout_s = TIMEOUT_S,
				     .sandbox = w->sandbox };
	const struct ay_proto **protos;

	if (x->op == op && x->exec)
		return 0;
	if (w->ref_fd > 0)
		rest(x);
	x->op = NULL;
	ay_arena_clear(&x->arena);
	protos = AY_NEW_N(&x->arena, const struct ay_proto *, op->nschema);
	for (int i = 0; i < op->nschema; i++) {
		struct ay_proto *p;
		struct ay_err ignored = { 0 };

		if (!ay_proto_make(&x->arena, ay_aten_request_schema(&x->arena, op->schema[i]), &p, &ignored))
			protos[kernel.n++] = p;
	}
	kernel.proto = protos;
	if (x == &w->gpu) {
		kernel.place = w->place ? w->place : "cuda";
		spec.device = w->device;
	}
	spec.about = ay_python_about(&x->arena, &kernel);
	if (learn(w, x, &spec, o, err) ||
	    (!x->exec && ay_exec_start(&spec, &x->arena, &x->exec, &x->entries, o, err)))
		return -1;
	x->op = op;
	return 0;
}

/* --- who is asked ---------------------------------------------------------------------------------------- */

/* Returns true if other processes use memory of the GPU and free it after their case. They do not
 * while this judge has the GPU exclusively. */
static bool is_crowded(const struct ay_aten_oracle *w)
{
	return w->judge && w->judge->policy.device_crowd > 1 && !w->judge->entered;
}

static int64_t elements_of(const struct ay_call *c)
{
	int64_t n = 0;

	for (int i = 0; i < c->noperand; i++)
		n += c->operand[i]->role != AY_RESULT ? ay_numel_of(&c->operand[i]->view) : 0;
	return n;
}

/* Returns true for convolutions: in double the CPU takes a second for one of a few elements. */
static bool is_much_work(const struct ay_call *c)
{
	return strstr(c->s->base, "convolution");
}

bool ay_aten_oracle_is_for_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c)
{
	if (!w->device || w->device->info.kind != AY_DEV_CUDA || (w->failed == op && w->failures >= FAILURES_MAX))
		return false;
	return elements_of(c) >= (is_much_work(c) ? LARGE / 64 : LARGE) && ay_aten_memory_back(c) &&
	       ay_aten_memory_on_gpu(w->device, c, is_crowded(w));
}

static const char *too_large(struct ay_aten_oracle *w, const struct ay_call *c, struct ay_arena *a)
{
	uint64_t have, need;

	w->short_of_memory = !ay_aten_memory_here(c, &need, &have);
	if (!w->short_of_memory)
		return NULL;
	return ay_sprintf(a,
			  "ATen's answer in double needs about %llu bytes of memory, half of the %llu that are "
			  "free is too little",
			  (unsigned long long)need, (unsigned long long)have);
}

/* Returns how many seconds the answer may take. */
static double patience(const struct ay_call *c, bool gpu)
{
	double bytes = 0;

	for (int i = 0; i < c->noperand; i++)
		bytes += (double)ay_operand_bytes(c->operand[i]);
	return gpu ? TIMEOUT_GPU_S + bytes / BYTES_GPU_A_S : TIMEOUT_S + bytes / BYTES_A_S;
}

/* --- questions and answers ------------------------------------------------------------------------------- */

/* Copies an argument's storage before the call: from its fill, or for a closed call from memory. */
static void copy_in(const struct ay_call *c, const struct ay_operand *o, uint8_t *to, int threads)
{
	const struct ay_view *v = o->role == AY_INOUT ? &o->old : &o->view;

	if (!c->given)
		ay_fill_storage_by(c, o, to, threads);
	else
		memcpy(to, (const uint8_t *)v->data - v->offset * ay_dt_info(v->dt)->bytes, ay_operand_bytes(o));
}

/* Reuses the pool, or allocates a new one. No kernel has access to this pool, so its previous
 * layout does not matter. kept: memory that executors may only read still has its content. */
static int get_pool(struct ay_pool *pool, int n, const struct ay_need *need, bool *kept, struct ay_err *err)
{
	const uint8_t *was = pool->mem[0];

	*kept = pool->slot && ay_pool_recut(pool, n, need);
	if (*kept) {
		*kept = pool->mem[0] == was; /* a larger one is allocated before this is freed */
		return 0;
	}
	if (pool->slot)
		ay_pool_release(pool);
	return ay_pool_init_roomy(pool, AY_PAGE, n, need, err); /* later requests may add results */
}

/* Returns how many of the call's arguments, from the first on, lie in the pool from another
 * request about the same call. */
static int count_laid(const struct ay_aten_oracle *w, const struct ay_call *c)
{
	int n = 0;

	while (n < w->laid.n && n < c->noperand && w->laid.operand[n] == c->operand[n])
		n++;
	return n;
}

/* Places the call's arguments in the pool. The executor may write what the call writes. */
static int lay_out(struct ay_aten_oracle *w, struct ay_call *c, struct ay_arena *a, struct ay_batch *b,
		   struct ay_err *err)
{
	struct ay_need *need = AY_NEW_N(a, struct ay_need, c->noperand + 1);
	int *slot = AY_NEW_N(a, int, c->noperand + 1), laid = count_laid(w, c);
	uint64_t *offset = AY_NEW_N(a, uint64_t, c->noperand + 1);
	struct ay_pool *pool = &w->pool;
	bool kept;

	for (int i = 0; i < c->noperand; i++) {
		need[i] = (struct ay_need){ ay_operand_bytes(c->operand[i]), c->operand[i]->role != AY_IN };
		slot[i] = i;
		offset[i] = 0;
	}
	need[c->noperand] = (struct ay_need){ ay_exec_room_bytes(ROOM), true };
	w->laid.n = 0;
	if (get_pool(pool, c->noperand + 1, need, &kept, err))
		return -1;
	for (int i = 0; i < c->noperand; i++) {
		const uint64_t bytes = c->operand[i]->role != AY_OUT ? need[i].bytes : 0;

		if (kept && i < laid && !need[i].written) /* unchanged, like all slots before */
			continue;
		memset(pool->slot[i].mem + bytes, 0, pool->slot[i].bytes - bytes);
		if (bytes)
			copy_in(c, c->operand[i], pool->slot[i].mem, b->threads);
	}
	if (!c->given)
		w->laid.operand = c->operand;
	w->laid.n = !c->given ? c->noperand : kept ? laid : 0;
	b->pool = pool;
	b->slot = slot;
	b->offset = offset;
	b->told = c->noperand;
	return 0;
}

/* Converts the oracle's tensors for one result to an answer. Returns false if they are invalid. */
static bool take_answer(const struct ay_view *v, bool shape_only, struct ay_answer *out)
{
	const int64_t n = ay_numel_of(&v[1]);

	*out = (struct ay_answer){ .meta = { .dt = v[0].dt, .ndim = v[0].ndim }, .want = v[1] };
	memcpy(out->meta.shape, v[0].shape, sizeof out->meta.shape);
	if (!shape_only && (ay_numel_of(&v[0]) != n || (n && !v[1].data)))
		return false;
	if (!shape_only && ay_numel_of(&v[2]) == n && v[2].dt == AY_DT_F64)
		out->mag = v[2].data;
	if (v[3].dt != AY_DT_I64 || v[3].ndim || !v[3].data)
		return false;
	out->meta.may_alias = *(const int64_t *)v[3].data & ALIAS;
	out->meta.absent = *(const int64_t *)v[3].data & ABSENT;
	return true;
}

/* Converts everything that was returned to *given; for a request for shapes, without values. */
static int take_answers(const struct ay_view *v, int n, enum ay_aten_request q, const char *name,
			struct ay_arena *a, struct ay_expected **given, struct ay_err *err)
{
	struct ay_expected *g = AY_NEW(a, struct ay_expected);

	*g = (struct ay_expected){ .n = n / EACH,
				   .answer = AY_NEW_N(a, struct ay_answer, n / EACH + 1),
				   .shape_only = q == AY_ATEN_REQUEST_SHAPES };
	for (int i = 0; i < g->n; i++)
		if (!take_answer(v + EACH * i, g->shape_only, &g->answer[i]))
			return ay_fail(err, AY_ERR_EXEC, "the oracle's answer %d of %s cannot be", i, name);
	*given = g;
	return 0;
}

static bool has_entry(const struct ay_aten_oracle_exec *x, const char *symbol)
{
	for (int i = 0; i < x->entries.n; i++)
		if (!strcmp(x->entries.name[i], symbol))
			return true;
	return false;
}

static int call(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_entry_op *op,
		const struct ay_batch *b, struct ay_arena *a, const char **why, struct ay_err *err)
{
	struct ay_outcome o = { 0 };

	if (get_ready(w, x, op, &o, err))
		return -1;
	if (o.what != AY_EXEC_RAN || !has_entry(x, b->proto->symbol)) {
		*why = o.what != AY_EXEC_RAN ? ay_strdup(a, o.text) : "torch does not have it";
		return 1;
	}
	if (ay_exec_call(x->exec, b, &o, err)) {
		rest(x); /* the state of the executor is unknown */
		return -1;
	}
	if (x == &w->gpu)
		w->hung = o.what == AY_EXEC_HUNG;
	if (o.what == AY_EXEC_RAN)
		return 0;
	*why = ay_sprintf(a, "%s has no answer: %s", w->ref_fd > 0 ? w->ref_file : "ATen", o.text);
	if (!ay_exec_is_alive(&o))
		rest(x);
	return 1;
}

/* Calls the GPU executor while holding the GPU's lock. If the process did not survive, checks the
 * GPU, so that a broken one is known from then on. */
static int call_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_batch *b,
		    struct ay_arena *a, const char **why, struct ay_err *err)
{
	struct ay_err ignored = { 0 };
	struct ay_perf_lock lock;
	int rc;

	if (enter(w, &lock, err))
		return -1;
	ay_dev_mark(w->device, false); /* from now on not only kernels have memory there */
	rc = call(w, &w->gpu, op, b, a, why, err);
	if (!w->gpu.exec)
		ay_dev_is_well(w->device, &ignored);
	leave(w, &lock);
	return rc;
}

void ay_aten_oracle_forget_laid(struct ay_aten_oracle *w)
{
	w->laid.n = 0;
}

/* Only for inputs, because the oracle may have written to other arguments. */
const uint8_t *ay_aten_oracle_laid(const struct ay_aten_oracle *w, const struct ay_operand *o)
{
	for (int i = 0; i < w->laid.n && o->role == AY_IN; i++)
		if (w->laid.operand[i] == o)
			return w->pool.slot[i].mem;
	return NULL;
}

/* Sends a request to an executor. *v has what it returned. Returns 1 if it has no answer. */
static int put_to(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_entry_op *op,
		  struct ay_call *c, struct ay_arena *a, int *n, struct ay_view **v, const char **why,
		  struct ay_err *err)
{
	const bool gpu = x == &w->gpu;
	struct ay_batch b = { .call = c, .nset = 1, .room = ROOM, .threads = w->threads };
	struct ay_outcome o = { 0 };
	struct ay_proto *proto;
	int rc;

	if (ay_proto_make(a, c->s, &proto, err) || lay_out(w, c, a, &b, err))
		return -1;
	b.proto = proto;
	b.timeout_s = patience(c, gpu);
	rc = gpu ? call_gpu(w, op, &b, a, why, err) : call(w, x, op, &b, a, why, err);
	if (!rc && ay_exec_returned(x->exec, &b, a, n, v, &o)) {
		*why = ay_strdup(a, o.text);
		rc = 1;
	}
	return rc;
}

/* Builds a request for call `was` and sends it if there is memory for it. */
static int put(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_entry_op *op,
	       const struct ay_call *was, enum ay_aten_request q, struct ay_arena *a, int *n, struct ay_view **v,
	       const char **why, struct ay_err *err)
{
	struct ay_call *c = ay_aten_request_call(a, op, was, q);
	struct ay_perf_lock room = { 0 };
	int rc;

	*why = "what is right is not for a GPU to say";
	if (!c)
		return 1;
	*why = "the GPU has no room for the answer";
	w->no_room = x == &w->gpu && is_crowded(w) && !ay_aten_memory_take(w->device, was, q, &room);
	if (w->no_room)
		return 1;
	rc = put_to(w, x, op, c, a, n, v, why, err);
	ay_perf_unlock(&room);
	return rc;
}

static int ask(struct ay_aten_oracle *w, struct ay_aten_oracle_exec *x, const struct ay_entry_op *op,
	       const struct ay_call *c, enum ay_aten_request q, struct ay_arena *a, struct ay_expected **given,
	       const char **why, struct ay_err *err)
{
	struct ay_view *v;
	int n, rc;

	w->asked[q] += x == &w->gpu;
	rc = put(w, x, op, c, q, a, &n, &v, why, err);
	return rc ? rc : take_answers(v, n, q, c->s->base, a, given, err);
}

/* Returns false if the GPU has no answer for any reason. Then the CPU is used. */
static bool ask_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
		    enum ay_aten_request q, struct ay_arena *a, struct ay_expected **given)
{
	struct ay_err ignored = { 0 };
	const char *why;

	return !ask(w, &w->gpu, op, c, q, a, given, &why, &ignored) &&
	       (!c->given || ay_aten_crosscheck_agree(c->given, *given));
}

static void blame_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, int failures)
{
	w->failures = w->failed == op ? w->failures + failures : failures;
	w->failed = op;
	if (w->failures >= FAILURES_MAX)
		rest_gpu(w);
}

static bool has_concurred(const struct ay_aten_oracle *w, const struct ay_call *c)
{
	const uint64_t kind = ay_aten_crosscheck_kind(c);

	for (int i = 0; i < AY_ATEN_CROSSCHECKS && i < w->ncrosscheck; i++)
		if (w->crosscheck[i] == kind)
			return true;
	return false;
}

/* Compares the GPU's answer with the CPU's. its: answer of the GPU; NULL: it had none. */
static void hold_against(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
			 const struct ay_expected *its, const struct ay_expected *right)
{
	if (its && ay_aten_crosscheck_concur(right, its))
		w->crosscheck[w->ncrosscheck++ % AY_ATEN_CROSSCHECKS] = ay_aten_crosscheck_kind(c);
	else
		blame_gpu(w, op, its || w->hung ? FAILURES_MAX : 1);
}

/* Compares CPU and GPU on a smaller call of the same kind, for which the CPU is fast. */
static void ask_smaller(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
			struct ay_arena *a)
{
	for (int way = 0; way < AY_ATEN_CROSSCHECK_WAYS; way++) {
		struct ay_call *less = ay_aten_crosscheck_smaller(a, c, way);
		struct ay_expected *right, *its = NULL;
		struct ay_err ignored = { 0 };
		const char *why;

		if (!less || elements_of(less) > elements_of(c) / 2 ||
		    ask(w, &w->cpu, op, less, AY_ATEN_REQUEST_ANSWER, a, &right, &why, &ignored))
			continue;
		if (!ask_gpu(w, op, less, AY_ATEN_REQUEST_ANSWER, a, &its))
			its = NULL;
		if (its || !w->no_room)
			hold_against(w, op, less, its, right);
		return;
	}
}

/* Returns true if only the GPU is used: a kernel there must return what torch returns there. */
static bool is_gpus_alone(const struct ay_aten_oracle *w, const struct ay_call *c)
{
	return w->device && w->device->info.kind == AY_DEV_CUDA && c->op->is_cudas_own && c->op->is_cudas_own(c);
}

/* Gets an answer from the GPU alone if allowed and possible, else from the CPU, whose answer is
 * authoritative. If neither has an answer, this is not a failure of the GPU unless its executor
 * died. q: the request if the GPU is used alone. */
static int ask_both(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
		    enum ay_aten_request q, struct ay_arena *a, struct ay_expected **given, const char **why,
		    struct ay_err *err)
{
	bool gpu = ay_aten_oracle_is_for_gpu(w, op, c), alone;
	struct ay_expected *its = NULL;
	int rc;

	if (is_gpus_alone(w, c)) {
		w->on_gpu = true;
		return ask(w, &w->gpu, op, c, gpu ? q : AY_ATEN_REQUEST_ANSWER, a, given, why, err);
	}
	if (gpu && !c->given && elements_of(c) >= MUCH && !has_concurred(w, c)) {
		ask_smaller(w, op, c, a);
		gpu = ay_aten_oracle_is_for_gpu(w, op, c);
	}
	alone = has_concurred(w, c);
	if (gpu && !ask_gpu(w, op, c, alone ? q : AY_ATEN_REQUEST_ANSWER, a, &its)) {
		its = NULL;
		gpu = !w->no_room; /* which proves nothing about the operator */
	}
	w->on_gpu = its && alone;
	if (w->on_gpu) {
		*given = its;
		return 0;
	}
	*why = too_large(w, c, a);
	rc = *why ? 1 : ask(w, &w->cpu, op, c, AY_ATEN_REQUEST_ANSWER, a, given, why, err);
	if (gpu && !rc)
		hold_against(w, op, c, its, *given);
	else if (gpu && !w->gpu.exec)
		blame_gpu(w, op, w->hung ? FAILURES_MAX : 1);
	return rc;
}

int ay_aten_oracle_answer(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			  struct ay_arena *a, const char **why, struct ay_err *err)
{
	struct ay_expected *g;
	int rc;

	AY_ASSERT(!c->given);
	*why = op->why;
	rc = *why ? 1
		  : ask_both(w, op, c, w->may_be_shape_only ? AY_ATEN_REQUEST_SHAPES : AY_ATEN_REQUEST_ANSWER, a,
			     &g, why, err);
	return rc ? rc : ay_call_close(a, c, g, err);
}

int ay_aten_oracle_again(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			 struct ay_arena *a, const char **why, struct ay_err *err)
{
	struct ay_expected *g;
	int rc;

	AY_ASSERT(c->given);
	ay_aten_oracle_forget_laid(w); /* the operands may have other content now */
	*why = op->why;
	rc = *why ? 1 : ask_both(w, op, c, AY_ATEN_REQUEST_ANSWER, a, &g, why, err);
	if (rc)
		return rc;
	*why = ay_aten_crosscheck_agree(c->given, g) ? NULL : "its results have other shapes for other values";
	c->given = *why ? c->given : g;
	return *why != NULL;
}

int ay_aten_oracle_holds(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
			 struct ay_arena *a, struct ay_crosschecked *held, struct ay_err *err)
{
	const char *why;
	struct ay_view *v;
	bool right;
	int n, rc;

	w->asked[AY_ATEN_REQUEST_RIGHT]++;
	rc = put(w, &w->gpu, op, c, AY_ATEN_REQUEST_RIGHT, a, &n, &v, &why, err);
	if (rc)
		return rc;
	right = n == c->nout;
	for (int i = 0; i < n && right; i++) {
		const double *x = v[i].data;

		right = v[i].dt == AY_DT_F64 && ay_numel_of(&v[i]) == 4 && x && x[0] == 1;
		if (right)
			held[i] = (struct ay_crosschecked){ (int64_t)x[1], x[2], x[3] };
	}
	return !right;
}
