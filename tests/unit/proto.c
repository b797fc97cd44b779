/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/process.h"
#include "op/proto.h"
#include "test.h"

#include <jansson.h>
#include <string.h>

static struct ay_proto *proto_of(struct ay_arena *a, const char *text)
{
	struct ay_schema *s;
	struct ay_proto *p;
	struct ay_err err = { 0 };

	if (ay_schema_parse(a, text, &s, &err) || ay_proto_make(a, s, &p, &err)) {
		CHECKF(false, "%s: %s", text, err.msg);
		return NULL;
	}
	return p;
}

static void check_proto(const char *schema, const char *want)
{
	struct ay_arena a = { 0 };
	struct ay_str b = { 0 };
	struct ay_proto *p = proto_of(&a, schema);

	if (p) {
		ay_proto_print(&b, p);
		CHECK_STR(ay_str_text(&b), want);
	}
	ay_str_release(&b);
	ay_arena_release(&a);
}

TEST(proto_follows_the_schema)
{
	check_proto("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
		    "int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, "
		    "ay_tensor *out, "
		    "const ay_ctx *ctx);");
	check_proto(
		"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
		"int aten_add_out(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out, "
		"const ay_ctx *ctx);");
	check_proto("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
		    "int aten_add__Tensor(ay_tensor *self, const ay_tensor *other, ay_scalar alpha, const ay_ctx "
		    "*ctx);");
	check_proto(
		"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
		"int aten_sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values, "
		"ay_tensor *indices, const ay_ctx *ctx);");
	check_proto(
		"aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
		"Tensor(a!)",
		"int aten_index_put_(ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices, "
		"const ay_tensor *values, bool accumulate, const ay_ctx *ctx);");
	check_proto("aten::item(Tensor self) -> Scalar",
		    "int aten_item(const ay_tensor *self, ay_scalar *out, const ay_ctx *ctx);");
	check_proto("t::two(Tensor self) -> (Tensor, Tensor)",
		    "int t_two(const ay_tensor *self, ay_tensor *out0, ay_tensor *out1, const ay_ctx *ctx);");
	check_proto("t::batch(Tensor(a!)[] c, float[]? scale=None, Generator? generator=None) -> ()",
		    "int t_batch(ay_tensor *const *c, int64_t n_c, const double *scale, int64_t n_scale, "
		    "const ay_rng *generator, const ay_ctx *ctx);");
}

TEST(proto_names_compile_everywhere)
{
	check_proto("t::odd(Tensor out, int ctx, int double, float this, bool n_size, int[] size) -> Tensor",
		    "int t_odd(const ay_tensor *out, int64_t ctx_, int64_t double_, double this_, bool n_size, "
		    "const int64_t *size, int64_t n_size_, ay_tensor *out_, const ay_ctx *ctx);");
}

TEST(proto_refuses_what_has_no_type_in_c)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_schema *s;
	struct ay_proto *p;

	CHECK(!ay_schema_parse(&a, "aten::add.t(t[] a, t[] b) -> t[]", &s, &err));
	CHECK(ay_proto_make(&a, s, &p, &err) && err.code == AY_ERR_BIND && strstr(err.msg, "'a'"));
	ay_arena_release(&a);
}

static void check_python(const char *schema, const char *want)
{
	struct ay_arena a = { 0 };
	struct ay_str b = { 0 };
	struct ay_schema *s;
	struct ay_err err = { 0 };

	CHECKF(!ay_schema_parse(&a, schema, &s, &err), "%s", err.msg);
	ay_proto_python(&b, s);
	CHECK_STR(ay_str_text(&b), want);
	ay_str_release(&b);
	ay_arena_release(&a);
}

TEST(proto_python_line)
{
	check_python("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
		     "def add_Tensor(self, other, *, alpha=1)");
	check_python("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
		     "dtype=None) -> "
		     "Tensor",
		     "def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None)");
	check_python("aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> "
		     "Tensor(a!)",
		     "def random__from(self, from_, to, *, generator=None)");
	/* torch's objects, whether the schema uses ATen's own text or the numbers that torch
	 * prints */
	check_python(
		"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
		"def contiguous(self, *, memory_format=torch.contiguous_format)");
	check_python("aten::clone(Tensor self, *, MemoryFormat? memory_format=2, Layout layout=0) -> Tensor",
		     "def clone(self, *, memory_format=torch.channels_last, layout=torch.strided)");
	check_python(
		"aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
		"Device? device=None, ScalarType? to=long) -> Tensor",
		"def tril_indices(row, col, offset=0, *, dtype=torch.int64, layout=None, device=None, "
		"to=torch.int64)");
}

/* --- the whole catalogue ---------------------------------------------------------------------- */

static bool has_tensor(const struct ay_schema *s)
{
	for (int i = 0; i < s->narg + s->nret; i++)
		if (ay_stype_is_tensor(i < s->narg ? &s->arg[i].type : &s->ret[i - s->narg].type))
			return true;
	return false;
}

/* All schemas that take or return a tensor. These are more than kernels are judged for (named
 * dimensions). */
static int catalogue(struct ay_arena *a, const struct ay_proto **list, int cap)
{
	json_error_t je;
	json_t *root = json_load_file(test_shared("reference/catalogue.json"), 0, &je), *op, *text;
	size_t i, k;
	int n = 0;

	CHECK(root != NULL);
	json_array_foreach(json_object_get(root, "operators"), i, op)
	{
		json_array_foreach(json_object_get(op, "overloads"), k, text)
		{
			struct ay_err err = { 0 };
			struct ay_schema *s;
			struct ay_proto *p;

			if (ay_schema_parse(a, json_string_value(text), &s, &err) || !has_tensor(s))
				continue;
			CHECKF(!ay_proto_make(a, s, &p, &err), "%s: %s", json_string_value(text), err.msg);
			if (n < cap && !err.code)
				list[n++] = p;
		}
	}
	json_decref(root);
	return n;
}

static void compile(struct ay_arena *a, const char *cc, const char *file, const char *text,
		    const char *const *flags)
{
	const char *path = ay_sprintf(a, "%s/%s", test_dir(), file), *argv[16] = { cc };
	struct ay_run_spec spec = { .argv = argv, .timeout_s = 100, .output_max = 2000 };
	struct ay_run_result res;
	struct ay_err err = { 0 };
	int n = 1;

	while (*flags)
		argv[n++] = *flags++;
	argv[n++] = "-Iinclude";
	argv[n++] = "-c";
	argv[n++] = "-o";
	argv[n++] = "/dev/null";
	argv[n++] = path;
	argv[n] = NULL;
	CHECKF(!ay_file_write(path, text, strlen(text), &err) && !ay_process_run(&spec, &res, &err), "%s",
	       err.msg);
	CHECKF(!res.status, "%s %s %s: %s", cc, flags[-1], file, ay_str_text(&res.output));
	ay_str_release(&res.output);
}

TEST(proto_catalogue_compiles)
{
	static const char *const c99[] = { "-std=c99", "-pedantic", "-Wall", "-Werror", NULL };
	static const char *const c11[] = { "-std=gnu11", "-Wall", "-Werror", NULL };
	static const char *const cxx[] = { "-std=c++17", "-Wall", "-Werror", NULL };
	static const char *const ccs[] = { "gcc", "clang-14", "clang" }, *const cxxs[] = { "g++", "clang++-14" };
	const struct ay_proto *list[600];
	struct ay_arena a = { 0 };
	struct ay_str protos = { 0 }, glue = { 0 }, libc = { 0 };
	int n = catalogue(&a, list, 600), tried = 0;

	CHECKF(n == 288, "%d schemas with tensors", n);
	ay_str_add(&protos, "#include <assay/kernel.h>\n");
	for (int i = 0; i < n; i++) {
		ay_proto_print(&protos, list[i]);
		ay_str_addc(&protos, '\n');
	}
	ay_proto_glue(&glue, n, list);
	ay_str_add(&libc, "#define _GNU_SOURCE\n#include <complex.h>\n#include <errno.h>\n#include "
			  "<math.h>\n#include <sched.h>\n"
			  "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n");
	ay_str_add(&libc, ay_str_text(&glue));
	for (size_t i = 0; i < sizeof ccs / sizeof *ccs; i++) {
		const char *cc = ay_file_program(&a, ccs[i]);

		if (!cc)
			continue;
		tried++;
		compile(&a, cc, "c99.c", ay_str_text(&protos), c99);
		compile(&a, cc, "glue.c", ay_str_text(&glue), c99);
		compile(&a, cc, "libc.c", ay_str_text(&libc), c11);
	}
	for (size_t i = 0; i < sizeof cxxs / sizeof *cxxs; i++) {
		const char *cc = ay_file_program(&a, cxxs[i]);

		if (cc)
			compile(&a, cc, "glue.cc", ay_str_text(&glue), cxx);
	}
	CHECK(tried > 0);
	ay_str_release(&protos);
	ay_str_release(&glue);
	ay_str_release(&libc);
	ay_arena_release(&a);
}
