/* SPDX-License-Identifier: Apache-2.0
 *
 * llm - tests of generation runs with the fake server; tests/llm/ has its scripts.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"

static void run_script(const char *name, double timeout_s)
{
	struct ay_arena a = { 0 };
	char *out;
	int status;

	if (!ay_file_program(&a, "python3"))
		test_skip("no python3 for the fake");
	status = help_run(&a,
			  ay_sprintf(&a, "XDG_CACHE_HOME=%s python3 tests/llm/%s %s %s", help_cache(), name,
				     help_build_dir(), test_dir()),
			  timeout_s, &out);
	CHECKF(!status, "%s: status %d\n%s", name, status, out);
	ay_arena_release(&a);
}

TEST_SLOW(llm_killed_at_five_points_loses_and_doubles_nothing)
{
	run_script("kill.py", 300);
}

TEST_SLOW(llm_full_run_gives_what_its_script_implies)
{
	run_script("full.py", 900);
}

TEST_SLOW(llm_500_requests_at_once_lose_and_double_nothing_and_show_no_key)
{
	run_script("crowd.py", 300);
}

TEST_SLOW(llm_first_right_kernel_ends_it_and_judges_do_not_wait)
{
	run_script("agent.py", 300);
}
