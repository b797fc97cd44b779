/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_state - tests of clocks, reasons for low clocks, and MPS, with a fake driver and a fake NVML
 * (tests/cuda).
 */
#include "base/file.h"
#include "device/gpu.h"
#include "helpers.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
	struct ay_arena a;
	const char *dir;
	struct ay_dev *d;
};

static void setup(struct fixture *r)
{
	struct ay_err err = { 0 };

	*r = (struct fixture){ .dir = test_dir() };
	help_fake_library(&r->a, "tests/cuda/fake.c", "libcuda.so.1");
	help_fake_library(&r->a, "tests/cuda/fake_nvml.c", "libnvidia-ml.so.1");
	CHECKF(!ay_dev_open(&r->d, "cuda", &err), "%s", err.msg);
	setenv("FAKE_NVML_LOG", ay_sprintf(&r->a, "%s/log", r->dir), 1);
}

static const char *nvml_log(struct fixture *r)
{
	struct ay_err err = { 0 };
	char *text = "";
	size_t len;

	return ay_file_read(&r->a, ay_sprintf(&r->a, "%s/log", r->dir), 1 << 20, &text, &len, &err) ? "" : text;
}

TEST(gpu_state_is_read_through_one_link)
{
	struct ay_gpu_state s;
	struct fixture r;

	setup(&r);
	for (int i = 0; i < 3; i++) {
		CHECK(!ay_gpu_state(r.d, &s));
		CHECK(s.sm_mhz == 1500 && s.memory_mhz == 3000 && s.celsius == 41 && !s.throttled);
	}
	CHECKF(!strcmp(nvml_log(&r), "i"), "%s", nvml_log(&r));
	ay_dev_close(r.d);
	CHECKF(!strcmp(nvml_log(&r), "is"), "%s", nvml_log(&r)); /* given back */
	ay_arena_release(&r.a);
}

/* A GPU that is idle, or whose clocks its owner has limited, is not throttled. */
TEST(gpu_state_tells_throttling_from_idling)
{
	static const struct {
		const char *bits;
		uint64_t due;
	} list[] = {
		{ "0", 0 },   { "0x1", 0 },     { "0x2", 0 },       { "0x3", 0 },
		{ "0x4", 4 }, { "0x25", 0x24 }, { "0x1ff", 0x1fc },
	};
	struct ay_gpu_state s;
	struct fixture r;

	setup(&r);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		setenv("FAKE_NVML_BITS", list[i].bits, 1);
		CHECKF(!ay_gpu_state(r.d, &s) && s.throttled == list[i].due, "%s: %#llx", list[i].bits,
		       (unsigned long long)s.throttled);
	}
	ay_dev_close(r.d);
	ay_arena_release(&r.a);
}

/* What NVML does not say is -1, and no throttling; an NVML that does not start is not asked
 * again. */
TEST(gpu_state_without_answers)
{
	struct ay_gpu_state s;
	struct ay_nvml v;
	char why[200] = "";
	struct fixture r;

	setup(&r);
	setenv("FAKE_NVML_BITS", "0x4", 1);
	setenv("FAKE_NVML", "init", 1);
	for (int i = 0; i < 2; i++)
		CHECK(ay_gpu_state(r.d, &s) == -1 && s.sm_mhz == -1 && s.celsius == -1 && !s.throttled);
	CHECKF(!strcmp(nvml_log(&r), "i"), "%s", nvml_log(&r));
	setenv("FAKE_NVML", "bus", 1);
	CHECK(ay_nvml_read("0000:00:00.0", &v, why, sizeof why) && !strcmp(why, "NVML answers with error 6"));
	CHECK(v.sm_mhz == -1 && v.watts == -1 && v.throttled == -1);
	CHECKF(!strcmp(nvml_log(&r), "iis"), "%s", nvml_log(&r)); /* what was started is ended */
	setenv("FAKE_NVML", "values", 1);
	CHECK(!ay_nvml_read("0000:00:00.0", &v, why, sizeof why));
	CHECK(v.sm_mhz == -1 && v.memory_max_mhz == -1 && v.watts == -1 && v.celsius == -1 && v.throttled == -1);
	unsetenv("FAKE_NVML");
	CHECK(!ay_nvml_read("0000:00:00.0", &v, why, sizeof why) && v.sm_max_mhz == 1980 && v.watts == 124 &&
	      v.watts_most == 700 && v.throttled == 4 && !strcmp(v.driver, "580.1"));
	ay_dev_close(r.d);
	ay_arena_release(&r.a);
}

TEST(gpu_state_has_words)
{
	char buf[AY_THROTTLE_WORDS];

	CHECK(!strcmp(ay_gpu_throttle_words(0, buf), ""));
	CHECK(!strcmp(ay_gpu_throttle_words(1, buf), "idle"));
	CHECK(!strcmp(ay_gpu_throttle_words(4 | 0x40, buf), "power limit, heat, by the hardware"));
	CHECK(!strcmp(ay_gpu_throttle_words(0x100 | 0x400, buf), "display clocks, reason 0x400"));
	CHECK(strlen(ay_gpu_throttle_words(UINT64_MAX, buf)) < sizeof buf - 1); /* not cut */
}

/* --- MPS -------------------------------------------------------------------------------------- */

static int listen_at(const char *path, int type)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, type, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	CHECK(fd >= 0 && !bind(fd, (const struct sockaddr *)&at, sizeof at) && !listen(fd, 4));
	return fd;
}

TEST(gpu_state_sees_mps_where_somebody_answers)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };
	struct ay_arena a = { 0 };
	char *path = ay_sprintf(&a, "%s/control", test_dir());
	int fd;

	setenv("CUDA_MPS_PIPE_DIRECTORY", test_dir(), 1);
	CHECK(!ay_gpu_mps_runs_in("/no/proc"));
	for (int i = 0; i < 2; i++) {
		fd = listen_at(path, types[i]);
		CHECK(ay_gpu_mps_runs_in("/no/proc") && ay_gpu_mps_runs());
		close(fd); /* a daemon that died leaves its socket */
		CHECK(!ay_gpu_mps_runs_in("/no/proc"));
		unlink(path);
	}
	CHECK(!mkfifo(path, 0600) && !ay_gpu_mps_runs_in("/no/proc"));
	fd = open(path, O_RDONLY | O_NONBLOCK);
	CHECK(ay_gpu_mps_runs_in("/no/proc"));
	close(fd);
	CHECK(!ay_gpu_mps_runs_in("/no/proc"));
	/* longer than a socket's name may be */
	setenv("CUDA_MPS_PIPE_DIRECTORY", ay_sprintf(&a, "%0200d", 7), 1);
	CHECK(!ay_gpu_mps_runs_in("/no/proc"));
	ay_arena_release(&a);
}

/* The daemon of another user, whose folder is unknown. */
TEST(gpu_state_sees_the_processes_of_mps)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *dir = ay_sprintf(&a, "%s/proc", test_dir());

	setenv("CUDA_MPS_PIPE_DIRECTORY", test_dir(), 1);
	CHECK(!ay_file_mkdirs(ay_sprintf(&a, "%s/17", dir), &err) &&
	      !ay_file_mkdirs(ay_sprintf(&a, "%s/sys", dir), &err));
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/17/comm", dir), "nvidia-smi\n", 11, &err));
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/sys/comm", dir), "nvidia-cuda-mps\n", 16, &err)); /* no process */
	CHECK(!ay_gpu_mps_runs_in(dir));
	CHECK(!ay_file_mkdirs(ay_sprintf(&a, "%s/18", dir), &err));
	CHECK(!ay_file_write(ay_sprintf(&a, "%s/18/comm", dir), "nvidia-cuda-mps\n", 16, &err));
	CHECK(ay_gpu_mps_runs_in(dir));
	ay_arena_release(&a);
}
