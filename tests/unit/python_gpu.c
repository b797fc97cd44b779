/* SPDX-License-Identifier: Apache-2.0
 *
 * python_gpu - tests of Python on a GPU: prepared batches that run as a measurement requires, with
 * results in a heap; and samples that must get their due verdicts. Without a GPU most of it is
 * skipped, with a message.
 */
#include "base/file.h"
#include "base/process.h"
#include "exec/transact.h"
#include "exec/launch.h"
#include "exec/python.h"
#include "helpers.h"
#include "op/proto.h"
#include "test.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS = 4, N = 1000, HEAP = 64 << 20, MANY = 2000, CALL_S = 60, RUN_S = 600 };

/* A kernel in an executor on the GPU, with SETS sets of one argument and one result. */
struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_dev *d;
	struct ay_python python;
	struct ay_sandbox *sandbox;
	struct ay_exec *x;
	struct ay_outcome o;
	struct ay_call *call;
	struct ay_proto *proto;
	struct ay_pool pool;
	struct ay_dev_mapping mapping;
	struct ay_dev_mem heap;
	struct ay_batch b;
	int *slot;
	uint64_t *offset;
};

static void start(struct fixture *g, const char *source)
{
	struct ay_python_kernel k = { .file = "mine.py",
				      .n = 1,
				      .proto = (const struct ay_proto *const *)&g->proto };
	struct ay_exec_spec spec = { .load_timeout_s = CALL_S, .python = &g->python, .device = g->d };
	struct ay_exec_entries e;

	k.empty = source ? AY_PY_FULL : AY_PY_EMPTY;
	spec.so_fd = source ? ay_launch_memfd("kernel", source, strlen(source), 0) : -1;
	spec.about = ay_python_about(&g->a, &k);
	spec.sandbox = g->sandbox;
	CHECKF(!ay_exec_start(&spec, &g->a, &g->x, &e, &g->o, &g->err) && g->x, "%s%s", g->err.msg, g->o.text);
	if (!g->x)
		test_skip("no executor");
	if (spec.so_fd >= 0)
		close(spec.so_fd);
}

static void give_heap(struct fixture *g, uint64_t bytes)
{
	struct ay_dev_mem next;

	CHECKF(!ay_dev_mem_alloc(g->d, ay_slot_bytes(g->d->info.grain, bytes), true, &next, &g->err), "%s",
	       g->err.msg);
	CHECKF(!ay_exec_heap(g->x, &next, &g->o, &g->err) && g->o.what == AY_EXEC_RAN, "%s%s", g->err.msg,
	       g->o.text);
	ay_dev_mem_free(g->d, &g->heap);
	g->heap = next;
}

/* Makes nset sets whose arguments share a slot. Each result has its own slot if there are few of
 * them. */
static void make_batch(struct fixture *g, int nset)
{
	const struct ay_need need[] = { { N * 4, false },
					{ (uint64_t)nset * N * 4, true },
					{ ay_exec_told_bytes(g->call, nset), true, true } };

	CHECKF(!ay_pool_init_grain(&g->pool, g->d->info.grain, 3, need, &g->err), "%s", g->err.msg);
	g->slot = AY_NEW_N(&g->a, int, 2 * nset);
	g->offset = AY_NEW_N(&g->a, uint64_t, 2 * nset);
	for (int s = 0; s < nset; s++) {
		g->slot[2 * s + 1] = 1;
		g->offset[2 * s + 1] = (uint64_t)s * N * 4;
	}
	for (int i = 0; i < N; i++)
		((float *)g->pool.slot[0].mem)[i] = (float)(i - N / 2);
	CHECKF(!ay_dev_map(g->d, &g->pool, AY_MAP_GUARDED, &g->mapping, &g->err), "%s", g->err.msg);
	g->b = (struct ay_batch){ .proto = g->proto,
				  .call = g->call,
				  .pool = &g->pool,
				  .mapping = &g->mapping,
				  .nset = nset,
				  .slot = g->slot,
				  .offset = g->offset,
				  .poison = { 0x5b, 0x5c, 0x5d, 0x5e },
				  .told = 2,
				  .threads = 1,
				  .timeout_s = CALL_S };
}

/* gpu: on a GPU, with a heap; else on the processor. */
static void setup(struct fixture *g, const char *source, int nset, bool gpu)
{
	*g = (struct fixture){ 0 };
	help_python();
	if (ay_dev_open(&g->d, gpu ? "cuda" : "cpu", &g->err))
		test_skip("%s", g->err.msg);
	g->python.device = gpu ? g->d : NULL;
	if (ay_sandbox_new(&g->sandbox, AY_SANDBOX_FULL, &g->err))
		test_skip("%s", g->err.msg);
	g->call = help_bind(help_registry(), &g->a, "aten::relu((T([1000], f32),), {})", &g->err);
	CHECK(g->call && !ay_proto_make(&g->a, g->call->s, &g->proto, &g->err));
	start(g, source);
	if (gpu)
		give_heap(g, HEAP);
	make_batch(g, nset);
}

static void teardown(struct fixture *g)
{
	ay_exec_stop(g->x);
	ay_dev_unmap(g->d, &g->mapping);
	ay_dev_mem_free(g->d, &g->heap);
	ay_pool_release(&g->pool);
	ay_python_close(&g->python);
	ay_sandbox_free(g->sandbox);
	ay_dev_close(g->d);
	ay_arena_release(&g->a);
}

static void hold(struct fixture *g)
{
	CHECKF(!ay_exec_hold(g->x, &g->b, &g->o, &g->err) && g->o.what == AY_EXEC_RAN, "%s%s", g->err.msg,
	       g->o.text);
}

static void run(struct fixture *g, int from, int n)
{
	CHECKF(!ay_exec_post(g->x, from, n, 0, NULL, &g->o, &g->err), "%s", g->err.msg);
	ay_exec_await(g->x, CALL_S, &g->o);
	CHECKF(g->o.what == AY_EXEC_RAN, "%s", g->o.text);
}

static void forget(struct fixture *g)
{
	CHECKF(!ay_exec_post_forget(g->x, &g->o, &g->err), "%s", g->err.msg);
	ay_exec_await(g->x, CALL_S, &g->o);
	CHECKF(g->o.what == AY_EXEC_RAN, "%s", g->o.text);
}

static const uint8_t *take(struct fixture *g, int set)
{
	uint8_t *at = g->pool.slot[1].mem + (size_t)set * N * 4;

	memset(at, 0, N * 4);
	g->o = (struct ay_outcome){ 0 };
	CHECKF(!ay_exec_take(g->x, &g->b, set, &g->o, &g->err) && g->o.what == AY_EXEC_RAN, "%s%s", g->err.msg,
	       g->o.text);
	return at;
}

static bool is_relu(const uint8_t *p)
{
	for (int i = 0; i < N; i++)
		if (((const float *)p)[i] != (i < N / 2 ? 0 : (float)(i - N / 2)))
			return false;
	return true;
}

static bool is_all(const uint8_t *p, uint8_t byte)
{
	return p[0] == byte && !memcmp(p, p + 1, N * 4 - 1);
}

static bool is_in_heap(struct fixture *g, int set)
{
	struct ay_outcome o = { 0 };
	struct ay_view v;
	uint64_t at;

	return !ay_exec_find(g->x, &g->b, set, 0, &v, &at, &o) && at - g->heap.at < g->heap.bytes;
}

/* Runs three batches of prepared calls, as a measurement does. */
TEST_SLOW(python_gpu_timed_results_lie_in_the_heap)
{
	struct fixture g;

	setup(&g, "import torch\ndef relu(self):\n    return torch.clamp(self, min=0)\n", SETS, true);
	hold(&g);
	for (int round = 0; round < 3; round++) {
		run(&g, 0, SETS);
		for (int s = 0; s < SETS; s++)
			CHECKF(is_in_heap(&g, s) && is_relu(take(&g, s)), "round %d, set %d", round, s);
		forget(&g);
	}
	teardown(&g);
}

/* Dropped results are free: the second set's result may lie where the first one's did. */
static void forget_and_run_the_second(bool gpu)
{
	struct fixture g;

	setup(&g, "import torch\ndef relu(self):\n    return torch.clamp(self, min=0)\n", SETS, gpu);
	hold(&g);
	for (int round = 0; round < 3; round++) {
		run(&g, 0, SETS);
		forget(&g);
		run(&g, 1, 1);
		CHECKF(is_relu(take(&g, 1)), "round %d", round);
		run(&g, 3, 1);
		CHECKF(is_relu(take(&g, 3)), "round %d", round);
		forget(&g);
	}
	teardown(&g);
}

TEST_SLOW(python_forgets_what_was_told)
{
	forget_and_run_the_second(false);
}

TEST_SLOW(python_gpu_forgets_what_was_told)
{
	forget_and_run_the_second(true);
}

/* Before timed calls free memory is poisoned; in other calls allocated memory is. */
TEST_SLOW(python_gpu_what_is_never_written_shows)
{
	struct fixture g;

	setup(&g, "import torch\ndef relu(self):\n    return torch.empty_like(self)\n", SETS, true);
	hold(&g);
	for (int round = 0; round < 3; round++) {
		const uint8_t due = (uint8_t)(0x5b + round);

		run(&g, 0, SETS);
		for (int s = 0; s < SETS; s++)
			CHECKF(is_all(take(&g, s), due), "round %d, set %d", round, s);
		ay_exec_poison(g.x, (uint8_t)(due + 1));
		forget(&g);
	}
	CHECKF(!ay_exec_post_watched(g.x, 1, 1, NULL, &g.o, &g.err), "%s", g.err.msg);
	ay_exec_await(g.x, CALL_S, &g.o);
	CHECK(is_all(take(&g, 1), 0x5e));
	CHECKF(!ay_exec_call(g.x, &g.b, &g.o, &g.err) && g.o.what == AY_EXEC_RAN, "%s%s", g.err.msg, g.o.text);
	for (int s = 0; s < SETS; s++)
		CHECKF(is_all(take(&g, s), g.b.poison[s]), "set %d", s);
	teardown(&g);
}

/* Memory that a kernel keeps stays where it is when another heap comes; what it returns of it is
 * copied. */
TEST_SLOW(python_gpu_heaps_are_replaced)
{
	static const char source[] = "import torch\nkept = []\ndef relu(self):\n"
				     "    if not kept:\n        kept.append(torch.clamp(self, min=0))\n"
				     "    return kept[0].clone() if len(kept) < 2 else kept[0]\n";
	struct fixture g;

	setup(&g, source, SETS, true);
	hold(&g);
	run(&g, 0, SETS);
	for (int i = 0; i < 3; i++) {
		give_heap(&g, (uint64_t)HEAP << i);
		hold(&g);
		run(&g, 0, SETS);
		for (int s = 0; s < SETS; s++)
			CHECKF(is_in_heap(&g, s) && is_relu(take(&g, s)), "heap %d, set %d", i, s);
	}
	teardown(&g);
	setup(&g,
	      "import torch\nkept = []\ndef relu(self):\n    kept.append(torch.clamp(self, min=0))\n"
	      "    return kept[0]\n",
	      SETS, true);
	hold(&g);
	run(&g, 0, 1);
	give_heap(&g, HEAP);
	hold(&g);
	run(&g, 0, 1);
	CHECK(!is_in_heap(&g, 0) && is_relu(take(&g, 0)));
	teardown(&g);
}

/* ASSAY_BENCH=1: measures the part of a call's cost that is not the kernel's. */
TEST_SLOW(python_gpu_bench)
{
	static const char inner[] = "import time, torch\ndef relu(self):\n"
				    "    t = time.perf_counter_ns()\n"
				    "    for i in range(20000):\n        torch.empty(1000, device='cuda')\n"
				    "    a = (time.perf_counter_ns() - t) / 20000\n"
				    "    t = time.perf_counter_ns()\n"
				    "    for i in range(20000):\n        torch.empty(0, device='cuda')\n"
				    "    b = (time.perf_counter_ns() - t) / 20000\n"
				    "    y = torch.empty_like(self)\n    y[0], y[1] = a, b\n    return y\n";
	struct fixture g;
	const float *got;
	int64_t t;

	if (!getenv("ASSAY_BENCH"))
		test_skip("ASSAY_BENCH is not set");
	setup(&g, NULL, MANY, true);
	hold(&g);
	for (int round = 0; round < 4; round++) {
		t = ay_now_ns();
		run(&g, 0, MANY);
		printf("an empty call and telling of its result: %.0f ns\n", (double)(ay_now_ns() - t) / MANY);
		t = ay_now_ns();
		forget(&g);
		printf("forgetting: %.0f us\n", (double)(ay_now_ns() - t) / 1e3);
	}
	teardown(&g);
	setup(&g, inner, 1, true);
	hold(&g);
	run(&g, 0, 1);
	got = (const float *)take(&g, 0);
	printf("torch.empty of 4000 bytes: %.0f ns, of nothing: %.0f ns\n", got[0], got[1]);
	teardown(&g);
	setup(&g, "import torch\ndef relu(self): return torch.clamp(self, min=0)\n", MANY, true);
	hold(&g);
	for (int round = 0; round < 4; round++) {
		t = ay_now_ns();
		run(&g, 0, MANY);
		printf("clamp of 4000 bytes: %.0f ns\n", (double)(ay_now_ns() - t) / MANY);
		forget(&g);
	}
	teardown(&g);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void add_jobs(struct ay_arena *a, FILE *jobs, json_t *due, const char *pattern)
{
	struct ay_err err = { 0 };
	glob_t g;

	CHECKF(!glob(pattern, 0, NULL, &g) && g.gl_pathc, "no %s", pattern);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char *text = "";
		size_t len;

		CHECKF(!ay_file_read(a, g.gl_pathv[i], 1 << 20, &text, &len, &err), "%s", err.msg);
		CHECKF(!strncmp(text, "# due: ", 7), "%s: its first line names no verdict", g.gl_pathv[i]);
		text += strlen(text) > 7 ? 7 : 0;
		text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = 0;
		fprintf(jobs, "{\"id\": \"%s\", \"path\": \"%s\", \"lang\": \"python\"}\n", g.gl_pathv[i],
			g.gl_pathv[i]);
		json_object_set_new(due, g.gl_pathv[i], json_string(text));
	}
	globfree(&g);
}

static void check_line(json_t *due, const char *line)
{
	json_t *rec = json_loads(line, 0, NULL);
	const char *id = json_string_value(json_object_get(rec, "id")), *want, *got;

	want = id ? json_string_value(json_object_get(due, id)) : NULL;
	got = json_string_value(json_object_get(rec, "verdict"));
	if (want)
		CHECKF(got && !strcmp(got, want), "%s is due %s, got %s\n%.1500s", id, want, got ? got : "nothing",
		       line);
	if (want)
		json_object_del(due, id);
	json_decref(rec);
}

static void judge_samples(const char *const *patterns, int n)
{
	struct ay_arena a = { 0 };
	json_t *due = json_object(), *want;
	FILE *jobs, *f;
	char *out, *line = NULL;
	const char *id, *dir = test_dir();
	size_t cap = 0;

	help_python();
	if (access("/dev/nvidiactl", R_OK | W_OK))
		test_skip("no NVIDIA GPU here");
	jobs = fopen(ay_sprintf(&a, "%s/jobs", dir), "w");
	if (!jobs)
		test_skip("no folder");
	for (int i = 0; i < n; i++)
		add_jobs(&a, jobs, due, patterns[i]);
	CHECK(!fclose(jobs));
	CHECKF(!help_run(&a,
			 ay_sprintf(&a,
				    "%s/assay check - --device cuda --seed 1 --timing none --out %s/run < %s/jobs "
				    "> %s/out",
				    help_build_dir(), dir, dir, dir),
			 RUN_S, &out),
	       "%.500s", out);
	f = fopen(ay_sprintf(&a, "%s/out", dir), "r");
	while (f && getline(&line, &cap, f) > 0)
		check_line(due, line);
	json_object_foreach(due, id, want) test_fail(__FILE__, __LINE__, "%s: no record", id);
	free(line);
	if (f)
		fclose(f);
	json_decref(due);
	ay_arena_release(&a);
}

TEST_SLOW(python_gpu_samples_get_what_they_are_due)
{
	static const char *const patterns[] = { "kernels/honest/gpu-python/*.py",
						"kernels/hostile/gpu-python/*.py" };

	judge_samples(patterns, 2);
}

TEST_SLOW(python_gpu_triton_kernels_pass)
{
	static const char *const patterns[] = { "kernels/triton/*.py" };

	judge_samples(patterns, 1);
}

/* The labels can be read without a GPU. */
TEST(python_gpu_samples_say_what_they_are_due)
{
	struct ay_arena a = { 0 };
	json_t *due = json_object();
	FILE *f = fopen("/dev/null", "w");

	add_jobs(&a, f, due, "kernels/honest/gpu-python/*.py");
	add_jobs(&a, f, due, "kernels/hostile/gpu-python/*.py");
	CHECK(json_object_size(due) >= 20);
	fclose(f);
	json_decref(due);
	ay_arena_release(&a);
}

/* --- a GPU that only looks like one ----------------------------------------------------------- */

/* Without torch's CUDA no tensor can be on the GPU. An executor can still open a heap there, and a
 * result that is not on the device is refused. */
TEST_SLOW(python_gpu_results_elsewhere_are_none)
{
	static const char source[] = "import torch\ndef scalar_tensor(s, *, dtype=None, layout=None, device=None, "
				     "pin_memory=None):\n    assert device.type == 'cuda'\n"
				     "    return torch.tensor(s, dtype=dtype)\n";
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *dir = test_dir();
	char *out = "";

	help_python();
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/scalar_tensor.py", dir), source, sizeof source - 1, &err));
	help_run(&a,
		 ay_sprintf(&a,
			    "chmod 755 %s && cc -shared -fPIC -O1 -D_GNU_SOURCE -Isrc -o %s/libcuda.so.1 "
			    "tests/cuda/fake.c 2>&1 && LD_LIBRARY_PATH=%s %s/assay check %s/scalar_tensor.py "
			    "--device cuda --timing none 2>&1",
			    dir, dir, dir, help_build_dir(), dir),
		 120, &out);
	CHECKF(strstr(out, "BAD_RESULT: returned a tensor with layout torch.strided on cpu"), "%s", out);
	ay_arena_release(&a);
}
