/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that are not in the catalogue: all that torch has a schema for. They have no reference
 * in assay. The judge obtains the answer of a call elsewhere (judge/aten_oracle.h) and passes it as
 * struct ay_expected.
 */
#include "op/input_domain.h"
#include "op/registry.h"

#include <stdio.h>
#include <string.h>

static void (*const references[AY_NUM_COUNT])(struct ay_ref *) = {
	ay_expected_reference_d, ay_expected_reference_ld, ay_expected_reference_z, ay_expected_reference_lz
};

/* Returns why a schema's cases cannot be judged by their values; NULL: they can. */
static const char *why_not(const struct ay_schema *s, const char *tags)
{
	static const struct {
		const char *tag, *why;
	} table[] = { { "nondeterministic_seeded", "a random operator that is not in the catalogue" },
		      { "inplace_view", "it changes the shape or the strides of its argument itself" } };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strstr(tags, table[i].tag))
			return table[i].why;
	for (int r = 0; r < s->nret; r++)
		if (!ay_stype_is_tensor(&s->ret[r].type))
			return "it returns a number, and is not in the catalogue";
	return s->nret || ay_schema_inplace(s) ? NULL : "it returns nothing";
}

/* On a GPU torch returns these with another dtype or shape, which is right there. */
static const char saved[] = "what is saved for the backward pass has another dtype or shape",
		  unasked[] = "what was not asked for is empty";

/* Returns what is known of ATen on a GPU, like cuda_differs of the catalogue's operators. Looked up
 * by name, without a trailing `_`. */
static const char *cuda_differs(const struct ay_call *c)
{
	enum {
		HALF = 1 << AY_DT_F16 | 1 << AY_DT_BF16,
		COMPLEX = 1 << AY_DT_C32 | 1 << AY_DT_C64 | 1 << AY_DT_C128,
		ANY = ~0,
	};
	static const char sums[] = "sums are rounded to half types after every addition",
			  pivots[] = "complex pivots are chosen by another norm",
			  vectors[] = "vectors that are unique up to a factor have another one",
			  equals[] = "of elements that are equal it chooses others",
			  meeting[] = "where places are named twice it keeps others",
			  steps[] = "the distance of two elements is rounded first",
			  bias[] = "the bias is added to what was rounded to half types",
			  parts[] = "sums of parts are rounded to half types";
	static const struct {
		const char *base;
		int dtypes; /* of the first tensor; ANY: also without a tensor */
		const char *why;
	} known[] = {
		{ "_batch_norm_with_update", HALF, saved },
		{ "_embedding_bag_forward_only", ANY, saved },
		{ "_linalg_det", COMPLEX, pivots },
		{ "_linalg_eigh", ANY, vectors },
		{ "_linalg_slogdet", COMPLEX, pivots },
		{ "_linalg_solve_ex", COMPLEX, pivots },
		{ "_linalg_svd", ANY, vectors },
		{ "_native_batch_norm_legit", ANY, saved },
		{ "_softmax_backward_data", HALF, "grad_output * output is rounded to half types first" },
		{ "addmm", HALF, bias },
		{ "atanh", COMPLEX, "it is a difference of logarithms, which cancel" },
		{ "convolution", HALF, bias },
		{ "convolution_backward", HALF, parts },
		{ "index_add", HALF, sums },
		{ "kthvalue", ANY, equals },
		{ "linalg_lu", COMPLEX, pivots },
		{ "linalg_lu_factor_ex", COMPLEX, pivots },
		{ "linspace", ANY, steps },
		{ "log_sigmoid_forward", ANY, saved },
		{ "logspace", ANY, steps },
		{ "max_unpool2d", ANY, meeting },
		{ "max_unpool3d", ANY, meeting },
		{ "median", ANY, equals },
		{ "mode", ANY, equals },
		{ "nanmedian", ANY, equals },
		{ "native_batch_norm", ANY, saved },
		{ "native_batch_norm_backward", HALF, saved },
		{ "native_group_norm", HALF, "mean and deviation are rounded to half types first" },
		{ "native_layer_norm", HALF, saved },
		{ "nll_loss2d_forward", ANY, "total_weight is not written without a reduction" },
		{ "reflection_pad2d_backward", HALF, sums },
		{ "scatter_add", HALF, sums },
		{ "tanh_backward", HALF, "1 - output^2 is rounded to half types first" },
		{ "topk", ANY, equals },
		{ "unique_consecutive", ANY, unasked },
		{ "unique_dim", ANY, unasked },
	};
	const size_t n = strlen(c->s->base), len = n - (n && c->s->base[n - 1] == '_');

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].base) == len && !strncmp(known[i].base, c->s->base, len) &&
		    (known[i].dtypes == ANY || (c->noperand && known[i].dtypes >> c->operand[0]->view.dt & 1)))
			return known[i].why;
	return NULL;
}

static bool is_cudas_own(const struct ay_call *c)
{
	const char *why = cuda_differs(c);

	return why == saved || why == unasked;
}

/* Marks arguments as written that are written although the schema does not say so. */
static void tell_truth(struct ay_schema *s)
{
	static const struct {
		const char *base, *arg;
	} unsaid[] = { { "native_batch_norm", "running_mean" }, { "native_batch_norm", "running_var" },
		       { "batch_norm", "running_mean" },        { "batch_norm", "running_var" },
		       { "instance_norm", "running_mean" },     { "instance_norm", "running_var" } };

	for (size_t k = 0; k < sizeof unsaid / sizeof *unsaid; k++)
		for (int i = 0; i < s->narg && !strcmp(s->base, unsaid[k].base); i++)
			if (!strcmp(s->arg[i].name, unsaid[k].arg))
				s->arg[i].type.alias = "a!";
}

static bool is_view(const struct ay_schema *s)
{
	for (int r = 0; r < s->nret; r++)
		if (s->ret[r].type.alias && ay_schema_ret_arg(s, r) < 0)
			return true;
	return false;
}

/* For these operators it is unknown which arguments must be read. The bytes are those of the
 * results, which must be written. */
static void cost(const struct ay_call *c, struct ay_cost *k)
{
	for (int i = 0; i < c->nout; i++)
		if (c->out[i]->role != AY_INOUT && !c->out[i]->may_alias)
			k->bytes += ay_touched(&c->out[i]->view);
}

static struct ay_entry_op *entry_of(struct ay_registry *r, int from, const struct ay_schema *s)
{
	for (int i = from; i < r->n; i++)
		if (!strcmp(r->op[i].schema[0]->base, s->base) && !strcmp(r->op[i].schema[0]->ns, s->ns))
			return &r->op[i];
	return NULL;
}

/* Adds an operator with room for its overloads. `like` has its doc, flags and known differences. */
static struct ay_entry_op *add_entry(struct ay_registry *r, struct ay_schema *s, const char *path,
				     const struct ay_op *like)
{
	enum { OVERLOADS = 64 };
	struct ay_entry_op *e = &r->op[r->n++];

	*e = (struct ay_entry_op){ .path = path,
				   .name = ay_sprintf(&r->arena, "%s::%s", s->ns, s->base),
				   .schema = AY_NEW_N(&r->arena, struct ay_schema *, OVERLOADS) };
	for (int n = 0; n < AY_NUM_COUNT; n++) {
		struct ay_op *op = AY_NEW(&r->arena, struct ay_op);

		*op = *like;
		op->reference = references[n];
		op->makers = ay_input_domain_makers;
		op->cost = cost;
		op->flags |= AY_UNCATALOGUED | AY_EXTRA | (is_view(s) ? AY_VIEW : 0);
		e->op[n] = op;
	}
	return e;
}

static bool is_there(const struct ay_registry *r, int n, const struct ay_schema *s)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(r->op[i].schema[0]->base, s->base) && !strcmp(r->op[i].schema[0]->ns, s->ns))
			return true;
	return false;
}

static void add_schema(struct ay_registry *r, int had, struct ay_schema *s, const char *tags)
{
	static const struct ay_op like = { .doc = "See PyTorch's own documentation.",
					   .cuda_differs = cuda_differs,
					   .is_cudas_own = is_cudas_own };
	struct ay_entry_op *e;

	if (!ay_schema_is_kernel(s) || is_there(r, had, s))
		return;
	tell_truth(s);
	e = entry_of(r, had, s);
	if (!e && r->n < r->cap) {
		e = add_entry(r, s, ay_sprintf(&r->arena, "torch/%s", s->base), &like);
		e->why = why_not(s, tags);
	}
	if (e && e->nschema < 64)
		e->schema[e->nschema++] = s;
}

int ay_registry_extend(struct ay_registry *r, const char *text, size_t len, struct ay_err *err)
{
	const int had = r->n;
	int line = 0, read = 0;

	for (const char *p = text, *end; p < text + len; p = end + 1) {
		const size_t left = (size_t)(text + len - p);
		char *one, *tags;
		struct ay_schema *s;
		struct ay_err bad = { 0 };

		end = memchr(p, '\n', left);
		if (!end)
			end = text + len;
		line++;
		one = ay_strndup(&r->arena, p, (size_t)(end - p));
		tags = strchr(one, '\t');
		if (tags)
			*tags++ = 0;
		/* a schema that cannot be parsed is not an error: torch has some for TorchScript's
		 * own use */
		if (ay_schema_parse(&r->arena, one, &s, &bad))
			continue;
		read++;
		add_schema(r, had, s, tags ? tags : "");
	}
	if (!read && line)
		return ay_fail(err, AY_ERR_PARSE, "none of %d lines is the schema of an operator", line);
	return 0;
}

int ay_registry_add_own(struct ay_registry *r, const char *schema, const char *file, const char *doc,
			const struct ay_entry_op **op, struct ay_err *err)
{
	const char **text = AY_NEW_N(&r->arena, const char *, 2);
	const struct ay_op like = { .schemas = text, .doc = ay_strdup(&r->arena, doc), .flags = AY_OWN };
	struct ay_entry_op *e;
	struct ay_schema *s;

	if (ay_schema_parse(&r->arena, schema, &s, err))
		return -1;
	if (!ay_schema_is_kernel(s))
		return ay_fail(err, AY_ERR_PARSE, "it takes and gives no tensors that a kernel could");
	if (is_there(r, r->n, s))
		return ay_fail(err, AY_ERR_USAGE,
			       "there is an operator %s::%s already: give yours a namespace of its own (my::%s)",
			       s->ns, s->base, s->base);
	AY_ASSERT(r->n < r->cap);
	e = add_entry(r, s, ay_strdup(&r->arena, file), &like);
	e->why = why_not(s, "");
	text[0] = ay_strdup(&r->arena, schema);
	e->schema[e->nschema++] = s;
	*op = e;
	return 0;
}
