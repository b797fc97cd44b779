/* SPDX-License-Identifier: Apache-2.0
 *
 * standin - tests/llm/fake_server.py as a child of a test.
 */
#ifndef AY_TEST_STANDIN_H
#define AY_TEST_STANDIN_H

#include "llm/chat.h"

#include <sys/types.h>

struct standin {
	const char *tls; /* a file with key and certificate; set before the start, NULL = none */
	pid_t pid;
	int port;
	char log[200];
};

/* Starts it with this script (JSON) and points OPENAI_BASE_URL and ANTHROPIC_BASE_URL at it. The test is skipped where
 * there is no Python or no libcurl. */
void standin_start(struct standin *s, const char *script);
void standin_stop(struct standin *s);
/* Its log so far, as a list; a new reference. */
json_t *standin_log(const struct standin *s);
/* The lines of a log: those of one event ("seen", "sent"; NULL: all) and one id (NULL: all). */
int standin_count_in(const json_t *log, const char *event, const char *id);
int standin_count(const struct standin *s, const char *event, const char *id);

/* --- a chat -------------------------------------------------------------------------------------------------- */

/* A folder of the test's own. */
const char *live_run_dir(const char *name);
/* gpt-4o, eight at once. */
struct ay_chat_spec live_spec_of(enum ay_server server, const char *dir);
/* Ends the test if it cannot be opened. */
struct ay_chat *live_open_chat(const struct ay_chat_spec *s);
void live_ask(struct ay_chat *c, const char *id, const char *text);
/* The next answer, waited for: 1, or -1 and err. */
int live_wait_answer(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err);
/* One question and its answer, in a chat of its own. */
int live_once(const struct ay_chat_spec *s, const char *id, const char *text, struct ay_arena *a,
	      struct ay_chat_answer *answer, struct ay_err *err);
/* The text of a run's exchanges.jsonl; how often something is in it. */
char *live_file_of(struct ay_arena *a, const char *dir);
int live_occurrences(const char *text, const char *what);

#endif
