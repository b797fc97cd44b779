/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/baseline.h"
#include "base/process.h"
#include "helpers.h"
#include "judge/task.h"
#include "test.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The outcomes of one task's cases. */
struct count {
	int n[AY_VERDICT_COUNT];
	/* UNSUPPORTED although the case is f32 or f64 and has no special strides */
	int plain_refused;
	const char *first; /* the first that neither passed nor was refused */
	struct ay_arena *a;
};

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct count *c = user;

	(void)sc, (void)t;
	c->n[rep->verdict]++;
	if (rep->verdict == AY_VERDICT_UNSUPPORTED)
		c->plain_refused += (strstr(rep->line, "f32") || strstr(rep->line, "f64")) &&
				    !strstr(rep->line, "stride=");
	else if (rep->verdict != AY_VERDICT_PASS && rep->verdict != AY_VERDICT_WEAK_CASE && !c->first)
		c->first = ay_sprintf(c->a, "%s: %s (%s)", ay_verdict_name(rep->verdict), rep->line,
				      rep->detail ? rep->detail : "");
	return 0;
}

struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_forge f;
	struct ay_baseline b;
};

/* Prepares the baseline of an overload. Skips the test if the library is not installed. */
static void setup(struct fixture *g, const char *overload)
{
	const struct ay_schema *s;
	bool exact;

	*g = (struct fixture){ 0 };
	CHECK(ay_registry_find(help_registry(), overload, &s, &exact, &g->err));
	if (ay_baseline_find("openblas", help_registry(), s, NULL, &g->a, &g->b, &g->err))
		test_skip("%s", g->err.msg);
	if (!g->b.source)
		test_skip("%s", g->b.why);
	if (ay_forge_init(&g->f, ay_sprintf(&g->a, "%s/assay", help_cache()), &g->err) || !g->f.cc)
		test_skip("no compiler");
}

static void teardown(struct fixture *g)
{
	ay_forge_release(&g->f);
	ay_arena_release(&g->a);
}

/* Judges a source on one line, or on the operator's quick cases if line is NULL. */
static enum ay_verdict judge(struct fixture *g, const char *op, const char *source, const char *line, int threads,
			     struct count *c)
{
	const struct ay_schema *s;
	bool exact;
	struct ay_task t = { .file = "openblas.c", .source = source, .len = strlen(source), .lang = AY_LANG_C };
	struct ay_task_watch w = { .user = c, .judged = on_judged };
	struct ay_task_result res;

	*c = (struct count){ .a = &g->a };
	t.op = ay_registry_find(help_registry(), op, &s, &exact, &g->err);
	t.line = &line;
	t.nline = line ? 1 : 0;
	t.tier = AY_QUICK;
	t.build_timeout_s = 60;
	t.policy = (struct ay_policy){ threads, ay_cpu_count(), .call_timeout_s = 20, .has_seed = true,
				       .seed = 1 };
	if (ay_task_run(help_registry(), &g->f, &t, &w, &g->a, &res, &g->err)) {
		if (strstr(g->err.msg, "sandbox"))
			test_skip("%s", g->err.msg);
		test_fail(__FILE__, __LINE__, "%s: %s", op, g->err.msg);
	}
	if (res.built.fd >= 0)
		close(res.built.fd);
	CHECKF(res.verdict != AY_VERDICT_BUILD, "%s", res.built.log);
	return res.verdict;
}

/* Returns the baseline's source with one text replaced. The text must occur once. */
static const char *planted(struct fixture *g, const char *old, const char *new)
{
	const char *at = strstr(g->b.source, old);

	CHECKF(at && !strstr(at + 1, old), "the source has '%s' not once", old);
	if (!at)
		return g->b.source;
	return ay_sprintf(&g->a, "%.*s%s%s", (int)(at - g->b.source), g->b.source, new, at + strlen(old));
}

/* --- the functions ---------------------------------------------------------------------------- */

/* Every operator that has a baseline, also those that come later. Judging one judges all of its
 * file. */
TEST(baseline_openblas_passes_the_cases_it_takes)
{
	const struct ay_registry *r = help_registry();
	const char *done = "";
	struct fixture g;
	int files = 0, products = 0;

	setup(&g, "cublas::cublasSgemm_v2");
	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];
		struct ay_baseline b;
		struct count c;

		CHECK(!ay_baseline_find("openblas", r, e->schema[0], NULL, &g.a, &b, &g.err));
		products += b.source && !strcmp(e->path, "ops/aten/matmul.c");
		if (!b.source || strstr(done, e->path))
			continue;
		done = ay_sprintf(&g.a, "%s %s", done, e->path);
		files++;
		judge(&g, e->name, b.source, NULL, 1, &c);
		CHECKF(!c.first, "%s: %s", e->name, c.first);
		CHECKF(c.n[AY_VERDICT_PASS] >= 50, "%s: only %d cases pass", e->name, c.n[AY_VERDICT_PASS]);
		CHECKF(!c.plain_refused, "%s: %d plain cases are refused", e->name, c.plain_refused);
		CHECKF(!c.n[AY_VERDICT_UNSUPPORTED] || !strcmp(e->name, "aten::matmul"),
		       "%s: %d cases are refused", e->name, c.n[AY_VERDICT_UNSUPPORTED]);
	}
	CHECKF(files >= 3, "only %d", files);
	CHECKF(products == 4, "of matmul, mm, bmm and linear only %d", products);
	teardown(&g);
}

TEST(baseline_that_is_wrong_is_refused)
{
	static const struct {
		const char *op, *old, *new;
	} t[] = {
		{ "cublas::cublasSgemm_v2", "(float)beta, C->data", "0, C->data" },
		{ "cublas::cublasCgemv_v2", "t[0] == 'T' ? TRANS : CONJ_TRANS", "TRANS" },
		{ "cublas::cublasDgemmBatched", "Aarray[i]->data", "Aarray[0]->data" },
		{ "aten::matmul", "as.data += size * stack_at(self, ta, out, tc, s)", "(void)stack_at" },
		{ "aten::matmul", "a.trans, b.trans, m, n, k, (float)s->alpha, (float *)a.data",
		  "a.trans, NO_TRANS, m, n, k, (float)s->alpha, (float *)a.data" },
		{ "aten::linear", "(float)s->beta, (float *)c.data", "0, (float *)c.data" },
		{ "aten::linear", "memcpy(to, from, (size_t)(n * size))", "memset(to, 0, (size_t)(n * size))" },
	};
	struct fixture g;

	setup(&g, "cublas::cublasSgemm_v2");
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct count c;

		judge(&g, t[i].op, planted(&g, t[i].old, t[i].new), NULL, 1, &c);
		CHECKF(c.n[AY_VERDICT_MISMATCH] || c.n[AY_VERDICT_OVERRUN], "%s: '%s' was not noticed", t[i].op,
		       t[i].new);
	}
	teardown(&g);
}

/* If the library cannot be opened in the jail, the kernel returns a special code, not a wrong
 * answer. */
TEST(baseline_without_its_library_says_so)
{
	struct fixture g;
	struct count c;
	const char *source;

	setup(&g, "cublas::cublasSgemm_v2");
	source = planted(&g, "\"libopenblas.so.0\"", "\"libno-such-blas.so.0\"");
	CHECK(judge(&g, "cublas::cublasSgemm_v2", source, NULL, 1, &c) == AY_VERDICT_UNSUPPORTED);
	CHECK(!c.first && !c.n[AY_VERDICT_PASS]);
	teardown(&g);
}

/* --- core and threads ------------------------------------------------------------------------- */

#define BEFORE_SGEMM "\tblas.sgemm(COL_MAJOR"
#define AFTER_SGEMM  "B->data, (int)ldb, (float)beta, C->data, (int)ldc);\n"
#define BIG                                                                                                   \
	"cublas::cublasSgemm_v2(('N', 'N', 512, 512, 512, 1.0, T([512, 512], f32), 512, T([512, 512], f32), " \
	"512, 0.0, T([512, 512], f32), 512), {}) seed=1"

TEST(baseline_core_in_the_jail_is_the_one_that_is_reported)
{
	/* the second library shows that the check itself works */
	static const char *const tests[] = { "!strcmp", "strcmp" };
	struct fixture g;

	setup(&g, "cublas::cublasSgemm_v2");
	for (int i = 0; i < 2; i++) {
		const char *core = strchr(g.b.version, ' ');
		struct count c;
		const char *check = ay_sprintf(&g.a, "\tif (!(%s(blas.get_corename(), \"%s\"))) return 77;\n%s",
					       tests[i], core ? core + 1 : "?", BEFORE_SGEMM);
		enum ay_verdict v = judge(&g, "cublasSgemm_v2", planted(&g, BEFORE_SGEMM, check), BIG, 1, &c);

		CHECKF(v == (i ? AY_VERDICT_UNSUPPORTED : AY_VERDICT_PASS), "%s: %s", g.b.version,
		       ay_verdict_name(v));
	}
	teardown(&g);
}

/* The library's own threads work behind the system-call filter: with two threads, CPU time is used
 * outside the caller's thread. */
TEST(baseline_threads_are_as_many_as_the_context_says)
{
	static const char count[] = AFTER_SGEMM
		"\tstruct timespec all, own;\n"
		"\tclock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);\n"
		"\tclock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);\n"
		"\tif ((all.tv_sec - own.tv_sec) * 1e9 + all.tv_nsec - own.tv_nsec < 1e5) return 78;\n";
	struct fixture g;

	setup(&g, "cublas::cublasSgemm_v2");
	if (ay_cpu_count() < 2)
		test_skip("one CPU");
	for (int threads = 1; threads <= 2; threads++) {
		struct count c;
		const char *source = ay_sprintf(&g.a, "#include <time.h>\n%s", planted(&g, AFTER_SGEMM, count));
		enum ay_verdict v = judge(&g, "cublasSgemm_v2", source, BIG, threads, &c);

		CHECKF(v == (threads == 1 ? AY_VERDICT_UNSUPPORTED : AY_VERDICT_PASS), "%d threads: %s", threads,
		       ay_verdict_name(v));
	}
	teardown(&g);
}

/* --- finding ---------------------------------------------------------------------------------- */

TEST(baseline_find_knows_names_and_forms)
{
	static const struct {
		const char *overload;
		bool has;
	} t[] = {
		{ "cublas::cublasSgemm_v2", true },
		{ "cublas::cublasDgemmBatched", true },
		{ "aten::matmul", true },
		{ "aten::matmul.out", true },
		{ "aten::relu", false },
		{ "aten::add.Tensor", false },
	};
	const struct ay_registry *r = help_registry();
	struct fixture g = { 0 };
	bool exact;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct ay_schema *s;

		CHECK(ay_registry_find(r, t[i].overload, &s, &exact, &g.err));
		CHECK(!ay_baseline_find("openblas", r, s, NULL, &g.a, &g.b, &g.err));
		CHECK_STR(g.b.name, "openblas");
		if (!t[i].has)
			CHECK_STR(g.b.why, "openblas has no function for this operator");
		CHECK(!g.b.source == (g.b.why != NULL));
		CHECK(t[i].has || !g.b.source);
		if (g.b.source)
			CHECK(g.b.version && g.b.len == strlen(g.b.source));
		else if (t[i].has)
			CHECKF(strstr(g.b.why, "apt install libopenblas0-pthread"), "%s", g.b.why);
	}
	CHECK(ay_baseline_ask("mkl", NULL, &g.a, &g.b, &g.err) == -1);
	CHECK_STR(g.err.msg, "no baseline 'mkl' (there are: openblas, cublas)");
	CHECK_STR(ay_baseline_names[0], "openblas");
	CHECK_STR(ay_baseline_names[1], "cublas");
	CHECK(!ay_baseline_names[2]);
	teardown(&g);
}

static int describe_hangs(const char *library, char *text, size_t n)
{
	(void)library, (void)text, (void)n;
	pause();
	return 0;
}

static int describe_crashes(const char *library, char *text, size_t n)
{
	(void)library, (void)text, (void)n;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit instead */
	return raise(SIGSEGV);
}

static int describe_strangely(const char *library, char *text, size_t n)
{
	puts("a warning that is no answer");
	fflush(stdout);
	snprintf(text, n, "1.0 \x1b[31m%s", library);
	return 0;
}

int openblas_describe(const char *library, char *text, size_t n); /* baselines/openblas.c */

TEST(baseline_library_that_is_missing_or_broken_is_no_version)
{
	static const struct {
		ay_describe *describe;
		const char *library;
		const char *version, *why;
	} t[] = {
		{ openblas_describe, "libno-such-blas.so.0", NULL, "is not installed" },
		{ openblas_describe, "libm.so.6", NULL, "has no cblas_sgemm" },
		{ describe_hangs, NULL, NULL, "was not loaded within 0.3 s" },
		{ describe_crashes, NULL, NULL, "died of signal 11 (Segmentation fault) while it was loaded" },
		{ describe_strangely, "core", "1.0 \\x1b[31mcore", NULL },
	};
	struct fixture g = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const char *version, *why;

		CHECK(!ay_baseline_describe(t[i].describe, t[i].library, i == 2 ? 0.3 : 10, &g.a, &version, &why,
					    &g.err));
		CHECK(!version == !t[i].version && !why == !t[i].why);
		CHECK_STR(version ? version : "", t[i].version ? t[i].version : "");
		CHECK_STR(why ? why : "", t[i].why ? t[i].why : "");
	}
	teardown(&g);
}
