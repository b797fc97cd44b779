/* SPDX-License-Identifier: Apache-2.0
 *
 * merge - joins the runs of one evaluation, judged on several machines, into one run.
 */
#include "cmd.h"
#include "base/file.h"
#include "llm/track_results.h"
#include "store/export.h"

#include <stdio.h>

static const struct usage usage = {
	"assay merge RUN RUN... [--out DIR]",
	"Makes one run of all records of the given runs, each once, with their kernels and summaries. Of several "
	"verdicts\n"
	"on one case the worst counts.",
	"  assay merge runs/shard-0 runs/shard-1 --out runs/all\n",
	.most = OPERANDS_ANY,
};

/* Exports the additional scores of runs in which a model wrote the kernels. */
static int export_generation(const char *dir, const struct ay_summary *s, struct ay_err *err)
{
	struct ay_gen g = { 0 };
	int rc = json_object_size(s->aside.problems) ? ay_gen_read(dir, &g, err) || ay_gen_export(dir, &g, s, err)
						     : 0;

	ay_gen_release(&g);
	return rc;
}

static void print_score(const char *what, const struct ay_score *score)
{
	struct ay_str b = { 0 };

	ay_score_print(&b, score, "without a kernel");
	printf("per %s: %s\n", what, ay_str_text(&b));
	ay_str_release(&b);
}

int cmd_merge(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	const char *out = NULL;
	const struct opt opts[] = { { "out", OPT_TEXT, &out, "DIR", "the new run folder (runs/merge-...)" },
				    { 0 } };
	int n = opt_parse(argc, argv, opts, &usage, err);
	struct ay_run_found found = { 0 };
	struct ay_summary s = { 0 };
	struct ay_run *run = NULL;
	struct ay_str said = { 0 };
	const char *dir;
	int status = EXIT_FAILED;

	if (n < 0)
		return opt_status(n);
	if (n < 1)
		return ay_fail(err, AY_ERR_USAGE, "merge: name the runs (see: assay merge --help)"), EXIT_FAILED;
	for (int i = 0; i < n; i++) /* checked before the new folder is made */
		if (!ay_file_exists(ay_sprintf(app->arena, "%s/results.jsonl", argv[i])))
			return ay_fail(err, AY_ERR_USAGE, "there is no run in '%s': it has no results.jsonl",
				       argv[i]),
			       EXIT_FAILED;
	if (ay_run_merge(out, n, argv, &run, &found, err))
		return EXIT_FAILED;
	dir = ay_strdup(app->arena, ay_run_dir(run));
	ay_run_found_print(&said, &found);
	if (!ay_run_close(run, err) && !ay_summary_read(dir, &s, err) && !ay_export(dir, &s, err) &&
	    !export_generation(dir, &s, err)) {
		printf("%s: %s\n", ay_shown(app->arena, dir), ay_str_text(&said));
		print_score("operator", &s.operators);
		print_score("overload", &s.overloads);
		status = EXIT_PASSED;
	}
	ay_summary_release(&s);
	ay_str_release(&said);
	return status;
}
