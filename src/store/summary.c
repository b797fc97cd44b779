/* SPDX-License-Identifier: Apache-2.0
 *
 * summary - reads a run and adds it up.
 *
 * Theory of operation. The lines are read once. A case record is entered under the id of what it is
 * about. So all attempts at one case share an entry, which keeps the worst verdict and the case's
 * row (kernel x overload). A kernel record gives a verdict to its operator (a kernel that does not
 * build has no cases) and to overloads without cases in the file. Then entries are added up to
 * rows, rows to overloads, overloads to operators.
 *
 * The operator of an overload is its name up to the first dot. One file may define forms of several
 * operators.
 */
#include "store/summary.h"
#include "store/store_internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { NAME_CUT = 400, CASES_MAX = 1000000000 /* limit for one record: sums must not overflow */ };
static const int64_t CALLS_SAID = (int64_t)1 << 50; /* limit for one overload */

static const char *keep(struct ay_summary *s, const char *text)
{
	struct ay_str b = { 0 };
	char *p;

	ay_str_add_safe(&b, text, strlen(text), NAME_CUT);
	p = ay_strdup(&s->arena, ay_str_text(&b));
	ay_str_release(&b);
	return p;
}

/* Makes room for one more element; the size doubles. */
static void *more(void *array, int n, size_t size)
{
	return n & (n - 1) ? array : ay_xrealloc(array, size * (size_t)(n ? 2 * n : 1));
}

/* --- names ------------------------------------------------------------------------------------ */

static int get_operator(struct ay_summary *s, const char *name)
{
	struct ay_index_entry *e = ay_index_get(&s->names, ay_id_kernel("", name));

	if (!e->attempts++) {
		s->op = more(s->op, s->noperator, sizeof *s->op);
		s->op[s->noperator] = (struct ay_sum_operator){
			.name = keep(s, name), .verdict = AY_VERDICT_NONE, .first = -1, .last = -1
		};
		e->owner = s->noperator++;
	}
	return e->owner;
}

static int get_overload(struct ay_summary *s, const char *name)
{
	struct ay_index_entry *e = ay_index_find(&s->names, ay_id_case("", name));
	struct ay_str base = { 0 };
	int op;

	if (e)
		return e->owner;
	ay_str_addn(&base, name, strcspn(name, "."));
	op = get_operator(s, ay_str_text(&base));
	ay_str_release(&base);
	s->overload = more(s->overload, s->noverload, sizeof *s->overload);
	s->overload[s->noverload] = (struct ay_sum_overload){
		.name = keep(s, name), .op = op, .verdict = AY_VERDICT_NONE, .derived = true, .next = -1
	};
	if (s->op[op].last < 0)
		s->op[op].first = s->noverload;
	else
		s->overload[s->op[op].last].next = s->noverload;
	s->op[op].last = s->noverload;
	e = ay_index_get(&s->names, ay_id_case("", name));
	e->attempts++;
	return e->owner = s->noverload++;
}

static int get_baseline(struct ay_summary *s, const char *name)
{
	struct ay_index_entry *e = ay_index_get(&s->names, ay_id_job(name));

	if (!e->attempts++) {
		s->baseline = more(s->baseline, s->nbaseline, sizeof *s->baseline);
		s->baseline[s->nbaseline] = keep(s, name);
		e->owner = s->nbaseline++;
	}
	return e->owner;
}

static int get_row(struct ay_summary *s, int overload, const char *kernel, const char *file)
{
	struct ay_index_entry *e = ay_index_get(&s->rows, ay_id_case(kernel, s->overload[overload].name));

	if (!e->attempts++) {
		s->row = more(s->row, s->nrow, sizeof *s->row);
		s->row[s->nrow] = (struct ay_sum_row){ .overload = overload,
						       .kernel_sha256 = keep(s, kernel),
						       .file = file ? keep(s, file) : NULL,
						       .verdict = AY_VERDICT_NONE,
						       .said = AY_VERDICT_NONE };
		e->owner = s->nrow++;
	}
	return e->owner;
}

/* --- records ---------------------------------------------------------------------------------- */

static int64_t calls_of(const json_t *n)
{
	const int64_t calls = json_is_integer(n) ? json_integer_value(n) : -1;

	return calls < AY_CALLS_MAX ? calls : AY_CALLS_MAX;
}

static const char *reason(struct ay_summary *s, const json_t *text)
{
	return json_is_string(text) ? keep(s, json_string_value(text)) : NULL;
}

static void add_suite(struct ay_summary *s, const json_t *rec)
{
	json_t *all = json_object_get(rec, ay_field_name(AY_FIELD_OPERATORS)), *list, *o;
	const json_t *calls = json_object_get(rec, ay_field_name(AY_FIELD_CALLS_BY));
	const json_t *left = json_object_get(rec, ay_field_name(AY_FIELD_LEFT_OUT));
	const json_t *planned = json_object_get(rec, ay_field_name(AY_FIELD_PLANNED));
	const char *name;
	size_t i;

	s->has_suite = true;
	json_object_foreach(all, name, list)
	{
		/* may move s->op, so it must not be called inside s->op[...] */
		int op = get_operator(s, name);

		s->op[op].in_suite = true;
		s->op[op].planned |= !planned || json_object_get(planned, name);
		json_array_foreach(list, i, o)
		{
			int overload = get_overload(s, json_string_value(o));
			int64_t said;

			s->overload[overload].in_suite = true;
			if (!s->op[op].left_out)
				s->op[op].left_out = reason(s, json_object_get(left, json_string_value(o)));
			said = json_integer_value(json_object_get(calls, json_string_value(o)));
			if (said > s->overload[overload].calls)
				s->overload[overload].calls = said < CALLS_SAID ? said : CALLS_SAID;
		}
	}
}

static bool is_derived(const json_t *rec)
{
	const json_t *d = json_object_get(rec, ay_field_name(AY_FIELD_DERIVED));

	return d && !json_is_false(d) && !json_is_null(d);
}

static void add_time(struct ay_summary *s, struct ay_sum_case *c, const json_t *rec)
{
	struct ay_case_time t;
	struct ay_str name = { 0 };

	ay_case_time_read(rec, &t, &name);
	if (ay_record_verdict(rec) == AY_VERDICT_PASS || t.too_slow) {
		if (name.len)
			t.baseline = get_baseline(s, name.s);
		if (ay_case_time_worse(&c->time, &t))
			c->time = t;
	}
	ay_str_release(&name);
}

static void add_case(struct ay_summary *s, const struct ay_scan_line *l, const struct ay_record_id *id)
{
	const json_t *rec = l->rec;
	int row = get_row(s, get_overload(s, ay_record_str(rec, AY_FIELD_OVERLOAD)),
			  ay_record_str(rec, AY_FIELD_KERNEL_SHA256), ay_record_str(rec, AY_FIELD_FILE));
	struct ay_index_entry *e = ay_index_get(&s->things, *id);
	struct ay_sum_case *c;

	s->row[row].derived = is_derived(rec);
	if (!e->attempts) {
		s->cases = more(s->cases, s->ncase, sizeof *s->cases);
		s->cases[s->ncase] = (struct ay_sum_case){ .what = ay_id_across_runs(rec),
							   .time.baseline = -1,
							   .calls = -1 };
		e->owner = s->ncase++;
	}
	ay_index_note(e, ay_record_verdict(rec), l->offset, l->len);
	c = &s->cases[e->owner];
	c->row = row;
	c->drawn = json_is_true(json_object_get(rec, ay_field_name(AY_FIELD_DRAWN)));
	c->calls = calls_of(json_object_get(rec, ay_field_name(AY_FIELD_CALLS)));
	c->verdict = (enum ay_verdict)e->verdict;
	c->attempts = e->attempts;
	c->offset = e->offset;
	c->len = e->len;
	add_time(s, c, rec);
}

static int64_t claim(int64_t n)
{
	return n < CASES_MAX ? n : CASES_MAX;
}

static void add_said(struct ay_sum_row *row, const json_t *o)
{
	enum ay_verdict v = ay_record_verdict(o), worst = ay_verdict_merge(row->said, v);
	json_t *counts = json_object_get(o, ay_field_name(AY_FIELD_COUNTS)), *n;
	const char *name;

	row->derived = is_derived(o);
	if (worst == row->said)
		return;
	row->said = worst;
	row->said_cases = claim(ay_record_int(o, AY_FIELD_CASES));
	memset(row->said_count, 0, sizeof row->said_count);
	json_object_foreach(counts, name, n) if (ay_verdict_find(name) != AY_VERDICT_NONE)
		row->said_count[ay_verdict_find(name)] = claim(json_integer_value(n));
}

static void add_kernel(struct ay_summary *s, const struct ay_scan_line *l, const struct ay_record_id *id)
{
	const json_t *rec = l->rec;
	const char *sha = ay_record_str(rec, AY_FIELD_KERNEL_SHA256), *file = ay_record_str(rec, AY_FIELD_FILE);
	const char *overload = ay_record_str(rec, AY_FIELD_OVERLOAD);
	struct ay_index_entry *e = ay_index_get(&s->things, *id);
	enum ay_verdict worst = AY_VERDICT_NONE;
	json_t *o;
	const char *name;

	if (!e->attempts) {
		s->kernel = more(s->kernel, s->nkernel, sizeof *s->kernel);
		e->owner = s->nkernel;
		s->kernel[s->nkernel++] = (struct ay_sum_kernel){
			.op = get_operator(s, ay_record_str(rec, AY_FIELD_OPERATOR)),
			.kernel_sha256 = keep(s, sha),
			.file = file ? keep(s, file) : NULL,
			.overload = overload ? keep(s, overload) : NULL,
		};
	}
	ay_index_note(e, ay_record_verdict(rec), l->offset, l->len);
	s->kernel[e->owner].verdict = (enum ay_verdict)e->verdict;
	s->kernel[e->owner].offset = e->offset;
	s->kernel[e->owner].len = e->len;
	s->kernel[e->owner].attempts = e->attempts;
	json_object_foreach(json_object_get(rec, ay_field_name(AY_FIELD_OVERLOADS)), name, o)
	{
		int row = get_row(s, get_overload(s, name), sha, file);

		add_said(&s->row[row], o);
		s->kernel[e->owner].has_rows = true;
		worst = ay_verdict_merge(worst, ay_record_verdict(o));
	}
	s->kernel[e->owner].of_rows = worst == (enum ay_verdict)e->verdict;
}

static void count_in(json_t *set, const char *key)
{
	json_t *n = json_object_get(set, key ? key : "none");

	json_object_set_new(set, key ? key : "none", json_integer(json_integer_value(n) + 1));
}

/* Takes in the record of a case or kernel. */
static void take_verdict(void *user, const struct ay_scan_line *l)
{
	struct ay_record_id id;

	if (ay_record_id(l->rec, &id) && !strcmp(ay_record_str(l->rec, AY_FIELD_TYPE), AY_RECORD_CASE))
		add_case(user, l, &id);
	else if (ay_record_id(l->rec, &id))
		add_kernel(user, l, &id);
}

static int take_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct ay_summary *s = user;
	const char *type = ay_record_str(l->rec, AY_FIELD_TYPE);

	(void)err;
	if (l->fault != AY_FAULT_NONE) {
		s->found.fault[l->fault]++;
		if (!s->found.first_bad) {
			s->found.first_bad = l->number;
			s->found.first_fault = l->fault;
		}
		return 0;
	}
	if (ay_index_get(&s->seen, ay_id_seal(l->rec))->attempts++) {
		s->duplicates++;
		return 0;
	}
	s->found.records++;
	count_in(s->runs, ay_record_str(l->rec, AY_FIELD_RUN));
	count_in(s->builds, ay_record_str(l->rec, AY_FIELD_BUILD_SHA256));
	if (!strcmp(type, AY_RECORD_SUITE))
		add_suite(s, l->rec);
	else if (!strcmp(type, AY_RECORD_ERROR))
		s->errors++;
	else if (!strcmp(type, AY_RECORD_DEVICE))
		s->devices_lost++;
	else if (!ay_attempts_takes(&s->aside, l))
		take_verdict(s, l);
	return 0;
}

/* --- adding up -------------------------------------------------------------------------------- */

/* Adds cases to their rows. All attempts at one case count as one, with the worst verdict. */
static void add_cases(struct ay_summary *s)
{
	for (int i = 0; i < s->ncase; i++) {
		const struct ay_sum_case *c = &s->cases[i];
		struct ay_sum_row *row = &s->row[c->row];

		row->cases++;
		row->count[c->verdict]++;
		s->drawn += c->drawn;
		s->drawn_bad += c->drawn && c->verdict < AY_VERDICT_WEAK_CASE;
		row->verdict = ay_verdict_merge(row->verdict, c->verdict);
		if (c->attempts > row->attempts)
			row->attempts = c->attempts;
	}
	for (int i = 0; i < s->nrow; i++) {
		struct ay_sum_row *row = &s->row[i];

		if (!row->cases) {
			row->cases = row->said_cases;
			memcpy(row->count, row->said_count, sizeof row->count);
		}
		row->verdict = ay_verdict_merge(row->verdict, row->said);
	}
}

/* Returns true if the verdict of a kernel without cases applies to this overload of its
 * operator. */
static bool is_meant(const struct ay_summary *s, const struct ay_sum_kernel *k, int overload)
{
	const struct ay_sum_overload *o = &s->overload[overload];
	bool named = false;

	if (o->in_suite != s->has_suite)
		return false;
	for (int i = s->op[k->op].first; i >= 0 && k->overload; i = s->overload[i].next)
		named |= s->overload[i].in_suite == s->has_suite && !strcmp(s->overload[i].name, k->overload);
	return !named || !strcmp(o->name, k->overload);
}

/* Enters kernels that failed before any case (BUILD, LOAD). They fail the overload that their file
 * is named after. If the name gives none, or one that the suite lacks, they fail all overloads of
 * their operator. */
static void spread_kernels(struct ay_summary *s)
{
	for (int k = 0; k < s->nkernel; k++) {
		const struct ay_sum_kernel *kernel = &s->kernel[k];
		int found = 0;

		if (kernel->has_rows || kernel->verdict == AY_VERDICT_PASS)
			continue;
		for (int i = s->op[kernel->op].first; i >= 0; i = s->overload[i].next)
			if (is_meant(s, kernel, i)) {
				int row = get_row(s, i, kernel->kernel_sha256, kernel->file);

				s->row[row].verdict = ay_verdict_merge(s->row[row].verdict, kernel->verdict);
				found++;
			}
		if (!found) {
			int o = get_overload(s, s->op[kernel->op].name);
			int row = get_row(s, o, kernel->kernel_sha256, kernel->file);

			s->row[row].verdict = kernel->verdict;
		}
	}
}

static void add_rows(struct ay_summary *s)
{
	for (int i = 0; i < s->nrow; i++) {
		const struct ay_sum_row *row = &s->row[i];
		struct ay_sum_overload *o = &s->overload[row->overload];

		o->verdict = ay_verdict_merge(o->verdict, row->verdict);
		o->derived = o->derived && row->derived;
		o->cases += row->cases;
		for (int v = 0; v < AY_VERDICT_COUNT; v++)
			o->count[v] += row->count[v];
		if (row->attempts > o->attempts)
			o->attempts = row->attempts;
		o->rows++;
	}
	for (int k = 0; k < s->nkernel; k++) {
		struct ay_sum_operator *op = &s->op[s->kernel[k].op];

		op->kernels++;
		if (!s->kernel[k].of_rows)
			op->verdict = ay_verdict_merge(op->verdict, s->kernel[k].verdict);
		if (s->kernel[k].attempts > op->attempts)
			op->attempts = s->kernel[k].attempts;
	}
}

/* Adds a file from which an operator may have its verdict, and notes if files differ. */
static void add_file(const char **file, bool *several, const char *one)
{
	*several |= *file && one && strcmp(*file, one) != 0;
	*file = one ? one : *file;
}

/* Finds the file of each operator. Its kernels are those whose records name it. If it has none, a
 * kernel of another operator may define some of its overloads: aten_add_Tensor.c may define
 * add_.Tensor. */
static void find_files(struct ay_summary *s)
{
	for (int i = 0; i < s->noperator; i++) {
		struct ay_sum_operator *op = &s->op[i];
		bool several = false;

		for (int k = 0; k < s->nkernel && op->kernels; k++)
			if (s->kernel[k].op == i)
				add_file(&op->file, &several, s->kernel[k].file);
		for (int k = 0; k < s->nrow && !op->kernels; k++)
			if (s->overload[s->row[k].overload].op == i)
				add_file(&op->file, &several, s->row[k].file);
		if (several || op->verdict == AY_VERDICT_NONE)
			op->file = NULL;
	}
}

static void count_score(struct ay_score *score, bool passed, enum ay_verdict v)
{
	score->of++;
	if (passed)
		score->passed++;
	else if (v == AY_VERDICT_PASS)
		score->partial++;
	else if (v == AY_VERDICT_NONE)
		score->missing++;
	else if (v == AY_VERDICT_SKIPPED || v == AY_VERDICT_WEAK_CASE)
		score->undecided++;
	else
		score->failed++;
}

static void add_overload(struct ay_summary *s, struct ay_sum_operator *op, struct ay_sum_overload *o)
{
	bool judged = o->verdict != AY_VERDICT_NONE;

	o->derived = o->derived && judged;
	op->cases += o->cases;
	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		op->count[v] += o->count[v];
	if (o->attempts > op->attempts)
		op->attempts = o->attempts;
	if (!o->in_suite && s->has_suite)
		return;
	op->overloads++;
	op->overloads_passed += o->verdict == AY_VERDICT_PASS;
	count_score(&s->overloads, o->verdict == AY_VERDICT_PASS, o->verdict);
	s->overloads.pending += s->unfinished && op->planned && !op->left_out && !judged;
}

static void add_overloads(struct ay_summary *s)
{
	for (int i = 0; i < s->noperator; i++) {
		struct ay_sum_operator *op = &s->op[i];
		enum ay_verdict derived = AY_VERDICT_NONE;

		for (int k = op->first; k >= 0; k = s->overload[k].next) {
			struct ay_sum_overload *o = &s->overload[k];

			add_overload(s, op, o);
			/* a form that the file does not define must not count against it */
			if (o->derived)
				derived = ay_verdict_merge(derived, o->verdict);
			else
				op->verdict = ay_verdict_merge(op->verdict, o->verdict);
		}
		if (op->verdict == AY_VERDICT_NONE)
			op->verdict = derived;
		op->passed = op->verdict == AY_VERDICT_PASS && op->overloads &&
			     op->overloads_passed == op->overloads;
		if (op->in_suite || !s->has_suite)
			count_score(&s->operators, op->passed, op->verdict);
		s->operators.left_out += op->left_out && op->verdict == AY_VERDICT_NONE;
		s->operators.pending += ay_sum_is_pending(s, op);
	}
}

/* Adds up the times of cases that passed, separately at each level. A mean of means would weigh a
 * kernel by its number of overloads. */
static void add_speeds(struct ay_summary *s)
{
	for (int i = 0; i < s->ncase; i++) {
		const struct ay_sum_case *c = &s->cases[i];
		struct ay_sum_overload *o = &s->overload[s->row[c->row].overload];
		struct ay_sum_operator *op = &s->op[o->op];

		if (c->verdict != AY_VERDICT_PASS && !c->time.too_slow)
			continue;
		s->timed += c->time.timed;
		ay_speed_add(&s->row[c->row].speed, &c->time);
		ay_speed_add(&o->speed, &c->time);
		/* forms outside the suite do not count for its operator */
		if (o->in_suite == op->in_suite)
			ay_speed_add(&op->speed, &c->time);
	}
	for (int i = 0; i < s->nrow; i++)
		ay_speed_end(&s->row[i].speed);
	for (int i = 0; i < s->noverload; i++) {
		struct ay_sum_overload *o = &s->overload[i];

		ay_speed_end(&o->speed);
		if (o->in_suite || !s->has_suite)
			ay_speed_score_add(&s->speed_overloads, &o->speed, o->verdict == AY_VERDICT_PASS);
	}
	for (int i = 0; i < s->noperator; i++) {
		ay_speed_end(&s->op[i].speed);
		if (s->op[i].in_suite || !s->has_suite)
			ay_speed_score_add(&s->speed_operators, &s->op[i].speed, s->op[i].passed);
	}
	ay_speed_score_end(&s->speed_overloads);
	ay_speed_score_end(&s->speed_operators);
}

int ay_summary_read(const char *dir, struct ay_summary *s, struct ay_err *err)
{
	struct ay_folder d = { open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir };
	struct ay_scan scan = { .line = take_line, .user = s };
	/* without a readable run.json the facts are missing, but not the numbers */
	struct ay_err ignored = { 0 };
	int rc;

	if (d.fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", dir);
	s->results_fd = openat(d.fd, AY_RESULTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	s->runs = json_object();
	s->builds = json_object();
	rc = s->results_fd < 0 ? ay_folder_fail(&d, "read", AY_RESULTS_NAME, err)
			       : ay_scan_fd(&scan, s->results_fd, dir, err);
	s->found.lines = scan.lines;
	if (!rc) {
		ay_attempts_end(&s->aside, s->results_fd, take_verdict, s);
		ay_run_read_head(&d, &s->head, &ignored);
		s->unfinished = ay_sum_is_unfinished(&d);
		add_cases(s);
		spread_kernels(s);
		add_rows(s);
		add_overloads(s);
		find_files(s);
		add_speeds(s);
		ay_sum_find_best(s);
		ay_call_weights_add(s);
	}
	close(d.fd);
	return rc;
}

void ay_summary_release(struct ay_summary *s)
{
	struct ay_index *index[] = { &s->names, &s->rows, &s->things, &s->seen };

	for (int i = 0; i < 4; i++)
		ay_index_release(index[i]);
	ay_xfree(s->op);
	ay_xfree(s->overload);
	ay_xfree(s->row);
	ay_xfree(s->kernel);
	ay_xfree(s->cases);
	ay_xfree(s->baseline);
	if (s->runs && s->results_fd >= 0)
		close(s->results_fd);
	ay_attempts_release(&s->aside);
	json_decref(s->head);
	json_decref(s->runs);
	json_decref(s->builds);
	ay_arena_release(&s->arena);
	*s = (struct ay_summary){ 0 };
}
