/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/file.h"
#include "base/process.h"
#include "op/caseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- helpers ---------------------------------------------------------------------------------- */

static struct ay_case *parse(struct ay_arena *a, const char *text)
{
	struct ay_err err = { 0 };
	struct ay_case *c;

	if (!ay_case_parse(a, text, strlen(text), &c, &err))
		return c;
	CHECKF(false, "%s\n      %s", text, err.msg);
	return NULL;
}

static const char *print(struct ay_arena *a, const struct ay_case *c)
{
	struct ay_str b = { 0 };
	const char *s;

	ay_case_print(&b, c);
	s = ay_strndup(a, ay_str_text(&b), b.len);
	ay_str_release(&b);
	return s;
}

static bool is_fixpoint(struct ay_arena *a, const struct ay_case *c)
{
	const char *once = print(a, c);
	struct ay_case *again = parse(a, once);

	return again && ay_case_equal(c, again) && !strcmp(once, print(a, again));
}

static char *read_all(struct ay_arena *a, const char *path, size_t *len)
{
	struct ay_err err = { 0 };
	char *text;

	if (!ay_file_read(a, path, 16 << 20, &text, len, &err))
		return text;
	CHECKF(false, "%s", err.msg);
	*len = 0;
	return ay_strdup(a, "");
}

/* --- what is accepted ------------------------------------------------------------------------- */

TEST(caseline_canonical_form)
{
	static const char *const t[][2] = {
		{ "((T([4], f32),), {})", NULL },
		{ "((T([4],f16)),{})", "((T([4], f16),), {})" },
		{ "((), {})", NULL },
		{ "( ( ) , { } )", "((), {})" },
		{ "aten.relu.default((T([], bool),), {})", "aten::relu((T([], b8),), {})" },
		{ "aten.relu((1,2,),{})", "aten::relu((1, 2), {})" },
		{ "relu((1, 2), {})", NULL },
		{ "relu.default((1, 2), {})", "relu((1, 2), {})" },
		{ "cnt: 5, ((1, 2), {})", "((1, 2), {}) cnt=5" },
		{ "aten::add.Tensor((1, 2), {}) cnt=0 seed=0xFF # why",
		  "aten::add.Tensor((1, 2), {}) seed=255 cnt=0" },
		{ "aten::relu((T([4], f32),), {}) timed=77:3 seed=5 cnt=2",
		  "aten::relu((T([4], f32),), {}) seed=5 timed=77:3 cnt=2" },
		{ "((1, 2), {})#", "((1, 2), {})" },
		{ "(((1), (1,), (1+0j), ()), {})", "((1, [1], (1.0+0.0j), []), {})" },
		{ "((2j, -2j, +2j, 1-2j, (-0.0-0.0j), infj, (nan-infj)), {})",
		  "(((0.0+2.0j), (0.0-2.0j), (0.0+2.0j), (1.0-2.0j), (-0.0-0.0j), (0.0+infj), (nan-infj)), {})" },
		{ "((1, 1.0, 1., .5, 1e5, 1E-7, -0.0, inf, -inf, nan, -nan), {})",
		  "((1, 1.0, 1.0, 0.5, 100000.0, 1e-07, -0.0, inf, -inf, nan, nan), {})" },
		{ "((9223372036854775807, -9223372036854775808), {})", NULL },
		{ "(('f16', f16, torch.float16, torch.bool, th.uint8), {})", "(('f16', f16, f16, b8, u8), {})" },
		{ "((torch.strided, torch.device(\"cpu\"), torch.preserve_format), {})",
		  "((torch.strided, torch.device('cpu'), torch.preserve_format), {})" },
		{ "(('it\\'s', \"it's\", 'say \"x\"', '\\'\"', '\\x41\\n\\t\\r\\\\'), {})",
		  "((\"it's\", \"it's\", 'say \"x\"', '\\'\"', 'A\\n\\t\\r\\\\'), {})" },
		{ "(('\\x1b\\xff\\xc3\\xa9'), {})", "(('\\x1b\\xff\xc3\xa9',), {})" },
		{ "((None, True, False), {'a': None, \"b\": [1, (2, 3)],})",
		  "((None, True, False), {'a': None, 'b': [1, [2, 3]]})" },
		{ "((T([2, 3], f32, [3, 1]), T((2,), f32, None, 'cpu')), {})",
		  "((T([2, 3], f32, stride=(3, 1)), T([2], f32, device='cpu')), {})" },
		{ "((T([2], f32, conj=True, device='cuda:0', data=[1, inf], offset=3, stride=[2]),), {})",
		  "((T([2], f32, stride=(2,), offset=3, data=[1, inf], device='cuda:0', conj=True),), {})" },
		{ "((T([2], c64, neg=True, conj=True),), {})", "((T([2], c64, conj=True, neg=True),), {})" },
		{ "((T([], f32, stride=(), offset=0, conj=False),), {})", "((T([], f32, stride=()),), {})" },
		{ "((T([2], c64, fill=uniform(-1.5,2)), T([2], i64, fill=perm())), {})",
		  "((T([2], c64, fill=uniform(-1.5, 2)), T([2], i64, fill=perm)), {})" },
		{ "((T([0, 5], f32, data=[]),), {})", NULL },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_case *c = parse(&a, t[i][0]);

		if (!c)
			continue;
		CHECK_STR(print(&a, c), t[i][1] ? t[i][1] : t[i][0]);
		CHECKF(is_fixpoint(&a, c), "%s", t[i][0]);
	}
	ay_arena_release(&a);
}

TEST(caseline_parts)
{
	struct ay_arena a = { 0 };
	struct ay_case *c = parse(&a, "aten::add.Tensor((T([20, 3], f16), T([3], f16, stride=(2,), offset=3, "
				      "fill=index(7))), {'alpha': 0.5}) seed=18446744073709551615");

	if (!c)
		return;
	CHECK_STR(c->ns, "aten");
	CHECK_STR(c->base, "add");
	CHECK_STR(c->overload, "Tensor");
	CHECK(c->narg == 2 && c->nkw == 1 && c->cnt == -1 && c->has_seed && c->seed == UINT64_MAX);
	CHECK(c->arg[0].kind == AY_V_TENSOR && c->arg[0].col == 19 && c->arg[1].col == 36);
	CHECK(c->arg[0].t->ndim == 2 && c->arg[0].t->shape[0] == 20 && !c->arg[0].t->has_stride);
	CHECK(c->arg[1].t->has_stride && c->arg[1].t->stride[0] == 2 && c->arg[1].t->offset == 3);
	CHECK_STR(c->arg[1].t->fill.name, "index");
	CHECK(c->arg[1].t->fill.n == 1 && c->arg[1].t->fill.arg[0].i == 7);
	CHECK(c->kw[0].col == 89 && c->kw[0].v.kind == AY_V_FLOAT && c->kw[0].v.f == 0.5);
	ay_arena_release(&a);
}

TEST(caseline_equal_tells_apart)
{
	static const char *const t[] = {
		"((1,), {})",
		"((1.0,), {})",
		"((True,), {})",
		"(('1',), {})",
		"(([1],), {})",
		"((-0.0,), {})",
		"((0.0,), {})",
		"((f16,), {})",
		"((torch.strided,), {})",
		"((), {'a': 1})",
		"((), {'b': 1})",
		"((1,), {}) seed=1",
		"((1,), {}) cnt=1",
		"a::b((1,), {})",
		"a::b.c((1,), {})",
		"b((1,), {})",
		"((T([1], f32),), {})",
		"((T([1], f16),), {})",
		"((T([1], f32, stride=(1,)),), {})",
		"((T([1], f32, offset=1),), {})",
		"((T([1], f32, fill=perm),), {})",
		"((T([1], f32, fill=perm(1)),), {})",
		"((T([1], f32, data=[1]),), {})",
		"((T([1], f32, device='cpu'),), {})",
		"((T([1], f32, conj=True),), {})",
		"((nan,), {})",
		"(((1+1j),), {})",
		"(((1-1j),), {})",
		"((None,), {})",
		"((1, 1), {})",
	};
	struct ay_arena a = { 0 };
	int n = sizeof t / sizeof *t;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			CHECKF(ay_case_equal(parse(&a, t[i]), parse(&a, t[k])) == (i == k), "%s and %s", t[i],
			       t[k]);
	ay_arena_release(&a);
}

TEST(caseline_opnames)
{
	static const struct {
		const char *text, *ns, *base, *overload;
	} t[] = {
		{ "aten::add.Tensor", "aten", "add", "Tensor" },
		{ "aten.add.Tensor", "aten", "add", "Tensor" },
		{ "aten::add", "aten", "add", "" },
		{ "aten::add.default", "aten", "add", "" },
		{ "aten.add.default", "aten", "add", "" },
		{ "aten.add", "aten", "add", "" },
		{ "add", NULL, "add", "" },
		{ "add.default", NULL, "add", "" },
		{ "cnt::_x", "cnt", "_x", "" },
		{ " v1::default ", "v1", "default", "" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const char *ns = "?", *base = "?", *overload = "?";
		struct ay_err err = { 0 };

		CHECKF(!ay_opname_parse(&a, t[i].text, strlen(t[i].text), &ns, &base, &overload, &err), "%s",
		       err.msg);
		CHECK_STR(ns ? ns : "NULL", t[i].ns ? t[i].ns : "NULL");
		CHECK_STR(base, t[i].base);
		CHECK_STR(overload, t[i].overload);
	}
	static const char *const bad[] = { "",        "::add", "aten::", "aten::add.", "a::b::c",
					   "a.b.c.d", "a b",   "9::a",   "a::b.c(" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *ns, *base, *overload;
		struct ay_err err = { 0 };

		CHECKF(ay_opname_parse(&a, bad[i], strlen(bad[i]), &ns, &base, &overload, &err), "%s", bad[i]);
		CHECKF(err.col > 0, "%s: %s", bad[i], err.msg);
	}
	ay_arena_release(&a);
}

/* --- what is refused -------------------------------------------------------------------------- */

TEST(caseline_messages)
{
	static const char *const t[][2] = {
		{ "((1 x), {})", "column 5: expected ',' or ')' after a value, found 'x'" },
		{ "((1, 2), {}) seed=1 timed=7",
		  "column 28: expected ':' and the number of a set, found the end" },
		{ "((1, 2), {}) timed=7:1 timed=7:1", "column 24: timed is given twice" },
		{ "((1, 2), {}) timed=7:99999999999", "column 22: no batch has so many sets" },
		{ "((1, 2), {}", "column 12: expected ')' after the keywords, found the end" },
		{ "((1, ...), {})", "column 6: '...' is not a value: write the whole case" },
		{ "((1,), {}) same=x", "column 12: same= is reserved" },
		{ "((T([2], f32, same=x),), {})", "column 15: same= is reserved" },
		{ "((T([2], f99),), {})", "column 10: expected a dtype, found 'f99'" },
		{ "((T([2, -1], f32),), {})", "column 9: a shape cannot have the negative -1" },
		{ "((T([2, 2], f32, stride=(1,)),), {})", "column 25: 1 strides for 2 dimensions" },
		{ "((99999999999999999999,), {})", "column 3: an integer that does not fit in 64 bits" },
		{ "((\x01,), {})", "column 3: expected a value, found '\\x01'" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };
		struct ay_case *c;

		CHECK(ay_case_parse(&a, t[i][0], strlen(t[i][0]), &c, &err) == -1);
		CHECK_STR(err.msg, t[i][1]);
	}
	ay_arena_release(&a);
}

static void check_bad(struct ay_arena *a, const char *text, size_t len, int col)
{
	struct ay_err err = { 0 };
	struct ay_case *c;
	char want[32];

	snprintf(want, sizeof want, "column %d: ", col);
	CHECKF(ay_case_parse(a, text, len, &c, &err) == -1, "parses: %.200s", text);
	CHECKF(err.code == AY_ERR_PARSE && err.col == col && ay_starts(err.msg, want),
	       "want column %d: %.200s\n      %s", col, text, err.msg);
}

/* tests/data/lines.bad: each broken line is followed by "# col N" for it. */
TEST(caseline_broken_corpus)
{
	struct ay_arena a = { 0 };
	size_t len;
	char *text = read_all(&a, "tests/data/lines.bad", &len), *save = NULL, *bad = NULL;
	int n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (ay_starts(line, "# col ")) {
			CHECKF(bad, "no line before %s", line);
			if (bad)
				check_bad(&a, bad, strlen(bad), (int)strtol(line + 6, NULL, 10));
			bad = NULL;
			n++;
		} else if (line[0] != '#') {
			CHECKF(!bad, "no column for %s", bad);
			bad = line;
		}
	}
	CHECKF(n >= 40, "only %d broken lines", n);
	ay_arena_release(&a);
}

/* Returns n times open, then middle, then n times close. */
static char *nest(struct ay_arena *a, const char *open, const char *middle, const char *close, int n)
{
	struct ay_str b = { 0 };
	char *s;

	ay_str_add(&b, "((");
	for (int i = 0; i < n; i++)
		ay_str_add(&b, open);
	ay_str_add(&b, middle);
	for (int i = 0; i < n; i++)
		ay_str_add(&b, close);
	ay_str_add(&b, ",), {})");
	s = ay_strndup(a, b.s, b.len);
	ay_str_release(&b);
	return s;
}

TEST(caseline_limits)
{
	struct ay_arena a = { 0 };
	struct ay_case *c = parse(&a, nest(&a, "[", "1+2j", "]", 31));
	char *deep = nest(&a, "(", "", "", 100000);

	CHECK(c && is_fixpoint(&a, c));
	check_bad(&a, nest(&a, "[", "1", "]", 32), strlen(nest(&a, "[", "1", "]", 32)), 34);
	check_bad(&a, deep, strlen(deep), 34);
	deep = nest(&a, "T(", "", "", 100000);
	check_bad(&a, deep, strlen(deep), 66);
	c = parse(&a, nest(&a, "1,", "1", "", 100000));
	CHECK(c && c->narg == 100001);
	CHECK(parse(&a, "((T([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], f32),), {})"));
	check_bad(&a, "((T([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], f32),), {})", 52, 38);
	check_bad(&a, "((\0,), {})", 10, 3);
	check_bad(&a, "(('\0',), {})", 12, 4);
	check_bad(&a, "((1,), {})\n", 11, 11);
	char *big = ay_alloc(&a, AY_LINE_MAX + 2);

	memset(big, ' ', AY_LINE_MAX + 1);
	check_bad(&a, big, AY_LINE_MAX + 1, AY_LINE_MAX + 1);
	check_bad(&a, big, AY_LINE_MAX, AY_LINE_MAX + 1);
	memset(big + 3, '9', AY_LINE_MAX - 10);
	memcpy(big, "((0", 3);
	check_bad(&a, big, AY_LINE_MAX, 3);
	ay_arena_release(&a);
}

TEST(caseline_keyword_limit)
{
	struct ay_arena a = { 0 };
	struct ay_str b = { 0 };
	struct ay_case *c;

	ay_str_add(&b, "((), {");
	for (int i = 0; i < 64; i++)
		ay_str_addf(&b, "'k%02d': 1, ", i);
	size_t n = b.len;

	ay_str_add(&b, "})");
	c = parse(&a, b.s);
	CHECK(c && c->nkw == 64);
	b.len = n;
	ay_str_add(&b, "'x': 1})");
	check_bad(&a, b.s, b.len, (int)n + 1);
	ay_str_release(&b);
	ay_arena_release(&a);
}

/* Every prefix of a line, and the line with any one byte replaced, must give a case or an error,
 * and nothing else. */
TEST(caseline_mutilated)
{
	static const char line[] =
		"aten::f.x((T([2, 3], f32, stride=(3, 1), fill=uniform(0.5, 1)), -1.5e-3+2j, [None, 'a\\x41']), "
		"{'k': torch.device('cpu')}) seed=7 # c";
	static const char bytes[] = "()[]{},.:='\"#+-0aTj\\ \x80";
	struct ay_arena a = { 0 };
	size_t n = strlen(line);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof bytes; k++) {
			struct ay_err err = { 0 };
			struct ay_case *c;
			char t[sizeof line];

			memcpy(t, line, sizeof t);
			t[i] = bytes[k];
			ay_arena_clear(&a);
			/* a NUL byte is not replaced: the line is cut there */
			if (ay_case_parse(&a, t, bytes[k] ? n : i, &c, &err))
				CHECKF(err.col >= 1 && err.col <= (int)n + 1, "column %d: %s", err.col, t);
			else
				CHECKF(is_fixpoint(&a, c), "%s", t);
		}
	ay_arena_release(&a);
}

/* --- files ------------------------------------------------------------------------------------ */

TEST(caseline_reader)
{
	static const char text[] = "# a comment\n"
				   "\n"
				   "((1,), {})\n"
				   "Operator: aten.add.Tensor\r\n"
				   "cnt: 2, ((2,), {})\r\n"
				   "   \t\n"
				   "aten::mul((3,), {})\n"
				   "((4,), {}\n"
				   "  ((5,), {}) # behind\n"
				   "Operator: what is this\n"
				   "((6,), {})\n"
				   "Operator:aten::sub # yes\n"
				   "((7,), {})";
	static const struct {
		int rc, line;
		const char *print;
	} want[] = {
		{ 1, 3, "((1,), {})" },
		{ 1, 5, "aten::add.Tensor((2,), {}) cnt=2" },
		{ 1, 7, "aten::mul((3,), {})" },
		{ -1, 8, "" },
		{ 1, 9, "aten::add.Tensor((5,), {})" },
		{ -1, 10, "" },
		{ 1, 11, "((6,), {})" },
		{ 1, 13, "aten::sub((7,), {})" },
		{ 0, 13, "" },
		{ 0, 13, "" },
	};
	struct ay_reader r = { .text = text, .len = strlen(text) };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct ay_err err = { 0 };
		struct ay_case *c;
		int rc;

		ay_arena_clear(&a); /* the header outlives the case's arena */
		rc = ay_reader_next(&r, &a, &c, &err);
		CHECKF(rc == want[i].rc && r.line == want[i].line, "step %zu: %d at line %d, %s", i, rc, r.line,
		       err.msg);
		if (rc == 1)
			CHECK_STR(print(&a, c), want[i].print);
	}
	ay_arena_release(&a);
}

TEST(caseline_own_corpus)
{
	struct ay_arena a = { 0 }, tmp = { 0 };
	struct ay_reader r = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *c;
	int n = 0, rc;

	r.text = read_all(&a, "tests/data/lines.txt", &r.len);
	for (; (rc = ay_reader_next(&r, &tmp, &c, &err)); n++, ay_arena_clear(&tmp)) {
		CHECKF(rc == 1, "line %d: %s", r.line, err.msg);
		CHECKF(rc != 1 || is_fixpoint(&tmp, c), "line %d", r.line);
		ay_err_clear(&err);
	}
	CHECKF(n >= 200, "only %d lines", n);
	ay_arena_release(&tmp);
	ay_arena_release(&a);
}

/* 9 lines write torch.bool or torch.uint8, which we print as b8 and u8; all others come back byte
 * for byte. */
TEST(caseline_trace)
{
	struct ay_arena a = { 0 }, tmp = { 0 };
	struct ay_reader r = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *c;
	int n = 0, identical = 0, rc;

	r.text = read_all(&a, test_shared("data/torchbench.trace"), &r.len);
	for (; (rc = ay_reader_next(&r, &tmp, &c, &err)); n++, ay_arena_clear(&tmp)) {
		const char *end = r.text + r.pos - 1, *start = end, *printed;

		CHECKF(rc == 1, "line %d: %s", r.line, err.msg);
		ay_err_clear(&err);
		if (rc != 1)
			continue;
		CHECKF(is_fixpoint(&tmp, c), "line %d", r.line);
		CHECKF(c->base && c->cnt >= 0, "line %d", r.line);
		while (start > r.text && start[-1] != '\n')
			start--;
		start = strstr(start, ", ") + 2;
		c->ns = c->base = NULL;
		c->cnt = -1;
		printed = print(&tmp, c);
		identical += strlen(printed) == (size_t)(end - start) &&
			     !memcmp(printed, start, (size_t)(end - start));
	}
	CHECKF(n == 15568, "%d lines", n);
	CHECKF(identical == 15559, "%d byte for byte", identical);
	ay_arena_release(&tmp);
	ay_arena_release(&a);
}
