/* SPDX-License-Identifier: Apache-2.0
 *
 * replay - tests of calls as a CUDA graph, with a fake driver whose events report one microsecond
 * for every node that has run (tests/cuda/fake_nodes.c). So the reported times can be counted.
 */
#include "base/json.h"
#include "helpers.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HANGS = 22 /* mode of tests/cuda/kernel.c, used during capture */ };

struct found {
	char verdict[40];
	int timed;          /* records with a time */
	double least, most; /* graph_ns */
	double gate;        /* gate_ns of the last */
	bool contradicted;
};

static void make_driver(struct ay_arena *a, const char *how)
{
	char *out = "";

	chmod(test_dir(), 0755); /* executors have uids of their own */
	CHECKF(!help_run(a,
			 ay_sprintf(a,
				    "cc -shared -fPIC -O1 -D_GNU_SOURCE -Isrc %s -o %s/libcuda.so.1 "
				    "tests/cuda/fake.c tests/cuda/fake_nodes.c 2>&1",
				    how, test_dir()),
			 60, &out),
	       "%s", out);
}

static void look(struct found *f, const json_t *rec)
{
	const json_t *t = json_object_get(rec, "timing");
	const char *verdict = json_string_value(json_object_get(rec, "verdict"));
	const double graph = json_number_value(json_object_get(t, "graph_ns"));

	if (verdict)
		snprintf(f->verdict, sizeof f->verdict, "%s", verdict);
	if (!json_object_get(t, "graph_ns") || json_number_value(json_object_get(t, "ns")) <= 0)
		return;
	f->least = f->timed++ ? fmin(f->least, graph) : graph;
	f->most = fmax(f->most, graph);
	f->gate = json_number_value(json_object_get(t, "gate_ns"));
	f->contradicted |= json_is_true(json_object_get(t, "contradicted"));
}

static struct found look_at(struct ay_arena *a, const char *records)
{
	struct found f = { .verdict = "nothing" };
	char *at, *text = ay_strdup(a, records);

	for (char *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		json_t *rec = json_loads(line, 0, NULL);

		look(&f, rec);
		json_decref(rec);
	}
	return f;
}

#define OPTIONS "--device cuda --seed 1 --cache '' --timing full --budget 0.2 --baseline none"

static void build(struct ay_arena *a, int mode)
{
	char *out = "";

	CHECKF(!help_run(a,
			 ay_sprintf(a,
				    "cc -shared -fPIC -O1 -DMODE=%d -Iinclude -o %s/aten_relu.so "
				    "tests/cuda/kernel.c 2>&1",
				    mode, test_dir()),
			 60, &out),
	       "%s", out);
}

/* Judges and times the test kernel in one of its modes (tests/cuda/kernel.c). */
static struct found judge(struct ay_arena *a, int mode, char **out)
{
	const char *dir = test_dir();

	build(a, mode);
	help_run(a,
		 ay_sprintf(a,
			    "LD_LIBRARY_PATH=%s %s/assay check %s/aten_relu.so --json " OPTIONS
			    " --timeout %d --case 'aten::relu((T([5000], f32),), {}) seed=3' 2>&1",
			    dir, help_build_dir(), dir, mode == HANGS ? 3 : 60),
		 120, out);
	return look_at(a, *out);
}

/* Each call is in the graph, the graph is launched once between two events, and its time is divided
 * by the number of calls. A kernel that cannot be captured, or behaves differently then, still
 * passes and keeps its times. */
TEST(replay_tells_what_a_graph_took)
{
	static const struct {
		int mode;
		const char *driver;
		double graph_ns;
	} due[] = {
		{ 0, "", 1000 },  /* one launch a call */
		{ 18, "", 2000 }, /* two */
		/* one launch and scratch memory, which is freed in the graph */
		{ 9, "", 2000 },
		{ 0, "-DNO_GRAPHS", 0 }, /* an old driver */
		{ 17, "", 0 },           /* waits for the device */
		{ 19, "", 0 },           /* launches on another stream */
		{ 20, "", 0 },           /* returns an error during capture, */
		{ 21, "", 0 },           /* ends its process there, */
		{ HANGS, "", 0 },        /* hangs there, */
		{ 23, "", 0 },           /* stops the GPU when the graph runs, */
		{ 24, "", 0 },           /* does nothing in the graph: its outputs are wrong */
		{ 25, "", 0 },           /* changes an input there */
	};
	struct ay_arena a = { 0 };
	const char *driver = NULL;

	for (size_t i = 0; i < (getenv("ASSAY_SANITIZED") ? 3 : sizeof due / sizeof *due); i++) {
		struct found f;
		char *out = "";

		if (!driver || strcmp(driver, due[i].driver))
			make_driver(&a, due[i].driver);
		driver = due[i].driver;
		f = judge(&a, due[i].mode, &out);
		CHECKF(!strcmp(f.verdict, "PASS") && f.timed == 1 && fabs(f.least - due[i].graph_ns) < 1,
		       "mode %d %s: %s, %d timed, graph_ns %g, due %g\n%s", due[i].mode, due[i].driver, f.verdict,
		       f.timed, f.least, due[i].graph_ns, out);
	}
	ay_arena_release(&a);
}

/* Without launch costs a call may be faster than the judge measured, but not slower. */
TEST(replay_contradicts_if_it_is_longer)
{
	static const struct {
		const char *driver;
		double graph_ns;
		bool contradicted;
	} due[] = { { "-DNONE_MS=0", 1000, false }, { "-DNONE_MS=0 -DNODE_MS=1e3", 1e9, true } };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct found f;
		char *out = "";

		make_driver(&a, due[i].driver);
		f = judge(&a, 0, &out);
		CHECKF(!strcmp(f.verdict, "PASS") && fabs(f.least / due[i].graph_ns - 1) < 1e-3 &&
			       f.contradicted == due[i].contradicted,
		       "%s: %s, graph_ns %g, contradicted %d\n%s", due[i].driver, f.verdict, f.least,
		       f.contradicted, out);
	}
	ay_arena_release(&a);
}

/* Of an empty batch what its own events say is no hand-over: here that is a second and more, all of
 * it. */
TEST(replay_events_of_empty_batches_are_no_hand_over)
{
	static const struct {
		const char *driver;
		bool none;
	} due[] = { { "-DNONE_MS=0", false }, { "-DNONE_MS=1e3", true } };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct found f;
		char *out = "";

		make_driver(&a, due[i].driver);
		f = judge(&a, 0, &out);
		CHECKF(f.timed == 1 && (f.gate == 0) == due[i].none, "%s: gate_ns %g\n%s", due[i].driver, f.gate,
		       out);
	}
	ay_arena_release(&a);
}

/* Two cases of one kernel. A kernel that was refused once is not tried again. */
TEST(replay_is_asked_until_it_is_refused)
{
	static const struct {
		int mode;
		double least, most;
	} due[] = {
		{ 0, 1000, 1000 },
		{ 21, 0, 0 }, /* ends its process */
		{ 26, 0, 0 }, /* would be captured in the second case */
	};
	const char *dir = test_dir();
	struct ay_arena a = { 0 };

	make_driver(&a, "");
	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct found f;
		char *out = "";

		build(&a, due[i].mode);
		help_run(&a,
			 ay_sprintf(&a,
				    "cd %s && rm -rf k run && mkdir k && mv aten_relu.so k && printf "
				    "'aten::relu((T([5000], f32),), {})\\naten::relu((T([6000], f32),), {})\\n' > "
				    "two.trace && "
				    "LD_LIBRARY_PATH=%s %s/assay eval --suite two.trace --kernels k --timeout 100 "
				    "--out "
				    "run " OPTIONS " > log 2>&1; cat run/results.jsonl || cat log",
				    dir, dir, help_build_dir()),
			 120, &out);
		f = look_at(&a, out);
		CHECKF(!strcmp(f.verdict, "PASS") && f.timed == 2 && fabs(f.least - due[i].least) < 1 &&
			       fabs(f.most - due[i].most) < 1,
		       "mode %d: %s, %d timed, graph_ns %g to %g\n%s", due[i].mode, f.verdict, f.timed, f.least,
		       f.most, out);
	}
	ay_arena_release(&a);
}
