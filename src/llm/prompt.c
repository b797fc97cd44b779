/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prompt.h"

#include "base/hash.h"
#include "exec/python.h"
#include "llm/prompt_internal.h"
#include "llm/prompt_quote.h"
#include "llm/prompt_template.h"
#include "op/proto.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { DOC_MAX = 6000, CASE_MAX = 300, DEPTH = 4 };

extern const uint8_t ay_embedded_kernel_h[], ay_embedded_kernel_h_end[];

#define L(id, word, name, end, label) { word, name, end, label },
static const struct {
	const char *word, *name, *end, *label;
} langs[] = { AY_PROMPT_LANGS(L) };
#undef L

const char *ay_prompt_lang_word(enum ay_prompt_lang lang)
{
	return langs[lang].word;
}

const char *ay_prompt_lang_end(enum ay_prompt_lang lang)
{
	return langs[lang].end;
}

int ay_prompt_lang_find(const char *word, enum ay_prompt_lang *lang, struct ay_err *err)
{
	for (int i = 0; i < AY_PROMPT_LANG_COUNT; i++)
		if (!strcmp(langs[i].word, word)) {
			*lang = (enum ay_prompt_lang)i;
			return 0;
		}
	return ay_fail(err, AY_ERR_USAGE, "--lang is c, cuda, python or triton, not '%s'", word);
}

const char *ay_label_of(const struct ask *q)
{
	return langs[q->s->lang].label;
}

static bool is_native(const struct ask *q)
{
	return q->s->lang == AY_PROMPT_C || q->s->lang == AY_PROMPT_CUDA;
}

static bool is_uncatalogued(const struct ask *q)
{
	return q->s->op->op[0]->flags & AY_UNCATALOGUED;
}

static bool is_own(const struct ask *q)
{
	return q->s->op->op[0]->flags & AY_OWN;
}

static bool is_asked(const struct ask *q, int k)
{
	return !q->s->only || q->s->op->schema[k] == q->s->only;
}

/* --- what it is ------------------------------------------------------------------------------- */

static int ay_put_operator(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->s->only)
		ay_schema_name(b, q->s->only);
	else
		ay_str_add(b, q->s->op->name);
	return 0;
}

static int ay_put_language(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	ay_str_add(b, langs[q->s->lang].name);
	return 0;
}

static int ay_put_label(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	ay_str_add(b, ay_label_of(q));
	return 0;
}

static int ay_put_meaning(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->s->code) {
		ay_str_add(b, "What this function computes, in Python with PyTorch:\n\n");
		ay_prompt_quote(b, "python", q->s->code, DOC_MAX);
	} else if (is_uncatalogued(q) && !is_own(q)) {
		ay_str_addf(b, "What PyTorch's operator of the name %s does.", q->s->op->name);
	} else {
		ay_op_doc_wrap(b, q->s->op->op[0]->doc, 0);
	}
	return 0;
}

static int ay_put_docstring(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (!q->s->docstring || !q->s->docstring[0])
		return 0;
	ay_str_add(b, "PyTorch's own documentation, which may speak of more than this operator takes:\n\n");
	ay_prompt_quote(b, "", q->s->docstring, DOC_MAX);
	return 0;
}

static int ay_put_schemas(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	ay_str_add(b, "```\n");
	for (int k = 0; k < q->s->op->nschema; k++)
		if (is_asked(q, k)) {
			ay_schema_print(b, q->s->op->schema[k]);
			ay_str_addc(b, '\n');
		}
	ay_str_add(b, "```\n");
	return 0;
}

/* --- what to write ---------------------------------------------------------------------------- */

/* Returns true if the function may be omitted, because the functional form is asked for too and can
 * be called in its place. */
static bool is_optional(const struct ask *q, const struct ay_schema *s)
{
	const struct ay_entry_op *owner = NULL;

	if (q->s->only || !is_native(q) || !ay_registry_functional(q->s->registry, s, &owner) || owner != q->s->op)
		return false;
	return ay_schema_out(s) || q->s->op->op[0]->flags & AY_ALIAS_SAFE;
}

static int add_functions(struct ask *q, bool optional, struct ay_str *b, int *n, struct ay_err *err)
{
	ay_str_addf(b, "```%s\n", ay_label_of(q));
	*n = 0;
	for (int k = 0; k < q->s->op->nschema; k++) {
		const struct ay_schema *s = q->s->op->schema[k];
		struct ay_proto *p;

		if (!is_asked(q, k) || is_optional(q, s) != optional)
			continue;
		if (!is_native(q)) {
			ay_proto_python(b, s);
		} else {
			if (ay_proto_make(&q->a, s, &p, err))
				return -1;
			ay_str_add(b, q->s->lang == AY_PROMPT_CUDA ? "extern \"C\" " : "");
			ay_proto_print(b, p);
		}
		ay_str_addc(b, '\n');
		++*n;
	}
	ay_str_add(b, "```\n");
	return 0;
}

static int ay_put_functions(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_str more = { 0 };
	int n, extra, rc = add_functions(q, false, b, &n, err);

	if (!rc)
		rc = add_functions(q, true, &more, &extra, err);
	if (!rc && extra)
		ay_str_addf(b,
			    "\nThese may be written too; where they are not, the one above with the same "
			    "parameters is called in "
			    "their place:\n\n%s",
			    ay_str_text(&more));
	ay_str_release(&more);
	return rc;
}

/* Quotes the declarations of kernel.h, between its first include and the conversions. */
static int ay_put_kernel_h(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	const char *text = (const char *)ay_embedded_kernel_h, *end = (const char *)ay_embedded_kernel_h_end;
	const char *from = memmem(text, (size_t)(end - text), "#include", 8);
	const char *to = memmem(text, (size_t)(end - text), "/* --- half and 8-bit floats", 28);

	(void)err;
	AY_ASSERT(from && to && from < to);
	ay_prompt_quote(b, ay_label_of(q), ay_strndup(&q->a, from, (size_t)(to - from)), (size_t)(end - text));
	return 0;
}

/* --- how it is tested, judged, timed ---------------------------------------------------------- */

static int ay_put_tested(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->page->suite.n)
		ay_op_doc_say_tested(b, q->page, AY_OP_DOC_MODEL);
	else
		ay_op_doc_wrap(
			b,
			"Calls that real models make, or PyTorch's own samples: any dtype that PyTorch takes "
			"here, small "
			"and large shapes, strided, empty and 0-dimensional tensors.",
			2);
	return 0;
}

/* Shows the first, middle and last case of each tier, because neighbours are similar. */
static int ay_put_cases(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	const struct ay_op_doc *p = q->page;
	struct ay_str line = { 0 };

	(void)err;
	if (!p->suite.n)
		return 0;
	ay_str_add(b, "\nSome of the calls (a tensor is T(shape, dtype), with strides, offset and fill where they "
		      "are special):\n\n```\n");
	for (int t = 0; t <= AY_PERF; t++)
		for (int i = 0, k = 0; i < p->suite.n; i++) {
			if ((int)p->suite.c[i].tier != t)
				continue;
			if (k == 0 || k == p->tier[t] / 2 || k == p->tier[t] - 1) {
				struct ay_case c = *p->suite.c[i].line;

				c.has_seed = false;
				c.cnt = -1;
				ay_str_clear(&line);
				ay_case_print(&line, &c);
				ay_str_add_safe(b, ay_str_text(&line), line.len, CASE_MAX);
				ay_str_addc(b, '\n');
			}
			k++;
		}
	ay_str_add(b, "```\n");
	ay_str_release(&line);
	return 0;
}

static int ay_put_bound(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	ay_op_doc_say_judged(b, q->page, AY_OP_DOC_MODEL);
	return 0;
}

static int ay_put_machine(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	(void)err;
	if (q->s->device) {
		ay_str_add(b, "It runs on ");
		ay_prompt_quote_inline(b, q->s->device, CASE_MAX);
		ay_str_add(b, ". ");
	}
	if (is_own(q)) {
		ay_str_add(b, "It is timed against a reference that calls PyTorch.");
	} else if (is_uncatalogued(q)) {
		ay_str_add(b, "It is timed against PyTorch's own.");
	} else if (!q->page->nfloor) {
		ay_str_add(b, "None of the calls above is timed.");
	} else {
		ay_str_add(b, "The floor under every right kernel:\n\n");
		ay_op_doc_say_floors(b, q->page, AY_OP_DOC_MODEL);
	}
	return 0;
}

/* Adds the names that torch/assay/boot.py lets a kernel call, from NAME = [OTHER +] """a b c""". */
static void add_list(struct ask *q, const char *name, struct ay_str *b)
{
	size_t len;
	const char *source = ay_python_source("assay.boot", &len),
		   *text = source ? ay_strndup(&q->a, source, len) : "";
	const char *at = strstr(text, ay_sprintf(&q->a, "\n%s = ", name)),
		   *from = at ? strstr(at, "\"\"\"") : NULL;
	const char *to = from ? strstr(from + 3, "\"\"\"") : NULL;

	AY_ASSERT(to);
	for (const char *p = from + 3; p < to;) {
		const size_t n = strcspn(p, " \n\"");

		if (n)
			ay_str_addf(b, "%s%.*s", b->len ? " " : "", (int)n, p);
		p += n + 1;
	}
}

static const char *policy(const struct ask *q)
{
	return q->s->allow_torch ? q->s->allow_torch : ay_torch_use_name(AY_TORCH_HELPERS);
}

static int ay_put_allowed(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_str names = { 0 };

	(void)err;
	add_list(q, "PLAIN", &names);
	if (strcmp(policy(q), ay_torch_use_name(AY_TORCH_NONE)) != 0)
		add_list(q, "HELPERS", &names);
	ay_op_doc_wrap(b, ay_str_text(&names), 4);
	ay_str_release(&names);
	return 0;
}

/* --- templates -------------------------------------------------------------------------------- */

static int fill_template(struct ask *q, const char *name, struct ay_str *b, struct ay_err *err);

static int ay_put_task(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	return fill_template(q, "task.txt", b, err);
}

static int ay_put_rules(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	return fill_template(q, ay_sprintf(&q->a, "rules_%s.txt", langs[q->s->lang].word), b, err);
}

static int ay_put_policy(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	enum ay_torch_use use;

	if (ay_torch_use_find(policy(q), &use, err))
		return -1;
	return fill_template(q, is_native(q) ? "policy_native.txt" : ay_sprintf(&q->a, "policy_%s.txt", policy(q)),
			     b, err);
}

/* Returns the operator, such as "aten::relu", that the first line of an example names. */
static const char *example_operator(struct ay_arena *a, const struct ay_prompt_template *t, struct ay_err *err)
{
	const char *end = memchr(t->text, '\n', t->len), *at;
	const char *line = ay_strndup(a, t->text, end ? (size_t)(end - t->text) : t->len);
	size_t before = 0, n;

	at = strstr(line, "::");
	if (!at) {
		ay_fail(err, AY_ERR_PARSE, "%s: its first line names no operator (aten::relu)", t->file);
		return NULL;
	}
	while (at > line && (at[-1] == '_' || isalnum((unsigned char)at[-1])))
		at--, before++;
	n = before + 2;
	while (at[n] == '_' || isalnum((unsigned char)at[n]))
		n++;
	return ay_strndup(a, at, n);
}

/* Finds a worked example that is not for the prompt's own operator. */
static int find_example(struct ask *q, struct ay_prompt_template *t, const char **name, struct ay_err *err)
{
	static const char *const kinds[] = { "example", "other" };

	for (int i = 0; i < 2; i++) {
		const char *file = ay_sprintf(&q->a, "%s_%s.txt", kinds[i], langs[q->s->lang].word);

		if (ay_prompt_template_read(&q->a, q->s->templates, file, t, err))
			return -1;
		*name = example_operator(&q->a, t, err);
		if (!*name)
			return -1;
		if (strcmp(*name, q->s->op->name) != 0)
			return 0;
	}
	return ay_fail(err, AY_ERR_PARSE, "%s and its other one are both of %s", t->file, q->s->op->name);
}

static int ay_put_example(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_prompt_template t;
	const char *name;

	if (find_example(q, &t, &name, err))
		return -1;
	ay_prompt_quote(b, ay_label_of(q), ay_strndup(&q->a, t.text, t.len), t.len);
	return 0;
}

static int ay_put_example_operator(struct ask *q, struct ay_str *b, struct ay_err *err)
{
	struct ay_prompt_template t;
	const char *name;

	if (find_example(q, &t, &name, err))
		return -1;
	ay_str_add(b, name);
	return 0;
}

/* clang-format off */
#define OWN_PLACES(P) P(OPERATOR, operator) P(LANGUAGE, language) P(LABEL, label) P(MEANING, meaning) P(DOCSTRING, docstring) \
	P(SCHEMAS, schemas) P(FUNCTIONS, functions) P(KERNEL_H, kernel_h) P(TESTED, tested) P(CASES, cases) P(BOUND, bound) \
	P(MACHINE, machine) P(ALLOWED, allowed) P(TASK, task) P(RULES, rules) P(POLICY, policy) P(EXAMPLE, example) \
	P(EXAMPLE_OPERATOR, example_operator)
/* clang-format on */

#define P(name, fn) #name,
static const char *const places[] = { OWN_PLACES(P) PAST_PLACES(P) NULL };
#undef P
#define P(name, fn) ay_put_##fn,
static ay_put_place *const fillers[] = { OWN_PLACES(P) PAST_PLACES(P) };
#undef P
_Static_assert(sizeof places / sizeof *places == sizeof fillers / sizeof *fillers + 1,
	       "each place has its function");

static int put_one(void *user, const char *place, struct ay_str *b, struct ay_err *err)
{
	for (int i = 0; places[i]; i++)
		if (!strcmp(places[i], place))
			return fillers[i](user, b, err);
	AY_BUG("no place %s", place);
}

static int fill_template(struct ask *q, const char *name, struct ay_str *b, struct ay_err *err)
{
	struct ay_prompt_template t;
	int rc;

	if (ay_prompt_template_read(&q->a, q->s->templates, name, &t, err))
		return -1;
	if (q->depth == DEPTH)
		return ay_fail(err, AY_ERR_PARSE, "%s: templates inside templates, without an end", t.file);
	q->depth++;
	rc = ay_prompt_template_fill(&t, places, put_one, q, b, err);
	q->depth--;
	return rc;
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *template_for(const struct ay_prompt_past *past)
{
	return !past                              ? "new.txt"
	       : past->reply                      ? "again.txt"
	       : past->verdict == AY_VERDICT_PASS ? "faster.txt"
						  : "mend.txt";
}

int ay_prompt_make(const struct ay_prompt_spec *s, const struct ay_prompt_past *past, struct ay_str *system,
		   struct ay_str *user, struct ay_err *err)
{
	const struct ay_op_doc_spec about = {
		.registry = s->registry, .op = s->op, .only = s->only, .ceilings = s->ceilings
	};
	struct ask q = { .s = s, .past = past, .page = s->page };
	struct ay_op_doc *own = NULL;
	int rc = 0;

	if (!s->page) {
		q.page = own = AY_NEW(&q.a, struct ay_op_doc);
		rc = ay_op_doc_make(&about, &q.a, own, err);
	}
	if (!rc)
		rc = fill_template(&q, "system.txt", system, err);
	if (!rc)
		rc = fill_template(&q, template_for(past), user, err);
	if (own)
		ay_op_doc_release(own);
	ay_arena_release(&q.a);
	return rc;
}

const char *const *ay_prompt_names(struct ay_arena *a, const struct ay_prompt_spec *s)
{
	enum { EACH = 4 };
	const bool native = s->lang == AY_PROMPT_C || s->lang == AY_PROMPT_CUDA;
	const char **list = AY_NEW_N(a, const char *, s->op->nschema *EACH + 1);
	int n = 0;

	for (int k = 0; k < s->op->nschema; k++) {
		const struct ay_schema *c = s->op->schema[k];
		const char *over = c->overload;

		if (s->only && c != s->only)
			continue;
		list[n++] = ay_proto_symbol(a, c);
		if (native)
			continue;
		/* the names of KernelGenBench, and two of BackendBench (docs/python.md) */
		list[n++] = ay_sprintf(a, "%s%s%s", c->base, over[0] ? "_" : "", over);
		list[n++] = ay_sprintf(a, "%s__%s_kernel_impl", c->base, over[0] ? over : "default");
		if (!over[0] || !strcmp(over, "Tensor"))
			list[n++] = ay_sprintf(a, "%s_kernel_impl", c->base);
	}
	return list;
}

int ay_prompt_hash(const char *templates, char hex[65], struct ay_err *err)
{
	struct ay_arena a = { 0 };
	struct ay_str nothing = { 0 };
	struct ay_hash h;
	int rc = ay_prompt_template_check(templates, err);

	ay_hash_init(&h);
	for (const char *const *name = ay_prompt_template_names; *name && !rc; name++) {
		struct ay_prompt_template t;

		rc = ay_prompt_template_read(&a, templates, *name, &t, err);
		if (!rc && ay_template_is_verbatim(*name))
			rc = example_operator(&a, &t, err) ? 0 : -1;
		else if (!rc)
			rc = ay_prompt_template_fill(&t, places, NULL, NULL, &nothing, err);
		if (rc)
			break;
		ay_hash_add_str(&h, *name);
		ay_hash_add_str(&h, ay_strndup(&a, t.text, t.len));
	}
	ay_hash_end(&h, hex);
	ay_str_release(&nothing);
	ay_arena_release(&a);
	return rc;
}
