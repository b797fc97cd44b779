/* SPDX-License-Identifier: Apache-2.0
 *
 * op_doc_text - the sections of an operator's description as text.
 */
#include "judge/op_doc.h"

#include "op/op.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 100 };

void ay_op_doc_wrap(struct ay_str *b, const char *text, int indent)
{
	int col = 0;

	while (*text) {
		int n = (int)strcspn(text, " \n");

		if (*text == '\n') { /* the text has line breaks of its own */
			ay_str_addc(b, '\n');
			text++;
			col = 0;
			continue;
		}
		if (col && col + 1 + n > COLUMNS - indent) {
			ay_str_addc(b, '\n');
			col = 0;
		}
		if (!col)
			ay_str_addf(b, "%*s", indent, "");
		ay_str_addf(b, "%s%.*s", col ? " " : "", n, text);
		col += n + (col > 0);
		text += n + (text[n] == ' ');
	}
	ay_str_addc(b, '\n');
}

static void wrap_two(struct ay_str *b, const char *before, const char *text)
{
	struct ay_str line = { 0 };

	ay_str_addf(&line, "%s%s", before, text);
	ay_op_doc_wrap(b, ay_str_text(&line), 2);
	ay_str_release(&line);
}

/* Appends a case line. A model gets no seed, nor the count of how often a traced model made the
 * call. */
static void say_line(struct ay_str *b, const struct ay_case *line, enum ay_op_doc_reader r)
{
	struct ay_case c = *line;

	if (r == AY_OP_DOC_MODEL) {
		c.has_seed = false;
		c.cnt = -1;
	}
	ay_case_print(b, &c);
}

/* Appends the bound in words, and its width in each dtype. */
static void say_bound(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r)
{
	const struct ay_op *op = p->op->op[0];
	const double k = op->k_out ? op->k_out : 1;
	bool exact = false;

	ay_str_addf(b, "  |got - want| <= %g ulp(want) + %g u mag on every element%s.\n", k, AY_K_ACC,
		    r == AY_OP_DOC_USER ? "; see docs/error-bound.md" : "");
	ay_op_doc_wrap(
		b,
		k == AY_K_SAME
			? "One number is right: the one nearest to the exact value, but where the text "
			  "above allows two."
			: "ulp: from a number of the result's dtype to the next one. u: the rounding of the "
			  "accumulator, 2^-24, for f64 2^-53. mag: how large what is rounded on the way is, "
			  "and how often; the oracle knows it for every element. What that comes to:",
		2);
	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		const struct ay_op_doc_bound *seen = &p->bound[dt];

		exact |= p->results & 1ull << dt && ay_dt_is_integral(dt);
		if (!seen->seen)
			continue;
		ay_str_addf(b, "    %-4s an ulp is up to %.1e of the value; ", ay_dt_info(dt)->name,
			    ldexp(1, 1 - ay_dt_info(dt)->mant));
		if (seen->median > 0)
			ay_str_addf(b, "at least %.3g, median %.3g ulps in ", seen->least, seen->median);
		else
			ay_str_add(b, "exactly in ");
		say_line(b, seen->line, r);
		ay_str_addc(b, '\n');
	}
	if (exact)
		ay_str_addf(b, "    integers and bools: %s\n",
			    op->flags & AY_ROUNDED ? "as said above" : "exactly, wrapping as two's complement");
}

static void say_differs(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r)
{
	struct ay_str line = { 0 };

	if (p->ndiffer && r == AY_OP_DOC_MODEL)
		ay_str_add(b, "  PyTorch on the CPU differs here; what is described above counts:\n");
	for (int i = 0; i < p->ndiffer; i++) {
		ay_str_clear(&line);
		if (r == AY_OP_DOC_USER)
			ay_str_addf(&line, "Where ATen on the CPU may differ, in %d cases: %s.",
				    p->differ[i].cases, p->differ[i].why);
		else
			ay_str_add(&line, p->differ[i].why);
		ay_op_doc_wrap(b, ay_str_text(&line), r == AY_OP_DOC_USER ? 2 : 4);
	}
	ay_str_release(&line);
}

void ay_op_doc_say_judged(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r)
{
	static const struct {
		unsigned flag;
		const char *text;
		bool native; /* models get this with the rules of their language */
	} rules[] = {
		{ AY_EXACT, "Results must be bit-equal: they are copies or choices of inputs, or constants." },
		{ AY_META, "Only shape, dtype and strides are judged." },
		{ AY_RANDOM, "Judged by support and distribution; the same ay_rng must give the same bits, "
			     "another one others." },
		{ AY_ROUNDED,
		  "Integer results may be any integer within half a step of the real value, plus the bound." },
		{ AY_ALIAS_SAFE,
		  "The in-place form calls the functional one with out = self where it is not defined.", true },
		{ AY_UNCATALOGUED,
		  "Compared with PyTorch's own answer in double on the same inputs; the bound is four "
		  "times PyTorch's own error at the dtype asked for, or more where many terms are added. "
		  "Integers and bools must be equal." },
		{ AY_OWN,
		  "Compared with what reference() gives in double on the same inputs; the bound is four times the "
		  "error of reference() itself at the dtype asked for, or more where many terms are added. "
		  "Integers "
		  "and bools must be equal." },
	};
	const struct ay_op *op = p->op->op[0];
	const unsigned flags = op->flags & AY_OWN ? op->flags & ~(unsigned)AY_UNCATALOGUED : op->flags;

	if (op->scalar)
		ay_str_add(b,
			   "  A number that is returned must have the right kind (bool, int, float, complex) and "
			   "value.\n");
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (flags & rules[i].flag && !(rules[i].native && r == AY_OP_DOC_MODEL))
			ay_op_doc_wrap(b, rules[i].text, 2);
	if (ay_op_doc_has_bound(op))
		say_bound(b, p, r);
	if (op->rounds)
		wrap_two(b, "Rounded on the way: ", op->rounds);
	if (op->promises)
		wrap_two(b, "Not promised: ", op->promises);
	say_differs(b, p, r);
}

static void say_texts(struct ay_str *b, const struct ay_op_doc_texts *t, int most, const char *between)
{
	for (int i = 0; i < t->n && i < most; i++)
		ay_str_addf(b, "%s%s", i ? between : "", t->text[i]);
	if (t->n > most)
		ay_str_addf(b, "%s... (%d in all)", between, t->n);
}

void ay_op_doc_say_tested(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r)
{
	const int most = r == AY_OP_DOC_USER ? 8 : 16;
	const char *between = "";

	for (int i = 0; i < p->narg; i++) {
		const struct ay_op_doc_arg *g = &p->arg[i];

		if (!g->value.n) /* a generator */
			continue;
		ay_str_addf(b, "  %-14s", g->name);
		for (int dt = 0; dt < AY_DT_COUNT; dt++)
			if (g->dtypes & 1ull << dt)
				ay_str_addf(b, " %s", ay_dt_info(dt)->name);
		if (g->dtypes)
			ay_str_addf(b, "\n  %-14s", "");
		ay_str_addc(b, ' ');
		say_texts(b, &g->value, most, g->dtypes ? " " : ", ");
		if (g->dtypes)
			ay_str_addf(b, "; up to %lld elements", (long long)g->most);
		ay_str_addc(b, '\n');
	}
	ay_str_addf(b, "  %-14s ", "layouts");
	for (int k = 0; ay_op_doc_layout(k); k++)
		if (p->layout[k]) {
			ay_str_addf(b, "%s%s %d", between, ay_op_doc_layout(k), p->layout[k]);
			between = ", ";
		}
	ay_str_addf(b, "%s\n", *between ? " (cases with such a tensor)" : "dense");
	if (p->fills.n) {
		ay_str_addf(b, "  %-14s ", "values");
		say_texts(b, &p->fills, 24, ", ");
		ay_str_addc(b, '\n');
	}
}

void ay_op_doc_say_floors(struct ay_str *b, const struct ay_op_doc *p, enum ay_op_doc_reader r)
{
	if (!p->nfloor)
		ay_str_add(b, "  There is nothing to time.\n");
	else if (!p->measured)
		ay_str_addf(b, "  Bytes that must be touched and FLOPs of the usual algorithm%s.\n",
			    r == AY_OP_DOC_USER ? "; speeds are not measured yet (assay doctor --calibrate)" : "");
	else
		ay_str_add(b, "  Bytes that must be touched, at the highest speed that memory has shown; FLOPs "
			      "are told, "
			      "but are no floor.\n");
	for (int i = 0; i < p->nfloor; i++) {
		const struct ay_op_doc_floor *k = &p->floor[i];

		ay_str_add(b, "  ");
		say_line(b, k->line, r);
		ay_str_addf(b, "\n    %.0f bytes", k->bytes);
		if (p->measured)
			ay_str_addf(b, " in %.1f us by one thread, %.1f us by %d", k->ns_one / 1e3,
				    k->ns_all / 1e3, p->ceilings.cpus);
		if (k->flops > 0)
			ay_str_addf(b, "; %.0f FLOPs", k->flops);
		if (p->measured && k->flops > 0)
			ay_str_addf(b, " in %.1f us by %d", k->ns_flops / 1e3, p->ceilings.cpus);
		ay_str_addc(b, '\n');
	}
}
