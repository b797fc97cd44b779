/* SPDX-License-Identifier: Apache-2.0
 *
 * new-op - makes the file of a new operator. The file compiles, but its tests fail until its
 * description is written.
 */
#include "cmd.h"
#include "base/file.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay new-op NAMESPACE::NAME",
	"Writes ops/FOLDER/NAME.c below the current folder (the top of assay's own tree): an operator that "
	"compiles, with\n"
	"edges for cases, and whose test fails until its .doc is written. CONTRIBUTING.md has the rest of the "
	"recipe.",
	"  assay new-op aten::frac\n"
	"  assay new-op vllm13::rms_norm\n",
	.most = OPERANDS_ANY,
};

/* The new file: @N is the name, @B the schema's namespace and name. It is one text, so that it
 * reads like the result. The reference is NAME_ref, because many operators have names of C
 * functions or macros (trunc, exp). */
static const char template[] =
	"/* SPDX-License-Identifier: Apache-2.0\n"
	" *\n"
	" * out = self: write the formula here, and why the error weights are what they are.\n"
	" */\n"
	"#include \"op/op.h\"\n"
	"\n"
	"/* Rows [lo, hi) of the output; without .rows every element is a row. */\n"
	"static void @N_ref(struct ay_ref *r)\n"
	"{\n"
	"\tconst num *x = ay_load_flat(r, ay_t(r->c, \"self\"), 0);\n"
	"\n"
	"\tfor (int64_t i = r->lo; i < r->hi; i++) {\n"
	"\t\t/* num is complex too: what has no complex form (trunc, fmod) is applied to re(x[i - r->lo]) */\n"
	"\t\tnum v = x[i - r->lo];\n"
	"\n"
	"\t\t*ay_val(r, 0, i, 0) = v;\n"
	"\t\t*ay_mag(r, 0, i, 0) = (double)fabs(v); /* what an honest kernel may be off by, in units of u */\n"
	"\t}\n"
	"}\n"
	"\n"
	"/* Drop this, and .accepts, if it is defined for complex numbers. */\n"
	"static int accepts(const struct ay_call *c, struct ay_err *err)\n"
	"{\n"
	"\tenum ay_dt dt = ay_t(c, \"self\")->dt;\n"
	"\n"
	"\treturn ay_dt_is_complex(dt) ? ay_fail(err, AY_ERR_BIND, \"@N is not defined for %s\", "
	"ay_dt_info(dt)->name) : 0;\n"
	"}\n"
	"\n"
	"static void cost(const struct ay_call *c, struct ay_cost *k)\n"
	"{\n"
	"\tk->flops = (double)ay_numel_of(ay_t(c, \"self\"));\n"
	"\tk->bytes = -1; /* each tensor once */\n"
	"}\n"
	"\n"
	"/* clang-format off */\n"
	"const struct ay_op ay_ops_@N[] = {{\n"
	"\t.schemas   = AY_SCHEMAS(\"@B(Tensor self) -> Tensor\"),\n"
	"\t.doc       = \"\", /* what it computes, so that a kernel can be written from it; the test waits for "
	"this */\n"
	"\t.cases     = {\n"
	"\t\t{ \"((T(s, dt),), {})\", \"dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]\", AY_QUICK },\n"
	"\t\t{ \"((T([257], dt, fill=special),), {})\", \"dt=f32|f16|bf16\", AY_QUICK },\n"
	"\t\t{ \"((T([8, 33], dt, stride=(66, 2), offset=3),), {})\", \"dt=f32|f16|bf16\", AY_QUICK },\n"
	"\t\t{ \"((T(s, dt),), {})\", \"dt=f32|f16|bf16 s=[1024, 1024]\", AY_FULL },\n"
	"\t\t{ \"((T(s, dt),), {})\", \"dt=f32|bf16 s=[4096, 4096]\", AY_PERF },\n"
	"\t},\n"
	"\t/* what else may vary: drawn.h has shape(), dim() and more */\n"
	"\t.vary      = {{ \"((T(s, dt),), {})\", \"s=shape() dt=f32|f16|bf16|f64\" }},\n"
	"\t.accepts   = accepts,\n"
	"\t.reference = @N_ref,\n"
	"\t.cost      = cost,\n"
	"\t.flags     = AY_ALIAS_SAFE@E,\n"
	"}, {0}};\n";

static const struct {
	const char *ns, *folder, *flag;
} folders[] = {
	{ "aten", "aten", "" },
	{ "cublas", "cublas", "" },
	{ "vllm13", "vllm", "" },
};

static void write_template(struct ay_str *b, const char *name, const char *full, const char *flag)
{
	for (const char *p = template; *p; p++) {
		if (*p != '@') {
			ay_str_addc(b, *p);
			continue;
		}
		p++;
		ay_str_add(b, *p == 'N' ? name : *p == 'B' ? full : flag);
	}
}

static bool is_name(const char *s)
{
	if (isdigit((unsigned char)*s) || !*s)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

int cmd_new_op(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	const struct opt opts[] = { { 0 } };
	int n = opt_parse(argc, argv, opts, &usage, err);
	const char *folder = "extra", *flag = " | AY_EXTRA", *name, *path;
	struct ay_str b = { 0 };
	char *ns;
	int rc;

	if (n < 0)
		return opt_status(n);
	name = n == 1 ? strstr(argv[0], "::") : NULL;
	if (!name)
		return ay_fail(err, AY_ERR_USAGE, "new-op: name one operator, as in aten::frac"), EXIT_FAILED;
	ns = ay_strndup(app->arena, argv[0], (size_t)(name - argv[0]));
	name += 2;
	if (!is_name(ns) || !is_name(name))
		return ay_fail(err, AY_ERR_USAGE, "'%s' is no name: letters, digits and underscores only",
			       argv[0]),
		       EXIT_FAILED;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (!strcmp(folders[i].ns, ns)) {
			folder = folders[i].folder;
			flag = folders[i].flag;
		}
	}
	path = ay_sprintf(app->arena, "ops/%s/%s.c", folder, name);
	if (!ay_file_exists("ops/aten"))
		return ay_fail(err, AY_ERR_USAGE,
			       "there is no folder ops/ here; run this at the top of assay's own tree"),
		       EXIT_FAILED;
	for (int i = 0; i < app->registry->n; i++)
		if (!strcmp(app->registry->op[i].name, argv[0]))
			return ay_fail(err, AY_ERR_USAGE, "%s is there already: %s", argv[0],
				       app->registry->op[i].path),
			       EXIT_FAILED;
	if (ay_file_exists(path))
		return ay_fail(err, AY_ERR_USAGE, "%s exists already", path), EXIT_FAILED;
	write_template(&b, name, argv[0], flag);
	rc = ay_file_write(path, b.s, b.len, err);
	ay_str_release(&b);
	if (rc)
		return EXIT_FAILED;
	printf("%s\nNow write its formula, schema, cases and .doc, then: make check T=ops\n", path);
	return EXIT_PASSED;
}
