/* SPDX-License-Identifier: Apache-2.0
 *
 * host_memory - SKIPPED for memory follows from the case and the machine, not from what a kernel
 * holds. The machine of these tests has MACHINE bytes, less what the executor holds of the real
 * one.
 */
#include "helpers.h"
#include "test.h"
#include "timing_fixture.h"
#include "judge/judge.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MACHINE = 240 << 20 };

#define SMALL_CASE "aten::relu((T([1000], f32),), {}) seed=1"
/* about 100 MiB: two sets, and copies of their results */
#define LARGE_CASE "aten::relu((T([4000000], f32),), {}) seed=1"

static struct ay_judge judge;

/* Bytes that only descriptors of a process hold, such as memfds that it has not mapped. */
static uint64_t held_by_files(pid_t pid)
{
	char path[300];
	uint64_t sum = 0;
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%d/fd/%.200s", (int)pid, e->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_blocks * 512;
	}
	if (d)
		closedir(d);
	return sum;
}

static uint64_t memory_now(void)
{
	const pid_t pid = judge.exec ? ay_exec_pid(judge.exec) : 0;
	unsigned long long pages = 0, resident = 0;
	uint64_t held;
	char path[40];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	f = pid ? fopen(path, "r") : NULL;
	if (f && fscanf(f, "%llu %llu", &pages, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	held = resident * (uint64_t)sysconf(_SC_PAGESIZE) + (pid ? held_by_files(pid) : 0);
	return held < MACHINE ? MACHINE - held : 0;
}

static uint64_t no_memory(void)
{
	return 1 << 20;
}

#define HEAD                                                                     \
	"#define _GNU_SOURCE\n"                                                  \
	"#include <assay/kernel.h>\n#include <pthread.h>\n#include <stdlib.h>\n" \
	"#include <string.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"      \
	"#define KEEP(p) __asm__ volatile(\"\" : : \"r\"(p) : \"memory\")\n"     \
	"enum { HOG = 160 << 20 };\n"
#define RELU                                                                                   \
	"int aten_relu(const ay_tensor *x, ay_tensor *y, const ay_ctx *ctx)\n{\n"              \
	"	if (!hog()) return AY_UNSUPPORTED;\n"                                                \
	"	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {\n"                                \
	"		double v = ay_read(x, ay_at(x, i)); ay_write(y, ay_at(y, i), v > 0 ? v : 0);\n	}\n" \
	"	return AY_OK;\n}\n"

static const char *const hogs[] = {
	"static char much[HOG];\nstatic int hog(void) { memset(much, 1, HOG); KEEP(much); return 1; }\n",
	"static int hog(void) { char *p = malloc(HOG); if (p) memset(p, 1, HOG); KEEP(p); return p != 0; "
	"}\n",
	"static void *thread(void *p) { char much[1 << 20]; memset(p, 1, HOG); memset(much, 1, 9); "
	"pause(); "
	"return 0; }\n"
	"static int hog(void)\n{\n"
	"	static pthread_t t; char *p = mmap(0, HOG, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
	"	if (!t && pthread_create(&t, 0, thread, p)) return 0;\n"
	"	for (int i = 0; i < 2000 && !((volatile char *)p)[HOG - 1] && p[0] < 2; i++) "
	"usleep(1000);\n"
	"	return 1;\n}\n",
	"static int hog(void)\n{\n"
	"	for (int i = 0; i < 10; i++)\n"
	"		if (posix_fallocate(memfd_create(\"hog\", 0), 0, HOG / 10)) return 0;\n"
	"	return 1;\n}\n",
};

/* Builds a kernel and starts to judge it. */
static void begin(struct timing_fixture *r, const char *source, const struct ay_policy *with)
{
	struct ay_policy policy = *with;
	struct ay_report rep;
	int fd;

	timing_fixture_init(r, SMALL_CASE);
	fd = timing_fixture_build(r, source);
	policy.threads = policy.oracle_threads = 1;
	policy.call_timeout_s = 20;
	policy.sandbox = r->sandbox;
	CHECKF(!ay_judge_init(&judge, help_registry(), &policy, fd, NULL, &r->a, &rep, &r->err) &&
		       rep.verdict == AY_VERDICT_NONE,
	       "%s", r->err.msg);
}

static void end(struct timing_fixture *r)
{
	ay_judge_release(&judge);
	timing_fixture_release(r);
}

static int judge_line(struct timing_fixture *r, const char *text, struct ay_report *rep)
{
	struct ay_suite_case sc = r->sc;
	struct ay_case *line;

	*rep = (struct ay_report){ 0 };
	CHECKF(!ay_case_parse(&r->a, text, strlen(text), &line, &r->err), "%s", r->err.msg);
	sc.line = line;
	return ay_judge_case(&judge, &sc, &r->a, rep, &r->err);
}

static void check_verdict(struct timing_fixture *r, const char *text, enum ay_verdict want, const char *what)
{
	struct ay_report rep;

	CHECKF(!judge_line(r, text, &rep) && rep.verdict == want, "%s: %s is %s (%s), not %s: %s", what, text,
	       ay_verdict_name(rep.verdict), rep.detail ? rep.detail : "", ay_verdict_name(want), r->err.msg);
}

/* A kernel that holds memory between its calls: its large case is judged, in a new process. */
TEST(host_memory_that_a_kernel_holds_skips_no_case)
{
	const struct ay_policy policy = { .memory_now = memory_now };

	for (size_t i = 0; i < sizeof hogs / sizeof *hogs; i++) {
		struct timing_fixture r;
		struct ay_arena a = { 0 };
		pid_t before;

		begin(&r, ay_sprintf(&a, "%s%s%s", HEAD, hogs[i], RELU), &policy);
		CHECK(judge.policy.memory_free > MACHINE / 8 * 7);
		check_verdict(&r, SMALL_CASE, AY_VERDICT_PASS, hogs[i]);
		CHECKF(memory_now() < MACHINE / 2, "it holds little: %s", hogs[i]);
		before = judge.exec ? ay_exec_pid(judge.exec) : 0;
		check_verdict(&r, LARGE_CASE, AY_VERDICT_PASS, hogs[i]);
		CHECKF(judge.exec && ay_exec_pid(judge.exec) != before, "the same process: %s", hogs[i]);
		end(&r);
		ay_arena_release(&a);
	}
}

static const char honest[] = HEAD "static int hog(void) { return 1; }\n" RELU;

/* The judge's own pool is no reason either: the case fits when judged first, so it fits later. */
TEST(host_memory_of_an_earlier_case_skips_no_case)
{
	const struct ay_policy policy = { .memory_now = memory_now };
	struct timing_fixture r;

	begin(&r, honest, &policy);
	check_verdict(&r, "aten::relu((T([7000000], f32),), {}) seed=1", AY_VERDICT_PASS, "first");
	CHECK(memory_now() < MACHINE / 3 * 2); /* less than the second needs */
	check_verdict(&r, "aten::relu((T([7100000], f32),), {}) seed=1", AY_VERDICT_PASS, "second");
	check_verdict(&r, "aten::relu((T([7100000], f32),), {}) seed=1", AY_VERDICT_PASS, "the same again");
	end(&r);
}

TEST(host_memory_that_the_machine_lacks_skips_the_case)
{
	const struct ay_policy policy = { .memory_now = memory_now };
	struct timing_fixture r;

	begin(&r, honest, &policy);
	check_verdict(&r, "aten::relu((T([20000000], f32),), {}) seed=1", AY_VERDICT_SKIPPED, "too large");
	check_verdict(&r, LARGE_CASE, AY_VERDICT_PASS, "not too large");
	end(&r);
}

/* Memory that was there at the start, and that other processes hold: a failure, no verdict. */
TEST_SLOW(host_memory_that_others_hold_is_a_failure)
{
	const struct ay_policy policy = { .memory_now = no_memory, .memory_free = MACHINE };
	struct timing_fixture r;
	struct ay_report rep;

	begin(&r, honest, &policy);
	check_verdict(&r, SMALL_CASE, AY_VERDICT_PASS, "small");
	CHECK(judge_line(&r, LARGE_CASE, &rep) && r.err.code == AY_ERR_MEMORY);
	CHECKF(strstr(r.err.msg, "other processes"), "%s", r.err.msg);
	end(&r);
}

/* Beside other judges a judge keeps no large pool from case to case. */
TEST(host_memory_of_a_large_case_is_freed_beside_other_judges)
{
	const struct ay_policy policy = { .memory_now = memory_now, .crowd = 2 };
	struct timing_fixture r;

	begin(&r, honest, &policy);
	check_verdict(&r, SMALL_CASE, AY_VERDICT_PASS, "small");
	CHECK(judge.has_pool && judge.exec);
	check_verdict(&r, LARGE_CASE, AY_VERDICT_PASS, "large");
	CHECK(!judge.has_pool && !judge.exec);
	check_verdict(&r, SMALL_CASE, AY_VERDICT_PASS, "small again");
	end(&r);
}
