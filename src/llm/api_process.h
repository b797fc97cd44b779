/* SPDX-License-Identifier: Apache-2.0
 *
 * speaker - the process that speaks to a model's server, and that alone knows the key.
 *
 * Theory of operation. It is forked by ay_chat_open, closes all that is not its own, cannot be looked into (not
 * dumpable, no core) and ends with its parent. Frames of JSON with their length before them come over one socket:
 *
 *	{"ask": 7, "id": "aten::add/r1/w0", "messages": [...]}    {"drop": 7}    {"close": true}
 *
 * and go back: {"ready": "libcurl/..."}, an answered line of transcript.h with its number ({"answer": 7, ...}),
 * {"held": 20} if nothing will be asked for so many seconds, or {"fatal": "..."} after which nothing is answered any
 * more. Neither direction blocks here: the parent may block in sending, since this process always reads on.
 *
 * A question waits in line until one of in_flight places is free and its time has come; it is tried, and on failure
 * waits again as retry.h says. A server that asks for patience with a rate limit is left alone by all questions.
 */
#ifndef AY_LLM_API_PROCESS_H
#define AY_LLM_API_PROCESS_H

#include "llm/chat.h"
#include "llm/transcript.h"
#include "llm/api_key.h"
#include "llm/price.h"
#include "llm/provider.h"

enum { AY_API_PROCESS_FRAME_MAX = 512 << 20 };

struct ay_api_process_spec {
	const struct ay_chat_spec *chat;
	const struct ay_provider *provider; /* NULL: a replay */
	const char *url;
	bool own; /* the provider's own address */
	struct ay_api_key key;
	struct ay_price price;
	const struct ay_transcript *past; /* of a replay */
	int fd, file;                     /* the socket; exchanges.jsonl */
};

/* In the child, right after fork. */
_Noreturn void ay_api_process_run(struct ay_api_process_spec *s);

#endif
