/* SPDX-License-Identifier: Apache-2.0
 *
 * The native executor: runs the kernels of one shared object for a judge. Its protocol is in
 * ../runtime/runtime_loop.c.
 */
#include "exec/runtime/runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	int n;
	const char *name[AY_WIRE_ENTRIES];
	int (*call[AY_WIRE_ENTRIES])(void *const *);
} entries;

/* --- floating-point control ------------------------------------------------------------------------------ */

/* A kernel linked with -ffast-math sets flush-to-zero when it is loaded, and a call may change the
 * rounding mode. */
static uint64_t float_mode(void)
{
#if defined __x86_64__
	uint16_t x87;

	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return __builtin_ia32_stmxcsr() | (uint64_t)x87 << 32;
#elif defined __aarch64__
	uint64_t x;

	__asm__ volatile("mrs %0, fpcr" : "=r"(x));
	return x;
#else
	return 0;
#endif
}

static void set_float_mode(uint64_t x)
{
#if defined __x86_64__
	uint16_t x87 = (uint16_t)(x >> 32);

	__builtin_ia32_ldmxcsr((unsigned)x);
	__asm__ volatile("fninit\n\tfldcw %0" : : "m"(x87)); /* also empties its stack */
#elif defined __aarch64__
	__asm__ volatile("msr fpcr, %0" : : "r"(x));
#else
	(void)x;
#endif
}

/* --- loading --------------------------------------------------------------------------------------------- */

/* Returns the loader's message without the object's path in this process, which means nothing to
 * the author. */
static const char *loader_words(const char *path)
{
	const char *s = dlerror();

	if (!s)
		return "the loader gives no reason";
	return !strncmp(s, path, strlen(path)) && !strncmp(s + strlen(path), ": ", 2) ? s + strlen(path) + 2 : s;
}

/* Gives a path for the object. A jail without /proc has a folder into which the object is
 * copied. */
static void name_object(char *path, size_t n, int fd)
{
	static const char copy[] = "/w/kernel.so";
	off_t size = lseek(fd, 0, SEEK_END), at = 0;
	int to = -1;

	snprintf(path, n, "/proc/self/fd/%d", fd);
	if (!access("/proc/self/fd", F_OK) ||
	    (to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700)) < 0)
		return;
	while (at < size) {
		char buf[65536];
		ssize_t k = pread(fd, buf, sizeof buf, at);

		if (k <= 0 || write(to, buf, (size_t)k) != k)
			break;
		at += k;
	}
	close(to);
	snprintf(path, n, "%s", copy);
}

static int nothing(void *const *v)
{
	(void)v;
	return page->cuda ? gpu_nothing() : 0;
}

/* Loads the empty call, which measures what a call costs. The judge loads it into executors of its
 * own, only for timing. */
static void load_nothing(void)
{
	entries.n = 1;
	entries.name[0] = AY_WIRE_NOTHING;
	entries.call[0] = nothing;
	loaded(1, entries.name, 0);
}

static void load(const struct wire_message *m)
{
	int (*list)(const char **, int (**)(void *const *), int) = NULL;
	uint64_t mode = float_mode();
	char path[64];
	void *so;

	if (!m->nfd) {
		load_nothing();
		return;
	}
	name_object(path, sizeof path, m->fd[0]);
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		load_failed(loader_words(path));
	} else {
		void *sym = dlsym(so, "ay_glue_entries");

		memcpy(&list, &sym, sizeof list);
		if (list)
			entries.n = list(entries.name, entries.call, AY_WIRE_ENTRIES);
		if (!list || entries.n < 0 || entries.n > AY_WIRE_ENTRIES)
			load_failed("it was not built with assay's glue");
		else
			loaded((uint32_t)entries.n, entries.name, 0);
	}
	set_float_mode(mode);
}

/* --- calling --------------------------------------------------------------------------------------------- */

/* The next set's arguments lie in cache lines that were not touched since they were prepared. A
 * plain loop over the same few sets would not have to wait for them, so they are prefetched. */
static void fetch_ahead(const uint8_t *set, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += AY_WIRE_LINE)
		__builtin_prefetch(set + i);
}

/* Waits for launched work before the answer. If the device has stopped, that is reported in place
 * of what the kernel returned. */
static void wait_for_device(struct ay_wire_status *s, int launch)
{
	const int e = gpu_sync();

	if (s->what == AY_WIRE_RAN)
		s->rc = launch;
	if (e)
		*s = (struct ay_wire_status){ .what = AY_WIRE_FAULTED, .set = s->set, .rc = e, .slot = -1 };
}

static void call_sets(uint32_t from, uint32_t n, bool last, struct ay_wire_status *s)
{
	const struct ay_wire_call *c = &held.c;
	int (*fn)(void *const *) = entries.call[c->h.entry];
	uint64_t mode = float_mode();
	int launch = 0;

	for (uint32_t i = from; i < from + n; i++) {
		uint8_t *set = held.mem + i * c->set_bytes;
		bool starved;

		now_set = i;
		if (i + 1 < from + n)
			fetch_ahead(set + c->set_bytes, c->set_bytes);
		s->rc = fn((void *const *)set);
		set_float_mode(mode);
		starved = page->cuda ? gpu_scratch_reset() : scratch_reset();
		memcpy(page->scalar + (size_t)i * c->h.nscalar, set + c->scalar_at,
		       c->h.nscalar * sizeof(ay_scalar));
		if (page->cuda && s->rc > AY_WIRE_LAUNCH && s->rc < 2 * AY_WIRE_LAUNCH) {
			launch = s->rc - AY_WIRE_LAUNCH;
			s->rc = 0;
		}
		if (s->rc) {
			s->what = starved ? AY_WIRE_STARVED : AY_WIRE_REFUSED;
			s->set = i;
			break;
		}
	}
	if (page->cuda && (last || launch || s->what != AY_WIRE_RAN))
		wait_for_device(s, launch);
}

static const struct language native = { .name = "assay-native", .load = load, .call = call_sets };

int main(void)
{
	return follow_judge(&native, NULL);
}
