/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/plan_cache.h"

#include "base/arena.h"
#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 1000000, LINE_MAX_BYTES = 120 };

static bool parse(const char *line, const char *name, struct ay_batch_plan *p)
{
	struct ay_batch_plan q;
	size_t n = strlen(name);
	int end = 0;

	if (strncmp(line, name, n) != 0 || sscanf(line + n, " %d %d%n", &q.calls, &q.base, &end) != 2 ||
	    line[n + (size_t)end] != '\n')
		return false;
	if (q.calls < 1 || q.calls > SETS_MAX || q.base < 1 || q.base > SETS_MAX)
		return false;
	*p = q;
	return true;
}

static char *read_all(struct ay_arena *a, const char *file, size_t *n)
{
	struct ay_err ignored = { 0 };
	char *text;

	return ay_file_read(a, file, 2 * AY_PLAN_FILE_MAX, &text, n, &ignored) ? NULL : text;
}

bool ay_plan_cache_find(const char *file, const char *name, struct ay_batch_plan *p)
{
	struct ay_arena a = { 0 };
	size_t n = 0;
	char *text = read_all(&a, file, &n);
	bool found = false;

	for (char *line = text; line && line < text + n;) {
		char *end = memchr(line, '\n', (size_t)(text + n - line));

		if (!end)
			break;
		found |= parse(line, name, p);
		line = end + 1;
	}
	ay_arena_release(&a);
	return found;
}

/* Drops the older half. If another process appends meanwhile, its line is lost, which only loses a
 * remembered size. */
static void halve(const char *file)
{
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	size_t n = 0;
	char *text = read_all(&a, file, &n), *half = text ? memchr(text + n / 2, '\n', n - n / 2) : NULL;

	if (half)
		ay_file_write(file, half + 1, (size_t)(text + n - half - 1), &ignored);
	ay_arena_release(&a);
}

void ay_plan_cache_note(const char *file, const char *name, const struct ay_batch_plan *p)
{
	const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	char line[LINE_MAX_BYTES];
	off_t size;
	int n;

	if (fd < 0)
		return;
	size = lseek(fd, 0, SEEK_END);
	n = snprintf(line, sizeof line, "%s %d %d\n", name, p->calls, p->base);
	if (n > 0 && n < (int)sizeof line && write(fd, line, (size_t)n) != n)
		size = AY_PLAN_FILE_MAX + 1; /* the line is torn */
	close(fd);
	if (size > AY_PLAN_FILE_MAX)
		halve(file);
}
