/* SPDX-License-Identifier: Apache-2.0 */
#include "op/proto.h"

#include <ctype.h>
#include <string.h>

/* clang-format off */
static const char *const c_type[] = {
#define P(name, c) c,
	AY_PARAMS(P)
#undef P
};

/* Words that cannot name a parameter in C or C++, including macros of headers that
 * kernels include. */
static const char reserved[] =
	" alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl"
	" concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default"
	" delete do double dynamic_cast else enum errno explicit export extern false float for friend goto I if inline int"
	" linux long mutable namespace new noexcept not not_eq NULL nullptr operator or or_eq private protected public"
	" register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast stderr"
	" stdin stdout struct switch template this thread_local throw true try typedef typeid typename typeof union unix"
	" unsigned using virtual void volatile wchar_t while xor xor_eq ";
/* clang-format on */

bool ay_param_is_pointer(enum ay_param_kind k)
{
	size_t n = strlen(c_type[k]);

	return c_type[k][n - 1] == '*';
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_reserved(const char *name)
{
	size_t n = strlen(name);

	for (const char *at = reserved; (at = strstr(at, name)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

static bool is_taken(const struct ay_proto *p, const char *name)
{
	for (int i = 0; i < p->n; i++)
		if (!strcmp(p->param[i].name, name))
			return true;
	return !strcmp(name, "ctx"); /* the last parameter, which keeps its name */
}

static void add(struct ay_arena *a, struct ay_proto *p, enum ay_param_kind kind, int arg, int ret,
		const char *name)
{
	while (is_reserved(name) || is_taken(p, name))
		name = ay_sprintf(a, "%s_", name);
	p->param[p->n++] = (struct ay_param){ .kind = kind, .arg = arg, .ret = ret, .name = name };
}

const char *ay_proto_symbol(struct ay_arena *a, const struct ay_schema *s)
{
	char *sym = s->overload[0] ? ay_sprintf(a, "%s_%s_%s", s->ns, s->base, s->overload)
				   : ay_sprintf(a, "%s_%s", s->ns, s->base);

	for (char *c = sym; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return sym;
}

/* --- from types to parameters ----------------------------------------------------------------- */

/* The kinds for one base type: plain, optional, list; -1 = does not exist. */
struct forms {
	int plain, optional, list;
};

static struct forms forms_of(enum ay_type base, bool written)
{
	switch (base) {
	case AY_TYPE_TENSOR:
		return written ? (struct forms){ AY_PARAM_TENSOR_W, AY_PARAM_TENSOR_W, AY_PARAM_TENSORS_W }
			       : (struct forms){ AY_PARAM_TENSOR, AY_PARAM_TENSOR, AY_PARAM_TENSORS };
	case AY_TYPE_INT:
	case AY_TYPE_SYMINT: return (struct forms){ AY_PARAM_I64, AY_PARAM_I64_P, AY_PARAM_I64_P };
	case AY_TYPE_FLOAT: return (struct forms){ AY_PARAM_F64, AY_PARAM_F64_P, AY_PARAM_F64_P };
	case AY_TYPE_BOOL: return (struct forms){ AY_PARAM_BOOL, AY_PARAM_BOOL_P, AY_PARAM_BOOL_P };
	case AY_TYPE_COMPLEX:
	case AY_TYPE_SCALAR: return (struct forms){ AY_PARAM_SCALAR, AY_PARAM_SCALAR_P, AY_PARAM_SCALARS };
	case AY_TYPE_STR: return (struct forms){ AY_PARAM_STR, AY_PARAM_STR, AY_PARAM_STRS };
	case AY_TYPE_DTYPE:
	case AY_TYPE_LAYOUT:
	case AY_TYPE_FORMAT: return (struct forms){ AY_PARAM_I32, AY_PARAM_I32, -1 };
	case AY_TYPE_DEVICE: return (struct forms){ AY_PARAM_DEVICE, AY_PARAM_DEVICE_P, -1 };
	case AY_TYPE_GENERATOR: return (struct forms){ AY_PARAM_RNG, AY_PARAM_RNG, -1 };
	case AY_TYPE_ENUM:
	case AY_TYPE_TVAR: break;
	}
	return (struct forms){ -1, -1, -1 };
}

static int arg_kind(const struct ay_stype *t)
{
	struct forms f = forms_of(t->base, ay_stype_written(t));

	if (t->elem_optional && t->base != AY_TYPE_TENSOR)
		return -1;
	return t->list ? f.list : t->optional ? f.optional : f.plain;
}

static int ret_kind(const struct ay_stype *t)
{
	if (t->base == AY_TYPE_TENSOR)
		return t->list ? AY_PARAM_TENSORS_W : AY_PARAM_TENSOR_W;
	if (t->list || t->optional)
		return -1;
	switch (t->base) {
	case AY_TYPE_SCALAR:
	case AY_TYPE_COMPLEX: return AY_PARAM_SCALAR_OUT;
	case AY_TYPE_INT:
	case AY_TYPE_SYMINT: return AY_PARAM_I64_OUT;
	case AY_TYPE_FLOAT: return AY_PARAM_F64_OUT;
	case AY_TYPE_BOOL: return AY_PARAM_BOOL_OUT;
	default: return -1;
	}
}

static int add_arg(struct ay_arena *a, struct ay_proto *p, int i, struct ay_err *err)
{
	const struct ay_sarg *s = &p->s->arg[i];
	int kind = arg_kind(&s->type);

	if (kind < 0)
		return ay_fail(err, AY_ERR_BIND, "%s: no kernel can take the argument '%s': it has no type in C",
			       p->symbol, s->name);
	add(a, p, (enum ay_param_kind)kind, i, -1, s->name);
	if (s->type.list)
		add(a, p, AY_PARAM_COUNT, i, -1, ay_sprintf(a, "n_%s", p->param[p->n - 1].name));
	return 0;
}

static int add_ret(struct ay_arena *a, struct ay_proto *p, int r, int place, int unnamed, struct ay_err *err)
{
	const struct ay_sarg *s = &p->s->ret[r];
	int kind = ret_kind(&s->type);
	const char *name = s->name ? s->name : unnamed == 1 ? "out" : ay_sprintf(a, "out%d", place);

	if (kind < 0)
		return ay_fail(err, AY_ERR_BIND, "%s: no kernel can give result %d: it has no type in C",
			       p->symbol, r);
	add(a, p, (enum ay_param_kind)kind, -1, r, name);
	if (s->type.list)
		add(a, p, AY_PARAM_COUNT, -1, r, ay_sprintf(a, "n_%s", p->param[p->n - 1].name));
	return 0;
}

int ay_proto_make(struct ay_arena *a, const struct ay_schema *s, struct ay_proto **out, struct ay_err *err)
{
	struct ay_proto *p = AY_NEW(a, struct ay_proto);
	int unnamed = 0, place = 0;

	p->s = s;
	p->symbol = ay_proto_symbol(a, s);
	p->param = AY_NEW_N(a, struct ay_param, 2 * (s->narg + s->nret) + 1);
	for (int i = 0; i < s->narg; i++)
		if (add_arg(a, p, i, err))
			return -1;
	for (int r = 0; r < s->nret; r++)
		unnamed += ay_schema_ret_arg(s, r) < 0;
	for (int r = 0; r < s->nret; r++)
		if (ay_schema_ret_arg(s, r) < 0 && add_ret(a, p, r, place++, unnamed, err))
			return -1;
	p->param[p->n++] = (struct ay_param){ .kind = AY_PARAM_CTX, .arg = -1, .ret = -1, .name = "ctx" };
	*out = p;
	return 0;
}

/* --- printing --------------------------------------------------------------------------------- */

static void print_params(struct ay_str *b, const struct ay_proto *p)
{
	for (int i = 0; i < p->n; i++)
		ay_str_addf(b, "%s%s%s", i ? ", " : "", c_type[p->param[i].kind], p->param[i].name);
}

void ay_proto_print(struct ay_str *b, const struct ay_proto *p)
{
	ay_str_addf(b, "int %s(", p->symbol);
	print_params(b, p);
	ay_str_add(b, ");");
}

/* Prints "static int call_X(void *const *v)". It calls X through `callee` followed by X, a function
 * or a pointer. If `after` is not "", the return value is passed through that function. */
static void print_caller(struct ay_str *b, const struct ay_proto *p, const char *callee, const char *after)
{
	ay_str_addf(b, "static int ay_call_%s(void *const *v)\n{\n\treturn %s(%s%s(", p->symbol, after, callee,
		    p->symbol);
	for (int i = 0; i < p->n; i++) {
		const char *type = c_type[p->param[i].kind];

		if (ay_param_is_pointer(p->param[i].kind))
			ay_str_addf(b, "%s(%s)v[%d]", i ? ", " : "", type, i);
		else
			ay_str_addf(b, "%s*(%s*)v[%d]", i ? ", " : "", type, i);
	}
	ay_str_add(b, "));\n}\n");
}

static void print_entry(struct ay_str *b, const struct ay_proto *p, const char *callee)
{
	ay_str_addf(b, "\tif (%s%s && n < cap) {\n\t\tnames[n] = \"%s\";\n\t\tcalls[n++] = ay_call_%s;\n\t}\n",
		    callee, p->symbol, p->symbol, p->symbol);
}

static const char entries_head[] =
	"int ay_glue_entries(const char **names, int (**calls)(void *const *), int cap);\n"
	"int ay_glue_entries(const char **names, int (**calls)(void *const *), int cap)\n{\n\tint n = 0;\n\n";

static void print_glue(struct ay_str *b, int n, const struct ay_proto *const *p, const char *before,
		       const char *after)
{
	ay_str_add(b, "#include <assay/kernel.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (int i = 0; i < n; i++) {
		ay_str_add(b, "__attribute__((weak)) ");
		ay_proto_print(b, p[i]);
		ay_str_addc(b, '\n');
	}
	ay_str_add(b, before);
	for (int i = 0; i < n; i++)
		print_caller(b, p[i], "", after);
	ay_str_add(b, entries_head);
	ay_str_add(b, "\t(void)names, (void)calls, (void)cap;\n");
	for (int i = 0; i < n; i++)
		print_entry(b, p[i], "");
	ay_str_add(b, "\treturn n;\n}\n#ifdef __cplusplus\n}\n#endif\n");
}

void ay_proto_glue(struct ay_str *b, int n, const struct ay_proto *const *p)
{
	print_glue(b, n, p, "", "");
}

/* Many kernels do not check whether a launch has failed, but the CUDA runtime records the error. */
void ay_proto_glue_cuda(struct ay_str *b, int n, const struct ay_proto *const *p)
{
	struct ay_str launched = { 0 };

	ay_str_addf(&launched,
		    "static int ay_launched(int rc)\n{\n\tconst int e = (int)cudaGetLastError();\n\n"
		    "\treturn rc || !e ? rc : %d + e;\n}\n",
		    AY_GLUE_LAUNCH);
	print_glue(b, n, p, ay_str_text(&launched), "ay_launched");
	ay_str_release(&launched);
}

/* The object is embedded, so that an executor needs only one sealed file. */
static const char so_loader[] =
	"extern const unsigned char ay_so[], ay_so_end[];\n"
	"static void *ay_so_open(void)\n{\n"
	"\tconst unsigned char *at = ay_so;\n\tchar path[64];\n"
	"\tint fd = memfd_create(\"kernel\", MFD_CLOEXEC);\n\n"
	"\twhile (at < ay_so_end) {\n\t\tssize_t k = write(fd, at, (size_t)(ay_so_end - at));\n\n"
	"\t\tif (k <= 0)\n\t\t\treturn NULL;\n\t\tat += k;\n\t}\n"
	"\tsnprintf(path, sizeof path, \"/proc/self/fd/%d\", fd);\n"
	"\treturn dlopen(path, RTLD_NOW | RTLD_LOCAL);\n}\n";

void ay_proto_glue_so(struct ay_str *b, int n, const struct ay_proto *const *p, const char *so_file)
{
	ay_str_add(b, "#define _GNU_SOURCE\n#include <assay/kernel.h>\n#include <dlfcn.h>\n#include <stdio.h>\n"
		      "#include <sys/mman.h>\n#include <unistd.h>\n");
	ay_str_addf(b,
		    "__asm__(\".section .rodata\\n.balign 64\\n.hidden ay_so, ay_so_end\\n"
		    ".global ay_so, ay_so_end\\nay_so: .incbin \\\"%s\\\"\\nay_so_end: .byte 0\\n.text\");\n",
		    so_file);
	ay_str_add(b, so_loader);
	for (int i = 0; i < n; i++) {
		ay_str_addf(b, "static int (*ay_at_%s)(", p[i]->symbol);
		print_params(b, p[i]);
		ay_str_add(b, ");\n");
		print_caller(b, p[i], "ay_at_", "");
	}
	ay_str_add(b, entries_head);
	ay_str_add(b, "\tvoid *so = ay_so_open();\n\n\tif (!so)\n\t\treturn -1;\n");
	for (int i = 0; i < n; i++) {
		ay_str_addf(b, "\t*(void **)&ay_at_%s = dlsym(so, \"%s\");\n", p[i]->symbol, p[i]->symbol);
		print_entry(b, p[i], "ay_at_");
	}
	ay_str_add(b, "\treturn n;\n}\n");
}

/* --- Python ----------------------------------------------------------------------------------- */

static bool python_keyword(const char *name)
{
	static const char words[] =
		" False None True and as assert async await break class continue def del elif else except"
		" finally for from global if import in is lambda nonlocal not or pass raise return try"
		" while with yield ";
	size_t n = strlen(name);

	for (const char *at = words; (at = strstr(at, name)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

/* Returns the name of a layout or memory format from its code, or as the schema names it; NULL if
 * it has none. */
static const char *code_name(const char *const *names, const struct ay_value *v)
{
	if (v->kind == AY_V_SYM)
		return v->s;
	for (int64_t i = 0; v->kind == AY_V_INT && names[i]; i++)
		if (i == v->i)
			return names[i];
	return NULL;
}

/* Prints a default as Python spells it: torch.NAME where torch has an object, not the
 * schema's number. */
static void print_default(struct ay_str *b, const struct ay_sarg *s)
{
	const struct ay_value *v = s->def;
	const char *name = s->type.base == AY_TYPE_FORMAT   ? code_name(ay_format_names, v)
			   : s->type.base == AY_TYPE_LAYOUT ? code_name(ay_layout_names, v)
			   : v->kind == AY_V_DTYPE          ? ay_dt_info(v->dt)->torch
							    : NULL;

	if (name)
		ay_str_addf(b, "torch.%s", name);
	else if (v->kind == AY_V_NONE || v->kind == AY_V_BOOL || v->kind == AY_V_INT || v->kind == AY_V_LIST ||
		 v->kind == AY_V_STR || v->kind == AY_V_FLOAT || v->kind == AY_V_COMPLEX)
		ay_value_print(b, v);
	else
		ay_str_add(b, s->def_text ? s->def_text : "None");
}

void ay_proto_python(struct ay_str *b, const struct ay_schema *s)
{
	bool star = false;

	ay_str_addf(b, "def %s%s%s(", s->base, s->overload[0] ? "_" : "", s->overload);
	for (int i = 0; i < s->narg; i++) {
		const struct ay_sarg *g = &s->arg[i];

		if (i)
			ay_str_add(b, ", ");
		if (g->kwonly && !star) {
			ay_str_add(b, "*, ");
			star = true;
		}
		ay_str_addf(b, "%s%s", g->name, python_keyword(g->name) ? "_" : "");
		if (g->def) {
			ay_str_addc(b, '=');
			print_default(b, g);
		}
	}
	ay_str_addc(b, ')');
}
