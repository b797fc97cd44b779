/* SPDX-License-Identifier: Apache-2.0
 *
 * device_events - tests of what the judge makes of a device's events, with a fake driver whose events report a fixed time
 * (tests/cuda/fake_events.c).
 */
#include "base/json.h"
#include "help_cc.h"
#include "helpers.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void make_driver(struct ay_arena *a, const char *how)
{
	chmod(test_dir(), 0755); /* executors have uids of their own */
	help_cc(a, ay_sprintf(a, "-O1 -D_GNU_SOURCE -Isrc %s tests/cuda/fake.c tests/cuda/fake_events.c", how),
		ay_sprintf(a, "%s/libcuda.so.1", test_dir()));
	help_cc(a, "-O1 -DMODE=0 -Iinclude tests/cuda/kernel.c", ay_sprintf(a, "%s/aten_relu.so", test_dir()));
}

/* Judges and times the test kernel. Returns its gate_ns; -1: it has no time. */
static double judge(struct ay_arena *a, char **out)
{
	const char *dir = test_dir();
	double gate = -1;
	char *at;

	help_run(a,
		 ay_sprintf(a,
			    "LD_LIBRARY_PATH=%s %s/assay check %s/aten_relu.so --json --device cuda --seed 1 "
			    "--cache %s/assay --timing full --budget 0.2 --baseline none --timeout 60 "
			    "--case 'aten::relu((T([5000], f32),), {}) seed=3' 2>&1",
			    dir, help_build_dir(), dir, help_cache()),
		 120, out);
	for (char *line = strtok_r(ay_strdup(a, *out), "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		json_t *rec = json_loads(line, 0, NULL), *t = json_object_get(rec, "timing");

		if (json_number_value(json_object_get(t, "ns")) > 0)
			gate = json_number_value(json_object_get(t, "gate_ns"));
		json_decref(rec);
	}
	return gate;
}

/* The time that an empty batch takes by its own events is no hand-over. Here it is a second and more: all of the batch. */
TEST(device_events_of_empty_batches_are_no_hand_over)
{
	static const struct {
		const char *driver;
		bool none;
	} due[] = { { "-DNONE_MS=0", false }, { "-DNONE_MS=1e3", true } };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		char *out = "";
		double gate;

		make_driver(&a, due[i].driver);
		gate = judge(&a, &out);
		CHECKF(gate >= 0 && (gate == 0) == due[i].none, "%s: gate_ns %g\n%s", due[i].driver, gate, out);
	}
	ay_arena_release(&a);
}
