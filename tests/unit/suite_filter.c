/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_filter - tests of smaller suites and of traces: filters by operator and by size,
 * duplicates, text and parquet.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "base/process.h"
#include "exec/python.h"
#include "op/suite_filter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ay_arena a;

static void read_lines(struct ay_suite *s, const char *text)
{
	struct ay_err err = { 0 };
	char path[4200];

	snprintf(path, sizeof path, "%s/some.lines", test_dir());
	CHECKF(!ay_file_write(path, text, strlen(text), &err), "%s", err.msg);
	CHECKF(!ay_suite_named(s, &a, help_registry(), path, AY_FULL, &err), "%s", err.msg);
	CHECKF(!s->bad && !s->uncatalogued, "%d bad, %d foreign: %s", s->bad, s->uncatalogued, s->first_bad);
}

/* Returns the counts of the remaining lines as text; every line of these tests has a different
 * count. */
static const char *counts(const struct ay_suite *s)
{
	static char b[400];
	size_t n = 0;

	b[0] = 0;
	for (int i = 0; i < s->n; i++)
		n += (size_t)snprintf(b + n, sizeof b - n, "%s%lld", i ? " " : "", (long long)s->c[i].line->cnt);
	return b;
}

static const char *narrowed(const char *text, struct ay_suite_filter n)
{
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };
	const char *left;

	read_lines(&s, text);
	CHECKF(!ay_suite_apply_filter(&s, &n, &err), "%s", err.msg);
	left = counts(&s);
	ay_suite_release(&s);
	return left;
}

static const char family[] = "Operator: aten.add.Tensor\n"
			     "cnt: 1, ((T([4], f32), T([4], f32)), {})\n"
			     "aten::add.out((T([4], f32), T([4], f32)), {'out': T([4], f32)}) cnt=2\n"
			     "aten::add.Scalar((T([4], f32), 2), {}) cnt=3\n"
			     "aten::add_.Tensor((T([4], f32), T([4], f32)), {}) cnt=4\n"
			     "aten::relu((T([4], f32),), {}) cnt=5\n"
			     "aten::relu_((T([4], f32),), {}) cnt=6\n"
			     "aten::sum.dim_IntList((T([4], f32), [0]), {}) cnt=7\n"
			     "aten::sum((T([4], f32),), {}) cnt=8\n";

TEST(suite_filter_by_operator_takes_its_overloads_and_out_forms_alone)
{
	static const struct {
		const char *ops, *left;
	} rows[] = {
		{ "add", "1 2 3" }, /* not add_ */
		{ "add_", "4" },
		{ "add.Tensor", "1" },
		{ "aten::add.out", "2" },
		{ "aten.add.Scalar", "3" },
		{ "aten::add", "1 2 3" },
		{ "relu.default", "5" },
		{ "sum.default", "8" },
		{ "sum.dim_IntList, relu", "5 7" },
		{ "aten.sum", "7 8" },
		{ "ad", "" }, /* a part of a name does not match: add does not select addmm */
		{ "add.Tens", "" },
		{ "dd", "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *left = narrowed(family, (struct ay_suite_filter){ .ops = rows[i].ops });

		CHECKF(!strcmp(left, rows[i].left), "--ops %s leaves '%s', not '%s'", rows[i].ops, left,
		       rows[i].left);
	}
}

TEST(suite_filter_says_which_names_no_case_has)
{
	struct ay_suite s = { 0 };
	struct ay_arena names = { 0 };

	read_lines(&s, family);
	CHECK_STR(ay_suite_lacks(&s, "no_such_op, add,,relu,add.no_such_overload", &names),
		  "no_such_op, add.no_such_overload");
	CHECK_STR(ay_suite_lacks(&s, "add", &names), "");
	ay_arena_release(&names);
	ay_suite_release(&s);
}

/* Bytes of a line: 1 = 64, 2 = 40, 3 = 64 (f16, more elements), 4 = 0, 5 = 40; 6 and 7 are another
 * overload. */
static const char sizes[] = "aten::add.Tensor((T([8], f32), T([8], f32)), {}) cnt=1\n"
			    "aten::add.Tensor((T([9], f32), T([1], f32)), {}) cnt=2\n"
			    "aten::add.Tensor((T([4, 4], f16), T([4, 4], f16, stride=(40, 9))), {}) cnt=3\n"
			    "aten::add.Tensor((T([0, 99], f32), T([1, 0, 99], f32)), {}) cnt=4\n"
			    "aten::add.Tensor((T([5], f32), T([5], f32)), {}) cnt=5\n"
			    "aten::add.out((T([2], f32), T([2], f32)), {'out': T([2], f32)}) cnt=6\n"
			    "aten::add.out((T([2], f32), T([1], f32)), {'out': T([2], f32)}) cnt=7\n";

TEST(suite_filter_by_size_is_exact_per_overload)
{
	static const struct {
		int64_t largest, smallest;
		const char *left;
	} rows[] = {
		{ 1, 0, "1 6" },       /* as many bytes as line 3: the earlier one is taken */
		{ 2, 0, "1 3 6 7" },   /* by bytes, not by elements, and the order stays */
		{ 3, 0, "1 2 3 6 7" }, /* 2 before 5 */
		{ 0, 1, "4 7" },       /* zero bytes is the least; out= counts */
		{ 0, 2, "2 4 6 7" },   /* 2 before 5 */
		{ 0, 3, "2 4 5 6 7" }, /* another overload loses nothing */
		{ 99, 0, "1 2 3 4 5 6 7" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *left = narrowed(sizes, (struct ay_suite_filter){ .largest = rows[i].largest,
									     .smallest = rows[i].smallest });

		CHECKF(!strcmp(left, rows[i].left), "topn %lld, smallest %lld leaves '%s', not '%s'",
		       (long long)rows[i].largest, (long long)rows[i].smallest, left, rows[i].left);
	}
}

TEST(suite_filter_sorts_by_size_and_leaves_equals_as_they_are)
{
	struct ay_suite s = { 0 };

	read_lines(&s, "Operator: aten.relu.default\n"
		       "cnt: 1, ((T([40], f32),), {})\n"
		       "cnt: 2, ((T([4], f32),), {})\n"
		       "cnt: 3, ((T([8], f16),), {})\n"
		       "Operator: aten.neg.default\n"
		       "cnt: 4, ((T([2], f16),), {})\n"
		       "cnt: 5, ((T([16], i8),), {})\n");
	ay_suite_sort(&s);
	CHECK_STR(counts(&s), "4 2 3 5 1");
	ay_suite_release(&s);
}

TEST(suite_filter_refuses_both_ends_and_negative_numbers)
{
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	CHECK(ay_suite_apply_filter(&s, &(struct ay_suite_filter){ .largest = 1, .smallest = 1 }, &err) &&
	      strstr(err.msg, "choose one"));
	err = (struct ay_err){ 0 };
	CHECK(ay_suite_apply_filter(&s, &(struct ay_suite_filter){ .largest = -1 }, &err));
}

TEST(suite_filter_bytes_of_lists_and_of_the_impossible)
{
	static const struct {
		const char *line;
		uint64_t bytes;
	} rows[] = {
		{ "aten::cat(([T([3], f64), T([], c128), None], 0), {})", 40 },
		{ "aten::x((1, 2.0, None, 'T'), {'out': (T([5], b8), [T([5], i16)])})", 15 },
		{ "aten::x((T([4611686018427387904, 4], f32),), {})", UINT64_MAX },
		{ "aten::x((T([4611686018427387904, 4, 0], f32),), {})", 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ay_err err = { 0 };
		struct ay_case *c = NULL;

		if (ay_case_parse(&a, rows[i].line, strlen(rows[i].line), &c, &err))
			test_fail(__FILE__, __LINE__, "%s: %s", rows[i].line, err.msg);
		else
			CHECKF(ay_case_bytes(c) == rows[i].bytes, "%s: %llu bytes", rows[i].line,
			       (unsigned long long)ay_case_bytes(c));
	}
}

TEST(suite_filter_merges_calls_that_are_the_same)
{
	struct ay_suite s = { 0 };

	read_lines(&s, "aten::relu((T([4], f32),), {}) cnt=5\n"
		       "aten::relu((T([8], f32),), {})\n"
		       "aten::relu_((T([4], f32),), {}) cnt=1\n" /* another operator */
		       "aten::relu((T([4], f32),), {}) cnt=7\n"
		       "aten::relu((T([8], f32),), {}) cnt=2\n"
		       "aten::relu((T([4], f16),), {}) cnt=3\n"
		       "aten::relu((T([4], f32),), {}) seed=1 cnt=4\n" /* another input */
		       "aten::relu((T([4], f32),), {})\n");
	CHECK(ay_suite_merge(&s, &a) == 3);
	CHECK_STR(counts(&s), "12 2 1 3 4");
	CHECK(ay_suite_merge(&s, &a) == 0);
	ay_suite_release(&s);
}

TEST(trace_sum_symint_is_dim_intlist)
{
	struct ay_suite s = { 0 };

	read_lines(&s, "Operator: aten.sum.SymInt\ncnt: 3, ((T([4, 4], f16), [0], True), {})\n");
	CHECK(s.n == 1 && s.c && !strcmp(s.c[0].schema->overload, "dim_IntList"));
	ay_suite_release(&s);
}

/* --- the published data ----------------------------------------------------------------------- */

/* Returns every line of a trace with its operator and count, sorted. */
static char **lines_of(const char *path, int *n)
{
	struct ay_reader r = { 0 };
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	char *text, **list = NULL;
	struct ay_case *c;

	*n = 0;
	CHECKF(!ay_file_read(&a, path, 1 << 28, &text, &r.len, &err), "%s", err.msg);
	r.text = text;
	while (!err.code && ay_reader_next(&r, &a, &c, &err) > 0) {
		ay_str_clear(&b);
		ay_case_print(&b, c);
		if (!(*n & (*n - 1)))
			list = ay_xrealloc(list, sizeof *list * (size_t)(2 * *n + 2));
		list[(*n)++] = ay_strdup(&a, ay_str_text(&b));
	}
	CHECKF(!err.code, "line %d: %s", r.line, err.msg);
	ay_str_release(&b);
	return list;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Returns the interpreter to test with, or skips the test; it must have `module`. */
static const char *python_with(const char *module)
{
	const char *path = help_python();
	char *out;

	if (help_run(&a, ay_sprintf(&a, "%s -c 'import %s'", path, module), 60, &out))
		test_skip("%s has no %s", path, module);
	return path;
}

/* Runs assay.parquet on a file. Returns a descriptor of the text, or -1 and err. */
static int convert(const char *python, const char *table, struct ay_err *err)
{
	const char *const args[] = { "assay.parquet", table, NULL };
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (!ay_python_program(python, args, fd, 60, err))
		return fd;
	close(fd);
	return -1;
}

TEST(trace_text_and_parquet_are_the_same_cases)
{
	const char *text = ay_strdup(&a, test_shared("data/torchbench.trace"));
	const char *table = test_shared("data/backend_bench_problems.parquet"), *python = python_with("pyarrow");
	struct ay_err err = { 0 };
	char **want, **got;
	char *whole = realpath(table, NULL);
	int nwant, ngot, fd = convert(python, whole, &err), k = 0;

	CHECKF(fd >= 0, "%s", err.msg);
	want = lines_of(text, &nwant);
	got = lines_of(ay_sprintf(&a, "/proc/self/fd/%d", fd), &ngot);
	CHECKF(nwant == 15568 && ngot == nwant, "%d lines of text, %d of parquet", nwant, ngot);
	qsort(want, (size_t)nwant, sizeof *want, by_text);
	qsort(got, (size_t)ngot, sizeof *got, by_text);
	while (k < nwant && k < ngot && !strcmp(want[k], got[k]))
		k++;
	CHECKF(k == nwant, "text has %s, parquet %s", k < nwant ? want[k] : "", k < ngot ? got[k] : "");
	ay_xfree(want);
	ay_xfree(got);
	ay_xfree(whole);
	close(fd);
}

/* Rows that the table leaves out, an old name, a line end in a string, a missing count; then inputs
 * that are no tables. */
TEST(trace_parquet_takes_the_tables_own_choice)
{
	static const char make[] =
		"import sys, pyarrow as pa, pyarrow.parquet as pq\n"
		"rows = [('aten.sum.SymInt', '((T([4], f32), [0]), {})', 3, True),\n"
		"        ('aten.relu.default', '((T([4], f32),), {})', 1, True),\n"
		"        ('aten.relu.default', '((T([5], f32),), {})', 9, False),\n"
		"        ('aten.relu.default', '((T([6],\\nf32),), {})', None, True),\n"
		"        ('aten.relu.default', '((T([7], f32),), {})', 8, True)]\n"
		"names = ['op_name', 'args', 'count', 'included_in_benchmark']\n"
		"t = pa.table({n: [r[i] for r in rows] for i, n in enumerate(names)})\n"
		"pq.write_table(t, sys.argv[1] + '/t.parquet')\n"
		"pq.write_table(t.select(['op_name', 'args']), sys.argv[1] + '/short.parquet')\n";
	static const char want[] = "Operator: aten.relu.default\n"
				   "cnt: 8, ((T([7], f32),), {})\n"
				   "cnt: 1, ((T([4], f32),), {})\n"
				   "((T([6], f32),), {})\n"
				   "Operator: aten.sum.SymInt\n"
				   "cnt: 3, ((T([4], f32), [0]), {})\n";
	const char *python = python_with("pyarrow"), *dir = test_dir();
	struct ay_err err = { 0 };
	char *out, *text;
	size_t len;
	int fd;

	CHECK(!ay_file_write(ay_sprintf(&a, "%s/make.py", dir), make, sizeof make - 1, &err));
	CHECKF(!help_run(&a, ay_sprintf(&a, "%s %s/make.py %s", python, dir, dir), 60, &out), "%s", out);
	fd = convert(python, ay_sprintf(&a, "%s/t.parquet", dir), &err);
	CHECKF(fd >= 0, "%s", err.msg);
	if (!ay_file_read(&a, ay_sprintf(&a, "/proc/self/fd/%d", fd), 1 << 20, &text, &len, &err))
		CHECK_STR(text, want);
	close(fd);
	CHECK(convert(python, ay_sprintf(&a, "%s/short.parquet", dir), &err) < 0);
	CHECKF(strstr(err.msg, "no column 'count'"), "%s", err.msg);
	err = (struct ay_err){ 0 };
	CHECK(convert(python, ay_sprintf(&a, "%s/make.py", dir), &err) < 0);
	CHECKF(err.msg[0] && !strstr(err.msg, "Traceback"), "%s", err.msg);
	err = (struct ay_err){ 0 };
	CHECK(convert("/bin/false", "x", &err) < 0 && strstr(err.msg, "no reason"));
	err = (struct ay_err){ 0 };
	CHECK(convert("/no/such/python", "x", &err) < 0 && err.code);
}
