/* SPDX-License-Identifier: Apache-2.0
 *
 * test - a unit test is a function that registers itself and runs in its own process.
 *
 * TEST_EACH(id, list) makes one test for each value that list() names: an operator, a sample
 * kernel, a file of commands. The test "id/VALUE" gets its value from test_arg().
 */
#ifndef AY_TEST_H
#define AY_TEST_H

#include <stdbool.h>
#include <stdio.h>

typedef void (*test_add_value_fn)(const char *value);

struct test {
	const char *name, *file;
	void (*fn)(void);
	struct test *next;
	/* lists the values of a TEST_EACH; NULL: a plain test */
	void (*list)(test_add_value_fn add);
	const char *arg; /* the value of this test */
	bool slow;       /* runs only with ASSAY_SLOW=1, as in `make check` */
	bool timed;      /* measures times: only one such test runs at a time, with less beside it */
};

void test_add(struct test *t);
void test_fail(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Returns the number of failures in this process so far. */
int test_failures(void);
/* Ends the test as skipped, with the reason. */
_Noreturn void test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns a path in the folder of shared reference data ($ASSAY_SHARED, else ../shared). Skips the
 * test if that is absent. */
const char *test_shared(const char *file);
/* Returns a scratch folder that is removed after the test. */
const char *test_dir(void);
/* Returns the value of a TEST_EACH that this process tests; "" in a plain test. */
const char *test_arg(void);

#define TEST(id)                    TEST_AS(id, .slow = false)
#define TEST_SLOW(id)               TEST_AS(id, .slow = true)
#define TEST_TIMED(id)              TEST_AS(id, .slow = true, .timed = true)
#define TEST_EACH(id, values)       TEST_AS(id, .list = values)
#define TEST_EACH_SLOW(id, values)  TEST_AS(id, .list = values, .slow = true)
#define TEST_EACH_TIMED(id, values) TEST_AS(id, .list = values, .slow = true, .timed = true)
#define TEST_AS(id, ...)                                                                                 \
	static void test_##id(void);                                                                     \
	static struct test entry_##id = { .name = #id, .file = __FILE__, .fn = test_##id, __VA_ARGS__ }; \
	__attribute__((constructor)) static void add_##id(void)                                          \
	{                                                                                                \
		test_add(&entry_##id);                                                                   \
	}                                                                                                \
	static void test_##id(void)

#define CHECK(x)             ((x) ? (void)0 : test_fail(__FILE__, __LINE__, "%s", #x))
#define CHECKF(x, ...)       ((x) ? (void)0 : test_fail(__FILE__, __LINE__, __VA_ARGS__))
#define CHECK_STR(got, want) test_check_str(__FILE__, __LINE__, got, want)
void test_check_str(const char *file, int line, const char *got, const char *want);

#endif
