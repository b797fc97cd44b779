/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/libtorch.h"
#include "base/file.h"

#include <string.h>

extern const char ay_baseline_libtorch[];

/* --- what crosses -------------------------------------------------------------------------------------------- */

/* The functions of baselines/torch_abi.h that convert a parameter to a word: for one value, and
 * for a list. */
static const struct {
	const char *one, *list;
} makers[] = {
	[AY_TYPE_TENSOR] = { "of_tensor", "of_tensors" },
	[AY_TYPE_INT] = { "of_int", "of_ints" },
	[AY_TYPE_SYMINT] = { "of_int", "of_ints" },
	[AY_TYPE_FLOAT] = { "of_double", "of_doubles" },
	[AY_TYPE_BOOL] = { "of_bool", "of_bools" },
	[AY_TYPE_STR] = { "of_text", NULL },
	[AY_TYPE_DTYPE] = { "of_dtype", NULL },
	[AY_TYPE_LAYOUT] = { "of_int", NULL },
	[AY_TYPE_FORMAT] = { "of_int", NULL },
	[AY_TYPE_DEVICE] = { "of_device", NULL },
	[AY_TYPE_TVAR] = { NULL, NULL },
};

static const char *maker_of(const struct ay_stype *t)
{
	if (t->elem_optional)
		return t->base == AY_TYPE_TENSOR && t->list ? "of_some_tensors" : NULL;
	return t->list ? makers[t->base].list : makers[t->base].one;
}

static bool comes_back(const struct ay_stype *t)
{
	return !t->list && !t->optional &&
	       (t->base == AY_TYPE_TENSOR || t->base == AY_TYPE_INT || t->base == AY_TYPE_SYMINT ||
		t->base == AY_TYPE_FLOAT || t->base == AY_TYPE_BOOL);
}

/* Returns true if the results arrive correctly. Several results that are not all tensors arrive in
 * the wrong order (pytorch #186920). */
static bool results_cross(const struct ay_schema *s)
{
	int tensors = 0;

	for (int r = 0; r < s->nret; r++) {
		if (!comes_back(&s->ret[r].type))
			return false;
		tensors += s->ret[r].type.base == AY_TYPE_TENSOR;
	}
	return s->nret == 1 || tensors == s->nret;
}

bool ay_libtorch_takes(const struct ay_schema *s)
{
	for (int i = 0; i < s->narg; i++)
		if (!maker_of(&s->arg[i].type))
			return false;
	return !strcmp(s->ns, "aten") && results_cross(s);
}

/* --- the function -------------------------------------------------------------------------------------------- */

/* Returns true if the parameter is a pointer to its value, because the schema allows None. */
static bool is_cell(const struct ay_param *q, const struct ay_stype *t)
{
	return t->optional && !t->list &&
	       (q->kind == AY_PARAM_I64_P || q->kind == AY_PARAM_F64_P || q->kind == AY_PARAM_BOOL_P ||
		q->kind == AY_PARAM_DEVICE_P);
}

static void print_word(struct ay_str *b, const struct ay_proto *p, int at)
{
	const struct ay_param *q = &p->param[at];
	const struct ay_stype *t = &p->s->arg[q->arg].type;
	const char *cast = q->kind == AY_PARAM_TENSORS_W ? "(const ay_tensor *const *)" : is_cell(q, t) ? "*" : "";

	ay_str_addf(b, "\tv[%d] = ", q->arg);
	if (t->optional) /* None is a null pointer, or a number below zero */
		ay_str_addf(b, "%s%s ? 0 : some(", q->name, q->kind == AY_PARAM_I32 ? " < 0" : " == NULL");
	ay_str_addf(b, "%s(%s%s", maker_of(t), cast, q->name);
	if (t->list)
		ay_str_addf(b, ", %s", p->param[at + 1].name);
	ay_str_add(b, t->optional ? "));\n" : ");\n");
}

static const struct ay_param *result_param(const struct ay_proto *p, int ret)
{
	for (int i = 0; i < p->n; i++)
		if (p->param[i].ret == ret && p->param[i].kind != AY_PARAM_COUNT)
			return &p->param[i];
	return NULL; /* the result is one of the arguments, which is written */
}

static void print_results(struct ay_str *b, const struct ay_proto *p)
{
	for (int r = 0; r < p->s->nret; r++) {
		const struct ay_param *q = result_param(p, r);

		if (p->s->ret[r].type.base == AY_TYPE_TENSOR)
			ay_str_addf(b, "\tgive_up(v[%d], %s);\n", r, q ? q->name : "NULL");
		else if (p->s->ret[r].type.base == AY_TYPE_FLOAT)
			ay_str_addf(b, "\t*%s = to_double(v[%d]);\n", q->name, r);
		else if (p->s->ret[r].type.base == AY_TYPE_BOOL)
			ay_str_addf(b, "\t*%s = v[%d] & 1;\n", q->name, r);
		else
			ay_str_addf(b, "\t*%s = (int64_t)v[%d];\n", q->name, r);
	}
}

static void print_call(struct ay_str *b, const struct ay_proto *p)
{
	const struct ay_param *first = result_param(p, 0);

	if (first && p->s->ret[0].type.base == AY_TYPE_TENSOR)
		ay_str_addf(b, "\tbegin(%s);\n", first->name);
	for (int i = 0; i < p->n; i++)
		if (p->param[i].arg >= 0 && p->param[i].kind != AY_PARAM_COUNT)
			print_word(b, p, i);
	ay_str_addf(b, "\tif (failed || call(\"%s::%s\", \"%s\", v))\n\t\treturn verdict(1);\n", p->s->ns,
		    p->s->base, p->s->overload);
	print_results(b, p);
}

static void print_least(struct ay_str *b, const struct ay_proto *p)
{
	for (int i = 0; i < p->n; i++) {
		if (p->param[i].kind != AY_PARAM_TENSOR && p->param[i].kind != AY_PARAM_TENSOR_W)
			continue;
		ay_str_addf(b, "\tif (!%s)\n\t\treturn AY_OK;\n\tv[0] = of_tensor(%s);\n", p->param[i].name,
			    p->param[i].name);
		ay_str_add(b, "\tif (failed || call(\"aten::detach\", \"\", v))\n\t\treturn verdict(1);\n"
			      "\tgive_up(v[0], NULL);\n");
		return;
	}
}

static void print_string(struct ay_str *b, const char *name, const char *s)
{
	ay_str_addf(b, "#define %s \"", name);
	for (; *s; s++)
		ay_str_addf(b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
	ay_str_add(b, "\"\n");
}

const char *ay_libtorch_cuda(struct ay_arena *a, const char *library)
{
	const char *name = ay_file_basename(library);
	const char *path = ay_sprintf(a, "%.*slibtorch_cuda.so", (int)(name - library), library);

	return ay_file_exists(path) ? path : NULL;
}

const char *ay_libtorch_source(struct ay_arena *a, const struct ay_proto *p, enum ay_libtorch what,
			       const char *library, const char *cuda)
{
	struct ay_str b = { 0 };
	const char *text;

	print_string(&b, "LIBTORCH", library);
	if (cuda)
		print_string(&b, "LIBTORCH_CUDA", cuda);
	ay_str_add(&b, what == AY_LIBTORCH_JUDGED ? "#define COPY\n" : "");
	ay_str_add(&b, ay_baseline_libtorch);
	ay_str_addc(&b, '\n');
	ay_proto_print(&b, p);
	b.s[--b.len] = 0; /* removes the semicolon */
	ay_str_add(&b, "\n{\n\tword v[WORDS] = { 0 };\n\n\tif (!ready(ctx))\n\t\treturn NO_LIBRARY;\n");
	if (what == AY_LIBTORCH_LEAST)
		print_least(&b, p);
	else
		print_call(&b, p);
	ay_str_add(&b, "\treturn verdict(0);\n}\n");
	text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

const char *const *ay_libtorch_folders(struct ay_arena *a, const char *const *python)
{
	const char **all;
	int n = 0;

	while (python[n])
		n++;
	all = AY_NEW_N(a, const char *, n + 3);
	memcpy(all, python, sizeof *all * (size_t)n);
	all[n++] = "/sys/devices/system/cpu";
	all[n] = "/proc/cpuinfo"; /* for jails without a /proc of their own */
	return all;
}
