/* SPDX-License-Identifier: Apache-2.0 */
#include "jail_fixture.h"
#include "op/op.h"
#include "test.h"

#include <string.h>
#include <sys/wait.h>
#include <grp.h>
#include <unistd.h>

enum { OTHER_USER = 4242, SKIPPED = 77 };

static void bind(struct jail_fixture *r)
{
	const char *line = ay_sprintf(&r->a, "t::probe((T([%d], i32),), {})", RIG_N);
	struct ay_op *op = AY_NEW(&r->a, struct ay_op);
	struct ay_need need[2] = { { RIG_N * 4, false }, { RIG_N * 4, true } };
	struct ay_schema *s;
	struct ay_proto *p;
	struct ay_case *c;

	if (ay_schema_parse(&r->a, "t::probe(Tensor a) -> Tensor", &s, &r->err) ||
	    ay_proto_make(&r->a, s, &p, &r->err) || ay_case_parse(&r->a, line, strlen(line), &c, &r->err) ||
	    ay_call_bind(&r->a, op, s, c, &r->call, &r->err) || ay_pool_init(&r->pool, 2, need, &r->err))
		test_skip("%s", r->err.msg);
	r->proto = p;
}

void jail_fixture_init(struct jail_fixture *r, enum ay_sandbox_mode mode, const char *source)
{
	*r = (struct jail_fixture){ .built.fd = -1, .pool.fd = { -1, -1 } };
	bind(r);
	if (ay_sandbox_new(&r->sandbox, mode, &r->err))
		test_skip("uid %d: %s", (int)geteuid(), r->err.msg);
	if (ay_forge_init(&r->f, "", &r->err) || !r->f.cc)
		test_skip("no compiler: %s", r->err.msg);
	r->f.sandbox = r->sandbox;
	if (ay_forge_build(&r->f, &r->a, source, strlen(source), AY_LANG_C, 1, &r->proto, 60, &r->built, &r->err))
		CHECKF(false, "build: %s", r->err.msg);
	CHECKF(r->built.ok, "build: %s", r->built.log ? r->built.log : "");
}

void jail_fixture_release(struct jail_fixture *r)
{
	ay_exec_stop(r->x);
	if (r->built.fd >= 0)
		close(r->built.fd);
	ay_pool_release(&r->pool);
	ay_forge_release(&r->f);
	ay_sandbox_free(r->sandbox);
	ay_arena_release(&r->a);
}

struct ay_outcome jail_fixture_run(struct jail_fixture *r, double timeout_s)
{
	static const int slot[] = { 0, 1 };
	struct ay_exec_spec spec = { .so_fd = r->built.fd,
				     .load_timeout_s = 10,
				     .sandbox = r->sandbox,
				     .memory_max = r->memory_max,
				     .freezable = r->freezable };
	struct ay_batch b = { .proto = r->proto,
			      .call = r->call,
			      .pool = &r->pool,
			      .nset = 1,
			      .slot = slot,
			      .offset = r->offset,
			      .threads = 2,
			      .timeout_s = timeout_s };
	struct ay_exec_entries e;
	struct ay_outcome o = { .what = AY_EXEC_HUNG };

	if (!r->x && ay_exec_start(&spec, &r->a, &r->x, &e, &o, &r->err))
		CHECKF(false, "start: %s", r->err.msg);
	if (!r->x)
		return o;
	CHECKF(!ay_exec_call(r->x, &b, &o, &r->err), "%s", r->err.msg);
	if (o.what != AY_EXEC_RAN && o.what != AY_EXEC_REFUSED) {
		ay_exec_stop(r->x);
		r->x = NULL;
	}
	return o;
}

volatile int *jail_fixture_out(const struct jail_fixture *r)
{
	return (volatile int *)(void *)r->pool.slot[1].mem;
}

void jail_fixture_both(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fn();
	if (geteuid())
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(OTHER_USER, OTHER_USER, OTHER_USER) ||
		    setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
			_exit(SKIPPED);
		fn();
		fflush(stdout);
		_exit(test_failures() ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	CHECKF(WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == SKIPPED),
	       "as an ordinary user: status %x", status);
}
