/* SPDX-License-Identifier: Apache-2.0
 *
 * container - runs a command as a process of a default Docker container is run, for tests: without
 * CAP_SYS_ADMIN and most other capabilities, without new namespaces, and behind a filter of system
 * calls.
 *
 *	container [-u UID] COMMAND [ARG...]
 *
 * Theory of operation. Docker's default profile (profiles/seccomp/default.json of github.com/moby)
 * lists what is allowed. This filter lists what that profile refuses to a process without further
 * capabilities, as of 2025, and allows the rest. Docker refuses with EPERM, and clone3 with ENOSYS,
 * so that the C library falls back to clone, whose flags a filter can read. The filter is loaded
 * without no_new_privs, as Docker does; root may. The capabilities that stay are Docker's default
 * ones. With -u the command runs as that user, without capabilities.
 *
 * What this program does not do: it has no image of its own, hides no files of /proc, and makes no
 * namespaces. So a command sees this machine's files and processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Calls that the profile refuses without a capability that Docker does not give. */
static const char *const refused[] = {
	/* CAP_SYS_ADMIN */
	"bpf", "fanotify_init", "fsconfig", "fsmount", "fsopen", "fspick", "lookup_dcookie", "mount",
	"mount_setattr", "move_mount", "open_tree", "perf_event_open", "quotactl", "quotactl_fd", "setdomainname",
	"sethostname", "setns", "syslog", "umount", "umount2", "unshare", "pivot_root",
	/* CAP_SYS_PTRACE; ptrace and process_vm_* themselves are allowed */
	"kcmp", "pidfd_getfd", "process_madvise",
	/* CAP_SYS_NICE */
	"get_mempolicy", "mbind", "move_pages", "set_mempolicy", "set_mempolicy_home_node",
	/* CAP_SYS_TIME, CAP_SYS_RAWIO, CAP_SYS_MODULE, CAP_SYS_BOOT, CAP_SYS_PACCT, CAP_SYS_TTY_CONFIG,
	 * CAP_DAC_READ_SEARCH */
	"clock_adjtime", "clock_settime", "settimeofday", "stime", "adjtimex", "ioperm", "iopl", "create_module",
	"delete_module", "finit_module", "init_module", "query_module", "kexec_load", "kexec_file_load", "reboot",
	"acct", "vhangup", "open_by_handle_at", "name_to_handle_at",
	/* in no list */
	"add_key", "keyctl", "request_key", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"swapon", "swapoff", "sysfs", "_sysctl", "uselib", "ustat", "nfsservctl", "get_kernel_syms", "vm86",
	"vm86old", "memfd_secret", "migrate_pages"
};

/* The flags of clone that make namespaces: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
static const uint64_t new_spaces = 0x7e020000;

static const int kept[] = { CAP_CHOWN,      CAP_DAC_OVERRIDE,     CAP_FSETID, CAP_FOWNER,     CAP_MKNOD,
			    CAP_NET_RAW,    CAP_SETGID,           CAP_SETUID, CAP_SETFCAP,    CAP_SETPCAP,
			    CAP_SYS_CHROOT, CAP_NET_BIND_SERVICE, CAP_KILL,   CAP_AUDIT_WRITE };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "container: %s: %s\n", what, strerror(errno));
	exit(125);
}

/* Refuses flags of clone that make namespaces one by one, because a rule compares all bits of a mask
 * with one value. personality is refused with the one flag that assay asks for, ADDR_NO_RANDOMIZE;
 * Docker allows only four values, none of which has it. */
static int add_flags(scmp_filter_ctx f)
{
	int rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1,
				  SCMP_A0(SCMP_CMP_MASKED_EQ, 0x40000, 0x40000));

	rc |= seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	/* AF_VSOCK */
	rc |= seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, 40));
	for (uint64_t bit = 1; bit <= new_spaces; bit <<= 1)
		if (new_spaces & bit)
			rc |= seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
					       SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit));
	return rc;
}

/* Loads the filter. As root without no_new_privs; an ordinary user needs that. */
static void load_filter(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	int rc;

	if (!f || seccomp_attr_set(f, SCMP_FLTATR_CTL_NNP, geteuid() != 0) || add_flags(f))
		die("seccomp");
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const int call = seccomp_syscall_resolve_name(refused[i]);

		/* negative: this architecture, or this libseccomp, does not know the call */
		if (call >= 0 && seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), call, 0))
			die(refused[i]);
	}
	rc = seccomp_load(f);
	errno = -rc;
	if (rc)
		die("seccomp_load");
	seccomp_release(f);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { 0 };

	for (int c = 0; prctl(PR_CAPBSET_READ, c) >= 0; c++) {
		bool keep = false;

		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
			keep |= kept[i] == c;
		if (!keep && prctl(PR_CAPBSET_DROP, c))
			die("PR_CAPBSET_DROP");
	}
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		d[kept[i] / 32].permitted |= 1u << kept[i] % 32;
		d[kept[i] / 32].effective |= 1u << kept[i] % 32;
	}
	if (syscall(SYS_capset, &h, d))
		die("capset");
}

int main(int argc, char **argv)
{
	uid_t uid = 0;
	int first = 1;

	if (argc > 3 && !strcmp(argv[1], "-u")) {
		uid = (uid_t)strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (first >= argc) {
		fputs("container [-u UID] COMMAND [ARG...]\n", stderr);
		return 125;
	}
	load_filter();
	if (!geteuid())
		drop_capabilities();
	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		die("setresuid");
	execvp(argv[first], argv + first);
	die(argv[first]);
}
