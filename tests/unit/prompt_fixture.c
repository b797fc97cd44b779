/* SPDX-License-Identifier: Apache-2.0 */
#include "prompt_fixture.h"
#include "helpers.h"
#include "test.h"

const struct ay_ceilings prompt_fixture_machine = {
	.cpu = "a test",
	.cpus = 2,
	.cache = { 32 << 10, 1 << 20, 32 << 20 },
	.nthread = 2,
	.row = { { 1, 2, { { 1 << 14, 1e11 }, { 1 << 28, 1e10 } }, 1e11, 5e10 },
		 { 2, 2, { { 1 << 14, 2e11 }, { 1 << 28, 2e10 } }, 2e11, 1e11 } },
};

void prompt_fixture_begin(struct prompt_fixture *r, const char *op, enum ay_prompt_lang lang)
{
	const struct ay_schema *schema;
	bool exact;

	*r = (struct prompt_fixture){ .s = { .registry = help_registry(),
					     .lang = lang,
					     .ceilings = &prompt_fixture_machine,
					     .device = "2 CPUs of a test" } };
	r->s.op = ay_registry_find(r->s.registry, op, &schema, &exact, &r->err);
	CHECKF(r->s.op, "%s", r->err.msg);
	r->s.only = exact ? schema : NULL;
}

const char *prompt_fixture_ask(struct prompt_fixture *r, const struct ay_prompt_past *past)
{
	ay_str_clear(&r->system);
	ay_str_clear(&r->user);
	CHECKF(!ay_prompt_make(&r->s, past, &r->system, &r->user, &r->err), "%s", r->err.msg);
	return ay_str_text(&r->user);
}

void prompt_fixture_end(struct prompt_fixture *r)
{
	ay_str_release(&r->system);
	ay_str_release(&r->user);
	ay_arena_release(&r->a);
}
