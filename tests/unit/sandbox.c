/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox - tests of kernels that try to escape, in jails made by root and by an ordinary user.
 */
#include "jail_fixture.h"
#include "helpers.h"
#include "test.h"
#include "base/file.h"
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what is refused -------------------------------------------------------------------------- */

enum { ANY = -1, FINE = 0 };

/* An expression that is negative on failure, and the errno that it must give. */
static const struct probe {
	const char *what;
	/* the second if the file system is this machine's, restricted by Landlock */
	int want, without_mount;
} probes[] = {
	{ "socket(AF_INET, SOCK_STREAM, 0)", EPERM },
	{ "socket(AF_UNIX, SOCK_STREAM, 0)", EPERM },
	{ "socketpair(AF_UNIX, SOCK_STREAM, 0, pair)", EPERM },
	{ "connect(3, (void *)&sun, sizeof sun)", EPERM },
	{ "fork()", EPERM },
	{ "syscall(SYS_vfork)", EPERM },
	{ "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)", EPERM },
	{ "syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)", EPERM },
	{ "syscall(SYS_clone3, buf, 64)", ENOSYS },
	{ "syscall(999)", ENOSYS },
	{ "execl(\"/bin/sh\", \"sh\", (char *)0)", EPERM },
	{ "syscall(SYS_execveat, 3, \"\", 0, 0, AT_EMPTY_PATH)", EPERM },
	{ "ptrace(PTRACE_ATTACH, getppid(), 0, 0)", EPERM },
	{ "process_vm_readv(getppid(), &iov, 1, &iov, 1, 0)", EPERM },
	{ "process_vm_writev(getppid(), &iov, 1, &iov, 1, 0)", EPERM },
	{ "syscall(SYS_pidfd_open, getppid(), 0)", EPERM },
	{ "syscall(SYS_pidfd_getfd, 3, 0, 0)", EPERM },
	{ "syscall(SYS_kcmp, 1, getpid(), 0, 0, 0)", EPERM },
	{ "syscall(SYS_userfaultfd, 0)", EPERM },
	{ "syscall(SYS_io_uring_setup, 8, buf)", EPERM },
	{ "syscall(SYS_io_setup, 8, buf)", EPERM },
	{ "syscall(SYS_keyctl, 0, 0, 0, 0, 0)", EPERM },
	{ "syscall(SYS_bpf, 0, buf, 64)", EPERM },
	{ "syscall(SYS_perf_event_open, buf, 0, -1, -1, 0)", EPERM },
	{ "syscall(SYS_seccomp, 1, 0, buf)", EPERM },
	{ "mount(\"x\", \"/\", \"tmpfs\", 0, 0)", EPERM },
	{ "umount2(\"/proc\", MNT_DETACH)", EPERM },
	{ "unshare(CLONE_NEWUSER)", EPERM },
	{ "setns(3, 0)", EPERM },
	{ "chroot(\"/\")", EPERM },
	{ "setuid(0)", EPERM },
	{ "setsid()", EPERM },
	{ "syscall(SYS_timer_create, CLOCK_MONOTONIC, buf, buf + 64)", EPERM },
	{ "syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0)", EPERM },
	{ "syscall(SYS_mq_open, \"x\", O_RDWR | O_CREAT, 0600, 0)", EPERM },
	{ "syscall(SYS_mq_notify, 3, buf)", EPERM },
	{ "syscall(SYS_shmget, 1, 4096, 01600)", EPERM },
	{ "syscall(SYS_rt_sigqueueinfo, getpid(), SIGCONT, buf)", EPERM },
	{ "fcntl(3, F_SETSIG, SIGCONT)", EPERM },
	{ "fcntl(3, F_SETOWN, getpid())", EPERM },
	{ "fcntl(3, F_SETFL, O_ASYNC)", EPERM },
	{ "fcntl(3, F_SETLEASE, F_RDLCK)", EPERM },
	{ "fcntl(3, F_NOTIFY, 0)", EPERM },
	{ "ioctl(3, FIOASYNC, &one)", EPERM },
	{ "ioctl(0, TIOCSTI, buf)", EPERM },
	{ "prctl(PR_SET_PDEATHSIG, SIGCONT)", EPERM },
	{ "prctl(PR_SET_PDEATHSIG, 0)", EPERM },
	{ "prctl(PR_SET_DUMPABLE, 0)", EPERM },
	{ "prctl(PR_SET_SECCOMP, 2, buf)", EPERM },
	{ "prctl(PR_SET_PTRACER, -1)", EPERM },
	{ "personality(0x0040000)", EPERM },
	{ "setpriority(PRIO_PROCESS, 0, 5)", EPERM },
	{ "sched_setscheduler(0, SCHED_BATCH, (void *)buf)", EPERM },
	{ "chmod(\"/usr\", 0777)", EPERM },
	{ "unlink(\"/etc/ld.so.cache\")", EPERM },
	{ "mkdir(\"/x\", 0700)", EPERM },
	{ "kill(getppid() > 1 ? getppid() : 2, 0)", FINE, EPERM },
	/* the machine's files */
	{ "open(\"/etc/passwd\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/etc/shadow\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/root\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/home\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/tmp\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/usr/bin/env\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/proc/1/mem\", O_RDONLY)", ANY, ANY },
	{ "open(\"/proc/1/environ\", O_RDONLY)", ANY, ANY },
	{ "open(\"/proc/self/mem\", O_RDWR)", ANY, ANY },
	{ "open(\"/proc/kallsyms\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/dev/zero\", O_RDONLY)", ENOENT, EACCES },
	{ "open(\"/x\", O_WRONLY | O_CREAT, 0600)", EROFS, EACCES },
	{ "open(\"/usr/lib/x\", O_WRONLY | O_CREAT, 0600)", ANY, ANY },
	{ "open(\"/dev/shm/x\", O_WRONLY | O_CREAT, 0600)", ANY, ANY },
	{ "others() ? (errno = EEXIST, -1) : 0", FINE },
	{ "environ && *environ ? (errno = EEXIST, -1) : 0", FINE },
	{ "open_fds() > 4 ? (errno = EMFILE, -1) : 0", FINE },
	/* what must still work */
	{ "open(\"/dev/null\", O_RDWR)", FINE },
	{ "memfd_create(\"x\", 0)", FINE },
	{ "open(\"/etc/ld.so.cache\", O_RDONLY)", FINE },
	{ "dlopen(\"libm.so.6\", RTLD_NOW) ? 0 : -1", FINE },
	{ "threads()", FINE },
	{ "affinity()", FINE },
	{ "sched_getaffinity(0, sizeof set, &set)", FINE },
	{ "fcntl(3, F_SETFL, O_RDWR)", FINE },
	{ "prctl(PR_SET_NAME, \"kernel\")", FINE },
	{ "alarm(0)", FINE },
	{ "raise(0)", FINE },
};

static const char probe_head[] =
	"#define _GNU_SOURCE\n"
	"#include <assay/kernel.h>\n#include <dirent.h>\n#include <dlfcn.h>\n#include <errno.h>\n#include "
	"<fcntl.h>\n"
	"#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/mount.h>\n#include <sys/personality.h>\n"
	"#include <sys/prctl.h>\n#include <sys/ptrace.h>\n#include <sys/resource.h>\n#include <sys/socket.h>\n"
	"#include <sys/stat.h>\n#include <sys/syscall.h>\n#include <sys/uio.h>\n#include <sys/un.h>\n#include "
	"<time.h>\n"
	"#include <unistd.h>\n"
	"extern char **environ;\n"
	"static char buf[256]; static int pair[2], one = 1; static cpu_set_t set;\n"
	"static struct iovec iov = { buf, 8 }; static struct sockaddr_un sun = { AF_UNIX, \"/run/docker.sock\" "
	"};\n"
	"static int others(void)\n"
	"{\n"
	"	DIR *d = opendir(\"/proc\"); struct dirent *e; int n = 0;\n"
	"	while (d && (e = readdir(d))) n += e->d_name[0] >= '1' && e->d_name[0] <= '9';\n"
	"	if (d) closedir(d);\n"
	"	return n > 2;\n"
	"}\n"
	"static int open_fds(void)\n"
	"{ int n = 0; for (int i = 0; i < 64; i++) n += fcntl(i, F_GETFD) >= 0; return n; }\n"
	"static void *add(void *p) { __atomic_fetch_add((int *)p, 1, __ATOMIC_SEQ_CST); return p; }\n"
	"static int threads(void)\n"
	"{\n"
	"	pthread_t t[8]; int n = 0, e;\n"
	"	for (int i = 0; i < 8; i++) if ((e = pthread_create(&t[i], 0, add, &n))) { errno = e; return -1; "
	"}\n"
	"	for (int i = 0; i < 8; i++) pthread_join(t[i], 0);\n"
	"	return n == 8 ? 0 : -1;\n"
	"}\n"
	"static int affinity(void)\n"
	"{\n"
	"	cpu_set_t none, before, after; CPU_ZERO(&none); CPU_SET(1000, &none);\n"
	"	sched_getaffinity(0, sizeof before, &before);\n"
	"	if (sched_setaffinity(0, sizeof none, &none)) return -1;\n"
	"	sched_getaffinity(0, sizeof after, &after);\n"
	"	return CPU_EQUAL(&before, &after) ? 0 : -1;\n"
	"}\n"
	"#define TRY(x) (errno = 0, (x) < 0 ? errno ? errno : 9999 : 0)\n"
	"int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n{\n\tint *o = out->data;\n";

static void check_probes(struct jail_fixture *r)
{
	bool mount = ay_sandbox_layers(r->sandbox) & AY_LAYER_MOUNT;
	struct ay_outcome o = jail_fixture_run(r, 10);

	CHECKF(o.what == AY_EXEC_RAN, "uid %d: %d %s", (int)geteuid(), o.what, o.text);
	for (size_t i = 0; o.what == AY_EXEC_RAN && i < sizeof probes / sizeof *probes; i++) {
		int got = jail_fixture_out(r)[i],
		    want = !mount && probes[i].without_mount ? probes[i].without_mount : probes[i].want;

		CHECKF(want == ANY ? got != 0 : got == want, "uid %d: %s: want %d (%s), got %d (%s)",
		       (int)geteuid(), probes[i].what, want, strerror(want > 0 ? want : 0), got, strerror(got));
	}
	o = jail_fixture_run(r, 10); /* still alive and well */
	CHECKF(o.what == AY_EXEC_RAN, "%s", o.text);
}

static char *probe_source(struct ay_arena *a)
{
	struct ay_str b = { 0 };
	char *s;

	_Static_assert(sizeof probes / sizeof *probes <= RIG_N, "room for the answers");
	ay_str_add(&b, probe_head);
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
		ay_str_addf(&b, "\to[%zu] = TRY(%s);\n", i, probes[i].what);
	ay_str_add(&b, "\treturn 0;\n}\n");
	s = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

static void probe(void)
{
	struct ay_arena a = { 0 };
	struct jail_fixture r;

	jail_fixture_init(&r, AY_SANDBOX_FULL, probe_source(&a));
	check_probes(&r);
	jail_fixture_release(&r);
	ay_arena_release(&a);
}

TEST(sandbox_refuses_by_table)
{
	setenv("ASSAY_SECRET", "not for kernels", 1);
	jail_fixture_both(probe);
}

/* --- machines that grant less ----------------------------------------------------------------- */

/* Takes namespaces away, as in a container. */
static void take_namespaces(void)
{
	static const uint64_t flags[] = { 0x10000000 /* USER */, 0x20000000 /* PID */, 0x00020000 /* NS */ };
	scmp_filter_ctx c = seccomp_init(SCMP_ACT_ALLOW);

	seccomp_rule_add(c, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	for (int i = 0; i < 3; i++)
		seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				 SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
	seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0);
	CHECK(!seccomp_load(c));
	seccomp_release(c);
}

static void run_in_child(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn();
		fflush(stdout);
		_exit(test_failures() ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	CHECKF(WIFEXITED(status) && !WEXITSTATUS(status), "status %x", status);
}

/* Root still has separate uids; an ordinary user has nothing, and must get a message. */
static void without_namespaces(void)
{
	struct ay_sandbox *s = NULL;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };

	take_namespaces();
	if (!geteuid()) {
		CHECKF(!ay_sandbox_new(&s, AY_SANDBOX_FULL, &err), "%s", err.msg);
		CHECK(s && ay_sandbox_is_safe(s) && ay_sandbox_layers(s) & AY_LAYER_UID &&
		      !(ay_sandbox_layers(s) & (AY_LAYER_PID | AY_LAYER_USER | AY_LAYER_MOUNT)));
		CHECKF(s && strstr(ay_sandbox_text(s, &a), "partial: no pid namespace, no empty root"), "%s",
		       s ? ay_sandbox_text(s, &a) : "");
	} else {
		CHECK(ay_sandbox_new(&s, AY_SANDBOX_FULL, &err) && !s);
		CHECKF(strstr(err.msg, "doctor") && strstr(err.msg, "--unsafe"), "%s", err.msg);
		ay_err_clear(&err);
		CHECKF(!ay_sandbox_new(&s, AY_SANDBOX_UNSAFE, &err), "%s", err.msg);
		CHECKF(s && !ay_sandbox_is_safe(s) && !strncmp(ay_sandbox_text(s, &a), "unsafe: ", 8), "%s",
		       s ? ay_sandbox_text(s, &a) : "");
	}
	ay_sandbox_free(s);
	ay_arena_release(&a);
}

static void without_namespaces_in_child(void)
{
	run_in_child(without_namespaces);
}

static void probe_without_namespaces(void)
{
	struct ay_arena a = { 0 };
	struct jail_fixture r;

	take_namespaces();
	jail_fixture_init(&r, geteuid() ? AY_SANDBOX_UNSAFE : AY_SANDBOX_FULL, probe_source(&a));
	check_probes(&r);
	jail_fixture_release(&r);
	ay_arena_release(&a);
}

static void probe_without_namespaces_in_child(void)
{
	run_in_child(probe_without_namespaces);
}

TEST(sandbox_below_the_minimum_nothing_runs)
{
	jail_fixture_both(without_namespaces_in_child);
}

TEST(sandbox_refuses_by_table_without_namespaces)
{
	jail_fixture_both(probe_without_namespaces_in_child);
}

TEST(sandbox_says_what_it_is)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_sandbox *s = NULL;

	CHECK(!ay_sandbox_new(&s, AY_SANDBOX_OFF, &err) && !ay_sandbox_layers(s) && !ay_sandbox_is_safe(s));
	CHECK_STR(ay_sandbox_text(s, &a), "none");
	CHECK(prctl(PR_GET_DUMPABLE) == 1);
	ay_sandbox_free(s);
	if (ay_sandbox_new(&s, AY_SANDBOX_FULL, &err))
		test_skip("%s", err.msg);
	CHECK(ay_sandbox_is_safe(s) && prctl(PR_GET_DUMPABLE) == 0);
	if (ay_sandbox_missing(s))
		CHECKF(ay_starts(ay_sandbox_text(s, &a), "partial: no "), "%s", ay_sandbox_text(s, &a));
	else
		CHECK_STR(ay_sandbox_text(s, &a), "full");
	ay_sandbox_free(s);
	ay_arena_release(&a);
}

/* --- ends ------------------------------------------------------------------------------------- */

static const char spin_source[] = "#include <assay/kernel.h>\n#include <unistd.h>\n"
				  "int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
				  "{ volatile int *o = out->data; o[0] = getuid(); o[1] = 1; for (;;) o[2]++; }\n";

static bool alive(pid_t pid)
{
	char path[40], text[300] = "", *at;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof text, f))
		text[0] = 0;
	if (f)
		fclose(f);
	at = strrchr(text, ')');
	return at && at[2] != 'Z' && at[2] != 'X';
}

static bool gone_within(pid_t pid, double s)
{
	int64_t deadline = ay_now_ns() + (int64_t)(s * 1e9);

	while (alive(pid) && ay_now_ns() < deadline)
		usleep(1000);
	return !alive(pid);
}

/* A judge in a child process is killed while its kernel spins. */
static void judge_dies(void)
{
	struct jail_fixture r;
	int fd[2], status;
	pid_t judge, executor = 0;

	jail_fixture_init(&r, AY_SANDBOX_FULL, spin_source);
	if (pipe(fd))
		test_skip("pipe");
	fflush(stdout);
	judge = fork();
	if (!judge) {
		struct ay_exec_spec spec = { .so_fd = r.built.fd, .load_timeout_s = 10, .sandbox = r.sandbox };
		struct ay_exec_entries e;
		struct ay_outcome o;

		if (ay_exec_start(&spec, &r.a, &r.x, &e, &o, &r.err) || !r.x)
			_exit(1);
		executor = ay_exec_pid(r.x);
		if (write(fd[1], &executor, sizeof executor) < 0)
			_exit(1);
		jail_fixture_run(&r, 60);
		_exit(1);
	}
	CHECK(read(fd[0], &executor, sizeof executor) == sizeof executor);
	for (int i = 0; i < 2000 && !jail_fixture_out(&r)[1]; i++)
		usleep(1000);
	CHECK(executor > 0 && alive(executor) && jail_fixture_out(&r)[1] == 1);
	if (!geteuid()) /* an otherwise unused uid, and not root's */
		CHECKF(jail_fixture_out(&r)[0] >= 60706, "uid %d", jail_fixture_out(&r)[0]);
	kill(judge, SIGKILL);
	waitpid(judge, &status, 0);
	CHECK(gone_within(executor, 2));
	close(fd[0]);
	close(fd[1]);
	jail_fixture_release(&r);
}

TEST(sandbox_judges_death_is_the_executors)
{
	jail_fixture_both(judge_dies);
}

static int count(const char *folder, const char *start)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += !strncmp(e->d_name, start, strlen(start));
	if (d)
		closedir(d);
	return n;
}

static int count_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	int n = 0, c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static void leaves_nothing(void)
{
	char group[40];
	int fds, mounts, tmp;
	struct jail_fixture r;

	jail_fixture_init(&r, AY_SANDBOX_FULL, spin_source);
	r.freezable = true;
	snprintf(group, sizeof group, "assay-%d-", (int)getpid());
	jail_fixture_run(&r, 0.05);
	fds = count("/proc/self/fd", "");
	mounts = count_lines("/proc/self/mountinfo");
	tmp = count("/tmp", "assay-forge");
	for (int i = 0; i < 5; i++) {
		struct ay_outcome o = jail_fixture_run(&r, 0.05);

		CHECKF(o.what == AY_EXEC_HUNG, "%d %s", o.what, o.text);
	}
	CHECKF(count("/proc/self/fd", "") == fds, "%d descriptors, %d before", count("/proc/self/fd", ""), fds);
	CHECK(count_lines("/proc/self/mountinfo") == mounts && count("/tmp", "assay-forge") <= tmp);
	CHECK(!count("/sys/fs/cgroup", group) && !count("/sys/fs/cgroup/unified", group) &&
	      !count("/sys/fs/cgroup/memory", group));
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	jail_fixture_release(&r);
}

TEST(sandbox_leaves_nothing_behind)
{
	jail_fixture_both(leaves_nothing);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void eats(void)
{
	struct ay_outcome o;
	struct jail_fixture r;

	jail_fixture_init(&r, AY_SANDBOX_FULL,
			  "#include <assay/kernel.h>\n#include <stdlib.h>\n#include <string.h>\n"
			  "int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
			  "{ for (;;) { char *volatile p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }\n");
	r.memory_max = 200 << 20;
	o = jail_fixture_run(&r, 20);
	CHECKF(o.what == AY_EXEC_OOM, "%d %s", o.what, o.text);
	jail_fixture_release(&r);
}

TEST(sandbox_memory_is_bounded)
{
	jail_fixture_both(eats);
}

/* --- the forge -------------------------------------------------------------------------------- */

/* Sources that include files of this machine. Each must end in BUILD, and the compiler's messages
 * must show nothing of the file. */
static void forge_reaches(void)
{
	static const char *const sources[] = {
		"#include \"/etc/passwd\"\n",
		"#include \"/proc/self/environ\"\n#include \"/etc/hosts\"\n",
		"#include \"/dev/zero\"\n",
		"#include \"/proc/self/fd/1\"\n#include \"/etc/hosts\"\n",
		"__asm__(\".incbin \\\"/etc/passwd\\\"\");\nint t_probe(const ay_tensor *a, ay_tensor *out, const "
		"ay_ctx "
		"*ctx) { return 0; }\n",
		"#include __FILE__\n#include \"kernel.c\"\n",
	};
	struct jail_fixture r;
	struct ay_built k;

	jail_fixture_init(&r, AY_SANDBOX_FULL, spin_source);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		int64_t begin = ay_now_ns();

		if (ay_forge_build(&r.f, &r.a, sources[i], strlen(sources[i]), AY_LANG_C, 1, &r.proto, 2, &k,
				   &r.err))
			CHECKF(false, "%s", r.err.msg);
		CHECKF(!k.ok && k.fd < 0, "%s", sources[i]);
		CHECKF(!strstr(k.log, "root:") && !strstr(k.log, "localhost"), "%s", k.log);
		CHECK(ay_now_ns() - begin < 10000000000);
		if (k.fd >= 0)
			close(k.fd);
	}
	jail_fixture_release(&r);
}

TEST(sandbox_forge_sees_no_files)
{
	setenv("CPATH", "/etc", 1);
	setenv("GCC_EXEC_PREFIX", "/nowhere/", 1);
	jail_fixture_both(forge_reaches);
}

/* ASSAY_BENCH=1: measures the jail's cost for a compiler's run and for an executor's life. */
TEST(sandbox_costs)
{
	static const enum ay_sandbox_mode modes[] = { AY_SANDBOX_OFF, AY_SANDBOX_FULL };
	static const char source[] =
		"int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx) { return 0; }\n";
	int n = 40;

	if (!getenv("ASSAY_BENCH"))
		test_skip("a measurement: ASSAY_BENCH=1");
	for (int m = 0; m < 2; m++) {
		struct jail_fixture r;
		struct ay_built k;
		int64_t best[2] = { INT64_MAX, INT64_MAX }, sum[2] = { 0 };

		jail_fixture_init(&r, modes[m], source);
		for (int i = 0; i < n; i++) {
			int64_t t[3];

			t[0] = ay_now_ns();
			CHECK(!ay_forge_build(&r.f, &r.a, source, strlen(source), AY_LANG_C, 1, &r.proto, 60, &k,
					      &r.err));
			t[1] = ay_now_ns();
			close(k.fd);
			jail_fixture_run(&r, 5);
			ay_exec_stop(r.x);
			r.x = NULL;
			t[2] = ay_now_ns();
			for (int w = 0; w < 2; w++) {
				int64_t d = t[w + 1] - t[w];

				sum[w] += d;
				best[w] = d < best[w] ? d : best[w];
			}
		}
		printf("    %s: compile %.1f ms (best %.1f), start + load + call + stop %.2f ms (best %.2f)\n",
		       m ? "jailed" : "not jailed", (double)sum[0] / 1e6 / n, (double)best[0] / 1e6,
		       (double)sum[1] / 1e6 / n, (double)best[1] / 1e6);
		jail_fixture_release(&r);
	}
}
