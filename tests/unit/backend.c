/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "judge/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ay_arena a;

static void check_name(const char *what, const struct ay_entry_op *e, const struct ay_schema *s, const char *want)
{
	struct ay_str name = { 0 };

	if (s)
		ay_schema_name(&name, s);
	else if (e)
		ay_str_add(&name, e->name);
	CHECKF(!strcmp(ay_str_text(&name), want), "%s is %s, not %s", what,
	       *ay_str_text(&name) ? ay_str_text(&name) : "nothing", want);
	ay_str_release(&name);
}

TEST(backend_folder_names_follow_backendbench)
{
	static const char *const t[][2] = {
		{ "add__Tensor", "aten::add.Tensor" },
		{ "add___Tensor", "aten::add_.Tensor" },
		{ "relu", "aten::relu" },
		{ "add", "aten::add.Tensor" },
		{ "relu_", "aten::relu_" },
		{ "_softmax", "aten::_softmax" },
		{ "sum__dim_IntList", "aten::sum.dim_IntList" },
		{ "index_put_", "aten::index_put_" },
		{ "nothing", "" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct ay_schema *s = NULL;
		const struct ay_entry_op *e = ay_backend_folder_op(help_registry(), &a, t[i][0], &s);

		check_name(t[i][0], e, s, t[i][1]);
	}
}

TEST(backend_file_names_are_symbols_or_functions)
{
	static const char *const t[][2] = {
		{ "x/aten_add_Tensor.c", "aten::add.Tensor" },
		{ "add_Tensor.c", "aten::add.Tensor" },
		{ "add__Tensor.c", "aten::add_.Tensor" },
		{ "aten_sum__reversed.c", "aten::sum" },
		{ "aten_add_Tensor__fast_v2.c", "aten::add.Tensor" },
		{ "aten__softmax.c", "aten::_softmax" },
		{ "cublas_cublasSgemm_v2.c", "cublas::cublasSgemm_v2" },
		{ "cublasSgemm_v2.c", "cublas::cublasSgemm_v2" },
		{ "whatever.c", "" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct ay_schema *s = NULL;
		const struct ay_entry_op *e = ay_backend_file_op(help_registry(), &a, t[i][0], &s);

		check_name(t[i][0], e, s, t[i][1]);
	}
}

static void touch(const char *path)
{
	char *out;

	help_run(&a,
		 ay_sprintf(&a, "mkdir -p $(dirname %s/%s) && touch %s/%s", test_dir(), path, test_dir(), path),
		 10, &out);
}

TEST(backend_scan_says_what_it_did_not_understand)
{
	struct ay_backend b = { 0 };
	struct ay_err err = { 0 };
	int known = 0, unknown = 0;

	touch("aten_relu.c");
	touch("add__Tensor/add__Tensor_implementation_v1.c");
	touch("mystery.c");
	touch("aten_sum.cu");
	touch("relu/relu_implementation_v1.py");
	touch("sum_dim_IntList.py");
	touch("README.md");
	touch(".hidden/aten_relu.c");
	CHECKF(!ay_backend_scan(&b, &a, help_registry(), test_dir(), false, &err), "%s", err.msg);
	for (int i = 0; i < b.n; i++) {
		known += b.file[i].op != NULL;
		unknown += b.file[i].why != NULL;
	}
	CHECKF(known == 5 && unknown == 1 && b.n == 6, "%d known, %d not, %d in all", known, unknown, b.n);
	ay_backend_release(&b);
	CHECK(ay_backend_scan(&b, &a, help_registry(), "/no/such/folder", false, &err) &&
	      strstr(err.msg, "/no/such/folder"));
}

TEST(suite_names_and_files)
{
	static const char *const names[] = { "smoke", "kernelgenbench", "KernelGenBench-aten",
					     "kernelgenbench-VLLM", "kernelgenbench-cublas" };
	struct ay_err err = { 0 };
	char h[2][65];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ay_suite s = { 0 };

		CHECKF(!ay_suite_named(&s, &a, help_registry(), names[i], AY_QUICK, &err) && s.n > 10,
		       "%s: %d cases: %s", names[i], s.n, err.msg);
		ay_suite_hash(&s, h[i % 2]);
		CHECK(i == 0 || strcmp(h[0], h[1]));
		ay_suite_release(&s);
	}
	struct ay_suite s = { 0 };

	CHECK(ay_suite_named(&s, &a, help_registry(), "smoek", AY_QUICK, &err) &&
	      strstr(err.msg, "there is no suite 'smoek'"));
}

/* A trace of real models: lines for other operators are counted, bad lines are named, the rest
 * runs. */
TEST(suite_file_takes_what_it_can)
{
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };
	char path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/a.lines", test_dir());
	f = fopen(path, "w");
	CHECK(f != NULL);
	if (!f)
		return;
	fputs("# a comment\n\nOperator: aten.relu.default\ncnt: 3, ((T([4], f16),), {})\ncnt: 1, ((T([4], f16), "
	      "7), {})\n"
	      "Operator: aten.no_such_thing.default\ncnt: 1, ((T([4], f16),), {})\naten::relu((T([4], f1),), "
	      "{})\n",
	      f);
	fclose(f);
	CHECKF(!ay_suite_named(&s, &a, help_registry(), path, AY_FULL, &err), "%s", err.msg);
	CHECKF(s.n == 1 && s.uncatalogued == 1 && s.bad == 2, "%d cases, %d foreign, %d bad", s.n, s.uncatalogued,
	       s.bad);
	CHECKF(strstr(s.first_bad, "line 5"), "%s", s.first_bad);
	ay_suite_release(&s);
}

TEST(suite_real_trace_is_a_suite)
{
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	CHECKF(!ay_suite_named(&s, &a, help_registry(), test_shared("data/torchbench.trace"), AY_FULL, &err), "%s",
	       err.msg);
	/* every line is read; lines for operators of the catalogue bind, except calls that PyTorch
	 * itself would refuse */
	CHECKF(s.n > 1000 && s.uncatalogued > 5000 && s.n + s.uncatalogued + s.bad == 15568,
	       "%d cases, %d foreign, %d bad: %s", s.n, s.uncatalogued, s.bad, s.first_bad);
	CHECKF(s.bad == 0, "%d bad: %s", s.bad, s.first_bad);
	ay_suite_release(&s);
}
