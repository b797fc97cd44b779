/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_flags - what eval prints if nothing was named, and the flags of BackendBench.
 */
#include "eval.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char folder[] = "generated_kernels";

bool eval_names_work(struct eval *e)
{
	struct stat st;

	if (e->o.resume || e->o.suite || e->o.backend || e->o.kernels || e->o.own.file)
		return true;
	if (stat(folder, &st) || !S_ISDIR(st.st_mode))
		return false;
	e->o.suite = "smoke";
	e->o.backend = "directory";
	fprintf(stderr,
		"assay: no suite was named: the kernels of %s are judged on smoke, two cases of each operator\n"
		"       (all cases: --suite kernelgenbench-aten --kernels %s)\n",
		folder, folder);
	return true;
}

void eval_help(void)
{
	fprintf(stderr,
		"assay: eval: name what to judge (--kernels DIR or --backend B), and on which suite:\n"
		"  assay eval --suite smoke --kernels DIR                  two cases of each operator: seconds\n"
		"  assay eval --suite kernelgenbench-aten --kernels DIR --quick    no times: a minute or two\n"
		"  assay eval --suite kernelgenbench-aten --kernels DIR            all cases, and times\n"
		"  assay eval --suite smoke --backend reference            does it work here?\n"
		"  assay eval --help                                       suites, backends, options\n"
		"Without any of them the folder generated_kernels is judged on smoke; there is none here.\n");
}

/* Prints what to use in place of flags without a meaning here. */
static void say_instead(const struct eval_options *o)
{
	const struct {
		bool given;
		const char *text;
	} table[] = {
		{ o->log_level != NULL, "--log-level does nothing: progress and remarks go to standard error "
					"(2> /dev/null), every record to the run folder" },
		{ o->no_logs,
		  "--disable-output-logs does nothing: the run folder is the record; --out says where" },
		{ o->daemon || o->no_daemon,
		  "--daemon and --no-daemon do nothing: each kernel has a process of its "
		  "own; --threads N lets it start threads" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].given)
			fprintf(stderr, "assay: %s\n", table[i].text);
}

/* Interprets --num-workers: the number of requests for backends with a language model, else
 * --jobs. */
static int take_workers(struct eval *e, struct ay_err *err)
{
	if (!e->llm.in_flight || (e->o.backend && llm_is_backend(e->o.backend)))
		return 0;
	if (e->o.jobs && e->o.jobs != e->llm.in_flight)
		return ay_fail(err, AY_ERR_USAGE,
			       "--num-workers is --jobs here, kernels judged at once: give one of them");
	e->o.jobs = e->llm.in_flight;
	e->llm.in_flight = 0;
	return 0;
}

int eval_take_backendbench(struct eval *e, struct ay_err *err)
{
	const struct eval_options *o = &e->o;

	if (o->overhead_dominated)
		return ay_fail(
			err, AY_ERR_USAGE,
			"--check-overhead-dominated-ops is a column of BackendBench's own table: --smallest N "
			"takes the small inputs, and times say overhead-bound of themselves");
	say_instead(o);
	return take_workers(e, err);
}

void eval_print_perf_at(const struct ay_summary *s, double p)
{
	const struct ay_perf_at o = ay_perf_at_operators(s, p), v = ay_perf_at_overloads(s, p);

	printf("perf@%g: %d of %d operators are right and above %g times the library (%d for certain); overloads: "
	       "%d of %d (%d)\n",
	       p, o.fast, o.of, p, o.surely, v.fast, v.of, v.surely);
}

json_t *eval_perf_at_json(const struct ay_summary *s, double p)
{
	const struct ay_perf_at o = ay_perf_at_operators(s, p), v = ay_perf_at_overloads(s, p);

	return json_pack("{s:f,s:i,s:i,s:i,s:i,s:i,s:i}", "p", p, "operators", o.fast, "operators_for_certain",
			 o.surely, "of_operators", o.of, "overloads", v.fast, "overloads_for_certain", v.surely,
			 "of_overloads", v.of);
}
