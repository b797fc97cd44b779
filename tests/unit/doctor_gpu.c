/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor_gpu - tests of `assay doctor` with a GPU; all of the GPU's libraries are fakes
 * (tests/cuda).
 */
#include "base/file.h"
#include "help_cc.h"
#include "helpers.h"
#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
	struct ay_arena a;
	const char *dir;
};

static void setup(struct fixture *r)
{
	static const char *const list[][2] = {
		{ "libcuda.so.1", "tests/cuda/fake.c tests/cuda/fake_clock.c" },
		{ "libnvrtc.so.13", "tests/cuda/fake_nvrtc.c" },
		{ "libnvidia-ml.so.1", "tests/cuda/fake_nvml.c" },
		{ "libcublasLt.so.13", "tests/cuda/fake_cublaslt.c" },
	};

	*r = (struct fixture){ .dir = test_dir() };
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		help_cc(&r->a, ay_sprintf(&r->a, "-O1 -D_GNU_SOURCE -Isrc %s", list[i][1]),
			ay_sprintf(&r->a, "%s/%s", r->dir, list[i][0]));
	setenv("FAKE_NVRTC_LOG", ay_sprintf(&r->a, "%s/log", r->dir), 1);
	setenv("XDG_CACHE_HOME", r->dir, 1);
	setenv("CUDA_MPS_PIPE_DIRECTORY", r->dir, 1);
	setenv("CUDA_HOME", "/none", 1);
}

static int doctor(struct fixture *r, const char *args, char **out)
{
	return help_run(
		&r->a,
		ay_sprintf(&r->a, "LD_LIBRARY_PATH=%s %s/assay doctor %s 2>&1", r->dir, help_build_dir(), args),
		60, out);
}

/* Returns the finding of that name in a JSON Lines output, or NULL. It lives as long as the
 * process. */
static json_t *finding(struct fixture *r, const char *out, const char *name)
{
	for (const char *at = out; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		json_t *j = json_loads(ay_strndup(&r->a, at, strcspn(at, "\n")), 0, NULL);
		const char *s = json_string_value(json_object_get(j, "name"));

		if (s && !strcmp(s, name))
			return j;
		json_decref(j);
	}
	return NULL;
}

static const char *text_of(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "nothing";
}

static bool says(struct fixture *r, const char *out, const char *name, const char *state, const char *what)
{
	const json_t *j = finding(r, out, name);

	return !strcmp(text_of(j, "state"), state) && strstr(text_of(j, "what"), what);
}

TEST(doctor_describes_a_gpu)
{
	const json_t *j;
	char *out = "";
	struct fixture r;

	setup(&r);
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "GPU", "ok", "cuda:0 Fake GPU, 8.0 GiB, sm_90, 4 SMs, 4 MiB of L2, CUDA 13.0"), "%s",
	       out);
	CHECKF(says(&r, out, "NVML", "ok",
		    "driver 580.1; SM at 1500 of 1980 MHz, memory at 3000 of 3201; 41 C, 124 of 700 W; not "
		    "throttled;"),
	       "%s", text_of(finding(&r, out, "NVML"), "what"));
	j = json_object_get(finding(&r, out, "NVML"), "data");
	CHECK(json_integer_value(json_object_get(j, "sm_mhz")) == 1500 &&
	      json_is_false(json_object_get(j, "throttled")) &&
	      json_integer_value(json_object_get(j, "watts_most")) == 700);
	CHECK(says(&r, out, "MPS", "ok", "does not run"));
	CHECKF(says(&r, out, "NVRTC", "ok", "libnvrtc.so.13 (13.0)"), "%s", out);
	CHECK(!strcmp(text_of(finding(&r, out, "NVRTC"), "version"), "13.0"));
	CHECK(says(&r, out, "cuBLAS", "note", "missing")); /* the table is incomplete */
	CHECK(says(&r, out, "GPU ceilings", "note", "not measured"));
	/* the GPU's device nodes do not exist, so no jail can have them */
	if (access("/dev/nvidiactl", F_OK))
		CHECKF(says(&r, out, "GPU nodes", "missing", "cannot be opened"), "%s", out);
	ay_arena_release(&r.a);
}

TEST(doctor_tells_throttling_and_mps)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char *out = "";
	struct fixture r;

	setup(&r);
	setenv("FAKE_NVML_BITS", "0x1", 1);
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "NVML", "ok", "not throttled: idle;"), "%s", out);
	setenv("FAKE_NVML_BITS", "0x25", 1);
	snprintf(at.sun_path, sizeof at.sun_path, "%s/control", r.dir);
	CHECK(!bind(fd, (const struct sockaddr *)&at, sizeof at) && !listen(fd, 4));
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "NVML", "note", "throttled: idle, power limit, heat, by the driver;"), "%s", out);
	CHECKF(says(&r, out, "MPS", "note", "runs"), "%s", out);
	setenv("FAKE_NVML", "full", 1); /* a reason that is over */
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "NVML", "ok", "not throttled: idle, power limit, heat, by the driver;"), "%s", out);
	setenv("FAKE_NVML", "init", 1);
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "NVML", "note", "no clocks are known"), "%s", out);
	close(fd);
	ay_arena_release(&r.a);
}

/* Calibrates the GPU only; later reports show the result. */
TEST(doctor_calibrates_a_gpu)
{
	const json_t *j;
	char *out = "";
	struct fixture r;

	setup(&r);
	setenv("FAKE_NVML", "values", 1); /* no clocks: speeds as measured */
	CHECKF(!doctor(&r, "--calibrate --device cuda", &out), "%s", out);
	CHECKF(strstr(out, "Fake GPU\n") &&
		       strstr(out, "memory: read 100, write 80, copy 90 GB/s; L2 1000 GB/s") &&
		       strstr(out, "f16 800, bf16 790, f8 1500 TFLOP/s"),
	       "%s", out);
	CHECK(!strstr(out, "threads"));
	doctor(&r, "--quick --json --device cuda", &out);
	CHECKF(says(&r, out, "GPU ceilings", "ok", "read 100, write 80, copy 90 GB/s"), "%s", out);
	j = json_object_get(finding(&r, out, "GPU ceilings"), "data");
	CHECK(json_is_false(json_object_get(j, "quick")) &&
	      json_array_size(json_object_get(j, "bytes_and_bytes_per_s")) == 10);
	CHECK(json_number_value(json_object_get(json_object_get(j, "product_flops_per_s"), "bf16")) > 780e12);
	CHECK(says(&r, out, "ceilings", "note", "not measured")); /* the processor's */
	CHECKF(!doctor(&r, "--calibrate --device cuda --json", &out) && finding(&r, out, "GPU ceilings"), "%s",
	       out);
	setenv("FAKE_CUDA", "events", 1);
	CHECKF(doctor(&r, "--calibrate --device cuda", &out) == 2 && strstr(out, "makes no events"), "%s", out);
	CHECKF(doctor(&r, "--device gpu", &out) == 2 && strstr(out, "not 'gpu'"), "%s", out);
	CHECKF(doctor(&r, "--calibrate --device cuda:7", &out) == 2 && strstr(out, "there is no cuda:7"), "%s",
	       out);
	ay_arena_release(&r.a);
}
