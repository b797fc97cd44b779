/* SPDX-License-Identifier: Apache-2.0
 *
 * chat_live - tests of the API process with the fake server: requests, retries, losses, stored
 * answers and the hidden key.
 */
#include "test.h"
#include "helpers.h"
#include "fake_llm.h"
#include "llm/transcript.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* --- both protocols --------------------------------------------------------------------------- */

TEST(chat_live_both_protocols_give_every_kind_of_answer)
{
	static const struct {
		const char *op, *text; /* of its answer: a part */
		enum ay_chat_end end;
	} want[] = {
		{ "aten::relu", "int aten_relu(const ay_tensor *self", AY_CHAT_STOP },
		{ "aten::cos", "/* fake: wrong */", AY_CHAT_STOP },
		{ "aten::sin", "no program", AY_CHAT_STOP },
		{ "aten::neg", "```c\n/* due: PASS", AY_CHAT_LENGTH },
		{ "aten::mm", "", AY_CHAT_REFUSED },
		{ "aten::bmm", "", AY_CHAT_REFUSED },
		{ "aten::floor", "send(3, ", AY_CHAT_STOP },
		{ "aten::cat", "A loop", AY_CHAT_STOP },
		{ "aten::sort", "", AY_CHAT_STOP },
		{ "aten::stack", "plain JSON", AY_CHAT_STOP },
	};
	struct fake_llm s = { 0 };

	fake_llm_start(
		&s,
		"{\"thinking\": \"Let me think.\", \"chunk\": 7, \"tokens\": [1000, 200], \"key\": \"sk-fake\","
		"\"models\": [\"gpt-4o\"], \"ops\": {\"aten::cos\": [\"wrong\"], \"aten::sin\": "
		"[\"uncompilable\"],"
		"\"aten::neg\": [\"truncated\"], \"aten::mm\": [\"refusing\"], \"aten::bmm\": [\"filtered\"],"
		"\"aten::floor\": [\"cheating\"], \"aten::cat\": [\"no code\"], \"aten::sort\": [\"tool\"],"
		"\"aten::stack\": [{\"answer\": \"text:plain JSON\", \"whole\": true}]}}");
	for (int server = AY_SERVER_OPENAI; server <= AY_SERVER_ANTHROPIC; server++) {
		const char *dir = live_run_dir(server == AY_SERVER_OPENAI ? "o" : "a");
		struct ay_chat_spec spec = live_spec_of((enum ay_server)server, dir);
		struct ay_arena a = { 0 };

		for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
			char id[60], text[100];
			struct ay_chat_answer got;
			struct ay_err err = { 0 };

			setenv("OPENAI_API_KEY", "sk-fake", 1);
			setenv("ANTHROPIC_API_KEY", "sk-fake", 1);
			snprintf(id, sizeof id, "%s/r1/w0", want[i].op);
			snprintf(text, sizeof text, "Write %s in C.", want[i].op);
			if (live_once(&spec, id, text, &a, &got, &err) != 1) {
				test_fail(__FILE__, __LINE__, "%s: %s", want[i].op, err.msg);
				continue;
			}
			CHECKF(got.end == want[i].end, "%s ended %d: %s", want[i].op, (int)got.end,
			       got.error ? got.error : "");
			CHECKF(strstr(got.text, want[i].text), "%s: %s", want[i].op, got.text);
			CHECK(got.thinking && !strcmp(got.thinking, "Let me think."));
			CHECK(got.tokens_in == 1000 && got.tokens_out == 200 && got.tries == 1 && !got.changed);
			CHECKF(got.usd > 0.00449999 && got.usd < 0.00450001, "%.9g dollars", got.usd);
		}
		CHECK(live_occurrences(live_file_of(&a, dir), "\"type\":\"asked\"") == 10);
		CHECK(live_occurrences(live_file_of(&a, dir), "\"type\":\"answered\"") == 10);
		ay_arena_release(&a);
	}
	CHECK(fake_llm_count(&s, "seen", NULL) == 20 && fake_llm_count(&s, "sent", NULL) == 20);
	fake_llm_stop(&s);
}

/* --- failures --------------------------------------------------------------------------------- */

TEST(chat_live_what_fails_for_a_while_is_tried_again)
{
	static const char *const faults[] = { "429ms:30", "500",   "503:0", "529",   "408",      "409",
					      "cut",      "reset", "html",  "error", "malformed" };
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };

	fake_llm_start(&s, "{\"ops\": {\"aten::a0\": [{\"answer\": \"text:x\", \"faults\": [\"429ms:30\"]}],"
			   "\"aten::a1\": [{\"answer\": \"text:x\", \"faults\": [\"500\"]}],"
			   "\"aten::a2\": [{\"answer\": \"text:x\", \"faults\": [\"503:0\"]}],"
			   "\"aten::a3\": [{\"answer\": \"text:x\", \"faults\": [\"529\"]}],"
			   "\"aten::a4\": [{\"answer\": \"text:x\", \"faults\": [\"408\"]}],"
			   "\"aten::a5\": [{\"answer\": \"text:x\", \"faults\": [\"409\"]}],"
			   "\"aten::a6\": [{\"answer\": \"text:xxxxxxxx\", \"chunk\": 1, \"faults\": [\"cut\"]}],"
			   "\"aten::a7\": [{\"answer\": \"text:x\", \"faults\": [\"reset\"]}],"
			   "\"aten::a8\": [{\"answer\": \"text:x\", \"faults\": [\"html\"]}],"
			   "\"aten::a9\": [{\"answer\": \"text:x\", \"faults\": [\"error\"]}],"
			   "\"aten::a10\": [{\"answer\": \"text:x\", \"faults\": [\"malformed\"]}]}}");
	for (int server = AY_SERVER_OPENAI; server <= AY_SERVER_ANTHROPIC; server++) {
		const char *dir = live_run_dir(server == AY_SERVER_OPENAI ? "o" : "a");
		struct ay_chat_spec spec = live_spec_of((enum ay_server)server, dir);
		struct ay_chat *c;
		struct ay_chat_answer got;
		struct ay_err err = { 0 };
		int n = sizeof faults / sizeof *faults;

		setenv("OPENAI_API_KEY", "sk-fake", 1);
		setenv("ANTHROPIC_API_KEY", "sk-fake", 1);
		c = live_open_chat(&spec);
		for (int i = 0; i < n; i++)
			live_ask(c, ay_sprintf(&a, "aten::a%d/r1/s%d", i, server), ay_sprintf(&a, "aten::a%d", i));
		while (ay_chat_pending(c) && live_wait_answer(c, &a, &got, &err) == 1)
			CHECKF(got.end == AY_CHAT_STOP && got.tries == 2 && got.text[0] == 'x', "%s: %d tries: %s",
			       got.id, got.tries, got.error ? got.error : "");
		CHECKF(!err.code, "%s", err.msg);
		ay_chat_close(c);
		CHECK(live_occurrences(live_file_of(&a, dir), "\"type\":\"asked\"") == n);
		CHECK(live_occurrences(live_file_of(&a, dir), "\"type\":\"retried\"") == n);
		CHECK(live_occurrences(live_file_of(&a, dir), "\"type\":\"answered\"") == n);
	}
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* Returns the pause between the end of the first try and the second, by the fake server's clock. */
static double pause_of(const struct fake_llm *s, const char *id)
{
	json_t *log = fake_llm_log(s), *j;
	double sent = 0, again = 0;
	size_t i;

	json_array_foreach(log, i, j)
	{
		if (strcmp(json_string_value(json_object_get(j, "id")), id))
			continue;
		if (!sent && !strcmp(json_string_value(json_object_get(j, "event")), "sent"))
			sent = json_number_value(json_object_get(j, "t"));
		else if (sent && !again)
			again = json_number_value(json_object_get(j, "t"));
	}
	json_decref(log);
	return again - sent;
}

TEST(chat_live_is_as_patient_as_the_server_asks)
{
	static const struct {
		const char *fault;
		double least_s;
	} waits[] = {
		{ "429:1", 1 }, { "429ms:700", 0.7 }, { "503:1", 1 }, { "429date:2", 1 }, { "429reset:1", 0.9 }
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		struct fake_llm s = { 0 };
		struct ay_chat_spec spec = live_spec_of(i % 2 ? AY_SERVER_ANTHROPIC : AY_SERVER_OPENAI,
							live_run_dir("run"));
		struct ay_chat_answer got;
		struct ay_err err = { 0 };
		const char *id = ay_sprintf(&a, "q/%zu", i);

		fake_llm_start(&s,
			       ay_sprintf(&a, "{\"default\": [{\"answer\": \"text:x\", \"faults\": [\"%s\"]}]}",
					  waits[i].fault));
		CHECKF(live_once(&spec, id, "?", &a, &got, &err) == 1 && got.tries == 2, "%s: %s", waits[i].fault,
		       err.msg);
		CHECKF(pause_of(&s, id) >= waits[i].least_s, "%s: again after %.3f s", waits[i].fault,
		       pause_of(&s, id));
		fake_llm_stop(&s);
	}
	ay_arena_release(&a);
}

/* A rate limit concerns all requests: none begins before its time is over. */
TEST(chat_live_a_rate_limit_holds_all_questions)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	struct ay_chat *c;
	json_t *log, *j;
	struct pollfd p = { .events = POLLIN };
	double limited = 0;
	size_t i;

	spec.in_flight = 1;
	fake_llm_start(
		&s, "{\"ops\": {\"aten::a\": [{\"answer\": \"text:x\", \"faults\": [\"429:2\"]}]}, \"default\": "
		    "[\"text:y\"]}");
	c = live_open_chat(&spec);
	live_ask(c, "a", "aten::a");
	for (int k = 0; k < 5; k++)
		live_ask(c, ay_sprintf(&a, "b%d", k), "aten::b");
	CHECK(ay_chat_held_s(c) == 0);
	p.fd = ay_chat_fd(c);
	/* no answer, but the waiting time is known */
	CHECK(poll(&p, 1, 30000) == 1 && !ay_chat_next(c, &a, &got, &err));
	CHECKF(ay_chat_held_s(c) > 0 && ay_chat_held_s(c) < 3, "held for %.3f s", ay_chat_held_s(c));
	while (ay_chat_pending(c) && live_wait_answer(c, &a, &got, &err) == 1)
		CHECK(got.end == AY_CHAT_STOP);
	ay_chat_close(c);
	log = fake_llm_log(&s);
	json_array_foreach(log, i, j)
	{
		double t = json_number_value(json_object_get(j, "t"));

		if (json_integer_value(json_object_get(j, "status")) == 429)
			limited = t;
		else if (limited)
			CHECKF(t >= limited + 2, "%s after %.3f s", json_string_value(json_object_get(j, "id")),
			       t - limited);
	}
	CHECK(limited > 0 && fake_llm_count(&s, "seen", NULL) == 7);
	json_decref(log);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

TEST(chat_live_what_fails_for_good_is_an_answer)
{
	static const struct {
		const char *fault, *says;
		int seen;
	} ends[] = {
		{ "\"400\"", "scripted 400", 1 },
		{ "\"500\", \"500\", \"500\"", "(3 tries)", 3 },
		{ "\"cut\", \"reset\", \"cut\"", "(3 tries)", 3 },
		{ "\"malformed\", \"html\", \"malformed\"", "(3 tries)", 3 },
		{ "\"429:7200\"", "HTTP 429", 1 },
		{ "\"hang\", \"hang\", \"hang\"", "not a byte came for 0.7 s",
		  2 }, /* this server has never answered */
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct fake_llm s = { 0 };
		struct ay_chat_spec spec = live_spec_of(i % 2 ? AY_SERVER_ANTHROPIC : AY_SERVER_OPENAI,
							live_run_dir("run"));
		struct ay_chat_answer got = { 0 };
		struct ay_err err = { 0 };
		struct ay_transcript *x;
		const char *id = ay_sprintf(&a, "q/%zu", i);

		spec.tries = 3;
		spec.timeout_s = strstr(ends[i].fault, "hang") ? 0.7 : 20;
		fake_llm_start(&s, ay_sprintf(&a,
					      "{\"default\": [{\"answer\": \"text:xxxxxxxxx\", \"chunk\": 1, "
					      "\"faults\": [%s]}]}",
					      ends[i].fault));
		CHECKF(live_once(&spec, id, "?", &a, &got, &err) == 1, "%s: %s", ends[i].fault, err.msg);
		CHECK(got.end == AY_CHAT_FAILED && got.error && got.tries == ends[i].seen);
		CHECKF(got.error && strstr(got.error, ends[i].says), "%s", got.error ? got.error : "no error");
		CHECK(fake_llm_count(&s, "seen", id) == ends[i].seen);
		CHECK(!ay_transcript_read(&x, spec.dir, &err) && ay_transcript_answer(x, id, &got));
		CHECK(got.end == AY_CHAT_FAILED);
		ay_transcript_free(x);
		fake_llm_stop(&s);
	}
	ay_arena_release(&a);
}

/* Questions that all fail: the first three say it for the rest, whether it is for good at once or
 * after some tries. */
TEST(chat_live_a_server_that_only_fails_is_not_asked_everything)
{
	static const struct {
		const char *fault, *says[3];
		int most;
	} ends[] = {
		{ "\"400\"", { "3 requests in a row", "scripted 400", "set --model-name" }, 3 },
		{ "\"500\", \"500\"", { "3 requests in a row", "2 tries: HTTP 500", "try again later" }, 8 },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct fake_llm s = { 0 };
		struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
		struct ay_chat_answer got = { 0 };
		struct ay_err err = { 0 };
		struct ay_chat *c;
		int failed = 0, rc;

		spec.tries = 2;
		spec.in_flight = 1;
		fake_llm_start(&s, ay_sprintf(&a, "{\"default\": [{\"answer\": \"text:x\", \"faults\": [%s]}]}",
					      ends[i].fault));
		setenv("OPENAI_API_KEY", "sk-fake", 1);
		c = live_open_chat(&spec);
		for (int k = 0; k < 40; k++)
			live_ask(c, ay_sprintf(&a, "q%d", k), "?");
		while ((rc = live_wait_answer(c, &a, &got, &err)) == 1)
			failed += got.end == AY_CHAT_FAILED;
		CHECKF(rc < 0 && failed == 2, "%d answers", failed);
		for (int k = 0; k < 3; k++)
			CHECKF(strstr(err.msg, ends[i].says[k]), "'%s' is not in: %s", ends[i].says[k], err.msg);
		CHECKF(fake_llm_count(&s, "seen", NULL) <= ends[i].most, "%d requests",
		       fake_llm_count(&s, "seen", NULL));
		CHECK(i == 0 || strstr(ay_chat_trouble(c), "HTTP 500"));
		ay_chat_close(c);
		fake_llm_stop(&s);
		CHECK(!remove(ay_sprintf(&a, "%s/" AY_TRANSCRIPT_FILE, spec.dir)));
	}
	ay_arena_release(&a);
}

/* The time-out is for silence; slow bytes are accepted. */
TEST(chat_live_slow_answers_are_waited_for)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_ANTHROPIC, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };

	spec.timeout_s = 3;
	spec.tries = 1;
	fake_llm_start(&s, "{\"default\": [{\"answer\": \"text:0123456789\", \"chunk\": 1, \"slow_s\": 0.25}]}");
	CHECKF(live_once(&spec, "slow", "?", &a, &got, &err) == 1, "%s", err.msg);
	CHECKF(got.end == AY_CHAT_STOP && !strcmp(got.text, "0123456789"), "%s", got.error);
	CHECK(got.wall_s > 3);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

TEST(chat_live_what_no_question_survives_says_what_to_set)
{
	static const struct {
		enum ay_server server;
		const char *script, *says[3];
	} cases[] = {
		{ AY_SERVER_OPENAI,
		  "{\"key\": \"sk-another\"}",
		  { "HTTP 401", "set OPENAI_API_KEY", "127.0.0.1" } },
		{ AY_SERVER_ANTHROPIC,
		  "{\"key\": \"sk-another\"}",
		  { "HTTP 401", "set ANTHROPIC_API_KEY", "127.0.0.1" } },
		{ AY_SERVER_OPENAI, "{\"models\": [\"other\"]}", { "HTTP 404", "set --model-name", "gpt-4o" } },
		{ AY_SERVER_ANTHROPIC,
		  "{\"models\": [\"other\"]}",
		  { "HTTP 404", "set --model-name", "ANTHROPIC_BASE_URL" } },
		{ AY_SERVER_OPENAI,
		  "{\"default\": [{\"answer\": \"text:x\", \"faults\": [\"403\"]}]}",
		  { "HTTP 403", "set OPENAI_API_KEY", "gpt-4o" } },
		{ AY_SERVER_OPENAI,
		  "{\"default\": [{\"answer\": \"text:x\", \"faults\": [\"quota\"]}]}",
		  { "quota", "OPENAI_API_KEY", "" } },
		{ AY_SERVER_OPENAI,
		  "{\"default\": [{\"answer\": \"text:x\", \"faults\": [\"temperature\"]}]}",
		  { "'temperature'", "set --temperature", "" } },
		{ AY_SERVER_OPENAI,
		  "{\"default\": [{\"answer\": \"text:x\", \"faults\": [\"redirect\"]}]}",
		  { "HTTP 307", "OPENAI_BASE_URL", "" } },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fake_llm s = { 0 };
		struct ay_chat_spec spec = live_spec_of(cases[i].server, live_run_dir("run"));
		struct ay_chat_answer got;
		struct ay_err err = { 0 };
		struct ay_transcript *x;
		const char *const *ids;

		fake_llm_start(&s, cases[i].script);
		CHECK(live_once(&spec, "q", "?", &a, &got, &err) == -1);
		for (int k = 0; k < 3; k++)
			CHECKF(strstr(err.msg, cases[i].says[k]), "'%s' is not in: %s", cases[i].says[k], err.msg);
		CHECK(!strstr(err.msg, "sk-fake"));
		CHECK(fake_llm_count(&s, "seen", NULL) == 1);
		/* nothing is lost: the run knows that the request was not answered */
		ay_err_clear(&err);
		CHECK(!ay_transcript_read(&x, spec.dir, &err) && !ay_transcript_answered(x) &&
		      !ay_transcript_lost(x, &ids));
		ay_transcript_free(x);
		fake_llm_stop(&s);
		CHECK(!remove(ay_sprintf(&a, "%s/" AY_TRANSCRIPT_FILE, spec.dir)));
	}
	ay_arena_release(&a);
}

/* A 404 of one request, when others are answered, concerns only that request. */
TEST(chat_live_one_refusal_among_answers_is_its_own)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	struct ay_chat *c;

	fake_llm_start(
		&s, "{\"ops\": {\"aten::bad\": [{\"answer\": \"text:x\", \"faults\": [\"403\"]}]}, \"default\": "
		    "[\"text:y\"]}");
	c = live_open_chat(&spec);
	live_ask(c, "good", "aten::good");
	CHECK(live_wait_answer(c, &a, &got, &err) == 1 && got.end == AY_CHAT_STOP);
	live_ask(c, "bad", "aten::bad");
	CHECK(live_wait_answer(c, &a, &got, &err) == 1 && got.end == AY_CHAT_FAILED);
	live_ask(c, "good2", "aten::good");
	CHECK(live_wait_answer(c, &a, &got, &err) == 1 && got.end == AY_CHAT_STOP);
	ay_chat_close(c);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* A server that has refused stream_options gets requests without them. */
TEST(chat_live_what_a_server_does_not_know_is_left_out)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	struct ay_chat *c;

	fake_llm_start(&s, "{\"default\": [{\"answer\": \"text:y\", \"faults\": [\"options\", \"options\"]}]}");
	c = live_open_chat(&spec);
	for (int i = 0; i < 3; i++) {
		live_ask(c, ay_sprintf(&a, "q%d", i), "?");
		CHECKF(live_wait_answer(c, &a, &got, &err) == 1 && got.end == AY_CHAT_STOP, "%s", err.msg);
	}
	ay_chat_close(c);
	CHECK(fake_llm_count(&s, "seen", "q0") == 2 && fake_llm_count(&s, "seen", "q1") == 1);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

TEST(chat_live_nobody_there_and_nothing_to_set)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_chat *c;
	struct ay_err err = { 0 };

	fake_llm_start(&s, "{}");
	fake_llm_stop(&s); /* no process listens at its port now */
	CHECK(live_once(&spec, "q", "?", &a, &got, &err) == -1);
	CHECKF(strstr(err.msg, "set OPENAI_BASE_URL") && strstr(err.msg, "127.0.0.1"), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_chat_open(&c, &spec, &err) == -1 &&
	      strstr(err.msg, "OPENAI_API_KEY is not set")); /* it was taken */
	ay_err_clear(&err);
	setenv("OPENAI_API_KEY", "sk-fake", 1);
	spec.dir = "/proc/nowhere";
	CHECK(ay_chat_open(&c, &spec, &err) == -1 && strstr(err.msg, "/proc/nowhere"));
	ay_arena_release(&a);
}

/* --- by libcurl's rules ----------------------------------------------------------------------- */

/* A host name that cannot be resolved is reached through a proxy, unless no_proxy forbids it. */
TEST(chat_live_proxies_are_used)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };

	fake_llm_start(&s, "{\"default\": [\"text:through\"]}");
	setenv("http_proxy", ay_sprintf(&a, "http://127.0.0.1:%d", s.port), 1);
	setenv("no_proxy", "", 1);
	setenv("OPENAI_BASE_URL", "http://user:secret@model.invalid/v1", 1);
	CHECKF(live_once(&spec, "q", "?", &a, &got, &err) == 1 && !strcmp(got.text, "through"), "%s", err.msg);
	CHECK(fake_llm_count(&s, "seen", "q") == 1);
	CHECK(!strstr(live_file_of(&a, spec.dir), "secret"));
	setenv("no_proxy", "model.invalid", 1);
	setenv("OPENAI_API_KEY", "sk-fake", 1);
	CHECK(live_once(&spec, "q2", "?", &a, &got, &err) == -1);
	CHECKF(strstr(err.msg, "model.invalid") && !strstr(err.msg, "secret"), "%s", err.msg);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* A server with an untrusted certificate gets no key, unless CURL_CA_BUNDLE makes it trusted. */
TEST(chat_live_certificates_are_examined)
{
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	char *out;

	s.tls = ay_sprintf(&a, "%s/tls.pem", test_dir());
	if (help_run(&a,
		     ay_sprintf(
			     &a,
			     "cd %s && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=fake -addext "
			     "subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem && cat key.pem cert.pem > "
			     "tls.pem",
			     test_dir()),
		     60, &out))
		test_skip("no openssl to make a certificate: %.100s", out);
	fake_llm_start(&s, "{\"default\": [\"text:in private\"]}");
	CHECK(live_once(&spec, "q", "?", &a, &got, &err) == -1);
	CHECKF(strstr(err.msg, "certificate") && strstr(err.msg, "set CURL_CA_BUNDLE"), "%s", err.msg);
	CHECK(!fake_llm_count(&s, "seen", NULL));
	ay_err_clear(&err);
	setenv("CURL_CA_BUNDLE", ay_sprintf(&a, "%s/cert.pem", test_dir()), 1);
	setenv("OPENAI_API_KEY", "sk-fake", 1);
	CHECKF(live_once(&spec, "q", "?", &a, &got, &err) == 1 && !strcmp(got.text, "in private"), "%s", err.msg);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* --- many at once ----------------------------------------------------------------------------- */

TEST(chat_live_500_at_once_with_faults_lose_and_double_nothing)
{
	enum { N = 500 };
	struct fake_llm s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_transcript *x;
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	struct ay_chat *c;
	json_t *ids = json_object(), *faults = json_object(), *seen = json_object(), *log, *j;
	const char *const *lost;
	char *file;
	size_t k;

	spec.in_flight = N;
	spec.timeout_s = 60;
	/* nothing is answered before 500 requests are there at once; every tenth fails at first */
	fake_llm_start(&s,
		       "{\"gather\": 500, \"tokens\": [7, 3], \"default\": [\"text:an answer of some words\"], "
		       "\"chunk\": 4, "
		       "\"faults\": {\"every\": 10, \"kinds\": [\"429ms:50\", \"500\", \"cut\", \"malformed\", "
		       "\"reset\"]}}");
	c = live_open_chat(&spec);
	for (int i = 0; i < N; i++)
		live_ask(c, ay_sprintf(&a, "aten::op%d/r1/w0", i), "a question");
	CHECK(ay_chat_pending(c) == N);
	while (ay_chat_pending(c) && live_wait_answer(c, &a, &got, &err) == 1) {
		CHECKF(got.end == AY_CHAT_STOP, "%s: %s", got.id, got.error);
		CHECK_STR(got.text, "an answer of some words");
		CHECK(got.tokens_in == 7 && got.tokens_out == 3);
		CHECKF(!json_object_get(ids, got.id), "%s was answered twice", got.id);
		json_object_set_new(ids, got.id, json_integer(got.tries));
	}
	CHECKF(!err.code, "%s", err.msg);
	ay_chat_close(c);
	CHECKF(json_object_size(ids) == N, "%zu answers", json_object_size(ids));

	log = fake_llm_log(&s);
	json_array_foreach(log, k, j)
	{
		const char *id = json_string_value(json_object_get(j, "id"));

		if (!strcmp(json_string_value(json_object_get(j, "event")), "seen"))
			json_object_set_new(seen, id,
					    json_integer(json_integer_value(json_object_get(seen, id)) + 1));
		else if (json_is_string(json_object_get(j, "fault")))
			json_object_set_new(faults, id, json_true());
	}
	CHECKF(json_object_size(faults) > N / 20 && json_object_size(faults) < N / 5, "%zu faults",
	       json_object_size(faults));
	for (int i = 0; i < N; i++) {
		const char *id = ay_sprintf(&a, "aten::op%d/r1/w0", i);
		int tries = json_object_get(faults, id) ? 2 : 1;

		CHECKF(json_integer_value(json_object_get(seen, id)) == tries, "%s was seen %d times, not %d", id,
		       (int)json_integer_value(json_object_get(seen, id)), tries);
		CHECK(json_integer_value(json_object_get(ids, id)) == tries);
	}
	file = live_file_of(&a, spec.dir);
	CHECK(live_occurrences(file, "\"type\":\"asked\"") == N &&
	      live_occurrences(file, "\"type\":\"answered\"") == N);
	CHECK(live_occurrences(file, "\"type\":\"retried\"") == (int)json_object_size(faults));
	CHECK(!ay_transcript_read(&x, spec.dir, &err) && ay_transcript_answered(x) == N &&
	      !ay_transcript_lost(x, &lost));
	ay_transcript_free(x);
	json_decref(log);
	json_decref(ids);
	json_decref(seen);
	json_decref(faults);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}
