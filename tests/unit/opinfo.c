/* SPDX-License-Identifier: Apache-2.0
 *
 * opinfo - tests of the suite opinfo and of the choice of cases from a suite. Most use a shell
 * script in place of the interpreter.
 */
#include "exec/opinfo.h"
#include "base/file.h"
#include "exec/python.h"
#include "helpers.h"
#include "op/suite_filter.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- picking ---------------------------------------------------------------------------------- */

static bool wants(const char *list, const char *overload)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_schema s = { 0 };
	bool yes;

	CHECKF(!ay_opname_parse(&a, overload, strlen(overload), &s.ns, &s.base, &s.overload, &err), "%s", err.msg);
	yes = ay_schema_wanted(&s, list);
	ay_arena_release(&a);
	return yes;
}

TEST(suite_ops_are_base_names_or_overloads)
{
	CHECK(wants("add", "aten::add.Tensor") && wants("add", "aten::add.out") &&
	      wants("add", "aten::add.Scalar"));
	CHECK(!wants("add", "aten::add_.Tensor") && !wants("add", "aten::addmm") &&
	      !wants("add", "aten::addmm.out"));
	CHECK(!wants("ad", "aten::add.Tensor") && !wants("", "aten::add.Tensor") &&
	      !wants(",", "aten::add.Tensor"));
	CHECK(wants("add_", "aten::add_.Tensor") && !wants("add_", "aten::add.Tensor"));
	CHECK(wants("add.Tensor", "aten::add.Tensor") && !wants("add.Tensor", "aten::add.Scalar"));
	CHECK(!wants("add.Tens", "aten::add.Tensor") && !wants("add.", "aten::add.Tensor"));
	CHECK(!wants("add.Tensor", "aten::add.Tensor_out"));
	CHECK(wants("sub,add", "aten::add.Tensor") && wants("add,", "aten::add.Tensor") &&
	      wants(",add", "aten::add.Tensor"));
	CHECK(wants("aten::add", "aten::add.Tensor") && wants("aten.add", "aten::add.Tensor") &&
	      wants("aten::add.Tensor", "aten::add.Tensor") && wants("aten.add.Tensor", "aten::add.Tensor"));
	CHECK(!wants("vllm::add", "aten::add.Tensor") && !wants("aten", "aten::add.Tensor") &&
	      !wants("aten::", "aten::add.Tensor"));
	CHECK(wants("relu.default", "aten::relu") && wants("relu", "aten::relu") &&
	      !wants("relu.default", "aten::relu.out"));
}

static const char *dtype_of(const char *line)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *c;
	enum ay_dt dt = AY_DT_NONE;

	CHECKF(!ay_case_parse(&a, line, strlen(line), &c, &err), "%s", err.msg);
	if (!err.code)
		dt = ay_case_dtype(c);
	ay_arena_release(&a);
	return dt == AY_DT_NONE ? "none" : ay_dt_info(dt)->name;
}

TEST(suite_dtype_of_a_case)
{
	CHECK_STR(dtype_of("aten::gather((T([3], bf16), 0, T([3], i64)), {})"), "bf16");
	CHECK_STR(dtype_of("aten::where.self((T([3], b8), T([3], i64), T([3], f32)), {})"), "f32");
	CHECK_STR(dtype_of("aten::mul.Tensor((T([3], f64), T([3], c64)), {})"), "c64");
	CHECK_STR(dtype_of("aten::cat(([T([3], i32), T([3], i64)],), {})"), "i32");
	CHECK_STR(dtype_of("aten::logical_not((T([3], b8),), {})"), "b8");
	CHECK_STR(dtype_of("aten::zeros(([3],), {'dtype': f16})"), "f16");
	CHECK_STR(dtype_of("aten::arange((3,), {})"), "none");
}

TEST(suite_dtypes_are_read)
{
	struct ay_err err = { 0 };
	uint32_t set;

	CHECK(!ay_dtypes_find("f32,bfloat16", &set, &err) && set == (1u << AY_DT_F32 | 1u << AY_DT_BF16));
	CHECK(ay_dtypes_find("f32,f33", &set, &err) && strstr(err.msg, "'f33'"));
	err = (struct ay_err){ 0 };
	CHECK(ay_dtypes_find("", &set, &err) && err.code);
	err = (struct ay_err){ 0 };
	CHECK(ay_dtypes_find("f32,,f64", &set, &err) && err.code);
}

/* --- the cache -------------------------------------------------------------------------------- */

struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_opinfo o;
	struct ay_opinfo_files f;
	int told, total;
};

static void hear(void *user, int done, int total)
{
	struct fixture *r = user;

	r->told = done;
	r->total = total;
}

/* An interpreter that says it has torch 9.9 and runs `exporter` as the exporter, with $out and
 * $left. */
static void setup(struct fixture *r, const char *exporter)
{
	const char *path, *text;

	*r = (struct fixture){ 0 };
	path = ay_sprintf(&r->a, "%s/python3", test_dir());
	text = ay_sprintf(&r->a,
			  "#!/bin/sh\n"
			  "case \"$*\" in *assay.opinfo*) ;; *version.py*) echo 9.9; exit ;; *) exit ;; esac\n"
			  "while [ $# -gt 1 ]; do case $1 in --out) out=$2 ;; --left) left=$2 ;;\n"
			  "--dtypes) dtypes=$2 ;; esac; shift; done\n"
			  "echo run >> %s/runs\n%s\n",
			  test_dir(), exporter);
	CHECKF(!ay_file_write(path, text, strlen(text), &r->err) && !chmod(path, 0755), "%s", r->err.msg);
	r->o = (struct ay_opinfo){
		.python = path, .cache = ay_sprintf(&r->a, "%s/cache", test_dir()), .progress = hear, .user = r
	};
}

static int make(struct fixture *r)
{
	r->err = (struct ay_err){ 0 };
	return ay_opinfo(&r->a, &r->o, &r->f, &r->err);
}

static char *read_text(struct fixture *r, const char *path)
{
	char *text = "";
	size_t n;

	CHECKF(!ay_file_read(&r->a, path, 1 << 20, &text, &n, &r->err), "%s", r->err.msg);
	return text;
}

static int files_in(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return d ? n - 2 : 0;
}

static const char good[] =
	"echo 1 2; echo \"# $dtypes\" > $out; echo aten::relu >> $out; echo '# left' > $left; echo 2 2";

TEST(opinfo_is_made_once_and_kept)
{
	struct fixture r;

	setup(&r, good);
	CHECKF(!make(&r), "%s", r.err.msg);
	CHECK(r.f.made && r.told == 2 && r.total == 2);
	CHECK(strstr(r.f.lines, "/opinfo-9.9-i64-bf16-f32-c64-"));
	CHECK_STR(read_text(&r, r.f.lines), "# i64,bf16,f32,c64\naten::relu\n");
	CHECK_STR(read_text(&r, r.f.left), "# left\n");
	CHECKF(!make(&r), "%s", r.err.msg);
	CHECK(!r.f.made);
	r.o.dtypes = 1u << AY_DT_F32; /* a part of the existing files */
	CHECKF(!make(&r), "%s", r.err.msg);
	CHECK(!r.f.made);
	CHECK_STR(read_text(&r, ay_sprintf(&r.a, "%s/runs", test_dir())), "run\n");
	r.o.dtypes |= 1u << AY_DT_F16;
	CHECKF(!make(&r), "%s", r.err.msg);
	CHECK(r.f.made && strstr(r.f.lines, "/opinfo-9.9-f16-f32-"));
	CHECK_STR(read_text(&r, r.f.lines), "# f16,f32\naten::relu\n");
	CHECK(files_in(r.o.cache) == 4);
	ay_arena_release(&r.a);
}

TEST(opinfo_that_dies_midway_leaves_nothing)
{
	static const struct {
		const char *exporter, *says;
	} bad[] = {
		{ "echo aten::relu > $out; echo > $left; echo no more samples >&2; exit 3", "no more samples" },
		{ "echo aten::relu > $out; echo > $left; exit 1", "no reason" },
		{ "echo aten::relu > $out; kill -9 $$", "signal 9" },
		{ "echo > $left", "0 bytes" },
		{ "echo aten::relu > $out", "0 bytes" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fixture r;

		setup(&r, bad[i].exporter);
		CHECKF(make(&r) && strstr(r.err.msg, bad[i].says), "%zu: '%s'", i, r.err.msg);
		CHECKF(!r.f.lines || !ay_file_exists(r.f.lines), "%zu: there is half a suite", i);
		ay_arena_release(&r.a);
		setup(&r, good); /* and the next one makes it */
		CHECKF(!make(&r) && r.f.made, "%zu: %s", i, r.err.msg);
		remove(r.f.lines);
		ay_arena_release(&r.a);
	}
}

TEST(opinfo_says_what_it_lacks)
{
	struct fixture r;

	setup(&r, good);
	r.o.cache = "";
	CHECK(make(&r) && strstr(r.err.msg, "--cache"));
	r.o.cache = "/proc/none";
	CHECK(make(&r) && strstr(r.err.msg, "/proc/none"));
	r.o.python = "/no/such/python3";
	CHECK(make(&r) && strstr(r.err.msg, "/no/such/python3"));
	ay_arena_release(&r.a);
}

/* --- with torch ------------------------------------------------------------------------------- */

/* Checks that every line reads back as printed; counts those with that prefix. */
static int count_lines(struct fixture *r, char *text, const char *prefix, const char *holds)
{
	struct ay_reader reader = { .text = text, .len = strlen(text) };
	struct ay_str b = { 0 };
	struct ay_case *c;
	int n = 0, got;

	while ((got = ay_reader_next(&reader, &r->a, &c, &r->err)) > 0) {
		const char *at = text + reader.pos - 1; /* the line's end */

		while (at > text && at[-1] != '\n')
			at--;
		ay_str_clear(&b);
		ay_case_print(&b, c);
		CHECKF(!strncmp(at, ay_str_text(&b), b.len) && at[b.len] == '\n', "line %d is not as printed: %s",
		       reader.line, ay_str_text(&b));
		n += ay_starts(ay_str_text(&b), prefix) && strstr(ay_str_text(&b), holds);
	}
	CHECKF(!got, "line %d: %s", reader.line, r->err.msg);
	ay_str_release(&b);
	return n;
}

TEST_SLOW(opinfo_exports_lines_of_a_real_torch)
{
	struct fixture r = { 0 };
	struct ay_suite s = { 0 };
	const char *path = help_python();
	char *text;
	int adds = 0;

	r.o = (struct ay_opinfo){ .python = path,
				  .cache = test_dir(),
				  .ops = "add,gather,cholesky,bernoulli,acosh" };
	CHECKF(!make(&r), "%s", r.err.msg);
	text = read_text(&r, r.f.lines);
	CHECK(count_lines(&r, text, "aten::add.Tensor((T(", "") > 40);
	CHECK(count_lines(&r, text, "aten::add.Tensor((T(", "c64, fill=uniform(") > 3);
	CHECK(count_lines(&r, text, "aten::gather((", "i64, data=[") > 10);
	CHECK(count_lines(&r, text, "aten::cholesky((T(", "") > 5);
	CHECK(count_lines(&r, text, "aten::cholesky((T(", "fill=") == 0); /* any matrix has no root */
	CHECK(count_lines(&r, text, "aten::acosh((T(", "uniform(-") == 0);
	CHECK(count_lines(&r, text, "aten::bernoulli", "") == 0);
	CHECK(strstr(read_text(&r, r.f.left), "aten::bernoulli\t0\t"));
	CHECKF(!ay_suite_named(&s, &r.a, help_registry(), r.f.lines, AY_FULL, &r.err), "%s", r.err.msg);
	for (int i = 0; i < s.n; i++) /* lines of the catalogue's operators can be bound */
		adds += !strcmp(s.c[i].schema->base, "add");
	CHECKF(adds == count_lines(&r, text, "aten::add.", ""), "%d of aten::add, the first bad: %s", adds,
	       s.first_bad);
	ay_suite_release(&s);
	ay_arena_release(&r.a);
}
