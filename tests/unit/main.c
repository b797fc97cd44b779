/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, FAILS_SHOWN = 10 };

static struct test *all, **tail = &all;
static int fails;
static char dir[64];

void test_add(struct test *t)
{
	*tail = t;
	tail = &t->next;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (fails++ >= FAILS_SHOWN)
		return;
	printf("    %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

int test_failures(void)
{
	return fails;
}

void test_check_str(const char *file, int line, const char *got, const char *want)
{
	if (strcmp(got, want))
		test_fail(file, line, "\n      want %s\n      got  %s", want, got);
}

static void remove_dir(void)
{
	char cmd[100];

	if (!dir[0])
		return;
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	if (system(cmd))
		printf("    %s stays behind\n", dir);
}

void test_skip(const char *fmt, ...)
{
	va_list ap;

	printf("    skipped: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	remove_dir();
	_exit(EXIT_SKIP);
}

const char *test_shared(const char *file)
{
	static char path[4096];
	const char *root = getenv("ASSAY_SHARED");
	struct stat st;

	snprintf(path, sizeof path, "%s/%s", root ? root : "../shared", file);
	if (stat(path, &st))
		test_skip("no %s here", path);
	return path;
}

const char *test_dir(void)
{
	if (!dir[0]) {
		strcpy(dir, "/tmp/assay-test-XXXXXX");
		if (!mkdtemp(dir))
			test_skip("no scratch folder");
	}
	return dir;
}

static int run(const struct test *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(300);
		t->fn();
		fflush(stdout);
		remove_dir();
		_exit(fails ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (WIFSIGNALED(status))
		printf("    ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0, skipped = 0;

	for (struct test *t = all; t; t = t->next) {
		bool wanted = argc < 2;

		for (int i = 1; i < argc; i++)
			wanted |= strstr(t->name, argv[i]) || strstr(t->file, argv[i]);
		if (!wanted)
			continue;
		switch (run(t)) {
		case 0: passed++; continue;
		case EXIT_SKIP:
			skipped++;
			printf("skip %s\n", t->name);
			continue;
		default: failed++; printf("FAIL %s (%s)\n", t->name, t->file);
		}
	}
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed || !(passed + skipped);
}
