/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, FAILS_SHOWN = 10 };

static struct test *all, **tail = &all;
static int fails;
static char dir[64];
static const char *arg = "";

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

const char *test_arg(void)
{
	return arg;
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

/* A running test: its process, and the file for its output. */
struct running {
	const struct test *t;
	pid_t pid;
	FILE *out;
	double began; /* seconds of the monotonic clock */
};

enum {
	/* tests that take longer are named, because all must fit into CI's time limit */
	LONG_S = 20,
	ENDED_S = 300, /* and these have failed */
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void start(struct running *r, const struct test *t)
{
	*r = (struct running){ .t = t, .out = tmpfile(), .began = now_s() };
	fflush(stdout);
	r->pid = fork();
	if (r->pid)
		return;
	if (r->out)
		dup2(fileno(r->out), 1);
	arg = t->arg ? t->arg : "";
	/* a test with times repeats itself if a busy machine disturbs it */
	alarm(t->timed ? 2 * ENDED_S : ENDED_S);
	t->fn();
	fflush(stdout);
	remove_dir();
	_exit(fails ? 1 : 0);
}

static void show_output(struct running *r)
{
	char buf[4096];
	size_t n;

	if (!r->out)
		return;
	rewind(r->out);
	while ((n = fread(buf, 1, sizeof buf, r->out)) > 0)
		fwrite(buf, 1, n, stdout);
	fclose(r->out);
}

struct counts {
	int passed, failed, skipped;
};

/* Waits for any running test and reports how it ended. */
static void reap(struct running *list, int n, struct counts *c)
{
	int status, i = 0;
	double wall, cpu;
	struct rusage ru; /* usage of the test and of every process that it waited for */
	pid_t pid = wait4(-1, &status, 0, &ru);

	while (i < n && (!list[i].t || list[i].pid != pid))
		i++;
	if (pid < 0 || i == n)
		return;
	show_output(&list[i]);
	wall = now_s() - list[i].began;
	cpu = seconds_of(ru.ru_utime) + seconds_of(ru.ru_stime);
	if (wall >= LONG_S || getenv("ASSAY_CPU"))
		printf("%.1f s (%.1f s of a core): %s\n", wall, cpu, list[i].t->name);
	if (WIFSIGNALED(status))
		printf("    ended by signal %d\n", WTERMSIG(status));
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		c->passed++;
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
		c->skipped++;
		printf("skip %s\n", list[i].t->name);
	} else {
		c->failed++;
		printf("FAIL %s (%s)\n", list[i].t->name, list[i].t->file);
	}
	list[i].t = NULL;
}

static bool wanted(const struct test *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]) || strstr(t->file, argv[i]))
			return true;
	return argc < 2;
}

/* Tests that have not begun: those that measure times, and the others. */
static struct {
	struct test *timed, *other;
} waiting;

static void enqueue(struct test **queue, struct test *t)
{
	while (*queue)
		queue = &(*queue)->next;
	t->next = NULL;
	*queue = t;
}

static struct test *dequeue(struct test **queue)
{
	struct test *t = *queue;

	if (t)
		*queue = t->next;
	return t;
}

/* Tests of one file wait for equal things (most for the clock), so tests of other files are put
 * between them. */
static void spread(struct test **queue)
{
	enum { DECKS = 4 };
	struct test *deck[DECKS] = { 0 };
	int n = 0, i = 0;

	for (struct test *t = *queue; t; t = t->next)
		n++;
	for (struct test *t = *queue, *next; t; t = next, i++) {
		next = t->next;
		enqueue(&deck[(int64_t)i * DECKS / n], t);
	}
	*queue = NULL;
	for (i = 0; n; i++) {
		struct test *t = dequeue(&deck[i % DECKS]);

		if (t)
			enqueue(queue, t);
		n -= t != NULL;
	}
}

/* One test made of a TEST_EACH. */
struct made {
	struct test t;
	struct made *next;
};

/* Replaces every TEST_EACH in the list of all tests by one test per value. */
static struct {
	const struct test *of;
	struct test **end;
	struct made *made; /* all of them: they live until the process ends */
} expanding;

static void add_value(const char *value)
{
	struct made *m = malloc(sizeof *m);
	const size_t n = strlen(expanding.of->name) + strlen(value) + 2;
	char *name = malloc(n), *kept = strdup(value);

	if (!m || !name || !kept)
		abort();
	snprintf(name, n, "%s/%s", expanding.of->name, value);
	m->t = *expanding.of;
	m->t.name = name;
	m->t.arg = kept;
	m->t.next = NULL;
	m->next = expanding.made;
	expanding.made = m;
	*expanding.end = &m->t;
	expanding.end = &m->t.next;
}

static void expand(void)
{
	struct test **at = &all;

	while (*at) {
		struct test *t = *at, *rest = t->next;

		if (t->list) {
			expanding.of = t;
			expanding.end = at;
			t->list(add_value);
			at = expanding.end;
			*at = rest;
		} else {
			at = &t->next;
		}
	}
}

/* Selects tests. Returns how many slow ones are left out. */
static int choose(int argc, char **argv)
{
	int left = 0;

	expand();
	for (struct test *t = all, *next; t; t = next) {
		next = t->next;
		if (!wanted(t, argc, argv))
			continue;
		if (t->slow && argc < 2 && !getenv("ASSAY_SLOW"))
			left++;
		else
			enqueue(t->timed ? &waiting.timed : &waiting.other, t);
	}
	spread(&waiting.other);
	return left;
}

enum { MOST = 16 };

/* Tests wait for half of their time, so two more run than there are cores, unless one of them
 * measures times. */
static int room(bool timed)
{
	const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int most;

	if (cores < 1 || getenv("ASSAY_BENCH"))
		return 1;
	most = cores + (timed ? 0 : 2);
	return most < MOST ? most : MOST;
}

/* Returns the next test to begin, or NULL if it must wait for others or there is none. */
static struct test *next(const struct running list[MOST])
{
	bool timed = false;
	int busy = 0;

	for (int i = 0; i < MOST; i++) {
		busy += list[i].t != NULL;
		timed |= list[i].t && list[i].t->timed;
	}
	if (busy >= room(timed))
		return NULL;
	return !timed && waiting.timed ? dequeue(&waiting.timed) : dequeue(&waiting.other);
}

static bool is_over(const struct running list[MOST])
{
	for (int i = 0; i < MOST; i++)
		if (list[i].t)
			return false;
	return true;
}

/* test [PART...]: runs the tests whose name or file contains a PART, as many at a time as fit. */
int main(int argc, char **argv)
{
	struct running list[MOST] = { 0 };
	struct counts c = { 0 };
	const int left = choose(argc, argv);

	/* for every command that a test runs, unless the test needs times */
	setenv("ASSAY_TIMING", "none", 1);
	/* counts of cases in tests are those of the listed ones */
	setenv("ASSAY_DRAWN", "0", 1);
	for (;;) {
		struct test *t = next(list);
		int i = 0;

		while (t && list[i].t)
			i++;
		if (t)
			start(&list[i], t);
		else if (is_over(list))
			break;
		else
			reap(list, MOST, &c);
	}
	if (left)
		printf("%d slow tests are left to `make check`\n", left);
	printf("%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped);
	return c.failed || !(c.passed + c.skipped);
}
