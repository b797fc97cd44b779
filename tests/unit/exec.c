/* SPDX-License-Identifier: Apache-2.0
 *
 * exec - tests of well-behaved and misbehaving kernels in the real executor.
 */
#include "exec/exec.h"
#include "base/process.h"
#include "forge/forge.h"
#include "op/op.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FN = 40 };

/* A kernel, its executor, and the tensors of the last call. */
struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_forge f;
	struct ay_sandbox *sandbox; /* one for all starts */
	struct ay_built built;
	int n;
	const struct ay_schema *schema[MAX_FN];
	const struct ay_proto *proto[MAX_FN];
	struct ay_exec *x;
	struct ay_exec_entries e;
	struct ay_pool pool;
	struct ay_call *call;
	uint64_t offset[64];
	enum ay_place place;
	double timeout_s;
	bool spin;
};

static void fixture_start(struct fixture *r, struct ay_outcome *o)
{
	struct ay_exec_spec spec = { .so_fd = r->built.fd, .load_timeout_s = 2, .spin = r->spin };

	if (!r->sandbox && ay_sandbox_new(&r->sandbox, AY_SANDBOX_FULL, &r->err))
		test_skip("%s", r->err.msg);
	spec.sandbox = r->sandbox;
	if (ay_exec_start(&spec, &r->a, &r->x, &r->e, o, &r->err))
		CHECKF(false, "start: %s", r->err.msg);
}

static void fixture_build(struct fixture *r, const char *const *schemas, const char *source, enum ay_lang lang)
{
	*r = (struct fixture){ .timeout_s = 5, .built.fd = -1, .pool.fd = { -1, -1 } };
	for (; schemas[r->n]; r->n++) {
		struct ay_schema *s;
		struct ay_proto *p;

		if (ay_schema_parse(&r->a, schemas[r->n], &s, &r->err) || ay_proto_make(&r->a, s, &p, &r->err))
			test_skip("%s: %s", schemas[r->n], r->err.msg);
		r->schema[r->n] = s;
		r->proto[r->n] = p;
	}
	if (ay_forge_init(&r->f, "", &r->err) || !r->f.cc)
		test_skip("no compiler: %s", r->err.msg);
	if (ay_forge_build(&r->f, &r->a, source, strlen(source), lang, r->n, r->proto, 60, &r->built, &r->err))
		CHECKF(false, "build: %s", r->err.msg);
	CHECKF(r->built.ok, "build: %s", r->built.log);
}

static void fixture_release(struct fixture *r)
{
	ay_exec_stop(r->x);
	if (r->built.fd >= 0)
		close(r->built.fd);
	ay_pool_release(&r->pool);
	ay_sandbox_free(r->sandbox);
	ay_forge_release(&r->f);
	ay_arena_release(&r->a);
}

/* Binds the line as a call of schema i, with memory. Inputs hold the bytes 1, 2, 3..., outputs
 * 0xee. */
static void fixture_bind(struct fixture *r, int i, const char *line)
{
	struct ay_op *op = AY_NEW(&r->a, struct ay_op);
	struct ay_need need[64] = { 0 };
	struct ay_case *c;

	if (ay_case_parse(&r->a, line, strlen(line), &c, &r->err) ||
	    ay_call_bind(&r->a, op, r->schema[i], c, &r->call, &r->err))
		test_skip("%s: %s", line, r->err.msg);
	for (int k = 0; k < r->call->noperand; k++) {
		const struct ay_operand *t = r->call->operand[k];

		need[k].bytes = (uint64_t)(ay_view_extent(&t->view) * ay_dt_info(t->view.dt)->bytes);
		need[k].written = t->role != AY_IN;
	}
	if (!ay_pool_fits(&r->pool, r->call->noperand, need)) {
		ay_pool_release(&r->pool);
		if (ay_pool_init(&r->pool, r->call->noperand, need, &r->err))
			test_skip("%s", r->err.msg);
	}
	for (int k = 0; k < r->call->noperand; k++) {
		struct ay_slot *s = &r->pool.slot[k];

		r->offset[k] = ay_place(s->bytes, need[k].bytes, r->place);
		for (uint64_t b = 0; b < s->bytes; b++)
			s->mem[b] = s->written ? 0xee : (uint8_t)(b + 1);
	}
}

/* Calls function fn (which may be another form) with the bound call. */
static struct ay_outcome fixture_run(struct fixture *r, int fn)
{
	static int slot[64];
	const ay_rng rng = { 77, 5 };
	struct ay_batch b = { .proto = r->proto[fn],
			      .call = r->call,
			      .pool = &r->pool,
			      .nset = 1,
			      .slot = slot,
			      .offset = r->offset,
			      .rng = &rng,
			      .threads = 3,
			      .timeout_s = r->timeout_s };
	struct ay_outcome o = { 0 };

	for (int k = 0; k < 64; k++)
		slot[k] = k;
	if (!r->x) {
		fixture_start(r, &o);
		if (!r->x)
			return o;
	}
	CHECKF(!ay_exec_call(r->x, &b, &o, &r->err), "%s", r->err.msg);
	if (o.what != AY_EXEC_RAN && o.what != AY_EXEC_REFUSED) {
		ay_exec_stop(r->x);
		r->x = NULL;
	}
	return o;
}

static void *at(const struct fixture *r, int operand)
{
	return r->pool.slot[operand].mem + r->offset[operand];
}

/* --- what crosses ----------------------------------------------------------------------------- */

static const char *const all_kinds[] = {
	"t::all(Tensor a, Tensor? none, Tensor(a!) w, Tensor[] list, Tensor?[] olist, Tensor(b!)[] wlist, int i, "
	"SymInt si, "
	"float f, bool b, complex z, Scalar s, Scalar? so, Scalar? sn, int? oi, int? oin, float? of, bool? ob, "
	"bool? obn, "
	"int[] il, int[2] pair, int[]? iln, int[] ile, float[] fl, bool[3] bl, Scalar[] sl, str st, str? sto, "
	"str? stn, "
	"str[] strs, str[] stre, ScalarType dt, ScalarType? dtn, Layout? layout, MemoryFormat? mf, Device? dev, "
	"Device? devn, Generator? gen) -> (Tensor, Scalar, int, float, bool)",
	NULL
};

static const char all_source[] =
	"#include <assay/kernel.h>\n"
	"#include <string.h>\n"
	"#define NEED(x) do { if (!(x)) return __LINE__; } while (0)\n"
	"int t_all(const ay_tensor *a, const ay_tensor *none, ay_tensor *w, const ay_tensor *const *list, int64_t "
	"n_list,\n"
	"	const ay_tensor *const *olist, int64_t n_olist, ay_tensor *const *wlist, int64_t n_wlist, int64_t "
	"i,\n"
	"	int64_t si, double f, bool b, ay_scalar z, ay_scalar s, const ay_scalar *so, const ay_scalar "
	"*sn,\n"
	"	const int64_t *oi, const int64_t *oin, const double *of, const bool *ob, const bool *obn,\n"
	"	const int64_t *il, int64_t n_il, const int64_t *pair, int64_t n_pair, const int64_t *iln, int64_t "
	"n_iln,\n"
	"	const int64_t *ile, int64_t n_ile, const double *fl, int64_t n_fl, const bool *bl, int64_t n_bl,\n"
	"	const ay_scalar *sl, int64_t n_sl, const char *st, const char *sto, const char *stn,\n"
	"	const char *const *strs, int64_t n_strs, const char *const *stre, int64_t n_stre, int32_t dt, "
	"int32_t dtn,\n"
	"	int32_t layout, int32_t mf, const ay_device *dev, const ay_device *devn, const ay_rng *gen,\n"
	"	ay_tensor *out0, ay_scalar *out1, int64_t *out2, double *out3, bool *out4, const ay_ctx *ctx)\n"
	"{\n"
	"	NEED(a && a->ndim == 2 && a->shape[0] == 2 && a->shape[1] == 3 && a->strides[0] == 1);\n"
	"	NEED(a->strides[1] == 5 && ay_dt(a) == AY_F32 && a->dtype.lanes == 1 && a->device.type == "
	"AY_CPU);\n"
	"	NEED(a->byte_offset == 0 && a->flags == 0);\n"
	"	unsigned char *bytes = a->data;\n"
	"	NEED(bytes[1] == (unsigned char)(bytes[0] + 1));\n"
	"	NEED((uintptr_t)a->data % 64 == 12);\n"
	"	NEED(!none);\n"
	"	NEED(w && ay_dt(w) == AY_I16 && w->ndim == 1 && w->shape[0] == 4);\n"
	"	for (int k = 0; k < 4; k++) ((int16_t *)w->data)[k] = (int16_t)(k * 3);\n"
	"	NEED(n_list == 2 && list[0]->shape[0] == 1 && list[1]->shape[0] == 0 && ay_dt(list[1]) == "
	"AY_BF16);\n"
	"	NEED(n_olist == 3 && !olist[0] && olist[1] && olist[1]->ndim == 0 && !olist[2]);\n"
	"	NEED((olist[1]->flags & AY_CONJ) && ay_dt(olist[1]) == AY_C64);\n"
	"	NEED(n_wlist == 1 && wlist[0]->shape[0] == 7);\n"
	"	memset(wlist[0]->data, 9, 7);\n"
	"	NEED(i == -9223372036854775807LL - 1 && si == 1LL << 40 && f == 0.1 && b == true);\n"
	"	NEED(z.kind == AY_SCALAR_COMPLEX && z.v.c[0] == 1.5 && z.v.c[1] == -2);\n"
	"	NEED(s.kind == AY_SCALAR_BOOL && s.v.b == true);\n"
	"	NEED(so && so->kind == AY_SCALAR_INT && so->v.i == 3 && !sn);\n"
	"	NEED(oi && *oi == 7 && !oin && of && *of == 2.0 && ob && *ob == false && !obn);\n"
	"	NEED(n_il == 3 && il[0] == 4 && il[1] == -5 && il[2] == 6 && n_pair == 2 && pair[0] == 8 && "
	"pair[1] == 8);\n"
	"	NEED(!iln && n_iln == 0 && ile && n_ile == 0);\n"
	"	NEED(n_fl == 2 && fl[0] == 0.5 && fl[1] == 3 && n_bl == 3 && bl[0] && !bl[1] && bl[2]);\n"
	"	NEED(n_sl == 2 && sl[0].kind == AY_SCALAR_INT && sl[0].v.i == 1 && sl[1].kind == AY_SCALAR_FLOAT "
	"&&\n"
	"	     sl[1].v.f == 2.5);\n"
	"	NEED(!strcmp(st, \"sum\") && !strcmp(sto, \"\") && !stn);\n"
	"	NEED(n_strs == 3 && !strcmp(strs[0], \"x\") && !strcmp(strs[1], \"\") && !strcmp(strs[2], \"long "
	"one\"));\n"
	"	NEED(stre && n_stre == 0);\n"
	"	NEED(dt == AY_F16 && dtn == -1 && layout == AY_STRIDED && mf == AY_CHANNELS_LAST);\n"
	"	NEED(dev && dev->type == AY_CPU && dev->id == 0 && !devn);\n"
	"	NEED(gen && gen->seed == 77 && gen->offset == 5);\n"
	"	NEED(out0 && out0->ndim == 2 && ay_is_dense(out0) && (uintptr_t)out0->data % 64 == 0);\n"
	"	for (int k = 0; k < 6; k++) ((float *)out0->data)[k] = (float)k;\n"
	"	out1->kind = AY_SCALAR_COMPLEX; out1->v.c[0] = 4; out1->v.c[1] = 5;\n"
	"	*out2 = -6; *out3 = 7.5; *out4 = true;\n"
	"	NEED(ctx && ctx->abi == AY_ABI && ctx->threads == 3 && ctx->device.type == AY_CPU);\n"
	"	char *p = ctx->scratch(ctx, 100), *q = ctx->scratch(ctx, 1000000);\n"
	"	NEED(p && q && (uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0 && (q >= p + 100 || q + 1000000 "
	"<= p));\n"
	"	memset(p, 1, 100); memset(q, 2, 1000000);\n"
	"	NEED(!ctx->scratch(ctx, (size_t)1 << 50));\n"
	"	a->shape[0] = -1; a->strides[1] = 99; ((int64_t *)il)[0] = 0;\n"
	"	return AY_OK;\n"
	"}\n";

static const char all_line[] =
	"t::all((T([2, 3], f32, stride=(1, 5), offset=3), None, T([4], i16), [T([1], f64), T([0], bf16)], "
	"[None, T([], c64, conj=True), None], [T([7], u8)], -9223372036854775808, 1099511627776, 0.1, True, "
	"(1.5-2j), "
	"True, 3, None, 7, None, 2, False, None, [4, -5, 6], 8, None, [], [0.5, 3.0], [True, False, True], [1, "
	"2.5], "
	"'sum', '', None, ['x', '', 'long one'], [], f16, None, torch.strided, torch.channels_last, "
	"torch.device('cpu'), None, None), {})";

TEST(exec_every_kind_of_parameter_crosses)
{
	struct fixture r;
	struct ay_outcome o;
	const ay_scalar *s;

	fixture_build(&r, all_kinds, all_source, AY_LANG_C);
	fixture_bind(&r, 0, all_line);
	/* memory that the kernel overwrites is restored for the next call */
	for (int turn = 0; turn < 3; turn++) {
		o = fixture_run(&r, 0);
		CHECKF(o.what == AY_EXEC_RAN, "rc %d: the line of the kernel that failed; %s", o.rc, o.text);
		if (o.what != AY_EXEC_RAN)
			break;
	}
	if (o.what == AY_EXEC_RAN) {
		CHECK(((int16_t *)at(&r, 1))[3] == 9);
		CHECK(((float *)at(&r, r.call->noperand - 1))[5] == 5);
		s = ay_exec_scalars(r.x, 0);
		CHECK(s[0].kind == AY_SCALAR_COMPLEX && s[0].v.c[1] == 5 && s[1].kind == AY_SCALAR_INT &&
		      s[1].v.i == -6);
		CHECK(s[2].kind == AY_SCALAR_FLOAT && s[2].v.f == 7.5 && s[3].kind == AY_SCALAR_BOOL && s[3].v.b);
	}
	fixture_release(&r);
}

/* --- forms ------------------------------------------------------------------------------------ */

static const char *const forms[] = { "t::neg(Tensor self, *, ScalarType? dtype=None) -> Tensor",
				     "t::neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
				     "t::neg_(Tensor(a!) self) -> Tensor(a!)", "t::item(Tensor self) -> Scalar",
				     NULL };

static const char forms_source[] =
	"int t_neg(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)\n"
	"{\n"
	"	int64_t n = ay_numel(self);\n"
	"	if (dtype != -1) return 5;\n"
	"	for (int64_t i = 0; i < n; i++)\n"
	"		((int8_t *)out->data)[ay_at(out, i)] = (int8_t)-((int8_t *)self->data)[ay_at(self, i)];\n"
	"	return AY_OK;\n"
	"}\n"
	"int t_item(const ay_tensor *self, ay_scalar *out, const ay_ctx *ctx) { return 0; }\n";

TEST(exec_other_forms_of_a_call)
{
	struct fixture r;
	struct ay_outcome o;

	fixture_build(&r, forms, forms_source, AY_LANG_C);
	r.place = AY_PLACE_START;
	fixture_bind(&r, 0, "t::neg((T([3], i8),), {})");
	o = fixture_run(&r, 0);
	CHECKF(o.what == AY_EXEC_RAN && ((int8_t *)at(&r, 1))[2] == -3 && ((int8_t *)at(&r, 1))[0] == -1, "%s",
	       o.text);
	CHECK(r.e.n == 2);
	CHECK_STR(r.e.n == 2 ? r.e.name[1] : "", "t_item");
	fixture_bind(&r, 1, "t::neg.out((T([2], i8),), {'out': T([2], i8, stride=(3,))})");
	o = fixture_run(&r, 0);
	CHECKF(o.what == AY_EXEC_RAN && ((int8_t *)at(&r, 1))[3] == -2 && ((uint8_t *)at(&r, 1))[1] == 0xee, "%s",
	       o.text);
	fixture_bind(&r, 2, "t::neg_((T([2], i8),), {})");
	((int8_t *)at(&r, 0))[1] = 99;
	o = fixture_run(&r, 0);
	CHECKF(o.what == AY_EXEC_RAN && ((int8_t *)at(&r, 0))[1] == -99, "%s", o.text);
	/* A scalar that was never written has no kind. */
	fixture_bind(&r, 3, "t::item((T([1], i8),), {})");
	o = fixture_run(&r, 3);
	CHECKF(o.what == AY_EXEC_RAN && ay_exec_scalars(r.x, 0)[0].kind == -1, "%s", o.text);
	fixture_release(&r);
}

TEST(exec_many_sets)
{
	enum { SETS = 2000 };
	struct fixture r;
	struct ay_outcome o = { 0 };
	static int slot[2 * SETS];
	static uint64_t offset[2 * SETS];

	fixture_build(&r, forms, forms_source, AY_LANG_C);
	fixture_bind(&r, 0, "t::neg((T([1], i8),), {})");
	for (int i = 0; i < SETS; i++) {
		slot[2 * i + 1] = 1;
		offset[2 * i] = offset[2 * i + 1] = (uint64_t)i;
	}
	fixture_start(&r, &o);
	if (r.x) { /* 64,000 bytes of addresses: more than fits a packet */
		struct ay_batch b = { .proto = r.proto[0],
				      .call = r.call,
				      .pool = &r.pool,
				      .nset = SETS,
				      .slot = slot,
				      .offset = offset,
				      .threads = 1,
				      .timeout_s = 5 };

		CHECKF(!ay_exec_call(r.x, &b, &o, &r.err) && o.what == AY_EXEC_RAN, "%s %s", o.text, r.err.msg);
		for (int i = 0; i < SETS; i++)
			CHECK(r.pool.slot[1].mem[i] == (uint8_t) - (i + 1));
	}
	fixture_release(&r);
}

/* --- bad manners ------------------------------------------------------------------------------ */

#define FN(name) "t::" name "(Tensor a) -> Tensor"
static const char *const rogues[] = {
	FN("good"),       FN("null"),   FN("write_input"), FN("over_read"), FN("under_read"),
	FN("over_write"), FN("loop"),   FN("exit0"),       FN("abort"),     FN("divide"),
	FN("early"),      FN("junk"),   FN("close"),       FN("fork"),      FN("overflow"),
	FN("refuse"),     FN("starve"), FN("killself"),    FN("unprotect"), FN("fake"),
	FN("fast"),       FN("stop"),   FN("thread"),      FN("late"),      NULL
};
enum {
	GOOD,
	NULLS,
	WRITE_INPUT,
	OVER_READ,
	UNDER_READ,
	OVER_WRITE,
	LOOP,
	EXIT0,
	ABORT,
	DIVIDE,
	EARLY,
	JUNK,
	CLOSE,
	FORK,
	OVERFLOW,
	REFUSE,
	STARVE,
	KILLSELF,
	UNPROTECT,
	FAKE,
	FAST,
	STOP,
	THREAD,
	LATE
};

static const char rogue_source[] =
	"#define _GNU_SOURCE\n"
	"#include <errno.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"#include <string.h>\n#include <sys/mman.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
	"#define K(name) int t_##name(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
	"static volatile unsigned char sink;\n"
	"static uint32_t *page(void)\n"
	"{\n"
	"	static char line[500]; void *p = NULL; FILE *f = fopen(\"/proc/self/maps\", \"r\");\n"
	"	while (f && fgets(line, sizeof line, f)) if (strstr(line, \"assay-page\")) sscanf(line, \"%p\", "
	"&p);\n"
	"	return p;\n"
	"}\n"
	"K(good) { memcpy(out->data, a->data, (size_t)ay_numel(a)); return 0; }\n"
	"K(null) { volatile int *volatile p = 0; *p = 1; return 0; }\n"
	"K(write_input) { ((volatile char *)a->data)[2] = 1; return 0; }\n"
	"K(over_read) { sink = ((volatile unsigned char *)a->data)[(ay_numel(a) + 63) / 64 * 64]; return 0; }\n"
	"K(under_read) { sink = ((volatile unsigned char *)a->data)[-1]; return 0; }\n"
	"K(over_write) { ((volatile unsigned char *)out->data)[4096] = 1; return 0; }\n"
	"K(loop) { for (;;) sink++; }\n"
	"K(exit0) { exit(0); }\n"
	"K(abort) { abort(); }\n"
	"K(divide) { volatile int x = 100, z = 0; return x / z; }\n"
	"K(early) { uint32_t *p = page(); __atomic_store_n(p + 16, p[0], __ATOMIC_SEQ_CST);\n"
	"	syscall(SYS_futex, p + 16, 1, 1, 0, 0, 0); for (;;) pause(); }\n"
	"K(junk) { memset(page(), 0x5a, 4096); for (;;) pause(); }\n"
	"K(close) { for (int i = 0; i < 64; i++) close(i); return 0; }\n"
	"K(fork) { if (!fork()) for (;;) pause(); exit(3); }\n"
	"static int deep(volatile int n) { volatile char b[4096]; b[n % 4096] = 1; return n ? deep(n + 1) + b[0] "
	": 0; }\n"
	"K(overflow) { return deep(1); }\n"
	"K(refuse) { return 42; }\n"
	"K(starve) { return ctx->scratch(ctx, (size_t)1 << 60) ? 0 : 7; }\n"
	"K(killself) { kill(getpid(), SIGKILL); return 0; }\n"
	"K(unprotect) { void *p = (void *)((uintptr_t)a->data & ~4095ul);\n"
	"	if (!mprotect(p, 4096, PROT_READ | PROT_WRITE)) return 1;\n"
	"	if (mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)p + (64 << 20)) == MAP_FAILED) "
	"return 2;\n"
	"	p = (char *)p + (64 << 20);\n"
	"	if (!mprotect(p, 4096, PROT_READ | PROT_WRITE)) return 3;\n"
	"	if (!madvise(p, 4096, MADV_REMOVE)) return 4;\n"
	"	mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)p - (64 << 20));\n"
	"	return 0; }\n"
	"K(fake) { uint32_t *p = page(); p[32] = 4; p[35] = 9999; __atomic_store_n(p + 16, p[0], "
	"__ATOMIC_SEQ_CST);\n"
	"	syscall(SYS_futex, p + 16, 1, 1, 0, 0, 0); for (;;) pause(); }\n"
	"K(fast) { unsigned m = __builtin_ia32_stmxcsr(); __builtin_ia32_ldmxcsr(m | 0x8040); return m & 0x8040 ? "
	"9 : 0; }\n"
	"K(stop) { raise(SIGSTOP); return 0; }\n"
	"static void *boom(void *p) { volatile int *volatile q = (int *)8; *q = 1; return p; }\n"
	"K(thread) { pthread_t t; pthread_create(&t, NULL, boom, NULL); pthread_join(t, NULL); return 0; }\n"
	"static void *later(void *p) { usleep(20000); return boom(p); }\n"
	"K(late) { pthread_t t; return pthread_create(&t, NULL, later, NULL); }\n";

/* Runs a misbehaving kernel, then the good one, which must not be affected. */
static struct ay_outcome rogue(struct fixture *r, int fn, enum ay_place place)
{
	struct ay_outcome o, after;

	r->place = place;
	fixture_bind(r, fn, ay_sprintf(&r->a, "t::%s((T([100], u8),), {})", r->schema[fn]->base));
	o = fixture_run(r, fn);
	fixture_bind(r, GOOD, "t::good((T([100], u8),), {})");
	after = fixture_run(r, GOOD);
	if (fn != CLOSE)
		CHECKF(after.what == AY_EXEC_RAN && !memcmp(at(r, 0), at(r, 1), 100), "after %s: %s",
		       r->schema[fn]->base, after.text);
	else
		CHECKF(after.what == AY_EXEC_LIED || after.what == AY_EXEC_CRASHED, "%s", after.text);
	return o;
}

static void check_rogue(struct fixture *r, int fn, enum ay_place place, enum ay_exec_status what, int signal,
			enum ay_touch fault, int slot)
{
	struct ay_outcome o = rogue(r, fn, place);

	CHECKF(o.what == what && o.signal == signal && o.fault == fault && o.slot == slot,
	       "%s: what %d signal %d fault %d slot %d: %s", r->schema[fn]->base, o.what, o.signal, o.fault,
	       o.slot, o.text);
}

TEST(exec_crashes_are_told_and_cost_nothing_else)
{
	struct fixture r;

	fixture_build(&r, rogues, rogue_source, AY_LANG_C);
	check_rogue(&r, GOOD, AY_PLACE_END, AY_EXEC_RAN, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, NULLS, AY_PLACE_END, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_OTHER, -1);
	check_rogue(&r, WRITE_INPUT, AY_PLACE_END, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_INPUT, 0);
	check_rogue(&r, OVER_READ, AY_PLACE_END, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_GUARD, 0);
	check_rogue(&r, OVER_READ, AY_PLACE_START, AY_EXEC_RAN, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, UNDER_READ, AY_PLACE_START, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_GUARD, 0);
	check_rogue(&r, OVER_WRITE, AY_PLACE_START, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_GUARD, 1);
	check_rogue(&r, ABORT, AY_PLACE_END, AY_EXEC_CRASHED, SIGABRT, AY_TOUCH_NONE, -1);
	check_rogue(&r, DIVIDE, AY_PLACE_END, AY_EXEC_CRASHED, SIGFPE, AY_TOUCH_NONE, -1);
	check_rogue(&r, OVERFLOW, AY_PLACE_END, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_OTHER, -1);
	check_rogue(&r, KILLSELF, AY_PLACE_END, AY_EXEC_CRASHED, SIGKILL, AY_TOUCH_NONE, -1);
	check_rogue(&r, THREAD, AY_PLACE_END, AY_EXEC_CRASHED, SIGSEGV, AY_TOUCH_OTHER, -1);
	fixture_release(&r);
}

TEST(exec_ends_without_an_answer)
{
	struct fixture r;
	struct ay_outcome o;
	int64_t begin;

	fixture_build(&r, rogues, rogue_source, AY_LANG_C);
	r.timeout_s = 0.3;
	begin = ay_now_ns();
	check_rogue(&r, LOOP, AY_PLACE_END, AY_EXEC_HUNG, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, STOP, AY_PLACE_END, AY_EXEC_HUNG, 0, AY_TOUCH_NONE, -1);
	CHECKF(ay_now_ns() - begin < 3000000000, "%lld ns", (long long)(ay_now_ns() - begin));
	r.timeout_s = 20;
	begin = ay_now_ns();
	o = rogue(&r, EXIT0, AY_PLACE_END);
	CHECKF(o.what == AY_EXEC_CRASHED && !o.signal && !o.exit_code, "%s", o.text);
	o = rogue(&r, FORK, AY_PLACE_END);
	CHECKF(o.what == AY_EXEC_CRASHED && o.exit_code == 3, "%s", o.text);
	CHECKF(ay_now_ns() - begin < 3000000000, "%lld ns", (long long)(ay_now_ns() - begin));
	fixture_release(&r);
}

TEST(exec_crash_between_calls)
{
	struct fixture r;
	struct ay_outcome o;

	fixture_build(&r, rogues, rogue_source, AY_LANG_C);
	fixture_bind(&r, LATE, "t::late((T([100], u8),), {})");
	o = fixture_run(&r, LATE);
	CHECKF(o.what == AY_EXEC_RAN, "%s", o.text);
	usleep(100000);
	fixture_bind(&r, GOOD, "t::good((T([100], u8),), {})");
	o = fixture_run(&r, GOOD);
	CHECKF(o.what == AY_EXEC_CRASHED && o.signal == SIGSEGV, "%s", o.text);
	o = fixture_run(&r, GOOD);
	CHECKF(o.what == AY_EXEC_RAN, "%s", o.text);
	fixture_release(&r);
}

TEST(exec_lies_are_seen)
{
	struct fixture r;

	fixture_build(&r, rogues, rogue_source, AY_LANG_C);
	check_rogue(&r, EARLY, AY_PLACE_END, AY_EXEC_LIED, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, JUNK, AY_PLACE_END, AY_EXEC_LIED, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, FAKE, AY_PLACE_END, AY_EXEC_LIED, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, CLOSE, AY_PLACE_END, AY_EXEC_RAN, 0, AY_TOUCH_NONE, -1);
	check_rogue(&r, GOOD, AY_PLACE_END, AY_EXEC_RAN, 0, AY_TOUCH_NONE, -1);
	fixture_release(&r);
}

TEST(exec_refusals)
{
	struct fixture r;
	struct ay_outcome o;
	struct ay_batch b = { 0 };

	fixture_build(&r, rogues, rogue_source, AY_LANG_C);
	o = rogue(&r, REFUSE, AY_PLACE_END);
	CHECKF(o.what == AY_EXEC_REFUSED && o.rc == 42, "%s", o.text);
	o = rogue(&r, STARVE, AY_PLACE_END);
	CHECKF(o.what == AY_EXEC_OOM && o.rc == 7, "%s", o.text);
	/* Inputs are read-only, wherever they lie. */
	o = rogue(&r, UNPROTECT, AY_PLACE_END);
	CHECKF(o.what == AY_EXEC_RAN, "rc %d %s", o.rc, o.text);
	/* Flush-to-zero set by one call must not be set in the next. */
	for (int i = 0; i < 3; i++) {
		fixture_bind(&r, FAST, "t::fast((T([100], u8),), {})");
		o = fixture_run(&r, FAST);
		CHECKF(o.what == AY_EXEC_RAN, "%s", o.text);
	}
	b.proto = AY_NEW(&r.a, struct ay_proto);
	((struct ay_proto *)b.proto)->symbol = "t_missing";
	b.nset = 1;
	CHECK(ay_exec_call(r.x, &b, &o, &r.err) && strstr(r.err.msg, "t_missing"));
	fixture_release(&r);
}

/* --- loading ---------------------------------------------------------------------------------- */

static struct ay_outcome load(const char *source, int *entries)
{
	static const char *const one[] = { FN("good"), FN("other"), NULL };
	struct ay_outcome o = { 0 };
	struct fixture r;

	fixture_build(&r, one, source, AY_LANG_C);
	fixture_start(&r, &o);
	*entries = r.e.n;
	fixture_release(&r);
	return o;
}

TEST(exec_loading)
{
	struct ay_outcome o;
	int n;

	o = load("__attribute__((constructor)) static void f(void) { volatile int *volatile p = 0; *p = 1; }", &n);
	CHECKF(o.what == AY_EXEC_CRASHED && o.signal == SIGSEGV, "%s", o.text);
	o = load("#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }", &n);
	CHECKF(o.what == AY_EXEC_CRASHED && o.exit_code == 0, "%s", o.text);
	o = load("#include <unistd.h>\n__attribute__((constructor)) static void f(void) { for (;;) pause(); }",
		 &n);
	CHECKF(o.what == AY_EXEC_HUNG, "%s", o.text);
	o = load("int no_such_thing(void);\n"
		 "int t_good(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx) { return no_such_thing(); }",
		 &n);
	CHECKF(o.what == AY_EXEC_REFUSED && strstr(o.text, "no_such_thing"), "%s", o.text);
	o = load("int unrelated;", &n);
	CHECKF(o.what == AY_EXEC_RAN && n == 0, "%s", o.text);
	o = load("int t_other(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx) { return 0; }", &n);
	CHECKF(o.what == AY_EXEC_RAN && n == 1, "%s", o.text);
	/* A message that the kernel forged. */
	o = load("#include <string.h>\n#include <sys/socket.h>\n"
		 "__attribute__((constructor)) static void f(void) { char b[100]; memset(b, 7, 100); send(3, b, "
		 "100, 0); }",
		 &n);
	CHECKF(o.what == AY_EXEC_LIED, "%s", o.text);
}

TEST(exec_object_without_glue)
{
	struct fixture r = { .built.fd = -1, .pool.fd = { -1, -1 } };
	struct ay_outcome o = { 0 };

	r.built.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fixture_start(&r, &o);
	CHECKF(o.what == AY_EXEC_REFUSED && o.text[0] && !r.x, "%s", o.text);
	fixture_release(&r);
}

/* --- speed ------------------------------------------------------------------------------------ */

/* Times an empty kernel on three tensors. ASSAY_BENCH=1 prints; otherwise only extreme slowness
 * fails. */
TEST(exec_round_trips)
{
	static const char *const add[] = { "t::add(Tensor self, Tensor other) -> Tensor", NULL };
	const int n = getenv("ASSAY_BENCH") ? 100000 : 2000;
	struct fixture r;
	struct ay_outcome o = { 0 };

	for (int spin = 0; spin < 2; spin++) {
		int64_t begin;

		fixture_build(
			&r, add,
			"int t_add(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx "
			"*ctx)\n"
			"{ return 0; }\n",
			AY_LANG_C);
		r.spin = spin;
		fixture_bind(&r, 0, "t::add((T([64, 64], f32), T([64], f32)), {})");
		o = fixture_run(&r, 0);
		begin = ay_now_ns();
		for (int i = 0; i < n / (spin ? 1 : 10) && o.what == AY_EXEC_RAN; i++)
			o = fixture_run(&r, 0);
		CHECKF(o.what == AY_EXEC_RAN, "%s", o.text);
		if (getenv("ASSAY_BENCH"))
			printf("    %s: %.2f us a call\n", spin ? "spinning" : "sleeping",
			       (double)(ay_now_ns() - begin) / 1e3 / (n / (spin ? 1 : 10)));
		CHECK(ay_now_ns() - begin < (int64_t)n * 1000000);
		begin = ay_now_ns();
		for (int i = 0; i < 20; i++) {
			ay_exec_stop(r.x);
			fixture_start(&r, &o);
		}
		if (getenv("ASSAY_BENCH"))
			printf("    start, load, stop: %.2f ms\n", (double)(ay_now_ns() - begin) / 20e6);
		fixture_release(&r);
	}
}
