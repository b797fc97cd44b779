/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out what this machine grants, by trying. A trial is a jail without a program: it builds all
 * layers and ends. If a step fails, its layer is removed and the next trial goes without it, until
 * one succeeds. If the namespaces themselves are refused, the next row of `plans` is tried.
 */
#include "sandbox/sandbox_internal.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const struct ay_layer_info ay_layer_infos[AY_LAYER_COUNT] = {
#define L(name, text, stops, get) { text, stops, get },
	AY_LAYERS(L)
#undef L
};

#define SPACES  (AY_LAYER_PID | AY_LAYER_MOUNT | AY_LAYER_PROC | AY_LAYER_IPC | AY_LAYER_UTS)
#define ALWAYS  (AY_LAYER_NNP | AY_LAYER_LIMITS)
#define MINIMUM (AY_LAYER_NNP | AY_LAYER_SECCOMP | AY_LAYER_CLOSED)

/* Combinations of layers, best first. */
static const struct plan {
	bool root;
	unsigned layers;
} plans[] = {
	{ true, AY_LAYER_UID | AY_LAYER_CAPS | SPACES },
	/* root in a container without CAP_SYS_ADMIN */
	{ true, AY_LAYER_USER | AY_LAYER_CAPS | SPACES },
	{ true, AY_LAYER_UID | AY_LAYER_CAPS },
	{ false, AY_LAYER_USER | AY_LAYER_CAPS | SPACES },
	{ false, 0 },
};

/* --- trials ---------------------------------------------------------------------------------------------- */

/* Returns 0 if a jail works with the layers of s, 1 if a layer failed and was removed, -1 if no
 * process can start in such namespaces. */
static int try_once(struct ay_sandbox *s)
{
	struct ay_jail_spec spec = { .sandbox = s,
				     .kind = AY_JAIL_EXECUTOR,
				     .exe = -1,
				     .limits = { .folder_bytes = 1 << 20, .files = 64, .tasks = 64 } };
	struct ay_err ignored = { 0 };
	struct ay_note n = { 0 };
	struct ay_jailed j;
	int said, status = 0, rc;

	if (ay_jail_start(&j, &spec, &ignored)) {
		s->why[AY_LAYER_I_PID] = errno;
		ay_jail_release(&j);
		return -1;
	}
	said = ay_jail_listen(&j, &n);
	while (waitpid(j.pid, &status, 0) < 0 && errno == EINTR)
		;
	ay_jail_release(&j);
	rc = said ? 1 : WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
	if (rc > 0 && (n.layer < 0 || n.layer >= AY_LAYER_COUNT))
		return -1;
	if (rc > 0) {
		s->layers &= ~(1u << n.layer);
		s->why[n.layer] = n.err ? n.err : EPERM;
		if (n.layer == AY_LAYER_I_MOUNT)
			s->layers &= ~AY_LAYER_PROC;
		if (n.layer == AY_LAYER_I_USER)
			return -1;
	}
	return rc;
}

static bool is_minimum(unsigned layers)
{
	return (layers & MINIMUM) == MINIMUM &&
	       (layers & AY_LAYER_UID || (layers & AY_LAYER_USER && layers & AY_LAYER_PID));
}

static void settle(struct ay_sandbox *s)
{
	const unsigned common = s->layers;

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		int rc = 1;

		if (plans[i].root != !geteuid())
			continue;
		s->layers = common | plans[i].layers;
		while (rc > 0)
			rc = try_once(s);
		if (!rc && is_minimum(s->layers))
			return;
		if (!rc && i + 1 < sizeof plans / sizeof *plans && plans[i + 1].root != plans[i].root)
			return;
	}
	/* An ordinary user's last plan needs nothing, so it always works. For root the last plan
	 * that was tried stays. */
}

/* --- opening a sandbox ----------------------------------------------------------------------------------- */

/* Returns true if the highest uid that the judge may use is mapped. Containers map few uids. */
static bool has_large_uids(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long long inside, outside, n;
	bool yes = false;

	while (f && fscanf(f, "%llu %llu %llu", &inside, &outside, &n) == 3)
		yes |= inside <= AY_UIDS && inside + n > 0x7fffffff;
	if (f)
		fclose(f);
	return yes;
}

static void make_filters(struct ay_sandbox *s)
{
	struct ay_err err = { 0 };

	for (int k = 0; k < AY_JAIL_KINDS; k++)
		if (ay_filter_make(&s->filter[k], (enum ay_jail_kind)k, &err))
			s->why[AY_LAYER_I_SECCOMP] = ENOSYS;
	if (!err.code)
		s->layers |= AY_LAYER_SECCOMP;
}

static int refuse(const struct ay_sandbox *s, struct ay_err *err)
{
	return ay_fail(
		err, AY_ERR_SYS,
		"this machine grants too little for a sandbox: %s%s%sneeded is no_new_privs, seccomp, and a uid "
		"of its own (root) or user and pid namespaces. See: assay doctor. --unsafe runs kernels all the "
		"same, and then none passes",
		s->layers & AY_LAYER_SECCOMP ? "" : "no seccomp filter; ",
		s->layers & (AY_LAYER_UID | AY_LAYER_USER) ? "" : "no user namespaces (",
		s->layers & (AY_LAYER_UID | AY_LAYER_USER) ? "" : "and not root); ");
}

int ay_sandbox_new(struct ay_sandbox **out, enum ay_sandbox_mode mode, struct ay_err *err)
{
	struct ay_sandbox *s = ay_xrealloc(NULL, sizeof *s);

	memset(s, 0, sizeof *s);
	*out = NULL;
	s->mode = mode;
	s->group_root = s->memory_root = -1;
	s->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
	s->small_uids = !has_large_uids();
	if (mode != AY_SANDBOX_OFF) {
		if (!prctl(PR_SET_DUMPABLE, 0))
			s->layers |= AY_LAYER_CLOSED;
		s->layers |= ALWAYS;
		make_filters(s);
		s->landlock_abi = ay_root_landlock_abi();
		if (s->landlock_abi)
			s->layers |= AY_LAYER_LANDLOCK;
		else
			s->why[AY_LAYER_I_LANDLOCK] = errno;
		settle(s);
		if (!(s->layers & AY_LAYER_PID)) /* see reap_group in jail.c */
			prctl(PR_SET_CHILD_SUBREAPER, 1);
		if (s->layers & AY_LAYER_SECCOMP)
			s->layers |= AY_LAYER_NET;
		ay_group_probe(s);
	}
	if (mode == AY_SANDBOX_FULL && !is_minimum(s->layers)) {
		refuse(s, err);
		ay_sandbox_free(s);
		return -1;
	}
	*out = s;
	return 0;
}

void ay_sandbox_free(struct ay_sandbox *s)
{
	if (!s)
		return;
	for (int k = 0; k < AY_JAIL_KINDS; k++)
		ay_filter_release(&s->filter[k]);
	if (s->group_root >= 0)
		close(s->group_root);
	if (s->memory_root >= 0)
		close(s->memory_root);
	ay_xfree(s);
}

/* --- queries --------------------------------------------------------------------------------------------- */

enum ay_sandbox_mode ay_sandbox_mode(const struct ay_sandbox *s)
{
	return s->mode;
}

unsigned ay_sandbox_layers(const struct ay_sandbox *s)
{
	return s->layers;
}

int ay_sandbox_why(const struct ay_sandbox *s, enum ay_layer_index i)
{
	return s->why[i];
}

const struct ay_filter *ay_sandbox_filter(const struct ay_sandbox *s, enum ay_jail_kind kind)
{
	return s->layers & AY_LAYER_SECCOMP ? &s->filter[kind] : NULL;
}

bool ay_sandbox_is_safe(const struct ay_sandbox *s)
{
	return s->mode == AY_SANDBOX_FULL && is_minimum(s->layers);
}

/* A uid of its own and a user namespace replace each other; the freezer adds speed, not safety. */
unsigned ay_sandbox_missing(const struct ay_sandbox *s)
{
	unsigned missing = ~s->layers & ((1u << AY_LAYER_COUNT) - 1) & ~AY_LAYER_FREEZER;

	return s->layers & (AY_LAYER_UID | AY_LAYER_USER) ? missing & ~(AY_LAYER_UID | AY_LAYER_USER) : missing;
}

const char *ay_sandbox_text(const struct ay_sandbox *s, struct ay_arena *a)
{
	unsigned missing = ay_sandbox_missing(s);
	struct ay_str b = { 0 };
	char *text;

	if (s->mode == AY_SANDBOX_OFF || !s->layers)
		return "none";
	ay_str_add(&b, s->mode == AY_SANDBOX_UNSAFE ? "unsafe" : missing ? "partial" : "full");
	for (int i = 0, n = 0; i < AY_LAYER_COUNT; i++)
		if (missing >> i & 1)
			ay_str_addf(&b, "%sno %s", n++ ? ", " : ": ", ay_layer_infos[i].name);
	text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}
