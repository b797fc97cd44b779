/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs on several devices, some of which fail. Parts of the processor are made to, by the struct app that a command gets;
 * GPUs are those of the stand-in driver (tests/cuda/fake.c), whose errors the judge has to find itself.
 */
#include "../../cmd/cmd.h"
#include "../../cmd/device.h"
#include "base/file.h"
#include "base/json.h"
#include "helpers.h"
#include "test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*command)(struct app *, int, const char **, struct ay_err *);

/* --- a command in a process of its own ------------------------------------------------------------------------ */

static _Noreturn void be_assay(command run, const struct device_fault *fault, int argc, const char **argv)
{
	struct ay_registry registry;
	struct ay_arena arena = { 0 };
	struct ay_err err = { 0 };
	struct app app = { .registry = &registry, .arena = &arena, .version = "test", .fault = fault };
	int status = 2;

	setenv("XDG_CACHE_HOME", help_cache(), 1);
	if (!ay_registry_init(&registry, ay_op_files, &err))
		status = run(&app, argc, argv, &err);
	if (err.code) {
		fflush(stdout);
		fprintf(stderr, "assay: %s\n", err.msg);
		status = 2;
	}
	fflush(stdout);
	_exit(status);
}

/* Its exit status. args: words separated by blanks; in: a file to read, NULL: none. What it prints, on both streams, is
 * in the arena. */
static int run(struct ay_arena *a, command cmd, const struct device_fault *fault, const char *args, const char *in,
	       char **out)
{
	char *words = ay_strdup(a, args), *path = ay_sprintf(a, "%s/out", test_dir());
	const char *argv[40];
	struct ay_err err = { 0 };
	int argc = 0, status = 0;
	size_t len;
	pid_t pid;

	for (char *w = strtok_r(words, " ", &words); w && argc < 40; w = strtok_r(NULL, " ", &words))
		argv[argc++] = w;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int from = open(in ? in : "/dev/null", O_RDONLY),
		    to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		if (from < 0 || to < 0 || dup2(from, 0) || dup2(to, 1) != 1 || dup2(to, 2) != 2)
			_exit(99);
		be_assay(cmd, fault, argc, argv);
	}
	waitpid(pid, &status, 0);
	if (ay_file_read(a, path, 16 << 20, out, &len, &err))
		*out = "";
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- what a run has ------------------------------------------------------------------------------------------- */

enum { DEVICES = 4 };

struct found {
	int cases, kernels, errors, lost; /* records */
	int twice;                        /* a case of a kernel, or a kernel, that has two */
	int after;                        /* cases and kernels that a device said after it was taken out */
	int on[DEVICES];                  /* cases */
	int split;                        /* kernels with cases of several devices */
	int tried, passed;                /* cases, by the records of attempts */
	json_t *verdict;                  /* of each case and kernel */
	json_t *error;                    /* of the last */
};

static int device_of(const json_t *rec)
{
	const char *s = json_string_value(json_object_get(rec, "device")), *colon = s ? strchr(s, ':') : NULL;

	return colon ? atoi(colon + 1) % DEVICES : 0;
}

static void add_one(struct found *f, const json_t *rec, bool is_case, const bool *gone, json_t *first)
{
	const char *sha = json_string_value(json_object_get(rec, "kernel_sha256")),
		   *file = json_string_value(json_object_get(rec, "file")),
		   *op = json_string_value(json_object_get(rec, "operator"));
	struct ay_arena a = { 0 };
	const char *whose = ay_sprintf(&a, "%s %s %s", sha ? sha : "", file ? file : "", file ? "" : op);
	const char *key = ay_sprintf(&a, "%s %s", whose,
				     is_case ? json_string_value(json_object_get(rec, "case")) : "kernel");

	f->twice += json_object_get(f->verdict, key) != NULL;
	json_object_set(f->verdict, key, json_object_get(rec, "verdict"));
	f->after += gone[device_of(rec)];
	f->cases += is_case;
	f->kernels += !is_case;
	if (is_case) {
		json_t *was = json_object_get(first, whose);

		f->on[device_of(rec)]++;
		if (was && json_integer_value(was) != device_of(rec) && json_integer_value(was) >= 0) {
			f->split++;
			json_object_set_new(first, whose, json_integer(-1));
		} else if (!was) {
			json_object_set_new(first, whose, json_integer(device_of(rec)));
		}
	}
	ay_arena_release(&a);
}

static struct found look(struct ay_arena *a, const char *dir)
{
	struct found f = { .verdict = json_object() };
	bool gone[DEVICES] = { false };
	json_t *first = json_object();
	struct ay_err err = { 0 };
	char *text = "", *at;
	size_t len;

	CHECKF(!ay_file_read(a, ay_sprintf(a, "%s/results.jsonl", dir), 64 << 20, &text, &len, &err), "%s",
	       err.msg);
	for (char *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		json_t *rec = json_loads(line, 0, NULL);
		const char *type = json_string_value(json_object_get(rec, "type"));

		CHECKF(type, "torn: %s", line);
		if (type && (!strcmp(type, "case") || !strcmp(type, "kernel"))) {
			add_one(&f, rec, !strcmp(type, "case"), gone, first);
		} else if (type && !strcmp(type, "attempt")) {
			f.tried += (int)json_integer_value(json_object_get(rec, "cases"));
			f.passed += (int)json_integer_value(json_object_get(rec, "passed"));
		} else if (type && !strcmp(type, "error")) {
			f.errors++;
			f.error = json_incref(json_object_get(rec, "error"));
		} else if (type && !strcmp(type, "device")) {
			f.lost++;
			gone[device_of(rec)] = true;
		}
		json_decref(rec);
	}
	json_decref(first);
	return f;
}

/* The same cases with the same verdicts, each once. */
static void check_whole(const struct found *f, const struct found *whole)
{
	CHECKF(f->cases == whole->cases && f->kernels == whole->kernels, "%d cases of %d kernels, not %d of %d",
	       f->cases, f->kernels, whole->cases, whole->kernels);
	CHECKF(!f->twice, "%d are there twice", f->twice);
	CHECKF(!f->after, "%d are of a device that was taken out before", f->after);
	CHECK(json_equal(f->verdict, whole->verdict));
}

/* --- parts of the processor ----------------------------------------------------------------------------------- */

#define REFERENCE "--suite smoke --backend reference --device cpu "

TEST(devices_share_the_work)
{
	struct ay_arena a = { 0 };
	struct found whole, f;
	char *out;

	CHECK(!run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", test_dir()), NULL,
		   &out));
	CHECKF(!run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--device-count 3 --out %s/three", test_dir()),
		    NULL, &out),
	       "%s", out);
	whole = look(&a, ay_sprintf(&a, "%s/whole", test_dir()));
	f = look(&a, ay_sprintf(&a, "%s/three", test_dir()));
	CHECK(whole.cases > 200 && !whole.on[1]);
	check_whole(&f, &whole);
	CHECKF(f.on[0] && f.on[1] && f.on[2] && !f.on[3] && !f.split && !f.lost, "%d %d %d %d", f.on[0], f.on[1],
	       f.on[2], f.on[3]);
	ay_arena_release(&a);
}

/* Half-way through an operator: its first case stays, its second is judged elsewhere. */
TEST(devices_go_on_without_one_that_fails)
{
	static const struct device_fault fault = { .device = 1, .after = 5 };
	struct ay_arena a = { 0 };
	struct found whole, f;
	char *out;

	CHECK(!run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", test_dir()), NULL,
		   &out));
	CHECKF(!run(&a, cmd_eval, &fault, ay_sprintf(&a, REFERENCE "--device-count 3 --out %s/r", test_dir()),
		    NULL, &out),
	       "%s", out);
	CHECKF(strstr(out, "assay: cpu:1 is taken out: it was made to fail; its work goes to the others"), "%s",
	       out);
	CHECK(strstr(out, "121 of 121 pass"));
	whole = look(&a, ay_sprintf(&a, "%s/whole", test_dir()));
	f = look(&a, ay_sprintf(&a, "%s/r", test_dir()));
	check_whole(&f, &whole);
	CHECKF(f.lost == 1 && !f.errors && f.on[1] == 5 && f.split == 1,
	       "%d lost, %d errors, %d cases there, %d split", f.lost, f.errors, f.on[1], f.split);
	ay_arena_release(&a);
}

/* Files, with two workers on each device: all of a device end, and what both had goes on. */
TEST(devices_of_several_workers_go_on)
{
	static const struct device_fault fault = { .device = 0, .after = 7 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found whole, f;
	char *out;
	const char *how = ay_sprintf(
		&a, "--suite kernelgenbench-aten --quick --timing none --device cpu --kernels %s/k ", dir);

	CHECK(!help_run(&a,
			ay_sprintf(&a,
				   "mkdir %s/k && cp kernels/c/aten_relu.c kernels/c/aten_add_Tensor.c "
				   "kernels/c/aten_sum_dim_IntList.c kernels/c/aten_cat.c kernels/c/aten_mm.c "
				   "kernels/wrong/aten_cat__divides_by_zero.c %s/k",
				   dir, dir),
			20, &out));
	CHECK(run(&a, cmd_eval, NULL, ay_sprintf(&a, "%s --jobs 2 --out %s/whole", how, dir), NULL, &out) == 1);
	CHECKF(run(&a, cmd_eval, &fault, ay_sprintf(&a, "%s --device-count 2 --jobs 2 --out %s/r", how, dir), NULL,
		   &out) == 1,
	       "%s", out);
	whole = look(&a, ay_sprintf(&a, "%s/whole", dir));
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(whole.kernels >= 4 && whole.cases > 100, "%d kernels, %d cases", whole.kernels, whole.cases);
	check_whole(&f, &whole);
	CHECKF(f.lost == 1 && f.split >= 1 && f.on[0] >= 7 && f.on[1], "%d lost, %d split, %d and %d cases",
	       f.lost, f.split, f.on[0], f.on[1]);
	ay_arena_release(&a);
}

TEST(devices_that_all_fail_leave_a_run_that_can_be_resumed)
{
	static const struct device_fault fault = { .device = -1, .after = 9 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found whole, f;
	char *out;

	CHECK(!run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", dir), NULL, &out));
	CHECKF(run(&a, cmd_eval, &fault, ay_sprintf(&a, REFERENCE "--device-count 2 --out %s/r", dir), NULL,
		   &out) == 2,
	       "%s", out);
	CHECKF(strstr(out, "no device is left") && strstr(out, "go on with: assay eval --resume-from") &&
		       strstr(out, "every device was taken out"),
	       "%s", out);
	whole = look(&a, ay_sprintf(&a, "%s/whole", dir));
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.lost == 2 && f.cases == 18 && f.on[0] == 9 && f.on[1] == 9, "%d lost, %d cases", f.lost, f.cases);
	/* how many devices there are is remembered */
	CHECKF(!run(&a, cmd_eval, NULL, ay_sprintf(&a, "--resume-from %s/r", dir), NULL, &out), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	f.after = 0; /* it is another process that takes them in again */
	check_whole(&f, &whole);
	CHECK(f.on[0] > 9 && f.on[1] > 9);
	ay_arena_release(&a);
}

/* One kernel, and every device fails under it: two are lost, the third is spared. */
TEST(devices_are_not_all_given_to_one_kernel)
{
	static const struct device_fault fault = { .device = -1, .after = 0 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found f;
	char *out;

	CHECKF(run(&a, cmd_eval, &fault, ay_sprintf(&a, REFERENCE "--ops relu --device-count 3 --out %s/r", dir),
		   NULL, &out) == 1,
	       "%s", out);
	CHECKF(strstr(out, "assay: aten::relu: cpu:0 and then cpu:1 were lost while it was judged on them"), "%s",
	       out);
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.lost == 2 && f.errors == 1 && !f.cases && !f.kernels, "%d lost, %d errors", f.lost, f.errors);
	CHECKF(!strcmp(json_string_value(f.error),
		       "cpu:0 and then cpu:1 were lost while it was judged on them: it may be the "
		       "reason, and is not tried on a third device"),
	       "%s", json_string_value(f.error));
	ay_arena_release(&a);
}

TEST(devices_words_that_are_refused)
{
	static const struct {
		const char *args, *words;
	} bad[] = {
		{ REFERENCE "--device-count 0", "--device-count is a number from 1 to 64, or all, not '0'" },
		{ REFERENCE "--device-count 3x", "not '3x'" },
		{ REFERENCE "--device-count -1", "not '-1'" },
		{ REFERENCE "--device-count 65", "not '65'" },
		{ REFERENCE "--device-count all", "counts GPUs" },
		{ REFERENCE "--device-count 64 --jobs 5", "--jobs is for each of the 64 devices: from 1 to 4" },
		{ REFERENCE "--jobs 257", "--jobs is a number from 1 to 256" },
		{ "--suite smoke --backend directory --kernels kernels/c --device cpu --device-count 2 --timing "
		  "full",
		  "--device-count 2 beside --timing" },
		{ "--suite smoke --device cuda:1 --device-count 2", "leave one out" },
		{ "--suite smoke --device cuda:1,1", "--device is auto" },
	};
	struct ay_arena a = { 0 };
	char *out;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECKF(run(&a, cmd_eval, NULL, bad[i].args, NULL, &out) == 2 && strstr(out, bad[i].words),
		       "%s: %s", bad[i].args, out);
	CHECKF(run(&a, cmd_check, NULL, "kernels/c/aten_relu.c --device-count 2", NULL, &out) == 2 &&
		       strstr(out, "one kernel is judged on one device"),
	       "%s", out);
	ay_arena_release(&a);
}

/* What is left takes longer when fewer are left to do it. */
static void lose_or_wait(void *user, const char *job, size_t len, struct ay_crew_out *out)
{
	(void)user, (void)len;
	usleep(100000);
	if (job[0] == 'x')
		ay_crew_lose(out, "gone");
}

static int ignore_message(void *user, void *job, const char *data, size_t len)
{
	(void)user, (void)job, (void)data, (void)len;
	return 0;
}

static int ignore_done(void *user, void *job, const char *died)
{
	(void)user, (void)job, (void)died;
	return 0;
}

static int ignore_lost(void *user, int group, const char *why)
{
	(void)user, (void)group, (void)why;
	return 0;
}

static int ignore_back(void *user, void *job, int group)
{
	(void)user, (void)job, (void)group;
	return 0;
}

TEST(devices_left_tell_how_long_it_will_take)
{
	struct ay_crew_events e = { NULL, ignore_message, ignore_done, ignore_lost, ignore_back };
	struct ay_err err = { 0 };
	struct ay_crew *c;
	double two, one, work;

	CHECK(!ay_crew_start_groups(&c, 2, 1, lose_or_wait, NULL, &err));
	CHECK(device_eta(c, 0, 100) < 0); /* nobody knows yet */
	CHECK(!ay_crew_give(c, "", "x", 1, &err));
	usleep(50000);
	two = device_eta(c, 10, 30);
	work = ay_crew_work_s(c);
	CHECKF(two > 0.5 * 3 * work / 2 && two <= 3 * work / 2 && device_eta(c, 10, 0) == 0, "%g s, %g s of work",
	       two, work);
	while (ay_crew_busy(c))
		CHECK(!ay_crew_wait(c, -1, 1000, &e, &err));
	CHECK(ay_crew_workers(c) == 1);
	one = device_eta(c, 10, 30);
	work = ay_crew_work_s(c); /* of two, and then of one: the same is now done by one */
	CHECKF(one > 0.9 * 3 * work && one <= 3 * work, "%g s by two, %g s by one, who worked for %g s", two, one,
	       work);
	ay_crew_stop(c);
}

/* --- jobs of check - ------------------------------------------------------------------------------------------ */

TEST(devices_of_bulk_answer_every_job_once)
{
	static const struct device_fault one = { .device = 1, .after = 20 }, all = { .device = -1, .after = 150 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_str jobs = { 0 };
	struct ay_err err = { 0 };
	char *in = ay_sprintf(&a, "%s/jobs", dir), *out;
	struct found f;

	for (int i = 0; i < 8; i++)
		ay_str_addf(
			&jobs,
			"{\"id\": %d, \"op\": \"aten::relu\", \"lang\": \"c\", \"source\": \"/* %d */\\n#include "
			"<assay/kernel.h>\\nint aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx "
			"*ctx)"
			"{ return AY_UNSUPPORTED; }\\n\"}\n",
			i, i);
	CHECK(!ay_file_write(in, jobs.s, jobs.len, &err));
	CHECKF(!run(&a, cmd_check, &one, ay_sprintf(&a, "- --device cpu --device-count 3 --out %s/r", dir), in,
		    &out),
	       "%s", out);
	CHECK(strstr(out, "assay: cpu:1 is taken out") && strstr(out, "\"jobs\":8,\"passed\":0,\"errors\":0"));
	for (int i = 0; i < 8; i++) {
		const char *id = ay_sprintf(&a, "{\"id\":%d,\"type\":\"kernel\",\"verdict\":\"UNSUPPORTED\"", i);
		const char *at = strstr(out, id);

		CHECKF(at && !strstr(at + 1, id), "job %d: %s", i, out);
	}
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == 8 && !f.twice && !f.after && f.lost == 1 && !f.errors, "%d kernels, %d twice",
	       f.kernels, f.twice);
	/* none is left: what is known is answered from the store when it goes on */
	CHECKF(run(&a, cmd_check, &all, ay_sprintf(&a, "- --device cpu --device-count 2 --out %s/s", dir), in,
		   &out) == 2,
	       "%s", out);
	CHECK(strstr(out, "every device was taken out") && strstr(out, "--resume-from"));
	f = look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECKF(f.kernels >= 2 && f.kernels < 8 && f.lost == 2, "%d kernels", f.kernels);
	CHECKF(!run(&a, cmd_check, NULL, ay_sprintf(&a, "- --device cpu --resume-from %s/s", dir), in, &out), "%s",
	       out);
	CHECKF(strstr(out, ay_sprintf(&a, "\"errors\":0,\"from_store\":%d", f.kernels)), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECK(f.kernels == 8 && !f.twice);
	ay_str_release(&jobs);
	ay_arena_release(&a);
}

/* --- kernels of a model --------------------------------------------------------------------------------------- */

TEST(devices_of_llm_judge_every_attempt_once)
{
	static const struct device_fault one = { .device = 1, .after = 3 }, all = { .device = -1, .after = 5 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found whole, f;
	char *out;
	const char *how = ay_sprintf(
		&a,
		"--server-type replay --replay-from %s/whole --dataset smoke --op-name "
		"aten::relu,aten::add,aten::sum,aten::mm --samples 2 --lang c --quick --device cpu ",
		dir);

	if (!ay_file_program(&a, "python3"))
		test_skip("no python3 for the stand-in");
	CHECKF(!help_run(
		       &a,
		       ay_sprintf(
			       &a,
			       "XDG_CACHE_HOME=%s python3 tests/llm/with.py '{\"tokens\": [10, 20], \"default\": "
			       "[\"wrong\", \"correct\"]}' -- %s/assay llm --dataset smoke --op-name "
			       "aten::relu,aten::add,aten::sum,aten::mm --samples 2 --lang c --quick --out "
			       "%s/whole 2>&1",
			       help_cache(), help_build_dir(), dir),
		       120, &out),
	       "%s", out);
	whole = look(&a, ay_sprintf(&a, "%s/whole", dir));
	CHECKF(whole.kernels >= 8 && whole.cases >= 16, "%d kernels, %d cases\n%s", whole.kernels, whole.cases,
	       out);
	CHECKF(!run(&a, cmd_llm, &one, ay_sprintf(&a, "%s --device-count 3 --out %s/r", how, dir), NULL, &out),
	       "%s", out);
	CHECKF(strstr(out, "assay: cpu:1 is taken out") && strstr(out, "8 attempts"), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == whole.kernels && f.cases == whole.cases && !f.twice && !f.after && f.lost == 1 &&
		       !f.errors,
	       "%d kernels, %d cases, %d twice, %d after, %d lost, %d errors\n%s", f.kernels, f.cases, f.twice,
	       f.after, f.lost, f.errors, out);
	CHECKF(f.tried == whole.tried && f.passed == whole.passed && f.split,
	       "%d of %d passed, not %d of %d; %d split", f.passed, f.tried, whole.passed, whole.tried, f.split);
	CHECKF(run(&a, cmd_llm, &all, ay_sprintf(&a, "%s --device-count 2 --out %s/s", how, dir), NULL, &out) == 2,
	       "%s", out);
	CHECKF(strstr(out, "go on with: assay llm --resume-from"), "%s", out);
	CHECKF(!run(&a, cmd_llm, NULL, ay_sprintf(&a, "--resume-from %s/s", dir), NULL, &out), "%s", out);
	CHECKF(strstr(out, "8 attempts"), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECKF(f.kernels == whole.kernels && f.cases == whole.cases && !f.twice, "%d kernels, %d cases, %d twice",
	       f.kernels, f.cases, f.twice);
	ay_arena_release(&a);
}

/* --- GPUs of the stand-in driver -------------------------------------------------------------------------------- */

enum { GPU_KERNELS = 5 };

/* A driver that shows `gpus`, and as many kernels that differ in their last byte. */
static void make_gpus(struct ay_arena *a, int gpus)
{
	const char *dir = test_dir();
	char *out;

	chmod(dir, 0755); /* executors have uids of their own */
	CHECKF(!help_run(a,
			 ay_sprintf(a,
				    "cc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -D_GNU_SOURCE -DGPUS=%d -Isrc "
				    "-o %s/libcuda.so.1 "
				    "tests/cuda/fake.c && "
				    "mkdir %s/k && cc -shared -fPIC -O1 -Iinclude -o %s/so tests/cuda/kernel.c && "
				    "for i in 0 1 2 3 4; do (cat %s/so; printf $i) > "
				    "%s/k/aten_relu__$i.so; done 2>&1",
				    gpus, dir, dir, dir, dir, dir),
			 60, &out),
	       "%s", out);
}

/* eval on them; fault: of $FAKE_CUDA. */
static int eval_gpus(struct ay_arena *a, const char *fault, const char *args, char **out)
{
	return help_run(
		a,
		ay_sprintf(
			a,
			"LD_LIBRARY_PATH=%s FAKE_CUDA='%s' %s/assay eval --suite smoke --ops relu --kernels %s/k "
			"--timing none --cache '' %s 2>&1",
			test_dir(), fault, help_build_dir(), test_dir(), args),
		60, out);
}

TEST(devices_gpus_are_counted_and_named)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found f;
	char *out;
	static const struct {
		const char *args;
		int on[3];
	} due[] = {
		{ "--device cuda", { 1, 1, 1 } },
		{ "--device-count 2 --device cuda", { 1, 1, 0 } },
		{ "--device cuda:1", { 0, 1, 0 } },
		{ "--device cuda:2,0", { 1, 0, 1 } },
		{ "--device cuda --device-count all", { 1, 1, 1 } },
	};

	make_gpus(&a, 3);
	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		CHECKF(!eval_gpus(&a, "", ay_sprintf(&a, "%s --jobs 1 --out %s/%zu", due[i].args, dir, i), &out),
		       "%s: %s", due[i].args, out);
		f = look(&a, ay_sprintf(&a, "%s/%zu", dir, i));
		CHECKF(f.kernels == GPU_KERNELS && f.cases == 2 * GPU_KERNELS && !f.twice && !f.lost,
		       "%d kernels, %d cases", f.kernels, f.cases);
		for (int d = 0; d < 3; d++)
			CHECKF(!f.on[d] == !due[i].on[d], "%s: %d cases on cuda:%d", due[i].args, f.on[d], d);
	}
	CHECKF(eval_gpus(&a, "", "--device cuda --device-count 4", &out) == 2 &&
		       strstr(out, "--device-count 4: the driver shows 3 GPUs"),
	       "%s", out);
	CHECKF(eval_gpus(&a, "", "--device cuda:1,3", &out) == 2 && strstr(out, "there is no cuda:3"), "%s", out);
	CHECKF(eval_gpus(&a, "init", "--device cuda --device-count 2", &out) == 2 &&
		       strstr(out, "the CUDA driver does not start"),
	       "%s", out);
	ay_arena_release(&a);
}

/* A GPU answers with errors when a case or two are through: what the judge did not finish there is done by the other. */
TEST(devices_gpu_that_falls_is_taken_out)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct found f;
	char *out;

	make_gpus(&a, 2);
	CHECKF(!eval_gpus(&a, "falls 1:12", ay_sprintf(&a, "--device cuda --jobs 1 --out %s/r", dir), &out), "%s",
	       out);
	CHECKF(strstr(out, "assay: cuda:1 is taken out: the check kernel of the judge does not run: "
			   "CUDA_ERROR_FAKE (214); "
			   "its work goes to the others"),
	       "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == GPU_KERNELS && f.cases == 2 * GPU_KERNELS && !f.twice && !f.after && f.lost == 1 &&
		       !f.errors && f.on[1] <= 4,
	       "%d kernels, %d cases, %d twice, %d after, %d lost, %d errors", f.kernels, f.cases, f.twice,
	       f.after, f.lost, f.errors);
	/* one that cannot even be opened */
	CHECKF(!eval_gpus(&a, "falls 0:0", ay_sprintf(&a, "--device cuda --jobs 2 --out %s/s", dir), &out), "%s",
	       out);
	CHECKF(strstr(out, "assay: cuda:0 is taken out: cannot open the GPU"), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECK(f.cases == 2 * GPU_KERNELS && !f.twice && !f.on[0] && f.lost == 1);
	/* both: the rest is judged when the run goes on */
	CHECKF(eval_gpus(&a, "falls 0:24,1:12", ay_sprintf(&a, "--device cuda --jobs 1 --out %s/t", dir), &out) ==
		       2,
	       "%s", out);
	CHECKF(strstr(out, "every device was taken out"), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/t", dir));
	CHECKF(f.lost == 2 && f.cases < 2 * GPU_KERNELS && !f.twice, "%d lost, %d cases", f.lost, f.cases);
	CHECKF(!eval_gpus(&a, "", ay_sprintf(&a, "--resume-from %s/t", dir), &out), "%s", out);
	f = look(&a, ay_sprintf(&a, "%s/t", dir));
	CHECKF(f.cases == 2 * GPU_KERNELS && f.kernels == GPU_KERNELS && !f.twice, "%d cases, %d kernels", f.cases,
	       f.kernels);
	ay_arena_release(&a);
}

/* What a device that was lost says later is not believed: its memory may have come back, and what it does is not known. */
TEST(devices_gpu_that_was_lost_stays_lost)
{
	const struct ay_need need[] = { { 100, false } };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 }, again = { 0 };
	struct ay_lent lent;
	struct ay_dev *d;
	struct ay_pool p;

	make_gpus(&a, 2);
	CHECK(dlopen(ay_sprintf(&a, "%s/libcuda.so.1", test_dir()),
		     RTLD_NOW)); /* found by its name from here on */
	CHECKF(!ay_dev_open(&d, "cuda:1", &err) && !ay_dev_is_well(d, &err), "%s", err.msg);
	setenv("FAKE_CUDA", "falls 0:0", 1); /* the other one */
	CHECKF(!ay_dev_is_well(d, &err), "%s", err.msg);
	setenv("FAKE_CUDA", "falls 1:0", 1);
	CHECK(ay_dev_is_well(d, &err) && strstr(err.msg, "(214)"));
	unsetenv("FAKE_CUDA");
	CHECK(ay_dev_is_well(d, &again) && !strcmp(err.msg, again.msg) && err.code == again.code);
	ay_err_clear(&err);
	CHECK(!ay_pool_init_grain(&p, d->info.grain, 1, need, &err));
	CHECK(ay_dev_lend(d, &p, AY_LEND, &lent, &err) && strstr(err.msg, "was taken out"));
	ay_pool_release(&p);
	ay_dev_close(d);
	ay_arena_release(&a);
}
