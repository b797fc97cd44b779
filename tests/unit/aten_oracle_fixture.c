/* SPDX-License-Identifier: Apache-2.0 */
#include "aten_oracle_fixture.h"
#include "exec/launch.h"
#include "helpers.h"
#include "judge/torch_schemas.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

extern const struct ay_op_file ay_op_files[];

static const char schemas[] =
	"my::shift(Tensor x) -> Tensor\t\n"
	"my::flagged(Tensor x, Tensor? y=None, bool flag=False, int n=0) -> Tensor\t\n"
	"aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor\tpointwise\n"
	"aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor\tpointwise\n"
	"aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
	"Tensor\t\n"
	"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)\tcore "
	"nondeterministic_seeded\n";

const char aten_oracle_fixture_marked[] = WITNESS_ON_GPU
	"def reference(x, y=None, flag=False, n=0):\n    global calls\n    calls += 1\n"
	"    return x + (1000 if gpu and calls > 2 else 0)\n";

void aten_oracle_fixture_registry(struct aten_oracle_fixture *g, struct ay_python *python)
{
	CHECKF(!ay_registry_init(&g->r, ay_op_files, &g->err) &&
		       (!python || !ay_torch_schemas_load(&g->r, python, help_cache(), &g->err)) &&
		       !ay_registry_extend(&g->r, schemas, sizeof schemas - 1, &g->err),
	       "%s", g->err.msg);
}

void aten_oracle_fixture_init(struct aten_oracle_fixture *g, bool fake)
{
	*g = (struct aten_oracle_fixture){ .python = { .wish = help_python() } };
	aten_oracle_fixture_registry(g, &g->python);
	if (fake)
		help_fake_gpu(&g->a);
	if (ay_dev_open(&g->d, "cuda", &g->err) || ay_sandbox_new(&g->sandbox, AY_SANDBOX_FULL, &g->err))
		test_skip("%s", g->err.msg);
	g->python.device = g->d;
}

void aten_oracle_fixture_release(struct aten_oracle_fixture *g)
{
	ay_python_close(&g->python);
	ay_sandbox_free(g->sandbox);
	ay_dev_close(g->d);
	ay_registry_release(&g->r);
	ay_arena_release(&g->a);
}

void aten_oracle_fixture_begin(struct aten_oracle_fixture *g, const char *source, struct ay_dev *device)
{
	g->w = (struct ay_aten_oracle){
		.python = &g->python, .sandbox = g->sandbox, .threads = 1, .device = device, .place = "cpu"
	};
	if (source) {
		g->w.ref_fd = ay_launch_memfd("ref", source, strlen(source), 0);
		g->w.ref_file = "ref.py";
	}
}

void aten_oracle_fixture_end(struct aten_oracle_fixture *g)
{
	ay_aten_oracle_release(&g->w);
	if (g->w.ref_fd > 0)
		close(g->w.ref_fd);
}

const struct ay_entry_op *aten_oracle_fixture_bind(struct aten_oracle_fixture *g, const char *line,
						   struct ay_call **c)
{
	const struct ay_schema *s;
	bool exact;

	*c = help_bind(&g->r, &g->a, line, &g->err);
	CHECKF(*c, "%s: %s", line, g->err.msg);
	return ay_registry_find(&g->r, ay_strndup(&g->a, line, strcspn(line, "(")), &s, &exact, &g->err);
}

const struct ay_expected *aten_oracle_fixture_ask(struct aten_oracle_fixture *g, const char *line)
{
	struct ay_call *c;
	const struct ay_entry_op *op = aten_oracle_fixture_bind(g, line, &c);
	const int rc = c ? ay_aten_oracle_answer(&g->w, op, c, &g->a, &g->why, &g->err) : -1;

	CHECKF(rc >= 0, "%s: %s", line, g->err.msg);
	return rc ? NULL : c->given;
}

double aten_oracle_fixture_first(const struct ay_expected *g)
{
	return g ? *(const double *)g->answer[0].want.data : -1;
}
