/* SPDX-License-Identifier: Apache-2.0
 *
 * torch_op - tests of operators outside the catalogue: their schemas are given as text, and their
 * answers come from another oracle.
 */
#include "test.h"
#include "helpers.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "timing/floor.h"

#include <math.h>
#include <string.h>

extern const struct ay_op_file ay_op_files[];

static const char schemas[] =
	"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\tcore\n"
	"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor\tcore\n"
	"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor\t\n"
	"aten::fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)\t\n"
	"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]\t\n"
	"aten::seven(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g) -> (Tensor, Tensor, "
	"Tensor)\t\n"
	"aten::rrelu(Tensor self, float lower) -> Tensor\tnondeterministic_seeded\n"
	"aten::numel(Tensor self) -> int\t\n"
	"aten::join(str self, str[] values) -> str\t\n"
	"this is no schema\n"
	"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";

static struct ay_arena a;
static struct ay_registry registry;
static struct ay_err err;

static void set_up(void)
{
	CHECKF(!ay_registry_init(&registry, ay_op_files, &err) &&
		       !ay_registry_extend(&registry, schemas, sizeof schemas - 1, &err),
	       "%s", err.msg);
}

static const struct ay_entry_op *find(const char *name)
{
	const struct ay_schema *s;
	bool exact;

	return ay_registry_find(&registry, name, &s, &exact, &err);
}

TEST(torch_op_schemas_become_operators)
{
	int had;

	set_up();
	had = registry.n;
	CHECK(find("aten::fmod") && find("aten::fmod")->nschema == 2);
	CHECK(find("fmod.Scalar") == find("aten::fmod"));
	CHECK(!(find("aten::add")->op[0]->flags & AY_UNCATALOGUED)); /* the catalogue's own stays */
	CHECK(find("aten::rrelu")->why && !find("aten::fmod")->why);
	/* it returns a number: it cannot be judged */
	CHECK(find("aten::numel") && find("aten::numel")->why);
	CHECK(find("aten::split")->op[0]->flags & AY_VIEW && !(find("aten::fmod")->op[0]->flags & AY_VIEW));
	CHECK(!find("aten::join"));
	ay_err_clear(&err);
	CHECK(!ay_registry_extend(&registry, schemas, sizeof schemas - 1, &err));
	CHECKF(registry.n == had, "%d operators after %d", registry.n, had); /* not twice */
	ay_err_clear(&err);
	CHECK(ay_registry_extend(&registry, "nothing\nat all\n", 15, &err) && strstr(err.msg, "none of 2 lines"));
}

/* Makes a call with an answer: two tensors of two elements, and memory for a kernel's outputs. */
static struct ay_call *answered(const char *line, const double *want, const double *mag, enum ay_dt dt,
				double *got)
{
	struct ay_call *c = help_bind(&registry, &a, line, &err);
	struct ay_expected *g = AY_NEW(&a, struct ay_expected);
	struct ay_answer *one = AY_NEW(&a, struct ay_answer);

	CHECKF(c, "%s", err.msg);
	CHECK(c && !c->nout); /* open: its results are unknown */
	one->meta = (struct ay_meta){ .dt = dt, .ndim = 1, .shape = { 2 } };
	one->want = (struct ay_view){ .dt = AY_DT_F64, .ndim = 1, .shape = { 2 }, .stride = { 1 } };
	one->want.data = (void *)want;
	one->mag = mag;
	*g = (struct ay_expected){ .n = 1, .answer = one };
	CHECKF(!ay_call_close(&a, c, g, &err), "%s", err.msg);
	CHECK(c->nout == 1 && c->out[0]->role == AY_RESULT);
	c->out[0]->view.data = got;
	return c;
}

static int64_t bad_of(const struct ay_call *c)
{
	struct ay_compare q = { .op = find("aten::fmod"), .call = c, .threads = 1 };
	struct ay_diff d;

	ay_oracle_compare(&q, &d);
	CHECK(d.n == 2);
	return d.bad;
}

TEST(torch_op_answers_are_compared)
{
	static const double want[] = { 3, -5 }, mag[] = { 4, 4 }, none[] = { 0, 0 };
	const char *line = "aten::fmod.Tensor((T([2], f64), T([2], f64)), {})";
	double right[] = { 3, -5 }, near[] = { 3, -5 * (1 + 0x1p-51) }, wrong[] = { 3, -5.001 },
	       nan[] = { NAN, -5 };

	set_up();
	CHECK(bad_of(answered(line, want, mag, AY_DT_F64, right)) == 0);
	CHECK(bad_of(answered(line, want, mag, AY_DT_F64, near)) == 0);
	/* it passes only because of the weight */
	CHECK(bad_of(answered(line, want, none, AY_DT_F64, near)) == 1);
	CHECK(bad_of(answered(line, want, NULL, AY_DT_F64, near)) == 1); /* exactly this */
	CHECK(bad_of(answered(line, want, mag, AY_DT_F64, wrong)) == 1);
	CHECK(bad_of(answered(line, want, mag, AY_DT_F64, nan)) == 1);
}

/* If outputs have two sizes, the smaller one is compared whole too. */
TEST(torch_op_outputs_differ_in_size)
{
	static const double many[3000] = { 0 }, few[] = { 1, 2 };
	static double got[3000], got_few[] = { 1, 2 };
	struct ay_call *c;
	struct ay_expected *g = AY_NEW(&a, struct ay_expected);
	struct ay_answer *two = AY_NEW_N(&a, struct ay_answer, 2);
	struct ay_diff d[2];

	set_up();
	c = help_bind(&registry, &a, "aten::max.dim((T([2, 3], f64), 1), {})", &err);
	for (int i = 0; i < 2; i++) {
		two[i].meta = (struct ay_meta){ .dt = AY_DT_F64, .ndim = 1, .shape = { i ? 2 : 3000 } };
		two[i].want = (struct ay_view){
			.dt = AY_DT_F64, .ndim = 1, .shape = { i ? 2 : 3000 }, .stride = { 1 }
		};
		two[i].want.data = (void *)(i ? few : many);
	}
	*g = (struct ay_expected){ .n = 2, .answer = two };
	CHECKF(c && !ay_call_close(&a, c, g, &err), "%s", err.msg);
	c->out[0]->view.data = got;
	c->out[1]->view.data = got_few;
	for (int planted = 0; planted < 2; planted++) {
		struct ay_compare q = { .op = find("aten::max"), .call = c, .threads = 2 };

		got_few[1] += planted;
		got[2999] += planted;
		ay_oracle_compare(&q, d);
		CHECKF(d[0].n == 3000 && d[0].bad == planted, "%d of %d", (int)d[0].bad, (int)d[0].n);
		CHECKF(d[1].n == 2 && d[1].bad == planted, "%d of %d", (int)d[1].bad, (int)d[1].n);
	}
}

TEST(torch_op_lists_of_results)
{
	struct ay_expected *g = AY_NEW(&a, struct ay_expected);
	struct ay_call *c;

	set_up();
	c = help_bind(&registry, &a, "aten::split.Tensor((T([4], f32), 2), {})", &err);
	*g = (struct ay_expected){ .n = 2, .answer = AY_NEW_N(&a, struct ay_answer, 2) };
	for (int i = 0; i < 2; i++)
		g->answer[i].meta = (struct ay_meta){ .dt = AY_DT_F32, .ndim = 1, .shape = { 2 } };
	CHECKF(c && !ay_call_close(&a, c, g, &err), "%s", err.msg);
	CHECKF(c && c->nout == 2 && c->noperand == 3, "%d outputs of %d tensors", c->nout, c->noperand);
}

/* Adding the results leaves the arguments in place. */
TEST(torch_op_results_have_room)
{
	struct ay_expected *g = AY_NEW(&a, struct ay_expected);
	struct ay_call *c;

	set_up();
	c = help_bind(&registry, &a,
		      "aten::seven((T([1], f32), T([2], f32), T([3], f32), T([4], f32), T([5], f32), T([6], f32), "
		      "T([7], f32)), {})",
		      &err);
	*g = (struct ay_expected){ .n = 3, .answer = AY_NEW_N(&a, struct ay_answer, 3) };
	for (int i = 0; i < 3; i++)
		g->answer[i].meta = (struct ay_meta){ .dt = AY_DT_F32, .ndim = 1, .shape = { 100 + i } };
	CHECKF(c && !ay_call_close(&a, c, g, &err), "%s", err.msg);
	for (int i = 0; c && i < 10; i++)
		CHECKF(c->operand[i]->view.shape[0] == (i < 7 ? i + 1 : 93 + i), "operand %d has %d elements", i,
		       (int)c->operand[i]->view.shape[0]);
	for (int i = 0; c && i < 7; i++)
		CHECK(c->arg[i].t[0] == c->operand[i]);
}

/* The floor counts the outputs only: whether an input is needed is unknown. */
TEST(torch_op_floor_is_what_it_gives)
{
	static const struct {
		const char *line;
		int nout;
		bool may_alias;
		double bytes;
	} due[] = {
		{ "aten::fmod.Tensor((T([2, 3], f64), T([2, 3], f64)), {})", 1, false, 48 },
		{ "aten::fmod_.Scalar((T([2, 3], f64), 2), {})", 1, false, 0 },
		{ "aten::fmod.Scalar((T([2, 3], f64), 2), {})", 1, true, 0 }, /* as torch gave it */
		{ "aten::max.dim((T([9, 6], f64), 0), {})", 2, false, 96 },
	};

	set_up();
	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct ay_call *c = help_bind(&registry, &a, due[i].line, &err);
		struct ay_expected *g = AY_NEW(&a, struct ay_expected);
		struct ay_floor f;

		*g = (struct ay_expected){ .n = due[i].nout,
					   .answer = AY_NEW_N(&a, struct ay_answer, due[i].nout) };
		for (int k = 0; k < due[i].nout; k++)
			g->answer[k].meta = (struct ay_meta){
				.dt = AY_DT_F64, .ndim = 2, .shape = { 2, 3 }, .may_alias = due[i].may_alias
			};
		CHECKF(c && !ay_call_close(&a, c, g, &err), "%s: %s", due[i].line, err.msg);
		ay_floor_cost(c, &f);
		CHECKF(f.bytes == due[i].bytes, "%s: %.0f bytes, not %.0f", due[i].line, f.bytes, due[i].bytes);
	}
}
