/* SPDX-License-Identifier: Apache-2.0
 *
 * trace - tests of the output of assay trace, and of the suites made from it.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "exec/python.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUITES = 8, SUITE_MAX = 150 << 10 };

static struct ay_arena a;

/* How many lines are not cases in the form that assay prints them, with "cnt: N, " before; the
 * first in *bad. */
static int odd_lines(const char *text, int *lines, const char **bad)
{
	int odd = 0;

	for (*lines = 0; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const size_t n = strcspn(text, "\n");
		const char *call = memmem(text, n, ", ", 2);
		struct ay_str b = { 0 };
		struct ay_err err = { 0 };
		struct ay_case *c;

		if (text[0] == '#')
			continue;
		++*lines;
		if (!ay_case_parse(&a, text, n, &c, &err) && call && c->cnt > 0 && c->ns) {
			ay_str_addf(&b, "cnt: %lld, ", (long long)c->cnt);
			c->cnt = -1;
			ay_case_print(&b, c);
		}
		if ((b.len != n || memcmp(ay_str_text(&b), text, n)) && !odd++)
			*bad = ay_sprintf(&a, "%.*s\n(%s) prints as %s", (int)n, text, err.msg, ay_str_text(&b));
		ay_str_release(&b);
	}
	return odd;
}

static const char *read_text(const char *path)
{
	struct ay_err err = { 0 };
	char *text = "";
	size_t len;

	CHECKF(!ay_file_read(&a, path, 64 << 20, &text, &len, &err), "%s", err.msg);
	return text;
}

TEST(trace_odd_lines_are_seen)
{
	static const char *const odd[] = {
		"cnt: 1, aten::relu((T([2], f32)), {})\n",         /* a comma is missing */
		"cnt: 1, aten::relu((T([2], float32),), {})\n",    /* an unknown dtype */
		"cnt: 1, aten.relu.default((T([2], f32),), {})\n", /* another spelling */
		"cnt: 1, aten::relu((T([2], f32, stride=[2]),), {})\n",
		"cnt: 1, aten::add.Tensor((T([2], f32), 1.50), {})\n",
		"cnt: 0, aten::relu((T([2], f32),), {})\n",
		"aten::relu((T([2], f32),), {})\n",
		"cnt: 1, aten::relu((T([2], i64, data=[1]),), {})\n",
		"cnt: 1, aten::rel",
	};
	const char *bad = NULL;
	int n;

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		CHECKF(odd_lines(odd[i], &n, &bad) == 1 && n == 1, "%s", odd[i]);
	CHECK(!odd_lines(
		      "# x\ncnt: 12, aten::add.Tensor((T([2], f32, stride=(2,), offset=1), 1.5), {'alpha': 2})\n",
		      &n, &bad) &&
	      n == 1);
}

TEST(trace_shipped_suites_are_cases)
{
	glob_t g;

	CHECK(!glob("suites/*.trace", 0, NULL, &g) && g.gl_pathc >= SUITES);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *path = g.gl_pathv[i], *text = read_text(path), *bad = NULL;
		int n, odd = odd_lines(text, &n, &bad);

		CHECKF(!odd, "%s: %d odd lines, the first: %s", path, odd, bad);
		CHECKF(n >= 100 && strlen(text) < SUITE_MAX, "%s: %d lines, %zu bytes", path, n, strlen(text));
		CHECKF(strstr(text, ", bf16") && strstr(text, ", f32"), "%s has not both dtypes", path);
		CHECKF(strstr(text, "_backward"), "%s has no backward calls", path);
		CHECKF(strstr(text, "\n# torch ") && strstr(text, "\n# script: "), "%s has no head", path);
	}
	globfree(&g);
}

TEST(suite_shipped_traces_have_names)
{
	struct ay_suite by_name = { 0 }, by_path = { 0 }, none = { 0 };
	struct ay_err err = { 0 }, no = { 0 };
	char one[65], two[65];

	CHECKF(!ay_suite_named(&by_name, &a, help_registry(), "bert", AY_FULL, &err) &&
		       !ay_suite_named(&by_path, &a, help_registry(), "suites/bert.trace", AY_FULL, &err),
	       "%s", err.msg);
	ay_suite_hash(&by_name, one);
	ay_suite_hash(&by_path, two);
	CHECK_STR(one, two);
	CHECK(by_name.n > 10 && by_name.uncatalogued == by_path.uncatalogued);
	CHECKF(ay_suite_named(&none, &a, help_registry(), "../suites/bert", AY_FULL, &no), "a path is no name");
	ay_suite_release(&by_name);
	ay_suite_release(&by_path);
	ay_suite_release(&none);
}

/* --- a script --------------------------------------------------------------------------------- */

static const char script[] =
	"import sys, threading, torch\n"
	"w = torch.zeros(5, 7, requires_grad=True)\n"
	"for _ in range(3):\n"
	"    (torch.sigmoid(w)[1:, ::2].t() * 1.5).sum().backward()\n"
	"table = torch.zeros(100, 4)\n"
	"torch.nn.functional.embedding(torch.tensor([3, 99]), table)\n"
	"torch.nn.functional.embedding(torch.arange(60).view(3, 20), table)\n"
	"torch.empty(9, dtype=torch.long).index_put_([torch.tensor([2, 0])], torch.tensor([5, 6]))\n"
	"table[torch.arange(100) < 37]\n"
	"t = threading.Thread(target=lambda: torch.erf(table)); t.start(); t.join()\n"
	"with torch.inference_mode(): torch.nn.functional.linear(table, table)\n"
	"torch.cat([table, table[:2]], dim=0).to(torch.bfloat16, memory_format=torch.preserve_format)\n"
	"torch.full((2,), -float('inf'), dtype=torch.complex64).conj() * (0.5 - 2j)\n"
	"torch.div(table, 2, rounding_mode='floor'); torch.clamp(table, None, 1e-6)\n"
	"torch.where(torch.arange(40) < 20, table[0, 0], 2.0)\n"
	"torch.sparse_coo_tensor([[0]], [1.0], (2,)).coalesce()\n"
	"try: torch.gather(table, 7, torch.zeros(1, 1, dtype=torch.long))\n"
	"except IndexError as e: print('refused:', e)\n"
	"print('argv', sys.argv[1:], sys.stdin.readline().strip())\n"
	"sys.exit(int(sys.argv[1]))\n";

static const char *const wanted[] = {
	/* three times forward, and backward through a strided view */
	"cnt: 3, aten::sigmoid((T([5, 7], f32),), {})\n",
	"cnt: 3, aten::mul.Tensor((T([4, 4], f32, stride=(2, 7), offset=7), 1.5), {})\n",
	"cnt: 3, aten::sum((T([4, 4], f32, stride=(1, 4)),), {})\n",
	"cnt: 3, aten::mul.Tensor((T([4, 4], f32, stride=(0, 0)), 1.5), {})\n",
	"cnt: 3, aten::sigmoid_backward((T([5, 7], f32), T([5, 7], f32)), {})\n",
	/* indices: few, many, and none if they are data */
	"cnt: 1, aten::embedding((T([100, 4], f32), T([2], i64, data=[3, 99])), {})\n",
	"cnt: 1, aten::embedding((T([100, 4], f32), T([3, 20], i64, fill=index(100))), {})\n",
	"cnt: 1, aten::index_put_((T([9], i64), [T([2], i64, data=[2, 0])], T([2], i64)), {})\n",
	"cnt: 1, aten::index.Tensor((T([100, 4], f32), [T([100], b8, fill=mask(37))]), {})\n",
	"cnt: 1, aten::where.self((T([40], b8, fill=bool(0.5)), T([], f32), T([], f32)), {})\n",
	/* a thread, a composite, and values of every kind */
	"cnt: 1, aten::erf((T([100, 4], f32),), {})\n",
	"cnt: 1, aten::mm((T([100, 4], f32), T([4, 100], f32, stride=(1, 4))), {})\n",
	"cnt: 1, aten::cat(([T([100, 4], f32), T([2, 4], f32)],), {})\n",
	"cnt: 1, aten::_to_copy((T([102, 4], f32),), {'dtype': bf16, 'memory_format': torch.preserve_format})\n",
	"cnt: 1, aten::full(([2], -inf), {'dtype': c64, 'device': torch.device('cpu'), 'pin_memory': False})\n",
	"cnt: 1, aten::clone((T([2], c64, conj=True),), {})\n",
	"cnt: 1, aten::mul.Tensor((T([2], c64), (0.5-2.0j)), {})\n",
	"cnt: 1, aten::div.Tensor_mode((T([100, 4], f32), 2), {'rounding_mode': 'floor'})\n",
	"cnt: 1, aten::clamp((T([100, 4], f32), None, 1e-06), {})\n",
	"\n# left out: 1 call of aten::is_coalesced (a torch.sparse_coo tensor)\n",
};

static void write_file(const char *path, const char *text)
{
	struct ay_err err = { 0 };

	CHECKF(!ay_file_write(path, text, strlen(text), &err), "%s", err.msg);
}

/* Runs `assay trace WORDS` in the scratch folder, with a line of input. */
static int trace(const char *words, char **out)
{
	return help_run(
		&a, ay_sprintf(&a, "cd %s && echo heard | %s/assay trace %s", test_dir(), help_build_dir(), words),
		200, out);
}

TEST(trace_records_a_script)
{
	const char *path = ay_sprintf(&a, "%s/trace-model.trace", test_dir()), *text, *bad = NULL;
	char *out;
	int n, rc;

	help_python();
	write_file(ay_sprintf(&a, "%s/model.py", test_dir()), script);
	rc = trace("-- python -u model.py 0 --out x", &out);
	CHECKF(!rc && strstr(out, "argv ['0', '--out', 'x'] heard") && strstr(out, "in trace-model.trace"),
	       "%d: %s", rc, out);
	CHECKF(strstr(out, "refused: Dimension out of range"), "torch does not speak for itself: %s", out);
	text = read_text(path);
	CHECKF(!strstr(text, "aten::gather"), "a call that failed is none");
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		CHECKF(strstr(text, wanted[i]), "there is no %sin\n%s", wanted[i], i ? "it" : text);
	CHECKF(!odd_lines(text, &n, &bad) && n > 20, "%d lines; %s", n, bad);
	CHECKF(strstr(text, "# script: model.py 0 --out x\n"), "%.300s", text);
}

TEST_SLOW(trace_says_how_a_script_ended)
{
	static const struct {
		const char *script, *words;
		int status;
	} t[] = {
		{ "import torch\ntorch.ones(3)\nraise ValueError('no good')\n",
		  "ValueError: no good\nassay: the script ended "
		  "with status 1; what it called",
		  1 },
		{ "import sys\nsys.exit(7)\n", "assay: the script ended with status 7\n", 7 },
		{ "import torch, os\ntorch.ones(3)\nos._exit(0)\n", "no trace is written", 2 },
		{ "import os\nos.kill(os.getpid(), 9)\n", "ended by signal 9 (Killed); no trace", 128 + 9 },
		{ "print('nothing')\n", "the script called nothing of aten", 2 },
		{ "import torch\ndef f(:\n", "SyntaxError", 1 },
	};
	char *out;

	help_python();
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		int rc;

		write_file(ay_sprintf(&a, "%s/t%zu.py", test_dir(), i), t[i].script);
		rc = trace(ay_sprintf(&a, "--quiet t%zu.py 2>&1", i), &out);
		CHECKF(rc == t[i].status && strstr(out, t[i].words), "%s%d: %s", t[i].script, rc, out);
		CHECKF(!strstr(out, "assay.trace.py"), "what is ours is in the traceback: %s", out);
	}
	/* the trace of a script that failed half-way says so */
	CHECK(strstr(read_text(ay_sprintf(&a, "%s/trace-t0.trace", test_dir())),
		     "# the script ended with status 1"));
	CHECK(access(ay_sprintf(&a, "%s/trace-t2.trace", test_dir()), F_OK));
}

/* Tests line() alone, with calls that a script would hardly make. */
static const char crafted[] =
	"import torch\n"
	"from assay.lines import Unprintable, line\n"
	"x, few = torch.zeros(3), torch.tensor([1.5, -0.0])\n"
	"def say(*a, **k): print('cnt: 1,', line('aten::add.Tensor', *a, **k))\n"
	"say((\"it's\", 'a \"b\" \\'c\\'', 'tab\\tline\\nback\\\\', 'bell\\x07 caf\u00e9', ''), {})\n"
	"say((True, 0, -1, 2**63 - 1, -2**63, 1e22, 1e-7, 123456789.0, 0.1, -0.0, float('nan'), -float('inf')), "
	"{})\n"
	"say((1j, complex(-1, -0.0), complex(0, float('nan')), complex(float('inf'), -1e-300)), {})\n"
	"say(([], [None, x, [1, 2]], (), (3,), None, torch.Generator()), {'dtype': torch.float8_e5m2, 'b': [x]})\n"
	"say((torch.zeros(0, 2), torch.zeros(()), torch.zeros(2, 0).t(), x.expand(2, 3), torch.zeros(8)[3::2]), "
	"{})\n"
	"say((few, x), {}, {few})\n"
	"say((few.to(torch.bfloat16), x), {}, lambda t: t.numel() == 2)\n"
	"say((few.to(torch.complex64).conj(),), {}, lambda t: True)\n"
	"say((few[0].expand(4),), {}, lambda t: True)\n"
	"say((torch.channels_last, torch.strided, torch.device('cuda', 1)))\n"
	"print('cnt: 1,', line('aten.relu.default', (x,)))\n"
	"for bad in (2**63, x.to(torch.uint16), x.to_sparse(), x.to('meta'), 'nul\\0', object(), torch.zeros([1] "
	"* 17)):\n"
	"    try: say((bad,), {})\n"
	"    except Unprintable as e: print('# no:', e)\n"
	"torch.ones(1)\n";

TEST(trace_crafted_values_print_as_assay_prints)
{
	const char *bad = NULL;
	char *out;
	int n, rc;

	help_python();
	write_file(ay_sprintf(&a, "%s/crafted.py", test_dir()), crafted);
	rc = trace("--quiet -o x.trace crafted.py", &out);
	CHECKF(!rc && !odd_lines(out, &n, &bad) && n == 11, "status %d, %d lines; %s", rc, n, bad ? bad : out);
	CHECKF(strstr(out, "((T([2], f32, data=[1.5, -0.0]), T([3], f32)), {})"), "%s", out);
	CHECKF(strstr(out, "((T([4], f32, stride=(0,)),), {})"), "%s", out);
	for (n = 0; (out = strstr(out, "# no: ")); n++)
		out++;
	CHECKF(n == 7, "%d of 7 were refused", n);
}

TEST_SLOW(trace_runs_a_module)
{
	char *out;
	int rc;

	help_python();
	write_file(ay_sprintf(&a, "%s/mod.py", test_dir()),
		   "import sys, torch\ntorch.ones(2).add_(1)\nprint(__name__, sys.argv[1:])\n");
	rc = trace("--quiet -o there.trace -- python -m mod -o x", &out);
	CHECKF(!rc && !strcmp(out, "__main__ ['-o', 'x']\n"), "%d: %s", rc, out);
	CHECK(strstr(read_text(ay_sprintf(&a, "%s/there.trace", test_dir())),
		     "cnt: 1, aten::add_.Tensor((T([2], f32), 1)"));
}
