/* SPDX-License-Identifier: Apache-2.0
 *
 * libtorch - tests of ATen called from C: which overloads have types in its ABI, and that the code
 * generated for them is right.
 */
#include "base/file.h"
#include "base/process.h"
#include "exec/python.h"
#include "helpers.h"
#include "judge/task.h"
#include "test.h"
#include "timing/libtorch.h"
#include "timing_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(libtorch_takes_what_the_abi_has_types_for)
{
	static const struct {
		const char *schema;
		bool takes;
	} t[] = {
		{ "aten::relu(Tensor self) -> Tensor", true },
		{ "aten::relu_(Tensor(a!) self) -> Tensor(a!)", true },
		{ "aten::cat(Tensor[] tensors, int dim=0) -> Tensor", true },
		{ "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
		  "Tensor(a!)",
		  true },
		{ "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
		  "-> Tensor",
		  true },
		{ "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
		  true },
		{ "aten::is_nonzero(Tensor self) -> bool", true },
		{ "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", false },
		{ "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", false },
		{ "aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", false },
		{ "aten::item(Tensor self) -> Scalar", false },
		{ "aten::_batch_norm_impl_index(Tensor input) -> (Tensor, Tensor, Tensor, Tensor, int)", false },
		{ "mine::relu(Tensor self) -> Tensor", false },
	};
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_schema *s;

		CHECKF(!ay_schema_parse(&a, t[i].schema, &s, &err), "%s: %s", t[i].schema, err.msg);
		CHECKF(ay_libtorch_takes(s) == t[i].takes, "%s", t[i].schema);
	}
	ay_arena_release(&a);
}

/* Returns the verdict on ATen's function, built in that mode, for the fixture's case. */
static enum ay_verdict judge(struct timing_fixture *r, struct ay_python *python, enum ay_libtorch what)
{
	const char *cuda = python->device ? ay_libtorch_cuda(&r->a, python->library) : NULL;
	const struct ay_policy policy = { .threads = 1,
					  .oracle_threads = 1,
					  .call_timeout_s = 20,
					  .python = python,
					  .device = (struct ay_dev *)python->device,
					  .sandbox = r->sandbox,
					  .folders = ay_libtorch_folders(&r->a, python->folders) };
	const char *source = ay_libtorch_source(&r->a, r->proto, what, python->library, cuda);
	struct ay_report rep;
	struct ay_built b = { .fd = -1 };
	int64_t begin, loaded;
	struct ay_judge j;

	CHECKF(!ay_forge_build(&r->f, &r->a, source, strlen(source), AY_LANG_C, 1, &r->proto, 60, &b, &r->err) &&
		       b.ok,
	       "%s\n%s", r->err.msg, b.log ? b.log : "");
	CHECKF(!b.log || !b.log[0], "the compiler says: %s", b.log);
	begin = ay_now_ns();
	CHECKF(!ay_judge_init(&j, help_registry(), &policy, b.fd, NULL, &r->a, &rep, &r->err), "%s", r->err.msg);
	loaded = ay_now_ns();
	if (rep.verdict == AY_VERDICT_NONE)
		CHECKF(!ay_judge_case(&j, &r->sc, &r->a, &rep, &r->err), "%s", r->err.msg);
	if (getenv("ASSAY_BENCH"))
		printf("    %s: loaded in %.2f s, judged in %.2f s: %s %s\n", r->proto->symbol,
		       (double)(loaded - begin) / 1e9, (double)(ay_now_ns() - loaded) / 1e9,
		       ay_verdict_name(rep.verdict), rep.detail ? rep.detail : "");
	ay_judge_release(&j);
	close(b.fd);
	return rep.verdict;
}

/* Every kind of argument and of result. */
static const char *const lines[] = {
	"aten::relu((T([33], f32),), {}) seed=5",
	"aten::relu((T([4, 9], bf16, stride=[1, 4], offset=1),), {}) seed=5",
	"aten::relu_((T([33], f16),), {}) seed=5",
	"aten::relu.out((T([33], f32),), {'out': T([33], f32)}) seed=5",
	"aten::sort((T([7, 65], f32), -1, True), {}) seed=5",
	"aten::sum.dim_IntList((T([7, 65], f32), [1]), {}) seed=5",
	"aten::sum.dim_IntList((T([7, 65], f32), None, True), {'dtype': f64}) seed=5",
	"aten::cat(([T([3, 4], i64), T([5, 4], i64)], 0), {}) seed=5",
	"aten::cumsum((T([7, 65], c64), 1), {'dtype': c128}) seed=5",
	"aten::cumsum((T([7, 65], c64, conj=True), 1), {}) seed=5",
	"aten::gather((T([9, 5], f32), 0, T([4, 5], i64)), {'sparse_grad': False}) seed=5",
	"aten::index_put_((T([9, 5], f32), [None, T([3], i64)], T([9, 3], f32), True), {}) seed=5",
	"aten::matmul((T([7, 9], f64), T([9, 5], f64)), {}) seed=5",
	"aten::_to_copy((T([9], f32),), {'dtype': f16}) seed=5",
};

static void judge_lines(struct ay_python *python)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct timing_fixture r;
		enum ay_verdict v;

		timing_fixture_init(&r, lines[i]);
		CHECKF(ay_libtorch_takes(r.proto->s), "%s", lines[i]);
		if (ay_forge_init(&r.f, NULL, &r.err) || !r.f.cc)
			test_skip("no compiler");
		v = judge(&r, python, AY_LIBTORCH_JUDGED);
		CHECKF(v == AY_VERDICT_PASS, "%s: %s", lines[i], ay_verdict_name(v));
		if (python->device && i) { /* each start of an executor with a GPU takes seconds */
			timing_fixture_release(&r);
			continue;
		}
		/* the timed object leaves its result in memory that is not checked, unless the call
		 * has a place for it */
		v = judge(&r, python, AY_LIBTORCH_TIMED);
		CHECKF((v == AY_VERDICT_PASS) == (ay_schema_inplace(r.proto->s) || ay_schema_out(r.proto->s)),
		       "%s: %s", lines[i], ay_verdict_name(v));
		v = judge(&r, python, AY_LIBTORCH_LEAST);
		CHECKF(v != AY_VERDICT_PASS && v != AY_VERDICT_CRASH, "%s: %s", lines[i], ay_verdict_name(v));
		timing_fixture_release(&r);
	}
}

static void open_python(struct ay_python *python)
{
	struct ay_err err = { 0 };

	CHECKF(!ay_python_open(python, &err), "%s", err.msg);
	if (!python->library)
		test_skip("torch %s is too old for its C ABI", python->torch);
}

TEST_SLOW(libtorch_functions_are_right)
{
	struct ay_python python = { .wish = help_python() };

	open_python(&python);
	judge_lines(&python);
	ay_python_close(&python);
}

TEST_SLOW(libtorch_functions_are_right_on_a_gpu)
{
	struct ay_python python = { .wish = help_python() };
	struct ay_err err = { 0 };
	struct ay_dev *d;

	if (ay_dev_open(&d, "cuda", &err))
		test_skip("%s", err.msg);
	python.device = d;
	open_python(&python);
	if (!ay_libtorch_cuda(&python.arena, python.library))
		test_skip("torch %s has no CUDA", python.torch);
	judge_lines(&python);
	ay_python_close(&python);
	ay_dev_close(d);
}

/* --- grids on a GPU --------------------------------------------------------------------------- */

struct count {
	int n[AY_VERDICT_COUNT];
	const char *first; /* that did not pass */
	struct ay_arena *a;
};

/* ATen has no products of integers on CUDA. */
static bool is_integral(const struct ay_report *rep)
{
	return rep->verdict == AY_VERDICT_UNSUPPORTED && strstr(rep->line, "aten::mm") &&
	       (strstr(rep->line, "], i") || strstr(rep->line, "], u8"));
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct count *c = user;

	(void)sc, (void)t;
	c->n[rep->verdict]++;
	if (rep->verdict != AY_VERDICT_PASS && rep->verdict != AY_VERDICT_WEAK_CASE && !c->first &&
	    !is_integral(rep))
		c->first = ay_sprintf(c->a, "%s: %s (%s)", ay_verdict_name(rep->verdict), rep->line,
				      rep->detail ? rep->detail : "");
	return 0;
}

struct grid {
	struct ay_arena a;
	struct ay_registry r;
	struct ay_forge f;
	struct ay_sandbox *sandbox;
	struct ay_dev *dev;
	struct ay_python *python;
	const char *const *folders;
};

static void open_grid(struct grid *g)
{
	struct ay_err err = { 0 };

	if (ay_dev_open(&g->dev, "cuda", &err))
		test_skip("%s", err.msg);
	if (ay_forge_init(&g->f, ay_sprintf(&g->a, "%s/assay", help_cache()), &err) || !g->f.cc)
		test_skip("no compiler");
	if (ay_sandbox_new(&g->sandbox, AY_SANDBOX_FULL, &err))
		test_skip("%s", err.msg);
	CHECKF(!ay_registry_init(&g->r, ay_op_files, &err), "%s", err.msg);
}

static void close_grid(struct grid *g)
{
	ay_dev_close(g->dev);
	ay_sandbox_free(g->sandbox);
	ay_forge_release(&g->f);
	ay_registry_release(&g->r);
	ay_arena_release(&g->a);
}

/* The function of an overload on one line, or on the quick cases of its operator where line is
 * NULL. */
static void judge_source(struct grid *g, const char *overload, const char *source, const char *line,
			 struct count *c)
{
	struct ay_task t = { .file = "aten.c", .lang = AY_LANG_C, .tier = AY_QUICK, .build_timeout_s = 60 };
	struct ay_task_watch w = { .user = c, .judged = on_judged };
	struct ay_err err = { 0 };
	struct ay_task_result res;
	const struct ay_schema *s;
	bool exact;

	*c = (struct count){ .a = &g->a };
	t.op = ay_registry_find(&g->r, overload, &s, &exact, &err);
	t.source = source;
	t.len = strlen(source);
	t.line = &line;
	t.nline = line ? 1 : 0;
	t.policy = (struct ay_policy){ .threads = 1,
				       .oracle_threads = ay_cpu_count(),
				       .call_timeout_s = 20,
				       .sandbox = g->sandbox,
				       .python = g->python,
				       .device = g->dev,
				       .folders = g->folders };
	CHECKF(!ay_task_run(&g->r, &g->f, &t, &w, &g->a, &res, &err), "%s: %s", overload, err.msg);
	CHECKF(res.verdict != AY_VERDICT_BUILD, "%s", res.built.log);
	if (res.built.fd >= 0)
		close(res.built.fd);
}

static const char *source_of(struct grid *g, const char *overload, const char *library)
{
	struct ay_err err = { 0 };
	const struct ay_schema *s;
	struct ay_proto *p;
	bool exact;

	CHECKF(ay_registry_find(&g->r, overload, &s, &exact, &err) && !ay_proto_make(&g->a, s, &p, &err), "%s",
	       err.msg);
	return ay_libtorch_source(&g->a, p, AY_LIBTORCH_JUDGED, library, ay_libtorch_cuda(&g->a, library));
}

TEST_SLOW(libtorch_passes_grids_on_a_gpu)
{
	static const char norm[] =
		"aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, "
		"Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)";
	static const struct {
		const char *overload, *line;
		int least;
	} t[] = {
		{ "aten::relu", NULL, 90 },
		{ "aten::mm", NULL, 80 },
		{ "aten::_softmax", NULL, 150 },
		{ "aten::sum.dim_IntList", NULL, 100 },
		{ "aten::native_layer_norm",
		  "aten::native_layer_norm((T([7, 129], f32), [129], T([129], f32), T([129], f32), 1e-05), {}) "
		  "seed=5",
		  1 },
		{ "aten::native_layer_norm",
		  "aten::native_layer_norm((T([64, 1024], f16), [1024], T([1024], f16), None, 1e-05), {}) seed=5",
		  1 },
	};
	struct ay_python python = { .wish = help_python() };
	struct ay_err err = { 0 };
	struct grid g = { .python = &python };

	open_grid(&g);
	python.device = g.dev;
	open_python(&python);
	g.folders = ay_libtorch_folders(&g.a, python.folders);
	if (!ay_libtorch_cuda(&g.a, python.library))
		test_skip("torch %s has no CUDA", python.torch);
	CHECKF(!ay_registry_extend(&g.r, norm, strlen(norm), &err), "%s", err.msg);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct count c;

		judge_source(&g, t[i].overload, source_of(&g, t[i].overload, python.library), t[i].line, &c);
		printf("    %s: %d pass\n", t[i].overload, c.n[AY_VERDICT_PASS]);
		CHECKF(c.n[AY_VERDICT_PASS] >= t[i].least && !c.first, "%s: %d pass; %s", t[i].overload,
		       c.n[AY_VERDICT_PASS], c.first ? c.first : "");
	}
	ay_python_close(&python);
	close_grid(&g);
}

/* --- the same on a torch that only looks like one --------------------------------------------- */

/* Device and stream must be set before a call: tests/cuda/torch.c refuses it otherwise. */
TEST(libtorch_tells_torch_of_device_and_stream)
{
	static const struct {
		const char *old, *new, *line;
		enum ay_verdict verdict;
	} t[] = {
		{ "", "", "aten::relu((T([33], f32),), {})", AY_VERDICT_PASS },
		{ "", "", "aten::relu((T([0], f32),), {})", AY_VERDICT_PASS },
		{ "0, code, TORCH_CUDA,", "0, code, TORCH_CPU,", "aten::relu((T([33], f32),), {})",
		  AY_VERDICT_UNSUPPORTED },
		{ "return ay_numel(t) ?", "return 1 ?", "aten::relu((T([0], f32),), {})", AY_VERDICT_UNSUPPORTED },
		{ "if (stream != ctx->stream && ", "if (0 && ", "aten::relu((T([33], f32),), {})",
		  AY_VERDICT_UNSUPPORTED },
		{ "if (lib && !open_device(lib))", "if (0)", "aten::relu((T([33], f32),), {})",
		  AY_VERDICT_UNSUPPORTED },
		{ "\tkeep_sums_whole(lib);\n", "", "aten::relu((T([33], f32),), {})", AY_VERDICT_UNSUPPORTED },
		{ "#define LIBTORCH_CUDA \"/", "#define LIBTORCH_CUDA \"/no/", "aten::relu((T([33], f32),), {})",
		  AY_VERDICT_UNSUPPORTED },
	};
	struct grid g = { 0 };
	const char *dir = test_dir(), *folders[] = { NULL, NULL }, *source;
	char *out = "";

	help_fake_gpu(&g.a);
	CHECKF(!help_run(&g.a,
			 ay_sprintf(&g.a,
				    "mkdir -m 755 %s/lib && cc -shared -fPIC -Wl,-soname,libtorch_cpu.so -o "
				    "%s/lib/libtorch_cpu.so tests/cuda/torch.c 2>&1 && cc -shared -fPIC -DCUDA -o "
				    "%s/lib/libtorch_cuda.so tests/cuda/torch.c -Wl,--no-as-needed "
				    "%s/lib/libtorch_cpu.so 2>&1",
				    dir, dir, dir, dir),
			 60, &out),
	       "%s", out);
	open_grid(&g);
	folders[0] = ay_sprintf(&g.a, "%s/lib", dir);
	g.folders = folders;
	source = source_of(&g, "aten::relu", ay_sprintf(&g.a, "%s/lib/libtorch_cpu.so", dir));
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const char *at = strstr(source, t[i].old);
		struct count c;

		CHECKF(at && (!t[i].old[0] || !strstr(at + 1, t[i].old)), "the source has '%s' not once",
		       t[i].old);
		judge_source(
			&g, "aten::relu",
			ay_sprintf(&g.a, "%.*s%s%s", (int)(at - source), source, t[i].new, at + strlen(t[i].old)),
			t[i].line, &c);
		CHECKF(c.n[t[i].verdict] == 1, "'%s': %s", t[i].new, c.first ? c.first : "passes");
	}
	close_grid(&g);
}

/* --- what is generated ------------------------------------------------------------------------ */

TEST(libtorch_source_is_told_of_the_gpu)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *dir = test_dir(), *library = ay_sprintf(&a, "%s/libtorch_cpu.so", dir), *cuda;
	struct ay_schema *s;
	struct ay_proto *p;
	const char *cpu_source, *gpu_source;

	CHECK(!ay_libtorch_cuda(&a, library));
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/libtorch_cuda.so", dir), "x", 1, &err));
	cuda = ay_libtorch_cuda(&a, library);
	CHECK_STR(cuda ? cuda : "-", ay_sprintf(&a, "%s/libtorch_cuda.so", dir));
	CHECK(!ay_schema_parse(&a, "aten::relu(Tensor self) -> Tensor", &s, &err) &&
	      !ay_proto_make(&a, s, &p, &err));
	cpu_source = ay_libtorch_source(&a, p, AY_LIBTORCH_TIMED, library, NULL);
	gpu_source = ay_libtorch_source(&a, p, AY_LIBTORCH_TIMED, library, cuda);
	CHECK(!strstr(cpu_source, "#define LIBTORCH_CUDA ") && !strstr(gpu_source, "#define COPY"));
	CHECK(strstr(gpu_source, ay_sprintf(&a, "#define LIBTORCH_CUDA \"%s\"\n", cuda)));
	CHECK(strstr(gpu_source, ay_sprintf(&a, "#define LIBTORCH \"%s\"\n", library)));
	ay_arena_release(&a);
}
