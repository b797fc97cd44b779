/* SPDX-License-Identifier: Apache-2.0
 *
 * trim_device_memory - tests of the GPU memory that an executor keeps between two cases: little,
 * however large the first case was.
 */
#include "device/device.h"
#include "exec/exec.h"
#include "helpers.h"
#include "judge/judge.h"
#include "test.h"
#include "timing_fixture.h"

#include <stdio.h>
#include <string.h>

static const char kernel[] = "int aten_relu@\n{\n"
			     "\tconst float *x = self->data;\n\tfloat *y = out->data;\n"
			     "\tfor (long i = 0; i < self->shape[0]; i++)\n\t\ty[i] = x[i] > 0 ? x[i] : 0;\n"
			     "\treturn ctx ? 0 : 9;\n}\n";

/* Returns the bytes of the fake device's memory that a process has mapped. */
static uint64_t mapped(struct ay_arena *a, pid_t pid)
{
	FILE *f = fopen(ay_sprintf(a, "/proc/%d/maps", (int)pid), "r");
	char line[600];
	uint64_t sum = 0;

	while (f && fgets(line, sizeof line, f)) {
		unsigned long lo, hi;

		if (strstr(line, "memfd:fake-gpu") && sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			sum += hi - lo;
	}
	if (f)
		fclose(f);
	return sum;
}

/* The next large case gets its memory back. */
TEST(trim_device_memory_an_executor_has_little_between_large_cases)
{
	struct ay_policy policy = { .threads = 1, .oracle_threads = 2, .call_timeout_s = 20 };
	struct timing_fixture large, small;
	struct ay_report rep;
	struct ay_judge j;
	struct ay_dev *d;
	int fd;

	timing_fixture_init(&small, "aten::relu((T([1000], f32),), {}) seed=1");
	timing_fixture_init(&large, "aten::relu((T([36000000], f32),), {}) seed=1");
	fd = timing_fixture_build(&large, kernel);
	help_fake_gpu(&large.a);
	CHECKF(!ay_dev_open(&d, "cuda", &large.err), "%s", large.err.msg);
	policy.sandbox = large.sandbox;
	policy.device = d;
	CHECKF(!ay_judge_init(&j, help_registry(), &policy, fd, NULL, &large.a, &rep, &large.err), "%s",
	       large.err.msg);
	for (int i = 0; i < 3; i++) {
		struct timing_fixture *r = i == 1 ? &small : &large;
		uint64_t bytes;

		CHECKF(!ay_judge_case(&j, &r->sc, &r->a, &rep, &r->err), "%s", r->err.msg);
		CHECKF(rep.verdict == AY_VERDICT_PASS && j.exec, "case %d: %s, %s", i,
		       ay_verdict_name(rep.verdict), rep.detail ? rep.detail : "");
		bytes = j.exec ? mapped(&large.a, ay_exec_pid(j.exec)) : 0;
		CHECKF(bytes < 64 << 20, "case %d: %llu bytes", i, (unsigned long long)bytes);
	}
	ay_judge_release(&j);
	ay_dev_close(d);
	timing_fixture_release(&large);
	timing_fixture_release(&small);
}
