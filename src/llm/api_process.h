/* SPDX-License-Identifier: Apache-2.0
 *
 * api_process - the process that sends requests to a model's server. It is the only process that
 * knows the key.
 *
 * Theory of operation. ay_chat_open forks this process. It closes all descriptors that it does not
 * need, cannot be inspected (not dumpable, no core file) and ends with its parent. Parent and
 * process exchange JSON frames over one socket, each after its length. From the parent:
 *
 *	{"ask": 7, "id": "aten::add/r1/w0", "messages": [...]}    {"drop": 7}    {"close": true}
 *
 * To the parent:
 *  - {"ready": "libcurl/..."} at the start;
 *  - an "answered" line of transcript.h with the request's number ({"answer": 7, ...});
 *  - {"trouble": "..."} if a try failed;
 *  - {"held": 20} if no try will begin for that many seconds;
 *  - {"fatal": "..."}, after which no request is answered.
 *
 * This process never blocks on the socket. The parent may block in sending, because this process
 * keeps reading.
 *
 * A request waits in the queue until fewer than in_flight tries run and its due time has come. If
 * its try fails, it waits again as retry.h says. A rate limit with a waiting time holds back all
 * requests.
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
	bool own; /* url is the provider's own address */
	struct ay_api_key key;
	struct ay_price price;
	const struct ay_transcript *past; /* the transcript that a replay answers from */
	int fd, file;                     /* the socket; exchanges.jsonl */
};

/* Runs the process. Called in the child right after the fork. */
_Noreturn void ay_api_process_run(struct ay_api_process_spec *s);

#endif
