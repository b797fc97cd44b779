/* SPDX-License-Identifier: Apache-2.0
 *
 * What a model's server sends. The first byte says what the rest is taken for, the second how long the pieces are in
 * which it comes: in pieces or whole, the same must be heard.
 */
#include "base/arena.h"
#include "llm/api_key.h"
#include "llm/http_try.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The bytes lie in memory of their own size, so that a read behind them is noticed. */
static char *copy(const uint8_t *data, size_t n)
{
	char *p = ay_xrealloc(NULL, n);

	if (n)
		memcpy(p, data, n);
	return p;
}

static void hear(struct ay_try *t, const struct ay_provider *p, int status, bool json, const uint8_t *data,
		 size_t n, size_t step)
{
	char line[40];
	struct ay_http_end end = { .status = status, .whole = true };

	ay_try_init(t, p, "model", "http://there");
	snprintf(line, sizeof line, "HTTP/1.1 %d X\r\n", status);
	ay_try_header(t, line, strlen(line));
	if (json)
		ay_try_header(t, "Content-Type: application/json\r\n", 32);
	for (size_t at = 0; at < n; at += step) {
		size_t m = n - at < step ? n - at : step;
		char *piece = copy(data + at, m);
		bool more = ay_try_bytes(t, piece, m);

		ay_xfree(piece);
		if (!more)
			break;
	}
	ay_try_done(t, &end);
}

static void same(const struct ay_str *a, const struct ay_str *b)
{
	if (strcmp(ay_str_text(a), ay_str_text(b)))
		abort();
}

static void answer(const struct ay_provider *p, int status, bool json, const uint8_t *data, size_t n, size_t step)
{
	struct ay_try whole, pieces;

	hear(&whole, p, status, json, data, n, n ? n : 1);
	hear(&pieces, p, status, json, data, n, step);
	if (whole.end.kind != pieces.end.kind || strcmp(whole.heard.reason, pieces.heard.reason) ||
	    whole.heard.tokens_in != pieces.heard.tokens_in || strcmp(whole.end.text, pieces.end.text))
		abort();
	same(&whole.heard.text, &pieces.heard.text);
	same(&whole.heard.thinking, &pieces.heard.thinking);
	if (whole.end.kind == AY_TRY_ANSWERED && ay_response_end(&whole.heard) == AY_CHAT_FAILED)
		abort();
	ay_try_release(&whole);
	ay_try_release(&pieces);
}

/* Header lines: no wait is negative but -1, none is shorter than what was asked for. */
static void headers(const uint8_t *data, size_t n)
{
	struct ay_limits l = { 0 };
	double told;

	for (size_t at = 0; at < n;) {
		const uint8_t *nl = memchr(data + at, '\n', n - at);
		size_t m = nl ? (size_t)(nl - data) + 1 - at : n - at;
		char *line = copy(data + at, m);

		ay_limits_header(&l, line, m);
		ay_xfree(line);
		at += m;
	}
	told = ay_limits_wait(&l, 1.8e9);
	if ((told < 0 && told != -1) || told != told || ay_retry_wait(3, told, 0.5) < told)
		abort();
}

/* No text holds the key after it was scrubbed, wherever it was put. */
static void scrub(const uint8_t *data, size_t n)
{
	struct ay_api_key k = { (char *)"sk-fuzz-0123456789", 18 };
	struct ay_str b = { 0 };

	for (size_t i = 0; i < n; i++)
		if (data[i] == 'K')
			ay_str_add(&b, k.text);
		else
			ay_str_addc(&b, (char)data[i]);
	ay_api_key_scrub(&k, &b);
	if (b.len && memmem(b.s, b.len, k.text, k.len))
		abort();
	ay_str_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t step;

	if (n < 2)
		return 0;
	step = (size_t)data[1] + 1;
	switch (data[0] % 6) {
	case 0: answer(&ay_provider_openai, 200, false, data + 2, n - 2, step); break;
	case 1: answer(&ay_provider_anthropic, 200, false, data + 2, n - 2, step); break;
	case 2: answer(&ay_provider_openai, 200, true, data + 2, n - 2, step); break;
	case 3: answer(&ay_provider_anthropic, 400 + data[1], true, data + 2, n - 2, step); break;
	case 4: headers(data + 2, n - 2); break;
	default: scrub(data + 2, n - 2);
	}
	return 0;
}
