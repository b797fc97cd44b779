/* SPDX-License-Identifier: Apache-2.0
 *
 * samples_python - tests that kernels in Python and Triton get the verdict that their first line
 * says is due. All are judged in one run, whose workers import torch once.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "exec/python.h"
#include "judge/task.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_S = 120 /* time does not decide here */, RUN_S = 1500 };

struct run {
	struct ay_arena a;
	const char *dir;
	const char *as; /* the beginning of the command: how it is run */
	FILE *jobs;
	json_t *due;      /* by id */
	json_t *operator; /* names of the judged kernels */
	int uncatalogued; /* number of kernels for operators outside the catalogue */
};

static void need_triton(struct ay_arena *a)
{
	const char *cmd = ay_sprintf(
		a,
		"%s -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec(\"triton\") and "
		"u.find_spec(\"numpy\")))'",
		help_python());
	char *out;

	if (help_run(a, cmd, 60, &out))
		test_skip("%s has no triton, or no numpy, which its interpreter needs", help_python());
}

static void begin(struct run *r)
{
	*r = (struct run){ .dir = test_dir(), .as = "", .due = json_object(), .operator= json_object() };
	r->jobs = fopen(ay_sprintf(&r->a, "%s/jobs", r->dir), "w");
	if (!r->jobs)
		test_skip("no folder");
}

static void add_job(struct run *r, const char *id, const char *op, const char *source, const char *due)
{
	json_t *job = json_object();

	json_object_set_new(job, "id", json_string(id));
	json_object_set_new(job, source ? "source" : "path", json_string(source ? source : id));
	json_object_set_new(job, "lang", json_string("python"));
	if (op)
		json_object_set_new(job, "op", json_string(op));
	json_dumpf(job, r->jobs, JSON_COMPACT);
	fputc('\n', r->jobs);
	json_decref(job);
	json_object_set_new(r->due, id, json_string(due));
}

/* Adds a file by the "# due: PASS" in its first line. */
static void add_file(struct run *r, const char *path)
{
	struct ay_err err = { 0 };
	const struct ay_entry_op *op = ay_task_find_op(help_registry(), &r->a, path, "", &err);
	char *text = "";
	size_t len;

	if (!op) {
		r->uncatalogued++;
		return;
	}
	CHECKF(!ay_file_read(&r->a, path, 1 << 20, &text, &len, &err), "%s", err.msg);
	CHECKF(!strncmp(text, "# due: ", 7), "%s: its first line names no verdict (# due: ...)", path);
	if (strncmp(text, "# due: ", 7))
		return;
	text += 7;
	text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = 0;
	add_job(r, path, NULL, NULL, text);
	json_object_set_new(r->operator, op->name, json_true());
}

/* One in `every`. */
static void add_some(struct run *r, const char *pattern, size_t every)
{
	glob_t g;

	if (glob(pattern, 0, NULL, &g)) {
		test_fail(__FILE__, __LINE__, "no %s", pattern);
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i += every)
		add_file(r, g.gl_pathv[i]);
	globfree(&g);
}

static void add_files(struct run *r, const char *pattern)
{
	add_some(r, pattern, 1);
}

static void check_record(struct run *r, json_t *rec)
{
	const char *id = json_string_value(json_object_get(rec, "id"));
	const char *due = id ? json_string_value(json_object_get(r->due, id)) : NULL;
	const char *got = json_string_value(json_object_get(rec, "verdict"));
	char *text;

	if (!due)
		return;
	text = json_dumps(rec, JSON_COMPACT);
	CHECKF(got && !strcmp(got, due), "%s is due %s, got %s\n%.1500s", id, due, got ? got : "nothing", text);
	CHECKF(!got || strcmp(got, "PASS") || json_integer_value(json_object_get(rec, "cases")) > 0, "%s: no case",
	       id);
	free(text);
	json_object_del(r->due, id);
}

/* Runs all jobs, and compares every record with the due verdict. */
static void judge_jobs(struct run *r)
{
	const char *cmd = ay_sprintf(
		&r->a,
		"%s %s/assay check - --jobs 2 --seed 1 --timeout %d --out %s/run < %s/jobs > %s/out 2> %s/err;"
		" s=$?; cat %s/err; exit $s",
		r->as, help_build_dir(), CALL_S, r->dir, r->dir, r->dir, r->dir, r->dir);
	char *out, *line = NULL;
	size_t cap = 0;
	const char *id;
	json_t *due;
	FILE *f;
	int status;

	CHECK(!fclose(r->jobs));
	status = help_run(&r->a, cmd, RUN_S, &out);
	if (status == 2 && strstr(out, "sandbox"))
		test_skip("%s", out);
	CHECKF(!status, "status %d: %.500s", status, out);
	f = fopen(ay_sprintf(&r->a, "%s/out", r->dir), "r");
	while (f && getline(&line, &cap, f) > 0) {
		json_t *rec = json_loads(line, 0, NULL);

		CHECKF(rec, "no JSON: %.200s", line);
		check_record(r, rec);
		json_decref(rec);
	}
	json_object_foreach(r->due, id, due) test_fail(__FILE__, __LINE__, "%s: no record", id);
	free(line);
	if (f)
		fclose(f);
	json_decref(r->due);
	json_decref(r->operator);
	ay_arena_release(&r->a);
}

TEST_SLOW(samples_python_kernels_get_what_they_are_due)
{
	struct run r;

	begin(&r);
	help_python();
	add_files(&r, "kernels/python/*.py");
	add_files(&r, "kernels/python/*/*.py");
	CHECKF(json_object_size(r.due) >= 70, "only %zu kernels", json_object_size(r.due));
	CHECKF(json_object_size(r.operator) >= 28, "only %zu operators", json_object_size(r.operator));
	judge_jobs(&r);
}

/* Runs in the interpreter, which takes seconds each: half of them, or all with ASSAY_WHOLE=1. */
TEST_SLOW(samples_triton_kernels_get_what_they_are_due)
{
	const bool whole = getenv("ASSAY_WHOLE") != NULL;
	struct run r;

	begin(&r);
	need_triton(&r.a);
	add_some(&r, "kernels/triton/*.py", whole ? 1 : 2);
	CHECKF(json_object_size(r.due) >= (whole ? 18 : 9), "only %zu kernels", json_object_size(r.due));
	judge_jobs(&r);
}

/* As root without CAP_SYS_PTRACE the judge reads results by the executor's uid (ay_jail_read), and
 * copies of the zygote start without clone3. */
TEST_SLOW(samples_python_kernels_get_what_they_are_due_in_a_container)
{
	static const char *const files[] = { "python/relu",
					     "python/relu_",
					     "python/relu__chunks_on_threads",
					     "hostile/relu__calls_torch",
					     "hostile/relu__reads_proc",
					     "hostile/relu__same_result_again",
					     "hostile/relu__segfault",
					     "hostile/relu__exit_zero" };
	struct run r;

	begin(&r);
	help_python();
	r.as = help_container(&r.a);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		add_file(&r, ay_sprintf(&r.a, "kernels/%s.py", files[i]));
	judge_jobs(&r);
}

/* --- what honest kernels must not be mistaken for --------------------------------------------- */

#define RELU_IN_TRITON(body)                                                \
	"import torch, triton\nimport triton.language as tl\n"              \
	"@triton.jit\n"                                                     \
	"def f(x, y, n, B: tl.constexpr):\n"                                \
	"    at = tl.program_id(0) * B + tl.arange(0, B)\n"                 \
	"    v = tl.load(x + at, mask=at < n)\n"                            \
	"    tl.store(y + at, " body ", mask=at < n)\n"                     \
	"def relu(self):\n"                                                 \
	"    x = self.contiguous()\n"                                       \
	"    y = torch.empty_like(x)\n"                                     \
	"    f[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), B=4096)\n" \
	"    return y\n"

static const struct {
	const char *id, *op, *source, *due;
} planted[] = {
	{ "half accumulator", "aten::sum",
	  "import torch\n"
	  "def sum(self, *, dtype=None):\n"
	  "    x = self.to(dtype or (self.dtype if self.is_floating_point() else torch.int64)).reshape(-1)\n"
	  "    t = torch.zeros((), dtype=x.dtype)\n"
	  "    for part in x.split(16):\n"
	  "        for i in range(part.numel()):\n"
	  "            t = t + part[i]\n"
	  "    return t\n",
	  "MISMATCH" },
	{ "a view of the input", "aten::embedding",
	  "def embedding(weight, indices, *_):\n    return weight[indices.long()]\n", "BAD_RESULT" },
	{ "the operator itself", "aten::relu",
	  "import torch\ndef relu(self):\n    return torch.nn.functional.relu(self)\n", "CHEAT" },
	{ "the operator in place", "aten::relu", "def relu(self):\n    return self.clone().relu_()\n", "CHEAT" },
	{ "the operator by its sign", "aten::matmul", "def matmul(self, other):\n    return self @ other\n",
	  "CHEAT" },
	{ "one result of two", "aten::sort",
	  "import torch\ndef sort(self, dim=-1, descending=False):\n    return self\n", "BAD_RESULT" },
	{ "Triton, an error inside", "aten::relu", RELU_IN_TRITON("v + undefined_name"), "CRASH" },
	{ "Triton, leaky", "aten::relu", RELU_IN_TRITON("tl.where(v < 0, v * 0.01, v)"), "MISMATCH" },
	{ "Triton, the last left out", "aten::relu",
	  RELU_IN_TRITON("tl.where(at == n - 1, v, tl.where(v < 0, 0.0, v))"), "MISMATCH" },
};

TEST(samples_python_planted_defects_are_refused)
{
	struct run r;

	begin(&r);
	need_triton(&r.a);
	for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
		add_job(&r, planted[i].id, planted[i].op, planted[i].source, planted[i].due);
	judge_jobs(&r);
}

/* --- large cases ------------------------------------------------------------------------------ */

static void add_case(struct run *r, const char *path, int n, const char *due)
{
	const char *id = ay_sprintf(&r->a, "%s with %d elements", path, n);

	fprintf(r->jobs, "{\"id\": \"%s\", \"path\": \"%s\", \"cases\": [\"aten::relu((T([%d], f32),), {})\"]}\n",
		id, path, n);
	json_object_set_new(r->due, id, json_string(due));
}

/* Triton's interpreter takes seconds for what a GPU does at once. So a case beyond 64 Ki elements
 * is skipped, but only for kernels that run in this interpreter. */
TEST_SLOW(samples_triton_large_cases_are_skipped)
{
	struct run r;
	char *out, *said;

	begin(&r);
	need_triton(&r.a);
	help_run(&r.a,
		 ay_sprintf(&r.a,
			    "%s/assay check kernels/triton/relu.py --json --timing none --case "
			    "'aten::relu((T([65537], f32),), {})'",
			    help_build_dir()),
		 RUN_S, &out);
	said = strstr(out, "Triton's interpreter: 'self' has 65537 elements, more than 65536");
	add_case(&r, "kernels/triton/relu.py", 65536, "PASS");
	add_case(&r, "kernels/triton/relu.py", 65537, "SKIPPED");
	add_case(&r, "kernels/triton/relu__autotuned.py", 65537, "SKIPPED");
	add_case(&r, "kernels/python/relu.py", 65537, "PASS");
	judge_jobs(&r); /* skips if there is no sandbox */
	CHECKF(said, "the reason is not there");
}

/* --- operators that are not in the catalogue -------------------------------------------------- */

static char *eval_foreign(struct ay_arena *a, const char *kernels, int *status)
{
	char *out;

	*status = help_run(
		a,
		ay_sprintf(a,
			   "%s/assay eval --suite tests/torch/honest.cases --backend directory --kernels %s "
			   "--timing none --out %s/run 2>&1",
			   help_build_dir(), kernels, test_dir()),
		RUN_S, &out);
	return out;
}

TEST_SLOW(samples_python_kernels_of_other_operators_pass)
{
	struct ay_arena a = { 0 };
	int status;
	char *out;

	help_python();
	out = eval_foreign(&a, "kernels/python", &status);
	CHECKF(!status && strstr(out, "per operator: 36 of 36 pass"), "status %d: %.3000s", status, out);
	ay_arena_release(&a);
}

/* By ATen in double, which is no kernel's friend: the tanh form where erf is asked for, and half
 * sums. */
TEST_SLOW(samples_python_wrong_kernels_of_other_operators_are_refused)
{
	static const char gelu[] = "import torch\n"
				   "def gelu(x, approximate='none'):\n"
				   "    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x ** 3)))\n";
	static const char mean[] =
		"import torch\n"
		"def mean_dim(x, dim, keepdim=False, *, dtype=None):\n"
		"    return x.half().sum(dim, keepdim).to(x.dtype) / (x.numel() // x.half().sum(dim).numel())\n";
	static const struct {
		const char *name, *source;
	} bad[] = { { "gelu.py", gelu }, { "mean_dim.py", mean } };
	struct ay_arena a = { 0 };
	const char *dir = ay_sprintf(&a, "%s/k", test_dir());
	struct ay_err err = { 0 };
	int status;
	char *out;

	help_python();
	CHECK(!ay_file_mkdirs(dir, &err));
	for (size_t i = 0; i < 2; i++)
		CHECK(!ay_file_write(ay_sprintf(&a, "%s/%s", dir, bad[i].name), bad[i].source,
				     strlen(bad[i].source), &err));
	out = eval_foreign(&a, dir, &status);
	CHECKF(status == 1, "status %d", status);
	CHECKF(strstr(out, "aten::gelu ") && strstr(out, "aten::mean "), "%.2000s", out);
	for (char *row = strtok(out, "\n"); row; row = strtok(NULL, "\n"))
		if (ay_starts(row, "aten::gelu ") || ay_starts(row, "aten::mean "))
			CHECKF(strstr(row, " MISMATCH "), "%s", row);
	ay_arena_release(&a);
}
