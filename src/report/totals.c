/* SPDX-License-Identifier: Apache-2.0
 *
 * totals - the text below the table of a run: scores, speed-ups, and record counts.
 */
#include "report/report_internal.h"
#include "base/wrap.h"

#include <limits.h>
#include <string.h>

enum { INDENT = 2 };

void ay_report_line(struct ay_str *b, const char *text, const struct ay_screen *screen)
{
	ay_wrap(b, text, 0, INDENT, screen->width ? screen->width : INT_MAX);
	ay_str_addc(b, '\n');
}

static void end_line(struct ay_str *b, struct ay_str *line, const struct ay_screen *screen)
{
	ay_report_line(b, ay_str_text(line), screen);
	ay_str_clear(line);
}

/* Prints perf@p: a row for the measured values, and one for what is certain. */
static void add_perf(struct ay_str *b, const char *what, const struct ay_speed_score *x)
{
	const int *const row[] = { x->fast, x->surely };
	static const char *const names[] = { "measured", "for certain" };

	ay_str_addf(b, "  perf@p: %ss of %d that are right and faster than p times the library\n    %-11s", what,
		    x->of, "p");
	for (int i = 0; i < AY_PERF_N; i++)
		ay_str_addf(b, " %6g", ay_perf_p[i]);
	for (int k = 0; k < 2; k++) {
		ay_str_addf(b, "\n    %-11s", names[k]);
		for (int i = 0; i < AY_PERF_N; i++)
			ay_str_addf(b, " %6d", row[k][i]);
	}
	ay_str_addc(b, '\n');
}

static void add_speed(struct ay_str *b, const char *what, const struct ay_speed_score *x,
		      const struct ay_screen *screen)
{
	const struct ay_speed_shown shown = { x->speedup, x->lo, x->hi, true, 0 };
	struct ay_str line = { 0 };

	ay_str_addf(&line, "speed-up over libraries, per %s: ", what);
	ay_speed_print(&line, &shown);
	ay_str_addf(&line, "%s over %d of %d", x->scored ? ", geometric mean" : "none", x->scored, x->of);
	ay_speed_score_print_notes(&line, x);
	end_line(b, &line, screen);
	if (x->scored) /* else every number would be 0 */
		add_perf(b, what, x);
	ay_str_release(&line);
}

void ay_report_absent(struct ay_str *b, const struct ay_summary *s)
{
	const char *backend = json_string_value(json_object_get(s->head, ay_field_name(AY_FIELD_BACKEND)));

	if (ay_is_package(backend))
		ay_str_addf(b, "not implemented by %s", backend);
	else
		ay_str_add(b, "without a kernel");
}

static void add_scores(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen)
{
	const struct ay_score *const score[] = { &s->operators, &s->overloads };
	static const char *const what[] = { "per operator: ", "per overload: " };
	struct ay_str absent = { 0 }, line = { 0 };

	ay_report_absent(&absent, s);
	for (int i = 0; i < 2; i++) {
		ay_str_add(&line, what[i]);
		ay_score_print(&line, score[i], ay_str_text(&absent));
		end_line(b, &line, screen);
	}
	ay_str_release(&absent);
	ay_str_release(&line);
}

static void add_records(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen)
{
	const char *command = json_string_value(json_object_get(s->head, ay_field_name(AY_FIELD_COMMAND)));
	struct ay_str line = { 0 };

	ay_run_found_print(&line, &s->found);
	if (s->errors)
		ay_str_addf(&line, "; %lld are errors, not verdicts", (long long)s->errors);
	if (s->devices_lost)
		ay_str_addf(&line, "; devices that failed and were taken out: %lld", (long long)s->devices_lost);
	if (s->unfinished)
		ay_str_addf(&line, "; the run did not come to its end: assay %s --resume-from RUN goes on with it",
			    command && !strcmp(command, "llm") ? "llm" : "eval");
	end_line(b, &line, screen);
	ay_str_release(&line);
}

void ay_report_totals(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen)
{
	struct ay_str line = { 0 };

	if (s->operators.partial)
		ay_report_line(b, "PARTIAL n/m: n of the operator's m overloads pass, others are missing or fail",
			       screen);
	add_scores(b, s, screen);
	if (s->timed) {
		add_speed(b, "operator", &s->speed_operators, screen);
		add_speed(b, "overload", &s->speed_overloads, screen);
	}
	if (s->by_calls.calls) {
		ay_by_calls_print(&line, &s->by_calls, s->timed > 0);
		end_line(b, &line, screen);
	}
	if (s->drawn) {
		ay_summary_add_drawn(&line, s);
		end_line(b, &line, screen);
	}
	add_records(b, s, screen);
	ay_str_release(&line);
}
