/* SPDX-License-Identifier: Apache-2.0
 *
 * chat - tests of the parsing of a model server's messages. No test here opens a connection;
 * chat_live.c does.
 */
#include "test.h"
#include "base/file.h"
#include "llm/transcript.h"
#include "llm/api_key.h"
#include "llm/price.h"
#include "llm/http_try.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- streams ---------------------------------------------------------------------------------- */

static const char openai_stream[] =
	": a comment\n"
	"data: "
	"{\"id\":\"c1\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":"
	"\"\"},\"finish_reason\":null}],\"usage\":null}\n\n"
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"h\\u00e4 \"}}]}\r\n\r\n"
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"
	"event: x\r\ndata: {\"choices\":\r\ndata: [{\"index\":0,\"delta\":{\"content\":\"int "
	"\\ud83d\\ude00\"}}]}\r\n\r\n"
	"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"NOT THIS\"}}]}\n\n"
	"data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x;\"},\"finish_reason\":\"length\"}]}\r\r"
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":34}}\n\n"
	"data: [DONE]\n\n";

static const char anthropic_stream[] =
	"event: message_start\ndata: "
	"{\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"m-1\",\"usage\":"
	"{\"input_tokens\":5,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n"
	"event: ping\ndata: {\"type\": \"ping\"}\n\n"
	"event: content_block_start\ndata: "
	"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
	"\"thinking\",\"thinking\":\"\"}}\n\n"
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
	"\"thinking_delta\",\"thinking\":\"h\\u00e4 hm\"}}\n\n"
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
	"\"signature_delta\",\"signature\":\"c2ln\"}}\n\n"
	"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"int "
	"\"}}\n\n"
	"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":"
	"\"\\ud83d\\ude00x;\"}}\n\n"
	"data: "
	"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"},\"usage\":{\"input_tokens\":0,"
	"\"output_tokens\":34}}"
	"\n\n"
	"data: {\"type\":\"message_stop\"}\n\n";

/* Feeds a stream in two pieces, or byte by byte (at = -1). */
static void hear(struct ay_try *t, const struct ay_provider *p, const char *text, size_t n, long at)
{
	struct ay_http_end end = { .status = 200, .whole = true };
	bool more = true;

	ay_try_init(t, p, "m-1", "http://there");
	ay_try_header(t, "HTTP/1.1 200 OK\r\n", 17);
	ay_try_header(t, "content-type: text/event-stream\r\n", 33);
	if (at >= 0) {
		more = ay_try_bytes(t, text, (size_t)at) && ay_try_bytes(t, text + at, n - (size_t)at);
	} else {
		for (size_t i = 0; i < n && more; i++)
			more = ay_try_bytes(t, text + i, 1);
	}
	ay_try_done(t, &end);
}

static void every_split(const struct ay_provider *p, const char *text, int64_t tokens_in)
{
	long n = (long)strlen(text);

	for (long at = -1; at <= n; at++) {
		struct ay_try t;

		hear(&t, p, text, (size_t)n, at);
		CHECKF(t.end.kind == AY_TRY_ANSWERED, "split at %ld: %s", at, t.end.text);
		CHECK_STR(ay_str_text(&t.heard.text), "int \xf0\x9f\x98\x80x;");
		CHECK_STR(ay_str_text(&t.heard.thinking), "h\xc3\xa4 hm");
		CHECK(t.heard.tokens_in == tokens_in && t.heard.tokens_out == 34);
		CHECK(ay_response_end(&t.heard) == AY_CHAT_LENGTH);
		CHECK_STR(t.heard.model, "m-1");
		ay_try_release(&t);
	}
}

TEST(chat_openai_stream_is_heard_however_it_is_split)
{
	every_split(&ay_provider_openai, openai_stream, 12);
}

TEST(chat_anthropic_stream_is_heard_however_it_is_split)
{
	every_split(&ay_provider_anthropic, anthropic_stream, 12);
}

/* Wherever the connection ends: a part is never an answer. */
TEST(chat_a_cut_stream_is_no_answer)
{
	static const struct {
		const struct ay_provider *p;
		const char *text, *last; /* from here on it is whole */
	} streams[] = {
		{ &ay_provider_openai, openai_stream, "x;\"},\"finish_reason\":\"length\"}]}" },
		{ &ay_provider_anthropic, anthropic_stream,
		  "max_tokens\"},\"usage\":{\"input_tokens\":0,\"output_tokens\":34}}" },
	};

	for (int s = 0; s < 2; s++) {
		size_t whole = (size_t)(strstr(streams[s].text, streams[s].last) - streams[s].text) +
			       strlen(streams[s].last);

		for (size_t n = 0; n < strlen(streams[s].text); n++) {
			struct ay_try t;

			hear(&t, streams[s].p, streams[s].text, n, 0);
			CHECKF((t.end.kind == AY_TRY_ANSWERED) == (n >= whole), "%s: %zu bytes of %zu: %s",
			       streams[s].p->name, n, strlen(streams[s].text), t.end.text);
			CHECK(t.end.kind == AY_TRY_ANSWERED || t.end.kind == AY_TRY_AGAIN);
			ay_try_release(&t);
		}
	}
}

/* --- answers in one piece, and errors --------------------------------------------------------- */

static void hear_whole(struct ay_try *t, const struct ay_provider *p, int status, const char *body)
{
	struct ay_http_end end = { .status = status, .whole = true };
	char line[40];

	ay_try_init(t, p, "m-1", "http://there");
	snprintf(line, sizeof line, "HTTP/1.1 %d X\r\n", status);
	ay_try_header(t, line, strlen(line));
	ay_try_header(t, "Content-Type: application/json\r\n", 32);
	if (ay_try_bytes(t, body, strlen(body)))
		ay_try_done(t, &end);
	else
		test_fail(__FILE__, __LINE__, "%s was not taken", body);
}

TEST(chat_answers_in_one_piece_are_heard)
{
	static const struct {
		const struct ay_provider *p;
		const char *body, *text, *thinking;
		enum ay_chat_end end;
		int64_t in, out;
	} bodies[] = {
		{ &ay_provider_openai,
		  "{\"choices\":[{\"message\":{\"content\":\"a\\u0000b\",\"reasoning\":\"t\"},\"finish_reason\":"
		  "\"stop\"}],"
		  "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
		  "a\xef\xbf\xbd"
		  "b",
		  "t", AY_CHAT_STOP, 1, 2 },
		{ &ay_provider_openai,
		  "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"No.\"},\"finish_reason\":\"stop\"}]"
		  "}",
		  "", "", AY_CHAT_REFUSED, -1, -1 },
		{ &ay_provider_openai,
		  "{\"choices\":[{\"message\":{\"content\":\"I\"},\"finish_reason\":\"content_filter\"}]}", "I",
		  "", AY_CHAT_REFUSED, -1, -1 },
		{ &ay_provider_openai,
		  "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":"
		  "\"text\",\"text\":"
		  "\"t\"}]},{\"type\":\"text\",\"text\":\"x\"}]},\"finish_reason\":\"tool_calls\"}]}",
		  "x", "t", AY_CHAT_STOP, -1, -1 },
		{ &ay_provider_anthropic,
		  "{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\"},{\"type\":"
		  "\"text\",\"text\":"
		  "\"x\"},{\"type\":\"tool_use\",\"name\":\"n\",\"input\":{}}],\"stop_reason\":\"tool_use\","
		  "\"usage\":"
		  "{\"input_tokens\":1,\"output_tokens\":2}}",
		  "x", "t", AY_CHAT_STOP, 1, 2 },
		{ &ay_provider_anthropic, "{\"type\":\"message\",\"content\":[],\"stop_reason\":\"refusal\"}", "",
		  "", AY_CHAT_REFUSED, -1, -1 },
	};

	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct ay_try t;

		hear_whole(&t, bodies[i].p, 200, bodies[i].body);
		CHECKF(t.end.kind == AY_TRY_ANSWERED, "%s: %s", bodies[i].body, t.end.text);
		CHECK_STR(ay_str_text(&t.heard.text), bodies[i].text);
		CHECK_STR(ay_str_text(&t.heard.thinking), bodies[i].thinking);
		CHECKF(ay_response_end(&t.heard) == bodies[i].end, "%s", bodies[i].body);
		CHECKF(t.heard.tokens_in == bodies[i].in && t.heard.tokens_out == bodies[i].out, "%s",
		       bodies[i].body);
		ay_try_release(&t);
	}
}

TEST(chat_errors_mean_what_they_say)
{
	static const struct {
		int status;
		const char *body;
		enum ay_try_kind kind;
		const char *says; /* in text or hint */
	} errors[] = {
		{ 400, "{\"error\":{\"message\":\"too long\",\"type\":\"invalid_request_error\"}}", AY_TRY_NEVER,
		  "too long" },
		{ 400, "{\"error\":{\"message\":\"Unsupported value\",\"param\":\"temperature\"}}", AY_TRY_REFUSED,
		  "--temperature" },
		{ 400, "{\"error\":{\"message\":\"'max_tokens' is not supported\"}}", AY_TRY_REFUSED,
		  "--max-tokens" },
		{ 400,
		  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit "
		  "balance is "
		  "too low\"}}",
		  AY_TRY_FATAL, "OPENAI_API_KEY" },
		{ 401, "{\"error\":{\"message\":\"bad key\"}}", AY_TRY_FATAL, "OPENAI_API_KEY" },
		{ 403, "{}", AY_TRY_REFUSED, "OPENAI_API_KEY" },
		{ 404, "{\"error\":{\"message\":\"no such model\"}}", AY_TRY_REFUSED, "--model-name" },
		{ 404, "<html>not here</html>", AY_TRY_REFUSED, "OPENAI_BASE_URL" },
		{ 307, "", AY_TRY_FATAL, "OPENAI_BASE_URL" },
		{ 408, "", AY_TRY_AGAIN, "HTTP 408" },
		{ 409, "", AY_TRY_AGAIN, "HTTP 409" },
		{ 413, "{\"error\":\"large\"}", AY_TRY_NEVER, "large" },
		{ 429, "{\"error\":{\"message\":\"slow down\"}}", AY_TRY_AGAIN, "slow down" },
		{ 429, "{\"error\":{\"message\":\"none left\",\"code\":\"insufficient_quota\"}}", AY_TRY_FATAL,
		  "none left" },
		{ 500, "", AY_TRY_AGAIN, "HTTP 500" },
		{ 503, "{\"detail\":\"loading\"}", AY_TRY_AGAIN, "loading" },
		{ 529, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"o\"}}",
		  AY_TRY_AGAIN, "o" },
		{ 200, "{\"error\":{\"message\":\"late\",\"type\":\"overloaded_error\"}}", AY_TRY_AGAIN, "late" },
		{ 200, "{\"error\":{\"message\":\"late\",\"type\":\"authentication_error\"}}", AY_TRY_FATAL,
		  "late" },
		{ 200, "{\"error\":{\"message\":\"pay\",\"code\":402}}", AY_TRY_FATAL, "pay" },
		{ 200,
		  "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"insufficient_system_"
		  "resource\"}]}",
		  AY_TRY_AGAIN, "broke off" },
		{ 404, "{\"object\":\"error\",\"message\":\"no model\",\"code\":404}", AY_TRY_REFUSED,
		  "HTTP 404: no model" },
		{ 400, "[{\"error\":{\"code\":400,\"message\":\"listed\"}}]", AY_TRY_NEVER, "HTTP 400: listed" },
		{ 200, "<html>", AY_TRY_AGAIN, "no answer" },
		{ 200, "{}", AY_TRY_AGAIN, "no answer" },
		{ 200, "[1]", AY_TRY_AGAIN, "no answer" },
	};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		struct ay_try t;

		hear_whole(&t, &ay_provider_openai, errors[i].status, errors[i].body);
		CHECKF(t.end.kind == errors[i].kind, "%d %s: %d", errors[i].status, errors[i].body,
		       (int)t.end.kind);
		CHECKF(strstr(t.end.text, errors[i].says) || strstr(t.end.hint, errors[i].says), "%d %s: %s: %s",
		       errors[i].status, errors[i].body, t.end.text, t.end.hint);
		ay_try_release(&t);
	}
}

TEST(chat_what_is_no_event_fails_the_try)
{
	static const char *const bad[] = { "data: {\"choices\": [{\"del\n\n", "data: 7\n\n", "data: {\"x\":1}\n\n",
					   "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud800\"}}]}\n\n" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_try t;

		hear(&t, &ay_provider_openai, bad[i], strlen(bad[i]), 0);
		CHECKF(t.end.kind == AY_TRY_AGAIN && t.malformed, "%s", bad[i]);
		ay_try_release(&t);
	}
}

TEST(chat_addresses_are_shown_without_their_secrets)
{
	struct ay_arena a = { 0 };

	CHECK_STR(ay_try_place(&a, "https://me:pass@host:8/v1/x?key=1"), "https://host:8/v1/x");
	CHECK_STR(ay_try_place(&a, "http://host/a@b"), "http://host/a@b");
	CHECK_STR(ay_try_place(&a, "http://a@b@host"), "http://host");
	ay_arena_release(&a);
}

/* --- requests --------------------------------------------------------------------------------- */

TEST(chat_requests_have_the_form_of_their_server)
{
	json_t *m = json_pack("[{ssss},{ssss}]", "role", "system", "content", "S", "role", "user", "content", "U");
	struct ay_chat_spec s = { .model = "m", .temperature = 0.8, .max_tokens = 9 };
	static const struct {
		const struct ay_provider *p;
		struct ay_api_quirks dialect;
		double temperature;
		int64_t max_tokens;
		const char *want;
	} forms[] = {
		{ &ay_provider_openai,
		  { .own = true },
		  0.8,
		  9,
		  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
		  "\"content\":\"U\"}],"
		  "\"stream\":true,\"stream_options\":{\"include_usage\":true},\"temperature\":0.8,\"max_"
		  "completion_tokens\":9}" },
		{ &ay_provider_openai,
		  { 0 },
		  -1,
		  9,
		  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
		  "\"content\":\"U\"}],"
		  "\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_tokens\":9}" },
		{ &ay_provider_openai,
		  { .plain = true },
		  -1,
		  0,
		  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
		  "\"content\":\"U\"}],"
		  "\"stream\":true}" },
		{ &ay_provider_anthropic,
		  { 0 },
		  0,
		  0,
		  "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":\"U\"}],"
		  "\"stream\":true,"
		  "\"system\":\"S\",\"temperature\":0.0}" },
	};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		json_t *j;
		char got[1000];

		s.temperature = forms[i].temperature;
		s.max_tokens = forms[i].max_tokens;
		j = forms[i].p->request(&s, m, &forms[i].dialect);
		got[json_dumpb(j, got, sizeof got - 1, JSON_COMPACT | JSON_REAL_PRECISION(15))] = 0;
		CHECK_STR(got, forms[i].want);
		json_decref(j);
	}
	json_decref(m);
}

TEST(chat_addresses_come_from_the_environment)
{
	static const struct {
		const struct ay_provider *p;
		const char *base, *want;
	} bases[] = {
		{ &ay_provider_openai, "", "https://api.openai.com/v1/chat/completions" },
		{ &ay_provider_openai, "http://127.0.0.1:8/v1/", "http://127.0.0.1:8/v1/chat/completions" },
		{ &ay_provider_anthropic, "", "https://api.anthropic.com/v1/messages" },
		{ &ay_provider_anthropic, "http://h/v1", "http://h/v1/messages" },
		{ &ay_provider_anthropic, "http://h/x//", "http://h/x/v1/messages" },
		{ &ay_provider_openai, "localhost:8000/v1", NULL },
		{ &ay_provider_openai, "file:///etc/passwd", NULL },
		{ &ay_provider_openai, "http://h/\r\nx: y", NULL },
	};

	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		struct ay_arena a = { 0 };
		struct ay_err err = { 0 };
		const char *url = NULL;
		bool own;

		setenv(bases[i].p->base_variable, bases[i].base, 1);
		CHECK(!ay_provider_url(bases[i].p, &a, &url, &own, &err) == !!bases[i].want);
		if (bases[i].want && url)
			CHECK_STR(url, bases[i].want);
		CHECK(err.code || own == !bases[i].base[0]);
		ay_arena_release(&a);
	}
}

/* --- waiting ---------------------------------------------------------------------------------- */

TEST(chat_waits_as_long_as_the_server_asks)
{
	enum { NOW = 1792567680 /* Wed, 21 Oct 2026 07:28:00 GMT */ };
	static const struct {
		const char *headers;
		double wait;
	} cases[] = {
		{ "Retry-After: 7\r\n", 7 },
		{ "retry-after:0.25\n", 0.25 },
		{ "Retry-After: Wed, 21 Oct 2026 07:28:09 GMT\r\n", 9 },
		{ "Retry-After: Wed, 21 Oct 2026 07:27:09 GMT\r\n", 0 },
		/* the server's clock is an hour ahead; the headers come in any order */
		{ "Date: Wed, 21 Oct 2026 08:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2026 08:28:09 GMT\r\n", 9 },
		{ "Retry-After: Wed, 21 Oct 2026 08:28:09 GMT\r\nDate: Wed, 21 Oct 2026 08:28:00 GMT\r\n", 9 },
		{ "retry-after: 2\r\nretry-after-ms: 1500\r\n", 1.5 },
		{ "retry-after-ms: 1500\r\nretry-after: 2\r\n", 1.5 },
		{ "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m2.5s\r\n", 62.5 },
		{ "x-ratelimit-remaining-requests: 3\r\nx-ratelimit-reset-requests: 1m\r\n", -1 },
		{ "x-ratelimit-reset-tokens: 120ms\r\nx-ratelimit-remaining-tokens: 0\r\n"
		  "X-RateLimit-Remaining-Requests: 0\r\nX-RateLimit-Reset-Requests: 20ms\r\n",
		  0.12 },
		{ "anthropic-ratelimit-input-tokens-remaining: 0\r\n"
		  "anthropic-ratelimit-input-tokens-reset: 2026-10-21T07:28:30Z\r\n",
		  30 },
		{ "anthropic-ratelimit-requests-remaining: 0\r\n"
		  "anthropic-ratelimit-requests-reset: 2026-10-21T08:28:30+01:00\r\n",
		  30 },
		{ "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 9s\r\nretry-after: 1\r\n", 1 },
		{ "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1792567690000\r\n", 10 },
		{ "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1792567690\r\n", 10 },
		{ "x-ratelimit-remaining-tokens: -1\r\nx-ratelimit-reset-tokens: 0\r\n", -1 },
		{ "x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-requests: 5s\r\n", -1 },
		{ "Retry-After: soon\r\n", -1 },
		{ "Retry-After: -5\r\n", -1 },
		{ "Retry-After: nan\r\n", -1 },
		{ "Retry-After: 1e300\r\n", 1e9 },
		{ "Retry-After\r\n", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ay_limits l = { 0 };
		double got;

		for (const char *p = cases[i].headers; *p;) {
			size_t n = strcspn(p, "\n") + 1;

			ay_limits_header(&l, p, n);
			p += n;
		}
		got = ay_limits_wait(&l, NOW);
		CHECKF(got > cases[i].wait - 1e-6 && got < cases[i].wait * (1 + 1e-9) + 1e-6, "%s: %g, not %g",
		       cases[i].headers, got, cases[i].wait);
	}
}

TEST(chat_backs_off_and_never_comes_too_soon)
{
	double before = 0;

	for (int tries = 1; tries <= 40; tries++) {
		double least = ay_retry_wait(tries, -1, 0), most = ay_retry_wait(tries, -1, 0.999999);

		CHECK(least >= before && least > 0 && most <= 60 && most > least);
		before = least;
		CHECK(ay_retry_wait(tries, 5, 0) == 5 && ay_retry_wait(tries, 5, 0.9) > 5);
		CHECK(ay_retry_wait(tries, 0, 0) == 0);
	}
	CHECK(before == 30);
}

/* --- prices ----------------------------------------------------------------------------------- */

static double price(const char *model)
{
	struct ay_price p;
	struct ay_err err = { 0 };

	CHECKF(!ay_price_find(model, &p, &err), "%s", err.msg);
	return ay_price_of(&p, 1000000, 1000000);
}

TEST(chat_prices_are_known_or_not)
{
	struct ay_price p;
	struct ay_err err = { 0 };

	unsetenv("ASSAY_PRICES");
	CHECK(price("gpt-4o") == 12.5 && price("gpt-4o-2024-08-06") == 12.5);
	CHECK(price("gpt-4o-mini") == 0.75 && price("gpt-4o-mini-2024-07-18") == 0.75);
	CHECK(price("claude-sonnet-4-20250514") == 18);
	CHECK(price("claude-sonnet-4-9") == -1 && price("gpt-4o-audio-preview") == -1 && price("") == -1);
	setenv("ASSAY_PRICES", "{\"gpt-4o\": [1, 2], \"local-*\": [0, 0], \"local-big\": [3, 4]}", 1);
	CHECK(price("gpt-4o") == 3 && price("local-x") == 0 && price("local-big") == 7 &&
	      price("gpt-4o-mini") == 0.75);
	CHECK(!ay_price_find("gpt-4o", &p, &err) && ay_price_of(&p, -1, 5) == -1);
	setenv("ASSAY_PRICES", "{\"gpt-4o\": 1}", 1);
	CHECK(ay_price_find("other", &p, &err) == -1 && strstr(err.msg, "gpt-4o"));
	ay_err_clear(&err);
	setenv("ASSAY_PRICES", "/no/such/file", 1);
	CHECK(ay_price_find("gpt-4o", &p, &err) == -1 && strstr(err.msg, "/no/such/file"));
}

/* --- the key ---------------------------------------------------------------------------------- */

TEST(chat_key_is_taken_out_of_the_environment_and_of_texts)
{
	static const struct {
		const char *text, *clean;
	} texts[] = {
		{ "Incorrect key sk-test-0123456789abcdef.", "Incorrect key [key]." },
		{ "sk-test-0123456789abcdefsk-test-0123456789abcdef", "[key][key]" },
		{ "cut: sk-test-01****cdef, and on", "cut: [key], and on" },
		{ "sk-test-0", "sk-test-0" },
		{ "ssk-test-0123456789abcdef", "s[key]" },
		{ "sk-test-sk-test-0123456789abcdef", "sk-test-[key]" },
		{ "", "" },
	};
	struct ay_api_key k = { 0 };
	struct ay_err err = { 0 };
	char *first, *second;
	json_t *j, *clean;

	setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef", 1);
	setenv("ASSAY_TEST_COPY", "x=sk-test-0123456789abcdef;y", 1);
	first = getenv("OPENAI_API_KEY");
	second = getenv("ASSAY_TEST_COPY");
	CHECK(!ay_api_key_take(&k, "OPENAI_API_KEY", &err));
	CHECK(!getenv("OPENAI_API_KEY") && !memmem(first, 24, "0123", 4) && !memmem(second, 28, "0123", 4));
	CHECK_STR(k.text, "sk-test-0123456789abcdef");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ay_str b = { 0 };

		ay_str_add(&b, texts[i].text);
		ay_api_key_scrub(&k, &b);
		CHECK_STR(ay_str_text(&b), texts[i].clean);
		ay_str_release(&b);
	}
	j = json_pack("{s:[s, i, n], s:s}", "sk-test-0123456789abcdef", "sk-test-0123456789abcdef!", 1, "b", "c");
	clean = ay_api_key_scrub_json(&k, j);
	CHECK_STR(json_string_value(json_array_get(json_object_get(clean, "[key]"), 0)), "[key]!");
	CHECK(json_object_size(clean) == 2 && json_array_size(json_object_get(clean, "[key]")) == 3);
	json_decref(j);
	json_decref(clean);
	ay_api_key_wipe(&k);
	CHECK(ay_api_key_take(&k, "OPENAI_API_KEY", &err) == -1 && strstr(err.msg, "not set"));
	ay_err_clear(&err);
	setenv("OPENAI_API_KEY", "two words", 1);
	CHECK(ay_api_key_take(&k, "OPENAI_API_KEY", &err) == -1 && strstr(err.msg, "position 4"));
	CHECK(!strstr(err.msg, "two"));
}

TEST(chat_server_is_named_or_found_by_its_key)
{
	static const struct {
		const char *name;
		enum ay_server by_default;
		bool openai, anthropic;
		int want; /* -1: an error */
		const char *says;
	} cases[] = {
		{ NULL, AY_SERVER_OPENAI, true, true, AY_SERVER_OPENAI, NULL },
		{ NULL, AY_SERVER_ANTHROPIC, true, true, AY_SERVER_ANTHROPIC, NULL },
		{ NULL, AY_SERVER_ANTHROPIC, true, false, AY_SERVER_OPENAI, "ANTHROPIC_API_KEY is not set" },
		{ NULL, AY_SERVER_OPENAI, false, true, AY_SERVER_ANTHROPIC, "OPENAI_API_KEY is not set" },
		{ NULL, AY_SERVER_OPENAI, false, false, -1, "set OPENAI_API_KEY" },
		{ "openai", AY_SERVER_OPENAI, false, true, -1, "set OPENAI_API_KEY" },
		{ "anthropic", AY_SERVER_OPENAI, true, false, -1, "set ANTHROPIC_API_KEY" },
		{ "replay", AY_SERVER_OPENAI, false, false, AY_SERVER_REPLAY, NULL },
		{ "vllm", AY_SERVER_OPENAI, true, true, -1, "no server type 'vllm'" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum ay_server got = AY_SERVER_OPENAI;
		struct ay_err err = { 0 };
		const char *note = NULL;
		int rc;

		setenv("OPENAI_API_KEY", cases[i].openai ? "k" : "", 1);
		setenv("ANTHROPIC_API_KEY", cases[i].anthropic ? "k" : "", 1);
		rc = ay_chat_server(cases[i].name, cases[i].by_default, &got, &note, &err);
		CHECK(rc == (cases[i].want < 0 ? -1 : 0) && (rc || (int)got == cases[i].want));
		if (cases[i].says)
			CHECKF(strstr(rc ? err.msg : note, cases[i].says), "%s", rc ? err.msg : note);
		else
			CHECK(!note);
	}
}

/* --- exchanges.jsonl -------------------------------------------------------------------------- */

static void write_exchanges(const char *text)
{
	struct ay_err err = { 0 };
	char path[200];

	snprintf(path, sizeof path, "%s/" AY_TRANSCRIPT_FILE, test_dir());
	CHECK(!ay_file_write(path, text, strlen(text), &err));
}

#define ANSWERED(id, end, text) \
	"{\"type\":\"answered\",\"id\":\"" id "\",\"end\":\"" end "\",\"text\":\"" text "\"}\n"
#define LINE(type, id) "{\"type\":\"" type "\",\"id\":\"" id "\"}\n"

TEST(chat_exchanges_tell_what_is_answered_and_what_is_lost)
{
	struct ay_transcript *x;
	struct ay_chat_answer a;
	struct ay_err err = { 0 };
	const char *const *ids;

	write_exchanges(LINE("asked", "a") LINE("asked", "b") ANSWERED("a", "stop", "one") LINE("retried", "b")
				LINE("asked", "c") LINE("dropped", "c") LINE("asked", "d") ANSWERED(
					"b", "failed", "") LINE("asked", "b") ANSWERED("b", "length", "two")
					LINE("asked", "e") LINE("dropped", "e")
						LINE("asked", "e") "{\"type\":\"answered\",\"id\":\"d");
	CHECKF(!ay_transcript_read(&x, test_dir(), &err), "%s", err.msg);
	CHECK(ay_transcript_answered(x) == 2);
	CHECK(ay_transcript_answer(x, "a", &a) && a.end == AY_CHAT_STOP && !strcmp(a.text, "one") && a.usd < 0);
	CHECK(ay_transcript_answer(x, "b", &a) && a.end == AY_CHAT_LENGTH && !strcmp(a.text, "two"));
	CHECK(!ay_transcript_answer(x, "c", &a) && !ay_transcript_answer(x, "d", &a) &&
	      !ay_transcript_answer(x, "z", &a));
	CHECK(ay_transcript_lost(x, &ids) == 2 && !strcmp(ids[0], "d") && !strcmp(ids[1], "e"));
	ay_transcript_free(x);
}

TEST(chat_exchanges_that_make_no_sense_are_named)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ LINE("asked", "a") "nonsense\n", "line 2" },
		{ LINE("asked", "a") "\n[1]\n", "line 3" },
		{ "{\"type\":\"answered\",\"id\":\"a\"}\n", "line 1" },
		{ ANSWERED("a", "maybe", ""), "line 1" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_transcript *x;
		struct ay_err err = { 0 };

		write_exchanges(bad[i].text);
		CHECK(ay_transcript_read(&x, test_dir(), &err) == -1);
		CHECKF(strstr(err.msg, bad[i].says) && strstr(err.msg, AY_TRANSCRIPT_FILE), "%s", err.msg);
	}
}

TEST(chat_exchanges_are_added_behind_the_last_whole_line)
{
	struct ay_chat_answer put = { .id = "b",
				      .end = AY_CHAT_REFUSED,
				      .text = "n\xffo",
				      .thinking = "t",
				      .tries = 2,
				      .tokens_in = 3,
				      .tokens_out = 4,
				      .usd = 0.5,
				      .wall_s = 1.5 };
	struct ay_transcript *x;
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	const char *const *ids;
	json_t *j;
	int fd;

	write_exchanges(LINE("asked", "a") "{\"type\":\"answered\",\"id\":\"a\",\"end\":\"stop\",\"te");
	fd = ay_transcript_open(test_dir(), &err);
	CHECKF(fd >= 0, "%s", err.msg);
	j = ay_transcript_entry("answered", "b");
	ay_transcript_entry_put(j, &put);
	CHECK(!ay_transcript_add(fd, j, &err));
	json_decref(j);
	close(fd);
	CHECKF(!ay_transcript_read(&x, test_dir(), &err), "%s", err.msg);
	CHECK(ay_transcript_answered(x) == 1 && ay_transcript_lost(x, &ids) == 1 && !strcmp(ids[0], "a"));
	CHECK(ay_transcript_answer(x, "b", &got) && got.end == AY_CHAT_REFUSED && got.tries == 2 &&
	      got.tokens_in == 3);
	CHECK(got.tokens_out == 4 && got.usd == 0.5 && got.wall_s == 1.5);
	CHECK_STR(got.text, "n\\xffo");
	CHECK_STR(got.thinking, "t");
	ay_transcript_free(x);
	CHECK(ay_transcript_open("/proc/nowhere", &err) == -1 && strstr(err.msg, "/proc/nowhere"));
}

/* A full disk: the line is written whole, or not at all. */
TEST(chat_exchanges_have_no_half_lines)
{
	struct ay_err err = { 0 };
	json_t *j = ay_transcript_entry("asked", "a");
	int fd = open("/dev/full", O_RDWR);

	if (fd < 0)
		test_skip("no /dev/full here");
	CHECK(ay_transcript_add(fd, j, &err) == -1 && strstr(err.msg, "No space left"));
	json_decref(j);
	close(fd);
}
