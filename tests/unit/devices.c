/* SPDX-License-Identifier: Apache-2.0
 *
 * devices - tests of runs on several devices of which some fail. The devices are parts of the
 * processor that are made to fail; devices_gpu.c has GPUs.
 */
#include "../../cmd/device_opts.h"
#include "base/file.h"
#include "device_fixture.h"
#include "helpers.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

/* --- parts of the processor ------------------------------------------------------------------- */

#define REFERENCE "--suite smoke --backend reference --device cpu "

TEST(devices_share_the_work)
{
	struct ay_arena a = { 0 };
	struct rig_found whole, f;
	char *out;

	CHECK(!rig_run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", test_dir()), NULL,
		       &out));
	CHECKF(!rig_run(&a, cmd_eval, NULL,
			ay_sprintf(&a, REFERENCE "--device-count 3 --out %s/three", test_dir()), NULL, &out),
	       "%s", out);
	whole = rig_look(&a, ay_sprintf(&a, "%s/whole", test_dir()));
	f = rig_look(&a, ay_sprintf(&a, "%s/three", test_dir()));
	CHECK(whole.cases > 200 && !whole.on[1]);
	rig_check_whole(&f, &whole);
	CHECKF(f.on[0] && f.on[1] && f.on[2] && !f.on[3] && !f.split && !f.lost, "%d %d %d %d", f.on[0], f.on[1],
	       f.on[2], f.on[3]);
	ay_arena_release(&a);
}

/* Fails in the middle of an operator: its first case stays, its second is judged on another
 * device. */
TEST(devices_go_on_without_one_that_fails)
{
	static const struct device_fault fault = { .device = 1, .after = 5 };
	struct ay_arena a = { 0 };
	struct rig_found whole, f;
	char *out;

	CHECK(!rig_run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", test_dir()), NULL,
		       &out));
	CHECKF(!rig_run(&a, cmd_eval, &fault, ay_sprintf(&a, REFERENCE "--device-count 3 --out %s/r", test_dir()),
			NULL, &out),
	       "%s", out);
	CHECKF(strstr(out, "assay: cpu:1 is taken out: it was made to fail; its work goes to the others"), "%s",
	       out);
	CHECKF(strstr(out, "121 of 121 pass") && strstr(out, "; devices that failed and were taken out: 1"), "%s",
	       out);
	whole = rig_look(&a, ay_sprintf(&a, "%s/whole", test_dir()));
	f = rig_look(&a, ay_sprintf(&a, "%s/r", test_dir()));
	rig_check_whole(&f, &whole);
	CHECKF(f.lost == 1 && !f.errors && f.on[1] == 5 && f.split == 1,
	       "%d lost, %d errors, %d cases there, %d split", f.lost, f.errors, f.on[1], f.split);
	ay_arena_release(&a);
}

/* Files, with two workers on each device: all workers of a device end, and the work of both
 * continues. */
TEST(devices_of_several_workers_go_on)
{
	static const struct device_fault fault = { .device = 0, .after = 7 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found whole, f;
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
	CHECK(rig_run(&a, cmd_eval, NULL, ay_sprintf(&a, "%s --jobs 2 --out %s/whole", how, dir), NULL, &out) ==
	      1);
	CHECKF(rig_run(&a, cmd_eval, &fault, ay_sprintf(&a, "%s --device-count 2 --jobs 2 --out %s/r", how, dir),
		       NULL, &out) == 1,
	       "%s", out);
	whole = rig_look(&a, ay_sprintf(&a, "%s/whole", dir));
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(whole.kernels >= 4 && whole.cases > 100, "%d kernels, %d cases", whole.kernels, whole.cases);
	rig_check_whole(&f, &whole);
	CHECKF(f.lost == 1 && f.split >= 1 && f.on[0] >= 7 && f.on[1], "%d lost, %d split, %d and %d cases",
	       f.lost, f.split, f.on[0], f.on[1]);
	ay_arena_release(&a);
}

TEST(devices_that_all_fail_leave_a_run_that_can_be_resumed)
{
	static const struct device_fault fault = { .device = -1, .after = 9 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found whole, f;
	char *out;

	CHECK(!rig_run(&a, cmd_eval, NULL, ay_sprintf(&a, REFERENCE "--jobs 1 --out %s/whole", dir), NULL, &out));
	CHECKF(rig_run(&a, cmd_eval, &fault, ay_sprintf(&a, REFERENCE "--device-count 2 --out %s/r", dir), NULL,
		       &out) == 2,
	       "%s", out);
	CHECKF(strstr(out, "no device is left") && strstr(out, "go on with: assay eval --resume-from") &&
		       strstr(out, "every device was taken out"),
	       "%s", out);
	whole = rig_look(&a, ay_sprintf(&a, "%s/whole", dir));
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.lost == 2 && f.cases == 18 && f.on[0] == 9 && f.on[1] == 9, "%d lost, %d cases", f.lost, f.cases);
	/* the number of devices is remembered */
	CHECKF(!rig_run(&a, cmd_eval, NULL, ay_sprintf(&a, "--resume-from %s/r", dir), NULL, &out), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	f.after = 0; /* another process resumes the run and uses these devices again */
	rig_check_whole(&f, &whole);
	CHECK(f.on[0] > 9 && f.on[1] > 9);
	ay_arena_release(&a);
}

/* One kernel, and every device fails under it: two are lost, the third is not tried. */
TEST(devices_are_not_all_given_to_one_kernel)
{
	static const struct device_fault fault = { .device = -1, .after = 0 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found f;
	char *out;

	CHECKF(rig_run(&a, cmd_eval, &fault,
		       ay_sprintf(&a, REFERENCE "--ops relu --device-count 3 --out %s/r", dir), NULL, &out) == 1,
	       "%s", out);
	CHECKF(strstr(out, "assay: aten::relu: cpu:0 and then cpu:1 were lost while it was judged on them"), "%s",
	       out);
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
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
		{ REFERENCE "--jobs 257", "--jobs is a whole number from 1 to 256" },
		{ "--suite smoke --backend directory --kernels kernels/c --device cpu --device-count 2 --timing "
		  "full",
		  "--device-count 2 beside --timing" },
		{ "--suite smoke --device cuda:1 --device-count 2", "leave one out" },
		{ "--suite smoke --device cuda:1,1", "--device is auto" },
	};
	struct ay_arena a = { 0 };
	char *out;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECKF(rig_run(&a, cmd_eval, NULL, bad[i].args, NULL, &out) == 2 && strstr(out, bad[i].words),
		       "%s: %s", bad[i].args, out);
	CHECKF(rig_run(&a, cmd_check, NULL, "kernels/c/aten_relu.c --device-count 2", NULL, &out) == 2 &&
		       strstr(out, "one kernel is judged on one device"),
	       "%s", out);
	ay_arena_release(&a);
}

/* The remaining work takes longer with fewer workers. */
static void lose_or_wait(void *user, const char *job, size_t len, struct ay_worker_out *out)
{
	(void)user, (void)len;
	usleep(100000);
	if (job[0] == 'x')
		ay_worker_fail_group(out, "gone");
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
	struct ay_worker_pool_events e = { NULL, ignore_message, ignore_done, ignore_lost, ignore_back };
	struct ay_err err = { 0 };
	struct ay_worker_pool *c;
	double two, one, work;

	CHECK(!ay_worker_pool_start_groups(&c, 2, 1, lose_or_wait, NULL, &err));
	CHECK(device_eta(c, 0, 100) < 0); /* no estimate yet */
	CHECK(!ay_worker_pool_submit(c, "", "x", 1, &err));
	usleep(50000);
	two = device_eta(c, 10, 30);
	work = ay_worker_pool_work_s(c);
	CHECKF(two > 0.5 * 3 * work / 2 && two <= 3 * work / 2 && device_eta(c, 10, 0) == 0, "%g s, %g s of work",
	       two, work);
	while (ay_worker_pool_busy(c))
		CHECK(!ay_worker_pool_wait(c, -1, 1000, &e, &err));
	CHECK(ay_worker_pool_size(c) == 1);
	one = device_eta(c, 10, 30);
	work = ay_worker_pool_work_s(c); /* two workers, then one: one worker does equal work */
	CHECKF(one > 0.9 * 3 * work && one <= 3 * work, "%g s by two, %g s by one, who worked for %g s", two, one,
	       work);
	ay_worker_pool_stop(c);
}

/* --- jobs of check - -------------------------------------------------------------------------- */

TEST(devices_of_bulk_answer_every_job_once)
{
	static const struct device_fault one = { .device = 1, .after = 20 }, all = { .device = -1, .after = 150 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_str jobs = { 0 };
	struct ay_err err = { 0 };
	char *in = ay_sprintf(&a, "%s/jobs", dir), *out;
	struct rig_found f;

	for (int i = 0; i < 8; i++)
		ay_str_addf(
			&jobs,
			"{\"id\": %d, \"op\": \"aten::relu\", \"lang\": \"c\", \"source\": \"/* %d */\\n#include "
			"<assay/kernel.h>\\nint aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx "
			"*ctx)"
			"{ return AY_UNSUPPORTED; }\\n\"}\n",
			i, i);
	CHECK(!ay_file_write(in, jobs.s, jobs.len, &err));
	CHECKF(!rig_run(&a, cmd_check, &one, ay_sprintf(&a, "- --device cpu --device-count 3 --out %s/r", dir), in,
			&out),
	       "%s", out);
	CHECK(strstr(out, "assay: cpu:1 is taken out") && strstr(out, "\"jobs\":8,\"passed\":0,\"errors\":0"));
	for (int i = 0; i < 8; i++) {
		const char *id = ay_sprintf(&a, "{\"id\":%d,\"type\":\"kernel\",\"verdict\":\"UNSUPPORTED\"", i);
		const char *at = strstr(out, id);

		CHECKF(at && !strstr(at + 1, id), "job %d: %s", i, out);
	}
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == 8 && !f.twice && !f.after && f.lost == 1 && !f.errors, "%d kernels, %d twice",
	       f.kernels, f.twice);
	/* no device is left: the known results come from the store after the resume */
	CHECKF(rig_run(&a, cmd_check, &all, ay_sprintf(&a, "- --device cpu --device-count 2 --out %s/s", dir), in,
		       &out) == 2,
	       "%s", out);
	CHECK(strstr(out, "every device was taken out") && strstr(out, "--resume-from"));
	f = rig_look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECKF(f.kernels >= 2 && f.kernels < 8 && f.lost == 2, "%d kernels", f.kernels);
	CHECKF(!rig_run(&a, cmd_check, NULL, ay_sprintf(&a, "- --device cpu --resume-from %s/s", dir), in, &out),
	       "%s", out);
	CHECKF(strstr(out, ay_sprintf(&a, "\"errors\":0,\"from_store\":%d", f.kernels)), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECK(f.kernels == 8 && !f.twice);
	ay_str_release(&jobs);
	ay_arena_release(&a);
}

/* --- kernels of a model ----------------------------------------------------------------------- */

TEST(devices_of_llm_judge_every_attempt_once)
{
	static const struct device_fault one = { .device = 1, .after = 3 }, all = { .device = -1, .after = 5 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct rig_found whole, f;
	char *out;
	const char *how = ay_sprintf(
		&a,
		"--server-type replay --replay-from %s/whole --dataset smoke --op-name "
		"aten::cumsum,aten::add,aten::sum,aten::mm --samples 2 --lang c --quick --device cpu ",
		dir);

	if (!ay_file_program(&a, "python3"))
		test_skip("no python3 for the fake");
	CHECKF(!help_run(
		       &a,
		       ay_sprintf(
			       &a,
			       "XDG_CACHE_HOME=%s python3 tests/llm/with.py '{\"tokens\": [10, 20], \"default\": "
			       "[\"wrong\", \"correct\"]}' -- %s/assay llm --dataset smoke --op-name "
			       "aten::cumsum,aten::add,aten::sum,aten::mm --samples 2 --lang c --quick --out "
			       "%s/whole 2>&1",
			       help_cache(), help_build_dir(), dir),
		       120, &out),
	       "%s", out);
	whole = rig_look(&a, ay_sprintf(&a, "%s/whole", dir));
	CHECKF(whole.kernels >= 8 && whole.cases >= 16, "%d kernels, %d cases\n%s", whole.kernels, whole.cases,
	       out);
	CHECKF(!rig_run(&a, cmd_llm, &one, ay_sprintf(&a, "%s --device-count 3 --out %s/r", how, dir), NULL, &out),
	       "%s", out);
	CHECKF(strstr(out, "assay: cpu:1 is taken out") && strstr(out, "8 attempts"), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/r", dir));
	CHECKF(f.kernels == whole.kernels && f.cases == whole.cases && !f.twice && !f.after && f.lost == 1 &&
		       !f.errors,
	       "%d kernels, %d cases, %d twice, %d after, %d lost, %d errors\n%s", f.kernels, f.cases, f.twice,
	       f.after, f.lost, f.errors, out);
	CHECKF(f.tried == whole.tried && f.passed == whole.passed && f.split,
	       "%d of %d passed, not %d of %d; %d split", f.passed, f.tried, whole.passed, whole.tried, f.split);
	CHECKF(rig_run(&a, cmd_llm, &all, ay_sprintf(&a, "%s --device-count 2 --out %s/s", how, dir), NULL,
		       &out) == 2,
	       "%s", out);
	CHECKF(strstr(out, "go on with: assay llm --resume-from"), "%s", out);
	CHECKF(!rig_run(&a, cmd_llm, NULL, ay_sprintf(&a, "--resume-from %s/s", dir), NULL, &out), "%s", out);
	CHECKF(strstr(out, "8 attempts"), "%s", out);
	f = rig_look(&a, ay_sprintf(&a, "%s/s", dir));
	CHECKF(f.kernels == whole.kernels && f.cases == whole.cases && !f.twice, "%d kernels, %d cases, %d twice",
	       f.kernels, f.cases, f.twice);
	ay_arena_release(&a);
}
