/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. Tables decide about each system call. `allowed` calls pass (for some kinds
 * of jail also `folder_too`, `gpu_too` and `forge_too`). `refused` calls get EPERM. `branches` pass
 * or not by an argument. A call in no table, such as clone3, gets ENOSYS: honest libraries then use
 * an older call, which is in a table. Call numbers of another machine (32-bit and x32 calls on
 * x86-64) end the process.
 *
 * The judge makes the program once and gives each child its bytes. libseccomp is used only to look
 * up the numbers of calls, because it cannot express "else EPERM" beside a default of ENOSYS. The
 * program is a table of actions by call number, folded into runs of equal action. It searches the
 * runs by halving (about eight steps) and tests arguments at the leaves.
 *
 * What the refusals prevent:
 *   - network and paths to a daemon: no socket can be made (with a GPU: none that reaches a
 *     process), and the one that is open is already connected;
 *   - reading or stopping another process: ptrace, process_vm_*, pidfd_getfd, kcmp, perf, bpf;
 *   - a signal that arrives while the process is stopped (freeze.h): no timer, queue, lease or
 *     descriptor that sends a signal of the caller's choice, no PDEATHSIG. alarm and setitimer are
 *     allowed: their signals do not continue a stopped process;
 *   - a second mapping of the judge's memory by mremap;
 *   - a page that the judge would wait for without end (userfaultfd), and Linux kernel threads
 *     that work while the process is stopped (io_uring, aio);
 *   - new privileges or places: namespaces, mounts, keys, modules, users;
 *   - in executors: new processes, and changes to any file system but an interpreter's own folder.
 */
#include "sandbox/filter.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* clang-format off */
static const char *const allowed[] = {
	/* files: the root file system and Landlock decide what can be opened */
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2",
	"open", "openat", "openat2", "close", "close_range", "lseek", "_llseek", "dup", "dup2", "dup3", "pipe", "pipe2",
	"stat", "fstat", "lstat", "newfstatat", "fstatat64", "fstat64", "stat64", "lstat64", "statx", "statfs", "fstatfs",
	"access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd",
	"chdir", "fchdir", "umask", "fadvise64", "readahead", "flock", "fsync", "fdatasync", "ftruncate", "fallocate",
	"poll", "ppoll", "select", "pselect6", "_newselect", "eventfd", "eventfd2",
	"epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
	/* memory */
	"mmap", "mmap2", "munmap", "mprotect", "madvise", "msync", "mincore", "brk", "mlock", "mlock2", "munlock",
	"mlockall", "munlockall", "memfd_create", "pkey_alloc", "pkey_free", "pkey_mprotect", "mseal", "map_shadow_stack",
	"get_mempolicy", "set_mempolicy", "mbind", "set_mempolicy_home_node", "membarrier", "cachestat",
	/* threads, their locks and their ends */
	"futex", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "futex_time64", "set_robust_list",
	"get_robust_list", "set_tid_address", "rseq", "gettid", "sched_yield", "sched_getaffinity", "sched_getparam",
	"sched_getscheduler", "sched_getattr", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
	"getcpu", "getpriority", "exit", "exit_group", "restart_syscall", "arch_prctl", "set_thread_area", "wait4", "waitid",
	"waitpid", "pause",
	/* signals to itself: pid namespace, uid and the executor's second filter prevent others */
	"kill", "tkill", "tgkill", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn", "rt_sigpending",
	"rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "alarm", "setitimer", "getitimer",
	/* time, facts about itself, random numbers */
	"clock_gettime", "clock_gettime64", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times",
	"getpid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid", "getgid", "getegid", "getresuid",
	"getresgid", "getgroups", "getrusage", "getrlimit", "ugetrlimit", "sysinfo", "uname", "getrandom", "capget",
	/* the connected socket that every executor has */
	"sendmsg", "recvmsg", "sendto", "recvfrom", "send", "recv", "shutdown", "getsockopt", "getsockname", "getpeername",
};

/* Files: in the working folder, because no other folder is writable. */
static const char *const folder_too[] = {
	"unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "truncate", "creat", "link",
	"linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "utime", "utimes", "utimensat", "futimesat",
	"copy_file_range", "sendfile", "sendfile64",
};

static const char *const forge_too[] = { "execve", "execveat", "fork", "vfork", "setpgid" };

/* The driver deletes the file of its socket before it makes it, though there is none, and then
 * listens. It gives up if either is refused. No process can connect to it, because accept is
 * refused. */
static const char *const gpu_too[] = { "unlink", "listen" };

/* Refused with EPERM, so that they differ from calls that the system does not have. */
static const char *const refused[] = {
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "setsockopt", "sendmmsg", "recvmmsg",
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_open",
	"pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "perf_event_open", "bpf", "seccomp",
	"userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit", "io_getevents",
	"io_pgetevents", "io_cancel", "io_destroy", "memfd_secret", "vmsplice", "splice", "tee", "remap_file_pages",
	"timer_create", "timer_settime", "timer_gettime", "timer_delete", "timer_getoverrun", "timerfd_create",
	"timerfd_settime", "timerfd_gettime", "signalfd", "signalfd4", "mq_open", "mq_unlink", "mq_timedsend",
	"mq_timedreceive", "mq_notify", "mq_getsetattr", "shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl",
	"semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "inotify_init", "inotify_init1", "inotify_add_watch",
	"fanotify_init", "fanotify_mark", "lookup_dcookie", "name_to_handle_at", "open_by_handle_at",
	"mount", "umount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen",
	"fsconfig", "fsmount", "fspick", "mount_setattr", "statmount", "listmount", "swapon", "swapoff", "quotactl",
	"keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
	"reboot", "acct", "syslog", "iopl", "ioperm", "modify_ldt", "vhangup", "vm86", "sethostname", "setdomainname",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "nfsservctl", "sysfs", "uselib", "ustat",
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "capset",
	"setsid", "setpriority", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "migrate_pages",
	"move_pages", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "mknod", "mknodat", "chown",
	"fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
	"fremovexattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
};

enum {
	GPU = 1 << AY_JAIL_GPU | 1 << AY_JAIL_PYTHON_GPU,
	RUN = 1 << AY_JAIL_EXECUTOR | GPU | 1 << AY_JAIL_PYTHON,
	BUILD = 1 << AY_JAIL_FORGE | 1 << AY_JAIL_PYTHON_GPU, /* may start programs */
	BOTH = RUN | BUILD,
};
enum test { IS, IS_NULL, NOT_NULL, NONE_OF, ALL_OF, BELOW, TYPE_IS };
#define THREAD (CLONE_THREAD | CLONE_VM | CLONE_SIGHAND)
#define SPACES \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

/* Calls that pass if one row of their name matches, and get EPERM if none does. Rows of one name
 * stand together. Values are compared with int arguments, of which Linux uses the low word; IS_NULL
 * and NOT_NULL test the whole word. sched_setaffinity with a mask returns 0 and does nothing. If it
 * were refused, OpenMP and PyTorch would run on one thread; if it were granted, the kernel could
 * change the CPU set that the judge chose. */
static const struct branch {
	const char *call;
	unsigned kinds;
	int arg;
	enum test test;
	uint32_t value;
	uint32_t none_of; /* bits that argument none_arg must not have; 0: the next argument */
	int none_arg;
} branches[] = {
	{ "clone", RUN, 0, ALL_OF, THREAD },
	{ "clone", BUILD, 0, NONE_OF, SPACES },
	/* An old size of 0 and MREMAP_DONTUNMAP (4) map shared memory a second time. Nothing but an
	 * attempt to pass an argument for a new result needs them. */
	{ "mremap", BOTH, 1, NOT_NULL, 0, 4, 3 },
	{ "prlimit64", BOTH, 0, IS, 0 },
	{ "setrlimit", BOTH, 0, IS, 3 /* RLIMIT_STACK */ },
	{ "personality", BOTH, 0, IS, 0xffffffff },
	{ "sched_setaffinity", BOTH, 2, IS_NULL, 0 },
	{ "prctl", BOTH, 0, IS, PR_SET_NAME },
	{ "prctl", BOTH, 0, IS, PR_GET_NAME },
	{ "prctl", BOTH, 0, IS, PR_GET_DUMPABLE },
	{ "prctl", BOTH, 0, IS, PR_GET_PDEATHSIG },
	{ "prctl", BOTH, 0, IS, PR_GET_SECCOMP },
	{ "prctl", BOTH, 0, IS, PR_GET_NO_NEW_PRIVS },
	{ "prctl", BOTH, 0, IS, PR_CAPBSET_READ },
	{ "prctl", BOTH, 0, IS, PR_GET_THP_DISABLE },
	{ "prctl", BOTH, 0, IS, PR_SET_THP_DISABLE },
	{ "prctl", BOTH, 0, IS, 0x53564d41 /* PR_SET_VMA: names for mappings */ },
	{ "prctl", BOTH, 0, IS, 50 /* PR_SVE_SET_VL */ },
	{ "prctl", BOTH, 0, IS, 51 /* PR_SVE_GET_VL */ },
	{ "fcntl", BOTH, 1, IS, F_DUPFD },
	{ "fcntl", BOTH, 1, IS, F_DUPFD_CLOEXEC },
	{ "fcntl", BOTH, 1, IS, F_GETFD },
	{ "fcntl", BOTH, 1, IS, F_SETFD },
	{ "fcntl", BOTH, 1, IS, F_GETFL },
	{ "fcntl", BOTH, 1, IS, F_SETFL, O_ASYNC },
	{ "fcntl", BOTH, 1, IS, F_GETLK },
	{ "fcntl", BOTH, 1, IS, F_SETLK },
	{ "fcntl", BOTH, 1, IS, F_SETLKW },
	{ "fcntl", BOTH, 1, IS, F_ADD_SEALS },
	{ "fcntl", BOTH, 1, IS, F_GET_SEALS },
	{ "fcntl", BOTH, 1, IS, F_GETPIPE_SZ },
	{ "ioctl", BOTH, 1, IS, TCGETS },
	{ "ioctl", BOTH, 1, IS, TIOCGWINSZ },
	{ "ioctl", BOTH, 1, IS, FIONREAD },
	{ "ioctl", BOTH, 1, IS, FIONBIO },
	{ "ioctl", BOTH, 1, IS, FIOCLEX },
	{ "ioctl", BOTH, 1, IS, FIONCLEX },
	{ "ioctl", GPU, 1, TYPE_IS, 'F' },  /* /dev/nvidiactl and /dev/nvidiaN */
	{ "ioctl", GPU, 1, BELOW, 0x100 },  /* requests of /dev/nvidia-uvm begin at 1, */
	{ "ioctl", GPU, 1, IS, 0x30000001 }, /* except its first and last */
	{ "ioctl", GPU, 1, IS, 0x30000002 },
	/* The driver's library does not start without a named local socket. No process can be
	 * reached through it: it cannot be a datagram socket, and connect and accept are
	 * refused. */
	{ "socket", GPU, 0, IS, AF_UNIX, 2 /* SOCK_DGRAM, SOCK_RAW */ },
	{ "bind", GPU, 2, BELOW, 256 },
	{ "setsockopt", GPU, 2, IS, SO_PASSCRED },
};
/* clang-format on */

enum {
	NUMBERS = 1024, /* of system calls: no processor has more */
	INSNS = 4096,   /* Linux's limit */
	MAX_ROWS = 64,
	/* actions of the table; rows of `branches` are BRANCH + i */
	UNKNOWN = 0,
	PASS,
	REFUSE,
	BRANCH,
};

#define COUNT(t)     (sizeof(t) / sizeof *(t))
#define LOW(i)       ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)(i) + (AY_BIG ? 4 : 0)))
#define HIGH(i)      ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)(i) + (AY_BIG ? 0 : 4)))
#define AY_BIG       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define FAIL_WITH(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

struct maker {
	enum ay_jail_kind kind;
	struct ay_filter *f;
	uint8_t act[NUMBERS];
	uint16_t run[NUMBERS]; /* first numbers of runs of equal action */
	int nrun;
};

/* --- instructions ---------------------------------------------------------------------------------------- */

static int emit(struct maker *m, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	AY_ASSERT(m->f->n < INSNS);
	m->f->insn[m->f->n] = (struct sock_filter){ code, jt, jf, k };
	return m->f->n++;
}

static void load(struct maker *m, uint32_t at)
{
	emit(m, BPF_LD | BPF_W | BPF_ABS, 0, 0, at);
}

static void give(struct maker *m, uint32_t action)
{
	emit(m, BPF_RET | BPF_K, 0, 0, action);
}

/* Emits the test of one row. If the row does not match, the program continues with what follows. */
static void emit_row(struct maker *m, const struct branch *b)
{
	uint8_t rest = b->none_of ? 3 : 1; /* instructions after the test */
	const int none_arg = b->none_arg ? b->none_arg : b->arg + 1;

	load(m, LOW(b->arg));
	switch (b->test) {
	case IS: emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, rest, b->value); break;
	case IS_NULL:
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
		load(m, HIGH(b->arg));
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		break;
	case NOT_NULL:
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
		load(m, HIGH(b->arg));
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, rest, 0, 0);
		break;
	case BELOW: emit(m, BPF_JMP | BPF_JGE | BPF_K, rest, 0, b->value); break;
	case TYPE_IS: /* bits 8 to 15 of an ioctl request */
		emit(m, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xff00);
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, rest, b->value << 8);
		break;
	case NONE_OF: emit(m, BPF_JMP | BPF_JSET | BPF_K, rest, 0, b->value); break;
	case ALL_OF:
		emit(m, BPF_ALU | BPF_AND | BPF_K, 0, 0, b->value);
		emit(m, BPF_JMP | BPF_JEQ | BPF_K, 0, rest, b->value);
		break;
	}
	if (b->none_of) {
		load(m, LOW(none_arg));
		emit(m, BPF_JMP | BPF_JSET | BPF_K, 1, 0, b->none_of);
	}
	give(m, SECCOMP_RET_ALLOW);
}

static void emit_leaf(struct maker *m, int act)
{
	const struct branch *b = &branches[act >= BRANCH ? act - BRANCH : 0];
	const char *call = b->call;

	if (act < BRANCH) {
		give(m, act == PASS ? SECCOMP_RET_ALLOW : FAIL_WITH(act == REFUSE ? EPERM : ENOSYS));
		return;
	}
	for (; b < branches + COUNT(branches) && !strcmp(b->call, call); b++)
		if (b->kinds >> m->kind & 1)
			emit_row(m, b);
	give(m, FAIL_WITH(strcmp(call, "sched_setaffinity") ? EPERM : 0));
}

/* Emits the search in runs [lo, hi). The right half is reached by a long jump, because a test
 * cannot jump farther than 255. */
static void emit_tree(struct maker *m, int lo, int hi)
{
	int mid = (lo + hi) / 2, leap;

	if (hi - lo == 1) {
		emit_leaf(m, m->act[m->run[lo]]);
		return;
	}
	emit(m, BPF_JMP | BPF_JGE | BPF_K, 0, 1, m->run[mid]);
	leap = emit(m, BPF_JMP | BPF_JA, 0, 0, 0);
	emit_tree(m, lo, mid);
	m->f->insn[leap].k = (uint32_t)(m->f->n - leap - 1);
	emit_tree(m, mid, hi);
}

/* --- the table by number --------------------------------------------------------------------------------- */

/* Sets the action of a call. Names that this processor or this libseccomp does not know are
 * ignored: their numbers are unknown calls. */
static void set(struct maker *m, const char *name, int act)
{
	int nr = seccomp_syscall_resolve_name(name);

	if (nr >= 0 && nr < NUMBERS)
		m->act[nr] = (uint8_t)act;
}

static void fill_table(struct maker *m)
{
	_Static_assert(COUNT(branches) < MAX_ROWS, "actions are bytes");
	for (size_t i = 0; i < COUNT(refused); i++)
		set(m, refused[i], REFUSE);
	for (size_t i = 0; i < COUNT(allowed); i++)
		set(m, allowed[i], PASS);
	for (size_t i = 0; i < COUNT(folder_too); i++)
		set(m, folder_too[i], m->kind == AY_JAIL_EXECUTOR || m->kind == AY_JAIL_GPU ? REFUSE : PASS);
	for (size_t i = 0; i < COUNT(gpu_too); i++)
		if (GPU >> m->kind & 1)
			set(m, gpu_too[i], PASS);
	for (size_t i = 0; i < COUNT(forge_too); i++)
		set(m, forge_too[i], BUILD >> m->kind & 1 ? PASS : REFUSE);
	for (size_t i = COUNT(branches); i-- > 0;) /* backwards: the first row of a name remains */
		set(m, branches[i].call, BRANCH + (int)i);
	for (int i = 0; i < NUMBERS; i++)
		if (!i || m->act[i] != m->act[i - 1])
			m->run[m->nrun++] = (uint16_t)i;
}

int ay_filter_make(struct ay_filter *f, enum ay_jail_kind kind, struct ay_err *err)
{
	struct maker m = { .kind = kind, .f = f };

	*f = (struct ay_filter){ .insn = ay_xrealloc(NULL, INSNS * sizeof *f->insn) };
	fill_table(&m);
	if (m.act[SYS_read] != PASS || m.act[SYS_ptrace] != REFUSE)
		return ay_fail(err, AY_ERR_SYS, "libseccomp does not know this machine's system calls");
	load(&m, offsetof(struct seccomp_data, arch));
	emit(&m, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, seccomp_arch_native());
	give(&m, SECCOMP_RET_KILL_PROCESS);
	load(&m, offsetof(struct seccomp_data, nr));
#if defined __x86_64__
	emit(&m, BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000); /* x32 */
	give(&m, SECCOMP_RET_KILL_PROCESS);
#endif
	emit_tree(&m, 0, m.nrun);
	return 0;
}

void ay_filter_release(struct ay_filter *f)
{
	ay_xfree(f->insn);
	*f = (struct ay_filter){ 0 };
}

int ay_filter_load(const struct ay_filter *f)
{
	struct sock_fprog p = { .len = f->n, .filter = f->insn };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) ? errno : 0;
}
