/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_llm - tests/llm/fake_server.py, a fake model server, as a child of a test.
 */
#ifndef AY_TEST_FAKE_LLM_H
#define AY_TEST_FAKE_LLM_H

#include "llm/chat.h"

#include <sys/types.h>

struct fake_llm {
	const char *tls; /* file with key and certificate, set before the start; NULL = no TLS */
	pid_t pid;
	int port;
	char log[200];
};

/* Starts the server with this script (JSON) and points OPENAI_BASE_URL and ANTHROPIC_BASE_URL at
 * it. Skips the test if there is no Python or no libcurl. */
void fake_llm_start(struct fake_llm *s, const char *script);
void fake_llm_stop(struct fake_llm *s);
/* Returns the server's log so far as a list (a new reference). */
json_t *fake_llm_log(const struct fake_llm *s);
/* Count the lines of a log with one event ("seen", "sent"; NULL: all) and one id (NULL: all). */
int fake_llm_count_in(const json_t *log, const char *event, const char *id);
int fake_llm_count(const struct fake_llm *s, const char *event, const char *id);

/* --- a chat ----------------------------------------------------------------------------------- */

/* Makes a run folder in the test's scratch folder. */
const char *live_run_dir(const char *name);
/* Returns a specification with model gpt-4o and eight requests at once. */
struct ay_chat_spec live_spec_of(enum ay_server server, const char *dir);
/* Opens a chat; ends the test if that fails. */
struct ay_chat *live_open_chat(const struct ay_chat_spec *s);
void live_ask(struct ay_chat *c, const char *id, const char *text);
/* Waits for the next answer. Returns 1, or -1 and err. */
int live_wait_answer(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err);
/* Opens a chat, sends one request, waits for its answer and closes the chat. */
int live_once(const struct ay_chat_spec *s, const char *id, const char *text, struct ay_arena *a,
	      struct ay_chat_answer *answer, struct ay_err *err);
/* live_file_of returns the text of a run's exchanges.jsonl. live_occurrences counts how often
 * `what` occurs in a text. */
char *live_file_of(struct ay_arena *a, const char *dir);
int live_occurrences(const char *text, const char *what);

#endif
