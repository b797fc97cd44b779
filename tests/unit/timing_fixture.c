/* SPDX-License-Identifier: Apache-2.0 */
#include "timing_fixture.h"
#include "helpers.h"
#include "test.h"
#include "timing/cpuset.h"

#include <string.h>
#include <unistd.h>

/* Ends a test that cannot continue as failed. */
static _Noreturn void give_up(const struct timing_fixture *r, const char *what)
{
	printf("    %s: %s\n", what, r->err.msg);
	fflush(stdout);
	_exit(1);
}

const struct ay_ceilings timing_fixture_kind = {
	.cache = { 32 << 10, 1 << 20, 4 << 20 },
	.nthread = 1,
	.row = { { .threads = 1, .n = 1, .point = { { 1e3, 1e15 } }, .f32 = 1e15, .f64 = 1e15 } }
};

void timing_fixture_init(struct timing_fixture *r, const char *text)
{
	struct ay_case *line;
	struct ay_proto *p;

	*r = (struct timing_fixture){ 0 };
	if (ay_case_parse(&r->a, text, strlen(text), &line, &r->err) ||
	    !(r->sc.op = ay_registry_find_case(help_registry(), line, &r->sc.schema, &r->err)) ||
	    ay_call_bind(&r->a, r->sc.op->op[0], r->sc.schema, line, &r->call, &r->err) ||
	    ay_proto_make(&r->a, r->sc.schema, &p, &r->err))
		give_up(r, text);
	r->sc.line = line;
	r->proto = p;
}

void timing_fixture_release(struct timing_fixture *r)
{
	for (int i = 0; i < r->nfd; i++)
		close(r->fd[i]);
	ay_sandbox_free(r->sandbox);
	ay_forge_release(&r->f);
	ay_arena_release(&r->a);
}

static const char *with_parameters(struct timing_fixture *r, const char *source)
{
	const char *at = strchr(source, '@');

	if (!at)
		return source;
	return ay_sprintf(&r->a, "%.*s(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)%s",
			  (int)(at - source), source, at + 1);
}

int timing_fixture_build(struct timing_fixture *r, const char *source)
{
	const char *text = ay_sprintf(&r->a, "#include <assay/kernel.h>\n%s", with_parameters(r, source));
	struct ay_built b;

	if (!r->sandbox && ay_sandbox_new(&r->sandbox, AY_SANDBOX_FULL, &r->err))
		test_skip("%s", r->err.msg);
	if (!r->f.cc && (ay_forge_init(&r->f, ay_sprintf(&r->a, "%s/assay", help_cache()), &r->err) || !r->f.cc))
		test_skip("no compiler: %s", r->err.msg);
	r->f.sandbox = r->sandbox;
	if (ay_forge_build(&r->f, &r->a, text, strlen(text), AY_LANG_C, 1, &r->proto, 60, &b, &r->err))
		give_up(r, "build");
	CHECKF(b.ok && r->nfd < RIG_KERNELS, "build: %s", b.log);
	if (b.fd >= 0 && r->nfd < RIG_KERNELS)
		r->fd[r->nfd++] = b.fd;
	return b.fd;
}

struct ay_gated_exec_spec timing_fixture_spec(struct timing_fixture *r, const struct ay_input_template *m,
					      int so_fd, int cap, double timeout_s, cpu_set_t *kernel)
{
	cpu_set_t judge;
	bool spare;
	struct ay_gated_exec_spec spec = { .impl = { .proto = r->proto, .so_fd = so_fd },
					   .empty = so_fd < 0,
					   .template = m,
					   .cap = cap,
					   .threads = 1,
					   .timeout_s = timeout_s,
					   .cpus = kernel };

	if (!r->sandbox && ay_sandbox_new(&r->sandbox, AY_SANDBOX_FULL, &r->err))
		test_skip("%s", r->err.msg);
	ay_cpuset_choose(1, kernel, &judge, &spare);
	spec.sandbox = r->sandbox;
	spec.spare = spare;
	return spec;
}

void timing_fixture_open(struct timing_fixture *r, const struct ay_input_template *m, int so_fd, int cap,
			 double timeout_s, struct ay_gated_exec *s, struct ay_outcome *o)
{
	cpu_set_t kernel;
	const struct ay_gated_exec_spec spec = timing_fixture_spec(r, m, so_fd, cap, timeout_s, &kernel);

	if (ay_gated_exec_open(s, &spec, o, &r->err))
		give_up(r, "the executor");
}

struct ay_key timing_fixture_key(void)
{
	return (struct ay_key){ { ay_secret_u64(), ay_secret_u64() } };
}
