/* SPDX-License-Identifier: Apache-2.0
 *
 * device - tests of the device layer. Without a GPU a fake driver (tests/cuda/fake.c) replaces it.
 * The judge, the executor, its jail and their messages are real.
 */
#include "device/cuda.h"
#include "device/device.h"
#include "device/gpu.h"
#include "base/file.h"
#include "base/json.h"
#include "exec/exec.h"
#include "exec/wire.h"
#include "judge/verdict.h"
#include "sandbox/filter.h"
#include "help_cc.h"
#include "helpers.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- declarations ----------------------------------------------------------------------------- */

/* Compares every constant and layout with the real header. */
TEST(device_declarations_are_cudas)
{
	static const char head[] =
		"#include <cuda.h>\n#include \"device/cuda.h\"\n"
		"#define SAME(a, b) _Static_assert((long long)(a) == (long long)(b), #a)\n"
		"SAME(AY_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);\nSAME(AY_CU_NO_DEVICE, "
		"CUDA_ERROR_NO_DEVICE);\n"
		"SAME(AY_CU_NO_CONTEXT, CUDA_ERROR_INVALID_CONTEXT);\n"
		"SAME(AY_CU_NOT_READY, CUDA_ERROR_NOT_READY);\nSAME(AY_CU_ILLEGAL_ADDRESS, "
		"CUDA_ERROR_ILLEGAL_ADDRESS);\n"
		"SAME(AY_CU_HANDLE_FD, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);\n"
		"SAME(AY_CU_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);\nSAME(AY_CU_ON_DEVICE, "
		"CU_MEM_LOCATION_TYPE_DEVICE);\n"
		"SAME(AY_CU_READ, CU_MEM_ACCESS_FLAGS_PROT_READ);\nSAME(AY_CU_READ_WRITE, "
		"CU_MEM_ACCESS_FLAGS_PROT_READWRITE);\n"
		"SAME(AY_CU_STREAM_BLOCKING, CU_STREAM_DEFAULT);\nSAME(AY_CU_SMS, "
		"CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);\n"
		"SAME(AY_CU_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);\n"
		"SAME(AY_CU_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);\n"
		"SAME(AY_CU_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);\n"
		"SAME(AY_CU_FD_HANDLES, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);\n"
		"SAME(sizeof(struct ay_cu_prop), sizeof(CUmemAllocationProp));\n"
		"SAME(offsetof(struct ay_cu_prop, handles), offsetof(CUmemAllocationProp, "
		"requestedHandleTypes));\n"
		"SAME(offsetof(struct ay_cu_prop, location), offsetof(CUmemAllocationProp, location));\n"
		"SAME(sizeof(struct ay_cu_access), sizeof(CUmemAccessDesc));\n"
		"SAME(offsetof(struct ay_cu_access, flags), offsetof(CUmemAccessDesc, flags));\n"
		"SAME(sizeof(struct ay_cu_uuid), sizeof(CUuuid));\nSAME(sizeof(ay_cu_ptr), sizeof(CUdeviceptr));\n"
		"SAME(sizeof(ay_cu_memory), sizeof(CUmemGenericAllocationHandle));\nSAME(sizeof(int), "
		"sizeof(CUresult));\n"
		"SAME(sizeof(int), sizeof(CUdevice));\n";
	static const char *const places[] = { "/usr/local/cuda/include", "/usr/include", "/opt/cuda/include" };
	const char *dir = test_dir(), *from = NULL;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *out = "", *path = ay_sprintf(&a, "%s/same.c", dir);

	for (size_t i = 0; i < sizeof places / sizeof *places && !from; i++)
		if (ay_file_exists(ay_sprintf(&a, "%s/cuda.h", places[i])))
			from = places[i];
	if (!from)
		test_skip("no cuda.h here");
	CHECK(!ay_file_write(path, head, sizeof head - 1, &err));
	CHECKF(!help_run(&a, ay_sprintf(&a, "cc -std=c11 -fsyntax-only -Isrc -isystem %s %s 2>&1", from, path), 60,
			 &out),
	       "%s", out);
	/* and a planted difference is noticed */
	CHECK(help_run(&a,
		       ay_sprintf(&a,
				  "echo 'SAME(AY_CU_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);' >> %s; "
				  "cc -std=c11 -fsyntax-only -Isrc -isystem %s %s 2>&1",
				  path, from, path),
		       60, &out));
	CHECK(strstr(out, "AY_CU_MAJOR"));
	ay_arena_release(&a);
}

TEST(device_wishes)
{
	static const char *const good[] = { "auto", "cpu", "cuda", "cuda:0", "cuda:12", "cuda:0,2", "cuda:3,1,2" };
	static const char *const bad[] = { "",         "gpu",      "cuda:",      "cuda:x",  "cuda:1x",
					   "cuda:-1",  "cuda1",    "cuda:1,",    "cuda:,1", "cuda:1,,2",
					   "cuda:1,1", "cuda:1;2", "cuda:99999", "cpu:1" };
	int number[AY_DEV_MAX];
	struct ay_err err = { 0 };
	struct ay_dev *d;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECKF(!ay_dev_check_wish(good[i], &err), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ay_err_clear(&err);
		CHECKF(ay_dev_check_wish(bad[i], &err) && strstr(err.msg, "--device"), "%s", bad[i]);
	}
	CHECK(ay_dev_numbers("cuda:3,1,2", number) == 3 && number[0] == 3 && number[1] == 1 && number[2] == 2);
	CHECK(ay_dev_numbers("cuda:7", number) == 1 && number[0] == 7 && !ay_dev_numbers("cuda", number));
	ay_err_clear(&err);
	CHECK(ay_dev_open(&d, "cuda:0,1", &err) && strstr(err.msg, "names no device")); /* it is two */
	ay_err_clear(&err);
	CHECK(!ay_dev_open(&d, "cpu", &err) && d == ay_dev_cpu() && d->info.grain == AY_PAGE);
}

/* The memory that the CPU shares is the pool itself. */
TEST(device_processor_lends_the_pool)
{
	const struct ay_need need[] = { { 100, false }, { 100, true } };
	struct ay_dev_mapping mapping = { .id = 3 };
	struct ay_err err = { 0 };
	struct ay_pool p;

	CHECK(!ay_pool_init(&p, 2, need, &err));
	CHECK(!ay_dev_map(ay_dev_cpu(), &p, AY_MAP_GUARDED, &mapping, &err) && !mapping.id && !mapping.nslot);
	CHECK(!ay_dev_fetch(ay_dev_cpu(), &p, &mapping, &err) && !ay_dev_is_well(ay_dev_cpu(), &err));
	ay_dev_unmap(ay_dev_cpu(), &mapping);
	ay_pool_release(&p);
}

/* --- layout ----------------------------------------------------------------------------------- */

TEST(device_pools_of_large_grains)
{
	const struct ay_need need[] = { { 1, false }, { (2 << 20) + 1, true }, { 0, true } };
	const uint64_t grain = 2 << 20;
	struct ay_err err = { 0 };
	struct ay_pool p;

	CHECK(!ay_pool_init_grain(&p, grain, 3, need, &err));
	CHECK(p.slot[0].bytes == grain && p.slot[1].bytes == 2 * grain && p.slot[2].bytes == grain);
	CHECK(p.slot[2].offset == 2 * grain && ay_pool_fits(&p, 3, need));
	ay_pool_release(&p);
	/* aligned as PyTorch does: up to 511 bytes may lie before the guard */
	CHECK(ay_place_aligned(grain, 100, AY_PLACE_END, 512) == grain - 512);
	CHECK(ay_place_aligned(grain, 513, AY_PLACE_END, 512) == grain - 1024);
	CHECK(ay_place_aligned(grain, grain, AY_PLACE_END, 512) == 0);
	CHECK(ay_place_aligned(grain, 100, AY_PLACE_START, 512) == 0);
	for (int i = 0; i < 100; i++)
		CHECK(ay_place_aligned(grain, 100, AY_PLACE_COLOUR, 512) % 512 == 0);
}

TEST(device_messages)
{
	struct ay_wire_lend l = { 2, 3 }, got;
	struct ay_wire_status s = { .what = AY_WIRE_FAULTED, .rc = 700, .slot = -1 };
	struct {
		struct ay_wire_map head;
		struct ay_wire_slot slot[2];
	} map = { { 2, 0 }, { { 0, 1, 0, 4096 }, { 1, 1, 4096, 8192 } } };
	const struct ay_wire_slot *slot;
	uint64_t at;

	CHECK(ay_wire_lend_open(&l, sizeof l, 5, &got) && got.from == 2 && got.n == 3);
	CHECK(!ay_wire_lend_open(&l, sizeof l, 4, &got)); /* beyond the last slot */
	CHECK(!ay_wire_lend_open(&l, sizeof l - 1, 5, &got));
	l = (struct ay_wire_lend){ UINT32_MAX, 2 };
	CHECK(!ay_wire_lend_open(&l, sizeof l, 5, &got));
	l = (struct ay_wire_lend){ 0, AY_WIRE_FDS + 1 };
	CHECK(!ay_wire_lend_open(&l, sizeof l, 1000, &got));
	l = (struct ay_wire_lend){ 0, 0 };
	CHECK(!ay_wire_lend_open(&l, sizeof l, 5, &got));
	CHECK(ay_wire_status_ok(&s, 1, 1));
	s.rc = 0; /* a fault without an error is impossible */
	CHECK(!ay_wire_status_ok(&s, 1, 1));
	CHECK(ay_wire_map_open(&map, sizeof map, &at, &slot) == 2 && slot[1].device == 1);
	map.slot[0].device = 3;
	CHECK(ay_wire_map_open(&map, sizeof map, &at, &slot) < 0);
}

/* An order to run with memory for the slots that are late: each part lies in its slot, and there is
 * one for each. */
TEST(device_parts_of_slots)
{
	static const struct ay_wire_slot slot[] = { { 0, AY_WIRE_LATE, 0, 8 << 20 },
						    { 1, AY_WIRE_MAPPED, 0, 4096 },
						    { 1, AY_WIRE_LATE, 0, 2 << 20 } };
	struct {
		struct ay_wire_run r;
		struct ay_wire_part part[3];
	} m = { { 1, 2 }, { { 2 << 20, 6 << 20 }, { 0, 2 << 20 } } };
	const size_t two = sizeof m.r + 2 * sizeof *m.part;
	const struct ay_wire_part *part;
	struct ay_wire_run r;

	CHECK(ay_wire_run_open(&m, two, 3, slot, 3, &r, &part) && part && r.from == 1 && r.n == 2);
	CHECK(ay_wire_run_open(&m, sizeof m.r, 3, slot, 3, &r, &part) && !part);
	CHECK(!ay_wire_run_open(&m, two, 2, slot, 3, &r, &part));
	CHECK(!ay_wire_run_open(&m, sizeof m.r + sizeof *m.part, 3, slot, 3, &r, &part));
	CHECK(!ay_wire_run_open(&m, sizeof m, 3, slot, 3, &r, &part));
	CHECK(!ay_wire_run_open(&m, two, 3, slot, 2, &r, &part));
	m.part[0].offset += 4096;
	CHECK(!ay_wire_run_open(&m, two, 3, slot, 3, &r, &part));
	m.part[0] = (struct ay_wire_part){ 1, 4096 };
	CHECK(!ay_wire_run_open(&m, two, 3, slot, 3, &r, &part));
	m.part[0] = (struct ay_wire_part){ 0, 0 };
	CHECK(!ay_wire_run_open(&m, two, 3, slot, 3, &r, &part));
}

/* --- system calls ----------------------------------------------------------------------------- */

/* Tries the system calls that the driver's library makes, and similar ones that must be refused. */
static int try_calls(enum ay_jail_kind kind)
{
	struct ay_filter f;
	struct ay_err err = { 0 };
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0assay-test-device" };
	const int on = 1;
	int bits = 0, s;

	if (ay_filter_make(&f, kind, &err) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || ay_filter_load(&f))
		return 255;
	s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bits |= s >= 0 ? 1 : 0;
	if (s >= 0 && !setsockopt(s, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) && !bind(s, (void *)&name, 30) &&
	    !listen(s, 1))
		bits |= 2;
	bits |= socket(AF_UNIX, SOCK_DGRAM, 0) >= 0 || socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 4 : 0;
	bits |= !connect(s, (void *)&name, 30) || errno != EPERM ? 8 : 0;
	bits |= accept(s, NULL, NULL) >= 0 || errno != EPERM ? 8 : 0;
	/* an ioctl of /dev/nvidiactl: on this file it is invalid, but not refused */
	ioctl(0, 0xc020462aul, NULL);
	bits |= errno != EPERM ? 16 : 0;
	ioctl(0, 0x30000001ul, NULL);
	bits |= errno != EPERM ? 32 : 0;
	ioctl(0, 0x5412ul /* TIOCSTI */, "x");
	bits |= errno != EPERM ? 64 : 0;
	execl("/no/such/program", "program", NULL);
	bits |= errno != EPERM ? 128 : 0;
	return bits;
}

static int calls_of(enum ay_jail_kind kind)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(try_calls(kind));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(device_calls_of_the_driver_pass)
{
	CHECKF(calls_of(AY_JAIL_GPU) == (1 | 2 | 16 | 32), "%d", calls_of(AY_JAIL_GPU));
	CHECKF(calls_of(AY_JAIL_PYTHON_GPU) == (1 | 2 | 16 | 32 | 128), "%d", calls_of(AY_JAIL_PYTHON_GPU));
	CHECKF(calls_of(AY_JAIL_EXECUTOR) == 0, "%d", calls_of(AY_JAIL_EXECUTOR));
	CHECKF(calls_of(AY_JAIL_PYTHON) == 0, "%d", calls_of(AY_JAIL_PYTHON));
}

/* --- the whole way, on a driver that only looks like one -------------------------------------- */

struct fake {
	struct ay_arena a;
	const char *dir;
};

/* how: additional options for the fake driver's compiler. */
static void setup_with(struct fake *f, const char *how)
{
	*f = (struct fake){ .dir = test_dir() };
	chmod(f->dir, 0755); /* executors have uids of their own */
	help_cc(&f->a, ay_sprintf(&f->a, "-O1 -D_GNU_SOURCE -Isrc %s tests/cuda/fake.c", how),
		ay_sprintf(&f->a, "%s/libcuda.so.1", f->dir));
}

static void setup(struct fake *f)
{
	setup_with(f, "");
}

/* Returns the verdict of the test kernel in one of its modes; *out is the whole output. */
static const char *judge(struct fake *f, int mode, const char *env, const char *more, char **out)
{
	const char *cmd = ay_sprintf(
		&f->a,
		"LD_LIBRARY_PATH=%s %s %s/assay check %s/k%d.so --op aten::relu --device cuda --json --seed 1 "
		"--timeout 20 --cache %s/assay %s 2>&1",
		f->dir, env, help_build_dir(), f->dir, mode, help_cache(), more);
	const char *last;
	json_t *j;
	int status;

	help_cc(&f->a, ay_sprintf(&f->a, "-O1 -DMODE=%d -Iinclude tests/cuda/kernel.c", mode),
		ay_sprintf(&f->a, "%s/k%d.so", f->dir, mode));
	status = help_run(&f->a, cmd, 120, out);
	if (status != 0 && status != 1)
		return NULL;
	last = strrchr(ay_strndup(&f->a, *out, strlen(*out) - 1), '\n');
	j = json_loads(last ? last + 1 : *out, 0, NULL);
	return j ? json_string_value(json_object_get(j, "verdict")) : NULL;
}

#define ONE_CASE "--case 'aten::relu((T([1000], f32),), {}) seed=3'"

#define TIMED "--case 'aten::relu((T([5000], f32),), {}) seed=3' --timing auto --budget 1 --baseline none"

/* Tests the gate with memory that comes with each order to run, and the defects that are found
 * during a measurement. */
TEST(device_kernels_are_timed)
{
	static const struct {
		int mode;
		const char *env, *verdict, *words;
	} due[] = {
		{ 0, "", "PASS", "\"blocks\":" },
		{ 15, "", "MISMATCH", "right when it was judged, wrong when it was timed" },
		{ 16, "", "INPUT_WRITTEN", "changed an input while it was timed" },
		{ 0, "FAKE_CUDA=late", "CHEAT", "its output was not there" },
		{ 0, "FAKE_CUDA=busy", "PASS", "another program uses this GPU" },
		/* occasional failures, not caused by a kernel */
		{ 0, "FAKE_CUDA=fitful", "PASS", "\"blocks\":" },
	};
	struct fake f;

	setup(&f);
	for (size_t i = 0; i < (getenv("ASSAY_SANITIZED") ? 3 : sizeof due / sizeof *due); i++) {
		char *out = "";
		const char *got = judge(&f, due[i].mode, due[i].env, TIMED, &out);

		CHECKF(got && !strcmp(got, due[i].verdict) && strstr(out, due[i].words),
		       "mode %d is due %s (%s), got %s\n%s", due[i].mode, due[i].verdict, due[i].words,
		       got ? got : "nothing", out);
	}
	ay_arena_release(&f.a);
}

/* Mapping the memory of a batch takes 100 ms here, which must be neither in gate_ns nor in a time. */
TEST(device_mapping_is_not_timed)
{
	const char *got, *gate_ns;
	char *out = "";
	struct fake f;

	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build shows it");
	setup_with(&f, "-DSLOW_MAP_NS=100000000");
	got = judge(&f, 0, "", TIMED, &out);
	gate_ns = strstr(out, "\"gate_ns\":");
	CHECKF(got && !strcmp(got, "PASS") && gate_ns && atof(gate_ns + 10) > 0 && atof(gate_ns + 10) < 90e6, "%s",
	       out);
	ay_arena_release(&f.a);
}

/* The numbers are the modes of tests/cuda/kernel.c. */
TEST(device_lent_memory_shows_what_kernels_do)
{
	static const struct {
		int mode;
		const char *verdict, *words;
	} due[] = {
		{ 0, "PASS", "cuda:0 Fake GPU, sm_90" },
		{ 1, "OVERRUN", "wrote behind the end of 'out'" },
		{ 2, "OVERRUN", "wrote behind the end of 'out'" },
		{ 3, "OVERRUN", "wrote before the start of 'out'" },
		{ 4, "OVERRUN", "read outside of its tensors" },
		{ 5, "INPUT_WRITTEN", "wrote to its input 'self'" },
		{ 6, "CRASH", "stopped the GPU: CUDA_ERROR_FAKE (715)" },
		{ 7, "INPUT_WRITTEN", "changed its input 'self'" },
		{ 8, "UNWRITTEN", "a launch failed: CUDA_ERROR_FAKE (9)" },
		{ 9, "PASS", "Fake GPU" },
		{ 10, "CRASH", "its host code touched 'self'" },
		{ 11, "CRASH", "stopped the GPU: CUDA_ERROR_ILLEGAL_ADDRESS (700)" },
		{ 12, "CRASH", "exit status 3" },
		{ 13, "INPUT_WRITTEN", "wrote to an input what was there already" },
		{ 14, "CHEAT", "went on writing to 'out' after its call was over" },
	};
	struct fake f;

	setup(&f);
	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		char *out = "";
		const char *got = judge(&f, due[i].mode, "", ONE_CASE, &out);

		CHECKF(got && !strcmp(got, due[i].verdict) && strstr(out, due[i].words),
		       "mode %d is due %s (%s), got %s\n%s", due[i].mode, due[i].verdict, due[i].words,
		       got ? got : "nothing", out);
	}
	ay_arena_release(&f.a);
}

/* All cases of the operator: empty, strided, other dtypes; one executor for most of them. */
TEST(device_judges_a_grid)
{
	struct fake f;
	char *out = "";
	const char *got;

	setup(&f);
	got = judge(&f, 0, "", "--full", &out);
	CHECKF(got && !strcmp(got, "UNSUPPORTED"), "%s\n%s", got ? got : "nothing", out);
	CHECK(strstr(out, "\"verdict\":\"PASS\"") && !strstr(out, "returned 9"));
	/* a kernel that ends its process gets no new context for every case */
	got = judge(&f, 12, "", "", &out);
	CHECKF(got && !strcmp(got, "CRASH") && strstr(out, "after it died 4 times on the GPU"), "%s", out);
	ay_arena_release(&f.a);
}

/* A run records the device of its kernels. */
TEST(device_is_in_the_records)
{
	struct fake f;
	char *out = "";

	setup(&f);
	CHECK(!mkdir(ay_sprintf(&f.a, "%s/k", f.dir), 0755));
	help_cc(&f.a, "-O1 -Iinclude tests/cuda/kernel.c", ay_sprintf(&f.a, "%s/k/aten_relu.so", f.dir));
	CHECKF(!help_run(&f.a,
			 ay_sprintf(&f.a,
				    "LD_LIBRARY_PATH=%s %s/assay eval --suite smoke --ops relu --kernels %s/k "
				    "--device cuda --timing none --cache %s/assay --out %s/run 2>&1",
				    f.dir, help_build_dir(), f.dir, help_cache(), f.dir),
			 60, &out) &&
		       strstr(out, "1 of 1 pass"),
	       "%s", out);
	CHECKF(!help_run(
		       &f.a,
		       ay_sprintf(
			       &f.a,
			       "grep -c 'cuda:0 Fake GPU' %s/run/results.jsonl; grep '\"device\"' %s/run/run.json",
			       f.dir, f.dir),
		       10, &out) &&
		       strstr(out, "\"cuda\""),
	       "%s", out);
	ay_arena_release(&f.a);
}

/* A device that does not recover after a kill is a failure of assay, not of the next kernel. */
TEST(device_that_does_not_come_back)
{
	struct fake f;
	char *out = "";

	setup(&f);
	CHECKF(!judge(&f, 12, "FAKE_CUDA=check", ONE_CASE, &out) &&
		       strstr(out, "the check kernel of the judge left"),
	       "%s", out);
	CHECKF(!judge(&f, 12, "FAKE_CUDA=leak", ONE_CASE, &out) &&
		       strstr(out, "1024 MiB of the memory of Fake GPU have not come back"),
	       "%s", out);
	/* a kernel that ends its process leaves nothing to check */
	CHECKF(judge(&f, 0, "FAKE_CUDA=leak", ONE_CASE, &out), "%s", out);
	ay_arena_release(&f.a);
}

TEST(device_that_is_not_there)
{
	struct fake f;
	char *out = "";

	setup(&f);
	CHECKF(!judge(&f, 0, "FAKE_CUDA=init", ONE_CASE, &out) && strstr(out, "the CUDA driver does not start"),
	       "%s", out);
	CHECKF(!judge(&f, 0, "FAKE_CUDA=count", ONE_CASE, &out) && strstr(out, "there is no cuda:0"), "%s", out);
	ay_arena_release(&f.a);
}

/* Without the driver in the jail, assay fails and says so. */
TEST(device_executor_without_a_driver)
{
	static const struct ay_dev_info info = {
		.kind = AY_DEV_CUDA, .name = "none", .grain = AY_PAGE, .align = 512
	};
	struct ay_dev d = { .cls = ay_dev_cpu()->cls, .info = info };
	struct ay_exec_spec spec = { .so_fd = -1, .load_timeout_s = 5, .device = &d };
	struct ay_exec_entries e;
	struct ay_outcome o;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_exec *x = NULL;
	char why[200];

	if (ay_dev_has_cuda(why, sizeof why))
		test_skip("there is a driver here");
	CHECK(ay_exec_start(&spec, &a, &x, &e, &o, &err) && !x);
	CHECKF(strstr(err.msg, "the executor does not start: CUDA's error -1"), "%s", err.msg);
	ay_arena_release(&a);
}

/* --- with a GPU ------------------------------------------------------------------------------- */

static struct ay_dev *open_gpu(void)
{
	struct ay_err err = { 0 };
	struct ay_dev *d;

	if (ay_dev_open(&d, "cuda", &err))
		test_skip("%s", err.msg);
	return d;
}

TEST(device_gpu_lends_and_fetches)
{
	const struct ay_need need[] = { { 5000, false }, { 5000, true }, { 64, true, true } };
	struct ay_dev *d = open_gpu();
	struct ay_dev_mapping mapping;
	struct ay_err err = { 0 };
	struct ay_pool p;

	CHECK(!ay_pool_init_grain(&p, d->info.grain, 3, need, &err));
	memset(p.slot[0].mem, 1, p.slot[0].bytes);
	memset(p.slot[1].mem, 2, p.slot[1].bytes);
	CHECKF(!ay_dev_map(d, &p, AY_MAP_GUARDED, &mapping, &err), "%s", err.msg);
	CHECK(mapping.slot[0].fd >= 0 && mapping.slot[1].fd >= 0 && mapping.slot[2].fd < 0);
	memset(p.slot[1].mem, 0, p.slot[1].bytes);
	CHECKF(!ay_dev_fetch(d, &p, &mapping, &err), "%s", err.msg);
	CHECK(p.slot[1].mem[0] == 2 && p.slot[1].mem[p.slot[1].bytes - 1] == 2 && !mapping.slot[0].changed);
	/* as if the kernel had written: the content differs from what was shared */
	p.slot[0].mem[77] = 9;
	CHECK(!ay_dev_fetch(d, &p, &mapping, &err) && mapping.slot[0].changed);
	ay_dev_unmap(d, &mapping);
	ay_dev_mark(d, true);
	CHECKF(!ay_dev_is_well(d, &err), "%s", err.msg);
	ay_pool_release(&p);
	ay_dev_close(d);
}
