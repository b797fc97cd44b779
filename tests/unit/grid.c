/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "op/grid.h"

#include <string.h>

/* --- helpers ---------------------------------------------------------------------------------- */

struct sink {
	struct ay_arena *a;
	const struct ay_template *t;
	struct ay_str out; /* the cases, each with a newline */
	struct ay_err *err;
	int n, stop_at;
};

static int add_case(void *user, const struct ay_scope *s)
{
	struct sink *k = user;
	struct ay_case *c;

	if (k->stop_at && k->n == k->stop_at)
		return 7;
	if (ay_template_expand(k->a, k->t, s, &c, k->err))
		return -1;
	ay_case_print(&k->out, c);
	ay_str_addc(&k->out, '\n');
	k->n++;
	return 0;
}

/* Returns all cases of a template and a grid, or the error message. */
static const char *expand(struct ay_arena *a, const char *line, const char *grid)
{
	struct ay_err err = { 0 };
	struct ay_template *t;
	struct sink k = { .a = a, .err = &err };
	const char *text;

	if (!ay_template_parse(a, line, &t, &err)) {
		k.t = t;
		ay_grid_each(a, grid, add_case, &k, &err);
	}
	text = ay_strdup(a, err.code ? err.msg : ay_str_text(&k.out));
	ay_str_release(&k.out);
	return text;
}

static int find(void *user, struct ay_arena *a, const char *name, int nargs, const struct ay_value *args,
		struct ay_value *out, struct ay_err *err)
{
	(void)user;
	(void)a;
	if (nargs < 0 && !strcmp(name, "answer")) {
		*out = (struct ay_value){ .kind = AY_V_INT, .i = 42 };
		return 0;
	}
	if (nargs == 1 && !strcmp(name, "twice") && args[0].kind == AY_V_INT) {
		*out = (struct ay_value){ .kind = AY_V_INT, .i = args[0].i * 2 };
		return 0;
	}
	if (!strcmp(name, "angry"))
		return ay_fail(err, AY_ERR_BIND, "not today");
	return 1;
}

/* Returns the value of an expression, printed, or the error message. In scope: n=5, s='abc',
 * dt=f16, shape=[2, 3, 4], x=None, e=[]. */
static const char *eval(struct ay_arena *a, const char *text)
{
	struct ay_value dims[3] = { { .kind = AY_V_INT, .i = 2 },
				    { .kind = AY_V_INT, .i = 3 },
				    { .kind = AY_V_INT, .i = 4 } };
	const char *names[] = { "n", "s", "dt", "shape", "x", "e" };
	struct ay_value values[] = {
		{ .kind = AY_V_INT, .i = 5 },
		{ .kind = AY_V_STR, .s = "abc" },
		{ .kind = AY_V_DTYPE, .dt = AY_DT_F16 },
		{ .kind = AY_V_LIST, .list = { dims, 3 } },
		{ .kind = AY_V_NONE },
		{ .kind = AY_V_LIST },
	};
	struct ay_scope s = { 6, names, values, find, NULL };
	const struct ay_expr *x;
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_value v;
	const char *out;

	if (!ay_expr_parse(a, text, &x, &err) && !ay_expr_eval(a, x, &s, &v, &err))
		ay_value_print(&b, &v);
	out = ay_strdup(a, err.code ? err.msg : ay_str_text(&b));
	ay_str_release(&b);
	return out;
}

/* --- expressions ------------------------------------------------------------------------------ */

TEST(grid_expressions)
{
	static const char *const t[][2] = {
		{ "1+2*3", "7" },
		{ "(1+2)*3", "9" },
		{ "7/2", "3" },
		{ "-7/2", "-3" },
		{ "-7%4", "-3" },
		{ "10-3-2", "5" },
		{ "2*n+1", "11" },
		{ "-n", "-5" },
		{ "--n", "5" },
		{ "n-1", "4" },
		{ "n -1", "4" },
		{ "1.5*2", "3.0" },
		{ "1/2.0", "0.5" },
		{ "n == 5", "True" },
		{ "n != 5", "False" },
		{ "n < 5", "False" },
		{ "n<=5", "True" },
		{ "n>4.5", "True" },
		{ "nan>=nan", "False" },
		{ "1+1==2", "True" },
		{ "5==5.0", "True" },
		{ "s=='abc'", "True" },
		{ "s==\"ab\"", "False" },
		{ "s==1", "False" },
		{ "dt==f16", "True" },
		{ "dt==torch.half", "True" },
		{ "dt!=bf16", "True" },
		{ "x==None", "True" },
		{ "shape==[2,3,4]", "True" },
		{ "shape==(2,3,5)", "False" },
		{ "n==5 ? 1 : 2", "1" },
		{ "n==4 ? 1 : n==5 ? 2 : 3", "2" },
		{ "0 ? 1/0 : 7", "7" },
		{ "(n>3 ? f32 : f16)", "f32" },
		{ "shape[0]", "2" },
		{ "shape[-1]", "4" },
		{ "shape[n-3]", "4" },
		{ "[1, n, shape][2][1]", "3" },
		{ "shape+[n]", "[2, 3, 4, 5]" },
		{ "(1,)+()+(2,)", "[1, 2]" },
		{ "numel(shape)", "24" },
		{ "numel([])", "1" },
		{ "numel([0, 9223372036854775807, 2])", "0" },
		{ "len(shape+shape)", "6" },
		{ "numel(T([3, 7], f32))", "21" },
		{ "twice(n)+answer", "52" },
		{ "twice(twice(n))", "20" },
		{ "[n, [n, 's', x]]", "[5, [5, 's', None]]" },
		{ "(1+2j)", "(1.0+2.0j)" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "T([n], dt)", "T([5], f16)" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECKF(!strcmp(eval(&a, t[i][0]), t[i][1]), "%s is %s, not %s", t[i][0], eval(&a, t[i][0]),
		       t[i][1]);
	ay_arena_release(&a);
}

TEST(grid_expression_failures)
{
	static const char *const t[][2] = {
		{ "", "column 1: expected a value, found the end" },
		{ "1+", "column 3: expected a value, found the end" },
		{ "n n", "column 3: expected an operator or the end, found 'n'" },
		{ "1/0", "column 1: division by zero" },
		{ "2+n%(n-5)", "column 3: division by zero" },
		{ "1.0/0", "column 1: division by zero" },
		{ "9223372036854775807+1", "column 1: the result does not fit in 64 bits" },
		{ "9223372036854775807*2", "column 1: the result does not fit in 64 bits" },
		{ "(-9223372036854775808)/-1", "column 1: the result does not fit in 64 bits" },
		{ "-(-9223372036854775808)", "column 1: the result does not fit in 64 bits" },
		{ "9223372036854775808", "column 1: an integer that does not fit in 64 bits" },
		{ "1+m", "column 3: nothing here is called 'm'" },
		{ "1+m(2)", "column 3: there is no function 'm'" },
		{ "1+angry(2)", "column 3: not today" },
		{ "s+1", "column 1: + cannot stand between a string and an int" },
		{ "s<'b'", "column 1: < needs numbers, not a string and a string" },
		{ "True+1", "column 1: + cannot stand between a bool and an int" },
		{ "-s", "column 1: - cannot stand before a string" },
		{ "s ? 1 : 2", "column 1: ?: asks for a bool or an int, not a string" },
		{ "n ? 1", "column 6: expected ':' and the other value of ?:, found the end" },
		{ "shape[3]", "column 1: index 3 in a list of 3" },
		{ "shape[-4]", "column 1: index -4 in a list of 3" },
		{ "n[0]", "column 1: [] needs a list and an int, not an int and an int" },
		{ "shape[0", "column 8: expected ']' after an index, found the end" },
		{ "numel(n)", "column 1: numel() needs one list" },
		{ "numel(['a'])", "column 1: numel() needs a list of ints" },
		{ "numel([4294967296, 4294967296])", "column 1: the result does not fit in 64 bits" },
		{ "len()", "column 1: len() needs one list" },
		{ "2.5%2", "column 1: % needs ints" },
		{ "twice(1", "column 8: expected ',' or ')' after an argument, found the end" },
		{ "f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "column 42: more than 16 arguments" },
		{ "T([n-6], f32)", "column 4: a size must be an int >= 0" },
		{ "...", "column 1: '...' is not a value: write the whole case" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECKF(!strcmp(eval(&a, t[i][0]), t[i][1]), "%s\n      want %s\n      got  %s", t[i][0], t[i][1],
		       eval(&a, t[i][0]));
	ay_arena_release(&a);
}

static const char *repeat(struct ay_arena *a, const char *head, const char *body, int n, const char *tail)
{
	struct ay_str b = { 0 };
	const char *s;

	ay_str_add(&b, head);
	for (int i = 0; i < n; i++)
		ay_str_add(&b, body);
	ay_str_add(&b, tail);
	s = ay_strndup(a, b.s, b.len);
	ay_str_release(&b);
	return s;
}

/* Long and deeply nested text gives an error message, not a long wait or a stack overflow. */
TEST(grid_hostile_sizes)
{
	struct ay_arena a = { 0 };
	const char *big;

	CHECK_STR(eval(&a, repeat(&a, "1", "+1", 60, "")), "61");
	CHECK_STR(eval(&a, repeat(&a, "1", "+1", 100000, "")),
		  "column 1: an expression of more than 64 operations");
	CHECK_STR(eval(&a, repeat(&a, "", "-", 100000, "n")), "column 33: nested deeper than 32");
	CHECK_STR(eval(&a, repeat(&a, "", "(", 100000, "n")), "column 33: nested deeper than 32");
	CHECK_STR(eval(&a, repeat(&a, "", "f(", 100000, "n")), "column 66: nested deeper than 32");
	CHECK_STR(eval(&a, repeat(&a, "", "n?", 100000, "n")), "column 66: nested deeper than 32");
	CHECK_STR(eval(&a, repeat(&a, "n", "[0]", 100000, "")),
		  "column 1: an expression of more than 64 operations");
	/* as deep as the parser allows: 30 brackets around 60 sums each */
	big = "n";
	for (int i = 0; i < 30; i++)
		big = repeat(&a, ay_sprintf(&a, "[%s][0]", big), "+1", 60, "");
	CHECK_STR(eval(&a, big), "1805");
	/* a long value that is named many times */
	big = repeat(&a, "v=[", "1,", 100000, "]");
	CHECK_STR(expand(&a, repeat(&a, "((", "v,", 1000, "), {})"), big),
		  "column 23: the expanded case is too large");
	CHECK_STR(expand(&a, repeat(&a, "((v", "+v", 50, ",), {})"), big),
		  "column 3: the expanded case is too large");
	big = repeat(&a, "v='", "1", 100000, "'");
	CHECK_STR(expand(&a, repeat(&a, "((", "v,", 1000, "), {})"), big),
		  "column 23: the expanded case is too large");
	/* a deeply nested value in a deeply nested place */
	big = repeat(&a, "v=", "[", 20, "]]]]]]]]]]]]]]]]]]]]");
	CHECK_STR(expand(&a, "(([[v]],), {})", big), "(([[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]],), {})\n");
	CHECK_STR(expand(&a, "(([[[[[[[[[[[[v]]]]]]]]]]]],), {})", big),
		  "column 15: the expanded case is nested deeper than 32");
	ay_arena_release(&a);
}

/* --- templates and grids ---------------------------------------------------------------------- */

TEST(grid_expansions)
{
	static const struct {
		const char *line, *grid, *want;
	} t[] = {
		{ "((T([4], f32),), {})", NULL, "((T([4], f32),), {})\n" },
		{ "((T([4], f32),), {})", " \n", "((T([4], f32),), {})\n" },
		/* the last slot varies fastest, and blocks follow one another */
		{ "((T([n, d], dt), T([d], dt, fill=uniform(0.5, 1.5)), 1e-6), {})",
		  "dt=f32|f16 (n,d)=(1,1)|(7,129) ; dt=bf16 (n,d)=(64,1000)",
		  "((T([1, 1], f32), T([1], f32, fill=uniform(0.5, 1.5)), 1e-06), {})\n"
		  "((T([7, 129], f32), T([129], f32, fill=uniform(0.5, 1.5)), 1e-06), {})\n"
		  "((T([1, 1], f16), T([1], f16, fill=uniform(0.5, 1.5)), 1e-06), {})\n"
		  "((T([7, 129], f16), T([129], f16, fill=uniform(0.5, 1.5)), 1e-06), {})\n"
		  "((T([64, 1000], bf16), T([1000], bf16, fill=uniform(0.5, 1.5)), 1e-06), {})\n" },
		{ "((a, b, c), {})", "a=1|2 b='x'|None c=True",
		  "((1, 'x', True), {})\n((1, None, True), {})\n((2, 'x', True), {})\n((2, None, True), {})\n" },
		/* blanks and newlines anywhere */
		{ "(\n( a ,\n b ), { } )", "\n a = 1 |\n 2\n\tb=3 ;\n\n a=4 b=5\n",
		  "((1, 3), {})\n((2, 3), {})\n((4, 5), {})\n" },
		/* a name for a whole shape, a stride, an offset, a dtype, data, a fill's
		 * argument */
		{ "((T(shape, dt, stride=st, offset=2*k, fill=index(k+1)),), {})",
		  "(shape,st,dt,k)=([2,3],(1,2),i64,4)|((5,),None,i32,0)",
		  "((T([2, 3], i64, stride=(1, 2), offset=8, fill=index(5)),), {})\n((T([5], i32, "
		  "fill=index(1)),), {})\n" },
		{ "((T(shape+[n], f32), T([n]+shape, f32, shape+[1])), {})", "shape=[]|[2] n=3",
		  "((T([3], f32), T([3], f32, stride=(1,))), {})\n((T([2, 3], f32), T([3, 2], f32, stride=(2, "
		  "1))), {})\n" },
		{ "((T(shape[-1] == 1 ? [1] : shape, f32, stride=(n, 1)),), {})", "(shape,n)=([4,2],2)",
		  "((T([4, 2], f32, stride=(2, 1)),), {})\n" },
		{ "((T([n], i64, data=d), T([2], i64, data=[n, n+1])), {'dim': n-1})", "(n,d)=(2,[7,8])",
		  "((T([2], i64, data=[7, 8]), T([2], i64, data=[2, 3])), {'dim': 1})\n" },
		/* whole tensors, lists of them, dtypes as values, and strings that are no dtypes */
		{ "((x, [x, x]), {'dtype': dt})", "x=T([2],f32,fill=zeros)|None dt=torch.bool|'f16'",
		  "((T([2], f32, fill=zeros), [T([2], f32, fill=zeros), T([2], f32, fill=zeros)]), {'dtype': "
		  "b8})\n"
		  "((T([2], f32, fill=zeros), [T([2], f32, fill=zeros), T([2], f32, fill=zeros)]), {'dtype': "
		  "'f16'})\n"
		  "((None, [None, None]), {'dtype': b8})\n((None, [None, None]), {'dtype': 'f16'})\n" },
		{ "aten::add.Tensor((T([n], f32), n == 1 ? None : T([n], f32)), {'alpha': n > 1 ? 0.5 : 1}) "
		  "seed=3 # why",
		  "n=1|2",
		  "aten::add.Tensor((T([1], f32), None), {'alpha': 1}) seed=3\n"
		  "aten::add.Tensor((T([2], f32), T([2], f32)), {'alpha': 0.5}) seed=3\n" },
		/* a fill by name; None is the operator's own */
		{ "((T([2], f32, fill=how),), {})", "how=None|'perm'",
		  "((T([2], f32),), {})\n((T([2], f32, fill=perm),), {})\n" },
		/* lazily conjugated and negated tensors */
		{ "((T([2], c64, conj=c, neg=1 < n),), {})", "c=True|False n=2",
		  "((T([2], c64, conj=True, neg=True),), {})\n((T([2], c64, neg=True),), {})\n" },
		{ "((T([2], f32, fill=how),), {})", "how='normal(0,1)'|'perm'",
		  "((T([2], f32, fill=normal(0, 1)),), {})\n((T([2], f32, fill=perm),), {})\n" },
		{ "((half, long, T),), {})", "",
		  "column 18: expected '{' before the keyword arguments, found ')'" },
		{ "((half, long, T), {})", "(half,long,T)=(1,2,3)", "((1, 2, 3), {})\n" },
		{ "((n,), {})", "(n)=(1)|2", "((1,), {})\n((2,), {})\n" },
		{ "((n,), {})", "(n,)=(1,)|([2,3],)", "((1,), {})\n(([2, 3],), {})\n" },
		{ "((), {})", "n=1|2", "((), {})\n((), {})\n" },
		{ "((-1+2j, -n, 1-n), {})", "n=2", "(((-1.0+2.0j), -2, -1), {})\n" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECK_STR(expand(&a, t[i].line, t[i].grid), t[i].want);
	ay_arena_release(&a);
}

TEST(grid_failures)
{
	static const struct {
		const char *line, *grid, *want;
	} t[] = {
		{ "((n,), {})", "m=1", "column 3: nothing here is called 'n'" },
		{ "((n,), {})", "n", "column 2: expected '=' after a name, found the end" },
		{ "((n,), {})", "n=", "column 3: expected a value, found the end" },
		{ "((n,), {})", "n=1|", "column 5: expected a value, found the end" },
		{ "((n,), {})", "n=m", "column 3: expected a value, found 'm'" },
		{ "((n,), {})", "n=1 n=2", "column 5: 'n' is given twice" },
		{ "((n,), {})", "(n,n)=(1,2)", "column 4: 'n' is given twice" },
		{ "((n,), {})", "n=1;", "column 5: expected a name, found the end" },
		{ "((n,), {})", ";n=1", "column 1: expected a name, found ';'" },
		{ "((n,), {})", "n=1 ; ; n=2", "column 7: expected a name, found ';'" },
		{ "((n,), {})", "(n,d)=(1,2)|(3,)", "column 13: expected a tuple of 2 values" },
		{ "((n,), {})", "(n,d)=1", "column 7: expected a tuple of 2 values" },
		{ "((n,), {})", "(n d)=1", "column 4: expected ',' or ')' after a name, found 'd'" },
		{ "((n,), {})", "n=1,2", "column 4: expected a name, found ','" },
		{ "((n,), {})", "n=1+1", "column 4: expected a name, found '+'" },
		{ "((T([n], f32),), {})", "n=-1", "column 6: a size must be an int >= 0" },
		{ "((T([n], f32),), {})", "n=1.5", "column 6: a size must be an int >= 0" },
		{ "((T(n, f32),), {})", "n=3", "column 5: a shape must be a list, not an int" },
		{ "((T(n, f32),), {})", "n=[2,-3]", "column 5: a shape cannot have the negative -3" },
		{ "((T([2], n),), {})", "n='f16'", "column 10: expected a dtype, found a string" },
		{ "((T([2], 'f16'),), {})", "", "column 10: expected a dtype, found a string" },
		{ "((T([2], f32, stride=n),), {})", "n=[1,2]", "column 22: 2 strides for 1 dimensions" },
		{ "((T([2], f32, stride=(1, n)),), {})", "n=1", "column 22: 2 strides for 1 dimensions" },
		{ "((T(n, f32, stride=(1, 2)),), {})", "n=[3]", "column 20: 2 strides for 1 dimensions" },
		{ "((T([2], f32, stride=(n,)),), {})", "n=-1", "column 23: a stride must be an int >= 0" },
		{ "((T([2], f32, offset=n),), {})", "n=-1", "column 22: an offset must be an int >= 0" },
		{ "((T([n], f32, data=[1, 2]),), {})", "n=3", "column 20: 2 data do not fill the shape" },
		{ "((T([2], f32, data=n),), {})", "n=3", "column 20: data must be a list, not an int" },
		{ "((T([2], f32, data=[n, 1]),), {})", "n='x'",
		  "column 20: data is a flat list of numbers, this is a string" },
		{ "((T([2], c64, conj=c),), {})", "c=1", "column 20: conj= and neg= are True or False" },
		{ "((T([2], f32, fill=how),), {})", "how='normal('", "column 8: expected a value, found the end" },
		{ "((T([2], f32, fill=how),), {})", "how='a b'",
		  "column 3: expected the end after a fill, found 'b'" },
		{ "((1,), {}) seed=n", "n=1", "column 17: expected an unsigned integer, found 'n'" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECK_STR(expand(&a, t[i].line, t[i].grid), t[i].want);
	ay_arena_release(&a);
}

TEST(grid_count)
{
	static const struct {
		const char *grid;
		int64_t n;
	} t[] = {
		{ NULL, 1 },      { "", 1 }, { "a=1", 1 }, { "a=1|2|3 b=1|2", 6 }, { "a=1|2 ; b=1|2|3 ; c=4", 6 },
		{ "a=1||2", -1 },
	};
	struct ay_arena a = { 0 };
	struct ay_str b = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };

		CHECKF(ay_grid_count(&a, t[i].grid, &err) == t[i].n, "%s: %s", t[i].grid, err.msg);
		CHECK((t[i].n < 0) == (err.code == AY_ERR_PARSE));
	}
	for (int i = 0; i < 63; i++)
		ay_str_addf(&b, "a%d=1|2 ", i);
	CHECK(ay_grid_count(&a, b.s, &(struct ay_err){ 0 }) == -1);
	ay_str_add(&b, "x=1 y=2");
	struct ay_err err = { 0 };

	CHECK(ay_grid_count(&a, b.s, &err) == -1);
	CHECKF(strstr(err.msg, "more than 64"), "%s", err.msg);
	ay_str_release(&b);
	ay_arena_release(&a);
}

TEST(grid_stops_when_told)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_template *t;
	struct sink k = { .a = &a, .err = &err, .stop_at = 3 };

	CHECK(!ay_template_parse(&a, "((n,), {})", &t, &err));
	k.t = t;
	CHECK(ay_grid_each(&a, "n=1|2 ; n=3|4 ; n=5", add_case, &k, &err) == 7);
	CHECK_STR(ay_str_text(&k.out), "((1,), {})\n((2,), {})\n((3,), {})\n");
	ay_str_release(&k.out);
	ay_arena_release(&a);
}

TEST(grid_fill_alone)
{
	struct ay_arena a = { 0 };
	struct ay_scope s = { .find = find };
	struct ay_err err = { 0 };
	struct ay_fill f;

	CHECK(!ay_fill_parse(&a, "index(twice(answer), 1.5)", 25, &s, &f, &err));
	CHECK_STR(f.name, "index");
	CHECK(f.n == 2 && f.arg[0].kind == AY_V_INT && f.arg[0].i == 84 && f.arg[1].f == 1.5);
	CHECK(!ay_fill_parse(&a, "perm", 4, NULL, &f, &err));
	CHECK(!strcmp(f.name, "perm") && !f.n);
	CHECK(ay_fill_parse(&a, "perm,", 5, NULL, &f, &err) == -1);
	CHECK_STR(err.msg, "column 5: expected the end after a fill, found ','");
	ay_err_clear(&err);
	CHECK(ay_fill_parse(&a, "index(missed)", 13, NULL, &f, &err) == -1);
	CHECK_STR(err.msg, "column 7: nothing here is called 'missed'");
	ay_arena_release(&a);
}
