/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_templates - tests of prompt templates: the built-in ones, and a user's in their place.
 */
#include "test.h"
#include "helpers.h"
#include "prompt_fixture.h"
#include "base/file.h"
#include "llm/prompt_template.h"

#include <stdlib.h>
#include <string.h>

static const char *write_template(struct ay_arena *a, const char *folder, const char *name, const char *text)
{
	const char *dir = ay_sprintf(a, "%s/%s", test_dir(), folder);
	struct ay_err err = { 0 };

	CHECKF(!ay_file_mkdirs(dir, &err) &&
		       !ay_file_write(ay_sprintf(a, "%s/%s", dir, name), text, strlen(text), &err),
	       "%s", err.msg);
	return dir;
}

TEST(prompt_templates_can_be_replaced)
{
	static const struct ay_prompt_past failed = { .source = "int x;\n", .verdict = AY_VERDICT_BUILD };
	char ours[65], theirs[65];
	struct prompt_fixture r;

	prompt_fixture_begin(&r, "aten::relu", AY_PROMPT_C);
	r.s.templates = write_template(&r.a, "mine", "new.txt",
				       "Do {{OPERATOR}} in {{LANGUAGE}}!\n\n{{DOCSTRING}}\n\n{{SOURCE}}\nNow.");
	CHECK_STR(prompt_fixture_ask(&r, NULL), "Do aten::relu in C!\n\nNow.\n");
	CHECK(ay_str_text(&r.system)[0] == 'Y');
	r.s.docstring = "{{OPERATOR}} stays as it is";
	CHECK_STR(prompt_fixture_ask(&r, NULL),
		  "Do aten::relu in C!\n\nPyTorch's own documentation, which may speak of more "
		  "than this operator takes:\n\n"
		  "```\n{{OPERATOR}} stays as it is\n```\n\nNow.\n");
	/* the other templates are still built-in */
	CHECK(strstr(prompt_fixture_ask(&r, &failed), "## Your last attempt"));
	CHECK(!ay_prompt_hash(NULL, ours, &r.err) && !ay_prompt_hash(r.s.templates, theirs, &r.err));
	CHECK(strlen(ours) == 64 && strcmp(ours, theirs) != 0);
	write_template(&r.a, "mine", "example_c.txt",
		       "/* aten::abs */\nint aten_abs(void) { int a[1][1] = {{0}}; }\n");
	write_template(&r.a, "mine", "new.txt", "{{EXAMPLE_OPERATOR}}\n{{EXAMPLE}}\n");
	CHECK_STR(prompt_fixture_ask(&r, NULL),
		  "aten::abs\n```c\n/* aten::abs */\nint aten_abs(void) { int a[1][1] = {{0}}; }\n```\n");
	CHECKF(!ay_prompt_hash(r.s.templates, theirs, &r.err), "%s", r.err.msg);
	prompt_fixture_end(&r);
}

TEST(prompt_hash_is_that_of_what_is_used)
{
	char a_hex[65], b_hex[65];
	struct ay_arena a = { 0 };
	struct ay_prompt_template t;
	struct ay_err err = { 0 };
	const char *dir;

	CHECK(!ay_prompt_template_read(&a, NULL, "mend.txt", &t, &err));
	dir = write_template(&a, "same", "mend.txt", ay_strndup(&a, t.text, t.len));
	CHECK(!ay_prompt_hash(NULL, a_hex, &err) && !ay_prompt_hash(dir, b_hex, &err));
	CHECK_STR(a_hex, b_hex);
	write_template(&a, "same", "mend.txt", ay_sprintf(&a, "%.*s ", (int)t.len, t.text));
	CHECK(!ay_prompt_hash(dir, b_hex, &err));
	CHECK(strcmp(a_hex, b_hex) != 0);
	ay_arena_release(&a);
}

TEST(prompt_templates_that_are_wrong_are_said_to_be)
{
	static const struct {
		const char *file, *text, *says;
	} bad[] = {
		{ "new.txt", "a\n{{OPERATER}}\n",
		  "bad0/new.txt, line 2: there is no place {{OPERATER}}; did you mean {{OPERATOR}}?" },
		{ "mend.txt", "{{operator}}",
		  "bad1/mend.txt, line 1: there is no place {{operator}} (docs/prompts.md lists them)" },
		{ "task.txt", "\n\n{{OPERATOR}", "bad2/task.txt, line 3: {{ without }}" },
		{ "nwe.txt", "x", "bad3/nwe.txt' is the name of no template; did you mean new.txt?" },
		{ "readme.md", "x", "bad4' has no templates" },
		{ "example_c.txt", "int x;\n", "example_c.txt: its first line names no operator" },
	};
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char hex[65];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *dir = write_template(&a, ay_sprintf(&a, "bad%zu", i), bad[i].file, bad[i].text);
		const char *said;

		err = (struct ay_err){ 0 };
		CHECKF(ay_prompt_hash(dir, hex, &err) == -1, "%s", bad[i].says);
		said = strstr(err.msg, bad[i].says);
		CHECKF(said, "due '%s', got '%s'", bad[i].says, err.msg);
	}
	err = (struct ay_err){ 0 };
	CHECK(ay_prompt_hash("/no/such/folder", hex, &err) == -1 && err.code == AY_ERR_USAGE);
	CHECKF(strstr(err.msg, "no folder of templates '/no/such/folder'"), "%s", err.msg);
	ay_arena_release(&a);
}

TEST(prompt_templates_do_not_hold_each_other_for_ever)
{
	struct prompt_fixture r;

	prompt_fixture_begin(&r, "aten::relu", AY_PROMPT_C);
	r.s.templates = write_template(&r.a, "endless", "task.txt", "{{TASK}}");
	CHECK(ay_prompt_make(&r.s, NULL, &r.system, &r.user, &r.err) == -1);
	CHECKF(strstr(r.err.msg, "templates inside templates"), "%s", r.err.msg);
	prompt_fixture_end(&r);
}

TEST(prompt_every_template_is_packed_and_listed)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *out;
	int n = 0;

	for (const char *const *name = ay_prompt_template_names; *name; name++, n++) {
		struct ay_prompt_template t;

		CHECK(!ay_prompt_template_read(&a, NULL, *name, &t, &err) && t.len > 0);
		CHECKF(!help_run(&a, ay_sprintf(&a, "grep -qF '`%s`' docs/prompts.md", *name), 10, &out),
		       "docs/prompts.md: no `%s`", *name);
	}
	CHECK(!help_run(&a, "ls src/llm/prompts | wc -l", 10, &out) && atoi(out) == n);
	ay_arena_release(&a);
}
