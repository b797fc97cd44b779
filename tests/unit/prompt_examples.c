/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_examples - tests that the judge passes the worked examples of prompts.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "llm/prompt.h"
#include "llm/prompt_template.h"

#include <stdlib.h>
#include <string.h>

/* Writes the example to a file with the name that its operator needs. Returns the path. */
static const char *write_example(struct ay_arena *a, const char *kind, enum ay_prompt_lang lang)
{
	const char *name = ay_sprintf(a, "%s_%s.txt", kind, ay_prompt_lang_word(lang)), *base, *file;
	struct ay_err err = { 0 };
	struct ay_prompt_template t;

	CHECK(!ay_prompt_template_read(a, NULL, name, &t, &err));
	base = strstr(ay_strndup(a, t.text, t.len), "aten::");
	if (!base)
		return "";
	base = ay_strndup(a, base + 6, strcspn(base + 6, ":."));
	file = ay_sprintf(a, "%s/%s%s%s", test_dir(),
			  lang == AY_PROMPT_PYTHON || lang == AY_PROMPT_TRITON ? "" : "aten_", base,
			  ay_prompt_lang_end(lang));
	CHECKF(!ay_file_write(file, t.text, t.len, &err), "%s", err.msg);
	return file;
}

static void judge_examples(enum ay_prompt_lang lang, const char *options)
{
	static const char *const kinds[] = { "example", "other" };
	struct ay_arena a = { 0 };

	for (int i = 0; i < 2; i++) {
		const char *file = write_example(&a, kinds[i], lang);
		char *out;
		const int rc = help_run(&a,
					ay_sprintf(&a,
						   "%s/assay check %s --seed 1 --timing none --cache %s/assay %s",
						   help_build_dir(), file, help_cache(), options),
					300, &out);

		CHECKF(!rc && strstr(out, "\nPASS  "), "%s is no example: %s", file, out);
	}
	ay_arena_release(&a);
}

TEST(prompt_examples_in_c_pass_the_judge)
{
	judge_examples(AY_PROMPT_C, "--full");
}

/* Judged under the strictest policy, so they are examples for all policies. */
TEST(prompt_examples_in_python_pass_the_judge)
{
	struct ay_arena a = { 0 };
	char *out;

	if (help_run(&a, ay_sprintf(&a, "%s -c 'import numpy'", help_python()), 60, &out))
		test_skip("%s has no numpy", help_python());
	judge_examples(AY_PROMPT_PYTHON, "--allow-torch none");
	ay_arena_release(&a);
}

TEST(prompt_examples_in_triton_pass_the_judge)
{
	struct ay_arena a = { 0 };
	char *out;

	if (help_run(&a, ay_sprintf(&a, "%s -c 'import numpy, triton'", help_python()), 60, &out))
		test_skip("%s has no triton, or no numpy", help_python());
	judge_examples(AY_PROMPT_TRITON, "--allow-torch none");
	ay_arena_release(&a);
}

/* nvcc takes a second of a core for a file. */
TEST_SLOW(prompt_examples_in_cuda_compile)
{
	static const char *const kinds[] = { "example", "other" };
	struct ay_arena a = { 0 };
	const char *nvcc = ay_file_program(&a, "nvcc");
	char *out;

	if (!nvcc && ay_file_exists("/usr/local/cuda/bin/nvcc"))
		nvcc = "/usr/local/cuda/bin/nvcc";
	if (!nvcc)
		test_skip("no nvcc here");
	for (int i = 0; i < 2; i++) {
		const char *file = write_example(&a, kinds[i], AY_PROMPT_CUDA);

		CHECKF(!help_run(
			       &a,
			       ay_sprintf(&a,
					  "%s -std=c++17 -O3 -Xcompiler -fPIC,-Wall -shared -Iinclude -o %s.so %s",
					  nvcc, file, file),
			       300, &out),
		       "%s", out);
	}
	ay_arena_release(&a);
}
