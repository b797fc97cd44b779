/* SPDX-License-Identifier: Apache-2.0 */
#include "device/device.h"

#include "base/str.h"
#include "device/cuda.h"
#include "device/gpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBER_MAX = 1000 }; /* the largest number of a GPU that is accepted */

/* --- the processor --------------------------------------------------------------------------------------- */

static int cpu_map(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
		   struct ay_err *err)
{
	(void)d, (void)p, (void)how, (void)err;
	*l = (struct ay_dev_mapping){ 0 };
	return 0;
}

static int cpu_fetch(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err)
{
	(void)d, (void)p, (void)l, (void)err;
	return 0;
}

static void cpu_unmap(struct ay_dev *d, struct ay_dev_mapping *l)
{
	(void)d, (void)l;
}

static int cpu_read(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err)
{
	(void)d;
	(void)err;
	memcpy(to, (const void *)(uintptr_t)at, n);
	return 0;
}

static uint64_t cpu_free_bytes(struct ay_dev *d)
{
	(void)d;
	return ay_memory_available();
}

static void cpu_mark(struct ay_dev *d, bool alone)
{
	(void)d, (void)alone;
}

static void cpu_close(struct ay_dev *d)
{
	(void)d;
}

static int cpu_is_well(struct ay_dev *d, struct ay_err *err)
{
	(void)d, (void)err;
	return 0;
}

static const char *cpu_error(const struct ay_dev *d, int e)
{
	(void)d, (void)e;
	return "no error of the processor";
}

/* The struct may be static and const: nothing writes to it. */
struct ay_dev *ay_dev_cpu(void)
{
	static const struct ay_dev_class cls = { cpu_map,  cpu_fetch,   cpu_unmap, cpu_read, cpu_free_bytes,
						 cpu_mark, cpu_is_well, cpu_error, cpu_close };
	static const struct ay_dev cpu = {
		&cls,
		{ .kind = AY_DEV_CPU, .name = "cpu", .grain = AY_PAGE, .align = AY_ALIGN, .bytes = UINT64_MAX }
	};

	return (struct ay_dev *)(uintptr_t)&cpu;
}

/* --- choosing -------------------------------------------------------------------------------------------- */

/* Returns the N of "cuda:N"; 0 for "cuda"; -1 if it is neither. */
static int cuda_number(const char *wish)
{
	char *end;
	long n;

	if (!strcmp(wish, "cuda"))
		return 0;
	if (!ay_starts(wish, "cuda:") || wish[5] < '0' || wish[5] > '9')
		return -1;
	n = strtol(wish + 5, &end, 10);
	return *end || n > NUMBER_MAX ? -1 : (int)n;
}

int ay_dev_numbers(const char *wish, int *number)
{
	const char *p = ay_starts(wish, "cuda:") ? wish + 5 : "";
	int n = 0;

	while (*p >= '0' && *p <= '9' && n < AY_DEV_MAX) {
		char *end;
		const long v = strtol(p, &end, 10);

		if (v > NUMBER_MAX || (*end && *end != ',') || (*end && !end[1]))
			return 0;
		for (int i = 0; i < n; i++)
			if (number[i] == v)
				return 0;
		number[n++] = (int)v;
		p = *end ? end + 1 : end;
	}
	return *p ? 0 : n;
}

int ay_dev_check_wish(const char *wish, struct ay_err *err)
{
	int number[AY_DEV_MAX];

	if (!strcmp(wish, "auto") || !strcmp(wish, "cpu") || !strcmp(wish, "cuda") || ay_dev_numbers(wish, number))
		return 0;
	return ay_fail(err, AY_ERR_USAGE, "--device is auto, cpu, cuda, cuda:N or cuda:N,M, not '%s'", wish);
}

int ay_dev_count_cuda(struct ay_err *err)
{
	struct {
		int n;
		struct ay_err err;
	} told = { .n = -1 };
	int ends[2];
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return ay_fail_errno(err, AY_ERR_SYS, "pipe");
	pid = fork();
	if (!pid) {
		told.n = ay_gpu_count(&told.err);
		_exit(write(ends[1], &told, sizeof told) == sizeof told ? 0 : 1);
	}
	close(ends[1]);
	got = pid < 0 ? -1 : read(ends[0], &told, sizeof told);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (got != sizeof told)
		return ay_fail(err, AY_ERR_SYS, "the process that counts the GPUs ended before it was through");
	if (told.n < 0)
		*err = told.err;
	return told.n;
}

bool ay_dev_has_cuda(char *why, size_t n)
{
	struct ay_cuda c;

	if (access("/dev/nvidiactl", F_OK)) {
		snprintf(why, n, "there is no /dev/nvidiactl");
		return false;
	}
	return !ay_cuda_open(&c, why, n);
}

int ay_dev_open(struct ay_dev **out, const char *wish, struct ay_err *err)
{
	const int n = cuda_number(wish);

	*out = NULL;
	if (!strcmp(wish, "cpu")) {
		*out = ay_dev_cpu();
		return 0;
	}
	if (n < 0)
		return ay_dev_check_wish(wish, err) ? -1
						    : ay_fail(err, AY_ERR_USAGE, "'%s' names no device", wish);
	return ay_gpu_open(out, n, err);
}

void ay_dev_close(struct ay_dev *d)
{
	if (d)
		d->cls->close(d);
}

int ay_dev_map(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
	       struct ay_err *err)
{
	return d->cls->map(d, p, how, l, err);
}

int ay_dev_fetch(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err)
{
	return d->cls->fetch(d, p, l, err);
}

void ay_dev_unmap(struct ay_dev *d, struct ay_dev_mapping *l)
{
	d->cls->unmap(d, l);
}

int ay_dev_read(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err)
{
	return d->cls->read(d, at, to, n, err);
}

uint64_t ay_dev_free_bytes(struct ay_dev *d)
{
	return d->cls->free_bytes(d);
}

void ay_dev_mark(struct ay_dev *d, bool alone)
{
	d->cls->mark(d, alone);
}

int ay_dev_is_well(struct ay_dev *d, struct ay_err *err)
{
	return d->cls->is_well(d, err);
}

const char *ay_dev_error(const struct ay_dev *d, int e)
{
	return d->cls->error(d, e);
}
