/* SPDX-License-Identifier: Apache-2.0
 *
 * timing_python - tests of Python under the gate: timed kernels, kernels that behave differently
 * when timed, and torch itself as a baseline.
 */
#include "exec/launch.h"
#include "exec/python.h"
#include "helpers.h"
#include "judge/perf.h"
#include "test.h"
#include "timing_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char line[] = "aten::relu((T([1000], f32),), {}) seed=5";

struct fixture {
	struct timing_fixture r;
	struct ay_judge j;
	struct ay_perf k;
	struct ay_report rep;
	const char *about;
	int fd;
};

/* one interpreter for all kernels of a test, because importing torch takes seconds */
static struct ay_python python;

static void need_python(void)
{
	struct ay_err err = { 0 };

	help_python();
	CHECKF(!ay_python_open(&python, &err), "%s", err.msg);
}

/* source: Python, or C if it has a '{'; NULL: torch's own function. */
static void setup(struct fixture *b, const char *text, const char *source, const char *baseline)
{
	struct ay_policy policy = { 1, 1, .call_timeout_s = 5, .python = &python };
	const bool native = source && strstr(source, "int aten_");

	*b = (struct fixture){ .fd = -1 };
	timing_fixture_init(&b->r, text);
	if (native) {
		b->fd = dup(timing_fixture_build(&b->r, source));
	} else {
		const struct ay_python_kernel about = {
			.file = "mine.py", .backend = source ? NULL : "aten", .n = 1, .proto = &b->r.proto
		};

		if (ay_sandbox_new(&b->r.sandbox, AY_SANDBOX_FULL, &b->r.err))
			test_skip("%s", b->r.err.msg);
		b->about = ay_python_about(&b->r.a, &about);
		b->fd = source ? ay_launch_memfd("kernel", source, strlen(source), 0) : -1;
	}
	policy.sandbox = b->r.sandbox;
	b->k = (struct ay_perf){ .policy = { .mode = AY_TIMED_AUTO, .budget_s = 1, .baseline = baseline },
				 .forge = &b->r.f,
				 .has_ceilings = true,
				 .ceilings = timing_fixture_kind };
	CHECKF(!ay_judge_init(&b->j, help_registry(), &policy, b->fd, b->about, &b->r.a, &b->rep, &b->r.err) &&
		       b->rep.verdict == AY_VERDICT_NONE,
	       "%s %s", b->r.err.msg, b->rep.detail ? b->rep.detail : "");
}

static void teardown(struct fixture *b)
{
	ay_perf_release(&b->k);
	ay_judge_release(&b->j);
	timing_fixture_release(&b->r);
	if (b->fd >= 0)
		close(b->fd);
}

/* Judges, then times. */
static const struct ay_timing *measure(struct fixture *b, const char *what)
{
	static const struct ay_timing none;

	CHECKF(!ay_judge_case(&b->j, &b->r.sc, &b->r.a, &b->rep, &b->r.err) && b->rep.verdict == AY_VERDICT_PASS,
	       "%s: %s %s: %s", what, ay_verdict_name(b->rep.verdict), b->r.err.msg,
	       b->rep.detail ? b->rep.detail : "");
	CHECKF(!ay_perf_case(&b->k, &b->j, &b->r.sc, &b->r.a, &b->rep, &b->r.err), "%s: %s", what, b->r.err.msg);
	return b->rep.timing ? b->rep.timing : &none;
}

/* --- those that are what they seem ------------------------------------------------------------ */

static const struct {
	const char *line, *source;
} honest[] = {
	{ line, "import torch\ndef relu(self): return torch.clamp(self, min=0)\n" },
	{ "aten::relu_((T([1000], f32),), {}) seed=5",
	  "import torch\ndef relu_(self): return self.clamp_(min=0)\n" },
	{ "aten::relu_((T([1000], f32),), {}) seed=5", /* that memory in another object */
	  "import torch\ndef relu_(self):\n    self.clamp_(min=0)\n    return self.view(-1)\n" },
	{ "aten::relu.out((T([1000], f32),), {'out': T([1000], f32)}) seed=5",
	  "import torch\ndef relu_out(self, *, out): return torch.clamp(self, min=0, out=out)\n" },
	{ "aten::sort((T([20, 30], f32), -1), {}) seed=5",
	  "import torch\ndef sort(self, dim=-1, descending=False): return torch.topk(self, 30, dim, False)\n" },
	/* the negative is stored, marked by a bit that DLPack does not have */
	{ "aten::add.Tensor((T([300], f32), T([300], f32)), {}) seed=5",
	  "import torch\ndef add_Tensor(self, other, *, alpha=1): return torch._neg_view(torch.sub(-self, "
	  "other))\n" },
	{ "aten::add.Tensor((T([300], c64), T([300], c64)), {}) seed=5",
	  "import torch\ndef add_Tensor(self, other, *, alpha=1):\n"
	  "    return torch.conj(torch.conj_physical(torch.sub(self, -other)))\n" },
	/* grad is on, and a torch Parameter results */
	{ line, "import torch\nclass Odd(torch.nn.Parameter): pass\n"
		"def relu(self): return torch.nn.Parameter(torch.clamp(self, min=0))\n" },
	{ "aten::bernoulli.p((T([4000], f32), 0.25), {}) seed=5",
	  "import torch\ndef bernoulli_p(self, p, generator=None): return (torch.rand_like(self) < "
	  "p).to(self.dtype)\n" },
	{ line, NULL },
	/* no seed comes twice */
	{ "aten::bernoulli.p((T([4000], f32), 0.25), {}) seed=5",
	  "import torch\nseen, n = set(), 0\ndef bernoulli_p(self, p, generator=None):\n    global n\n"
	  "    n, s = n + 1, torch.initial_seed()\n    if n > 20 and s in seen: raise ValueError('seen')\n"
	  "    seen.add(s)\n    return (torch.rand_like(self) < p).to(self.dtype)\n" },
};

TEST_TIMED(timing_python_kernels_are_timed)
{
	need_python();
	for (size_t i = 0; i < sizeof honest / sizeof *honest; i++) {
		const char *what = honest[i].source ? honest[i].source : "torch's own";
		const struct ay_timing *m;
		struct fixture b;

		setup(&b, honest[i].line, honest[i].source, i % 3 ? "none" : "aten");
		m = measure(&b, what);
		CHECKF(b.rep.verdict == AY_VERDICT_PASS, "%s: %s: %s", what, ay_verdict_name(b.rep.verdict),
		       b.rep.detail ? b.rep.detail : "");
		CHECKF(m->blocks > 0 && m->ns > 0 && m->gate_ns > 0, "%s: %d blocks, %g ns: %s", what, m->blocks,
		       m->ns, m->why ? m->why : "");
		CHECKF(m->null_ns > 0, "%s: a call that does nothing costs nothing", what);
		CHECKF(i % 3 || m->pace != AY_PACE_NONE || m->why, "%s: neither pace nor reason", what);
		teardown(&b);
	}
	ay_python_close(&python);
}

/* --- those that are not ----------------------------------------------------------------------- */

#define COUNT                             \
	"import time, torch\nn = 0\n"     \
	"def relu(self):\n    global n\n" \
	"    n += 1\n    y = torch.clamp(self, min=0)\n"

static const struct {
	const char *what, *source;
	enum ay_verdict verdict;
	const char *says;
} rogues[] = {
	{ "one wrong element", COUNT "    if n > 20: y[7] += 1\n    return y\n", AY_VERDICT_MISMATCH,
	  "right when it was judged, wrong when it was timed" },
	{ "the answer before", COUNT "    global last\n    if n < 20: last = y\n    return last\n",
	  AY_VERDICT_BAD_RESULT, "in the memory of what an earlier call returned" },
	{ "one buffer for all calls",
	  COUNT "    global last\n    if n == 20: last = y\n    return y if n < 20 else last.copy_(y)\n",
	  AY_VERDICT_BAD_RESULT, "in the memory of what an earlier call returned" },
	{ "nothing is written", COUNT "    return y if n < 20 else torch.empty_like(self)\n", AY_VERDICT_MISMATCH,
	  "right when it was judged, wrong when it was timed" },
	{ "its input", COUNT "    return y if n < 20 else self\n", AY_VERDICT_BAD_RESULT,
	  "in the memory of an argument" },
	{ "a part", COUNT "    return y if n < 20 else y[:5]\n", AY_VERDICT_BAD_RESULT,
	  "with shape [5], [1000] is due" },
	{ "another dtype", COUNT "    return y if n < 20 else y.double()\n", AY_VERDICT_BAD_RESULT,
	  "with another dtype than f32" },
	{ "no tensor", COUNT "    return y if n < 20 else None\n", AY_VERDICT_BAD_RESULT,
	  "returned no tensor for 'out'" },
	{ "a lazy one",
	  "import time, torch\nn = 0\nclass Lazy(torch.Tensor): pass\n"
	  "def relu(self):\n    global n\n    n += 1\n    y = torch.clamp(self, min=0)\n"
	  "    return y if n < 20 else y.as_subclass(Lazy)\n",
	  AY_VERDICT_BAD_RESULT, "returned a Lazy where a tensor is due" },
	{ "an exception", COUNT "    if n > 20: raise ValueError('enough')\n    return y\n", AY_VERDICT_CRASH,
	  "raised ValueError: enough" },
	{ "torch's own, when it is not judged", COUNT "    return y if n < 40 else torch.relu(self)\n",
	  AY_VERDICT_CHEAT, "called relu of torch, which is what it is to replace" },
	{ "cannot be forgotten",
	  "import time, torch\nn = 0\nclass Trap:\n    def __del__(self): time.sleep(100)\n"
	  "def relu(self):\n    global n\n    n += 1\n    y = torch.clamp(self, min=0)\n"
	  "    if n > 20: y.trap = Trap()\n    return y\n",
	  AY_VERDICT_TIMEOUT, "did not return" },
};

TEST_TIMED(timing_python_kernels_that_change_when_they_are_timed)
{
	need_python();
	for (size_t i = 0; i < sizeof rogues / sizeof *rogues; i++) {
		struct fixture b;

		setup(&b, line, rogues[i].source, "none");
		b.k.policy.budget_s = 4; /* it ends when the defect is found */
		if (rogues[i].verdict == AY_VERDICT_TIMEOUT)
			b.j.policy.call_timeout_s = 1;
		measure(&b, rogues[i].what);
		CHECKF(b.rep.verdict == rogues[i].verdict, "%s: %s: %s", rogues[i].what,
		       ay_verdict_name(b.rep.verdict), b.rep.detail ? b.rep.detail : "-");
		CHECKF(b.rep.detail && strstr(b.rep.detail, rogues[i].says), "%s: %s", rogues[i].what,
		       b.rep.detail ? b.rep.detail : "-");
		CHECKF(!b.rep.timing || !b.rep.timing->ns, "%s: it has a time", rogues[i].what);
		teardown(&b);
	}
	ay_python_close(&python);
}

/* --- torch as what others are held against ---------------------------------------------------- */

#define RELU_C                                                                         \
	"int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n{\n" \
	"	const float *x = self->data; float *y = out->data;\n"                        \
	"	for (int64_t i = 0; i < ay_numel(self); i++) y[i] = x[i] > 0 ? x[i] : 0;\n	return 0;\n}\n"

static const char *write_file(const char *name, const char *source)
{
	static char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	f = fopen(path, "w");
	CHECK(f && fputs(source, f) >= 0 && !fclose(f));
	return path;
}

TEST_TIMED(timing_python_baselines_say_who_they_are)
{
	static const char clamp[] = "import torch\ndef relu(self): return torch.clamp(self, min=0)\n";
	static const char zeros[] = "import torch\ndef relu(self): return torch.zeros_like(self)\n";
	const char *mine, *version[2]; /* called from Python, called from C */
	const struct {
		const char *what, *source, *word, *file, *baseline, *why;
		bool wished, scored, off; /* --python names the interpreter; --python none */
	} t[] = {
		{ "C against aten", RELU_C, "aten", NULL, "aten", NULL, false, true },
		{ "C, auto, Python turned off", RELU_C, NULL, NULL, "reference", NULL, false, false, true },
		{ "C, auto, --python", RELU_C, NULL, NULL, "aten", NULL, true, true },
		{ "Python, auto", clamp, NULL, NULL, "aten", NULL, false, true },
		{ "aten, auto", NULL, NULL, NULL, "aten", NULL, false, true },
		{ "C against a file", RELU_C, NULL, clamp, "theirs.py", NULL, false, false },
		{ "C against a wrong file", RELU_C, NULL, zeros, NULL, "the baseline gets MISMATCH on this case",
		  false, false },
		{ "C against another function's file", RELU_C, NULL, "def gelu(self): return self\n", NULL,
		  "the baseline has no function for this overload", false, false },
	};

	need_python();
	version[0] = ay_sprintf(&python.arena, "%s (python)", python.torch);
	version[1] = python.library ? ay_sprintf(&python.arena, "%s (C ABI)", python.torch) : version[0];
	unsetenv("ASSAY_PYTHON");
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const bool aten = t[i].baseline && !strcmp(t[i].baseline, "aten"),
			   native = t[i].source && strstr(t[i].source, "int aten_");
		const struct ay_timing *m;
		struct fixture b;

		mine = t[i].file ? write_file("theirs.py", t[i].file) : NULL;
		python.wish = t[i].off ? "none" : t[i].wished ? python.path : NULL;
		setup(&b, line, t[i].source, mine ? mine : t[i].word);
		b.k.policy.budget_s = 3; /* needs a ratio on a busy machine too */
		m = measure(&b, t[i].what);
		CHECKF(b.rep.verdict == AY_VERDICT_PASS, "%s: %s", t[i].what, ay_verdict_name(b.rep.verdict));
		/* on a busy machine a reason must be given */
		if (!t[i].why && m->pace == AY_PACE_NONE)
			CHECKF(m->why && strstr(m->why, "no ratio"), "%s: no pace, %s", t[i].what,
			       m->why ? m->why : "-");
		else
			CHECK_STR(m->baseline ? m->baseline : "-", t[i].baseline ? t[i].baseline : "-");
		if (m->pace != AY_PACE_NONE)
			CHECK_STR(m->version ? m->version : "-", aten ? version[native] : "-");
		CHECKF(!t[i].why || (m->why && !strcmp(m->why, t[i].why)), "%s: %s", t[i].what,
		       m->why ? m->why : "-");
		CHECKF(!m->scored || (t[i].scored && !m->overhead_bound), "%s: is scored", t[i].what);
		CHECKF(!aten || m->base_null_ns > 0, "%s: nothing known of a call of torch", t[i].what);
		CHECKF(!m->overhead_bound || m->base_ns < 5 * m->base_null_ns, "%s: %g ns, %g ns", t[i].what,
		       m->base_ns, m->base_null_ns);
		teardown(&b);
	}
	ay_python_close(&python);
}

/* Not an operator of torch, and no torch at all. */
TEST_TIMED(timing_python_baseline_that_is_not_there_is_a_reason)
{
	static const char fused[] =
		"int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx);\n" RELU_C;
	const struct ay_timing *m;
	struct fixture b;

	python = (struct ay_python){ .wish = "/bin/false" };
	setup(&b, line, fused, "aten");
	m = measure(&b, "no torch");
	CHECKF(b.rep.verdict == AY_VERDICT_PASS && m->why && strstr(m->why, "'/bin/false' has no torch"), "%s",
	       m->why ? m->why : "-");
	CHECK(!m->baseline && m->pace == AY_PACE_NONE && m->ns > 0);
	teardown(&b);
	setup(&b, line, fused, NULL); /* auto takes what exists */
	m = measure(&b, "no torch, auto");
	CHECKF(m->pace == AY_PACE_NONE || (m->baseline && !strcmp(m->baseline, "reference")), "%s",
	       m->baseline ? m->baseline : "-");
	teardown(&b);
}
