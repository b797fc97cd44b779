/* SPDX-License-Identifier: Apache-2.0
 *
 * chat - sends requests to a language model, many at a time.
 *
 * Theory of operation. ay_chat_open forks an API process (api_process.h), which speaks HTTP through
 * libcurl, opened at run time. Only that process knows the key: ay_chat_open removes it from this
 * process's environment and memory, so later children (judges and executors) cannot learn it.
 * Requests go to the API process as JSON over a socket, and answers return as JSON over it. The API
 * process adds a line to the run's exchanges.jsonl (transcript.h) before it sends a request, and
 * another when the answer is complete. Only then does it report the answer. So every answer that
 * this process has received is on disk, whenever a process is killed.
 *
 * The API process handles retries, back-off, Retry-After, rate limits and time-outs. A request that
 * fails for good is an answer with end = AY_CHAT_FAILED, not an error of ay_chat_next. Some
 * failures concern every request: no key, a wrong key, an unknown model, no server at the address.
 * Then ay_chat_next returns -1 and says what to set. It also does so if the first three requests
 * fail for good before any answer, or twenty in a row. After a failure and before its first answer,
 * a server gets only three requests.
 */
#ifndef AY_LLM_CHAT_H
#define AY_LLM_CHAT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

enum ay_server { AY_SERVER_OPENAI, AY_SERVER_ANTHROPIC, AY_SERVER_REPLAY };

/* How an answer ended. */
enum ay_chat_end {
	AY_CHAT_STOP,
	AY_CHAT_LENGTH,  /* cut at max_tokens */
	AY_CHAT_REFUSED, /* refusal or content filter */
	AY_CHAT_FAILED,  /* no answer came; `error` says why */
};

struct ay_chat_spec {
	enum ay_server server;
	const char *model;
	double temperature; /* < 0: not sent, because some models refuse it */
	int64_t max_tokens; /* 0: the server's default */
	int in_flight;      /* most requests at one time */
	double timeout_s;   /* longest time of a request without a byte; 0 = 300 */
	int tries;          /* most tries of one request; 0 = 8 */
	const char *dir;    /* folder of the run; lines are added to its exchanges.jsonl */
	const char *replay; /* AY_SERVER_REPLAY: the run whose answers are repeated */
};

struct ay_chat_message {
	const char *role, *text; /* "system", "user", "assistant" */
};

struct ay_chat_answer {
	const char *id;
	enum ay_chat_end end;
	const char *text;              /* without the thinking; "" = none */
	const char *thinking;          /* NULL = none */
	const char *error;             /* set if end is AY_CHAT_FAILED */
	int64_t tokens_in, tokens_out; /* 0 if the server does not count */
	double usd;                    /* < 0: the model's price or the token count is unknown */
	int tries;
	double wall_s; /* of the last try */
	bool changed;  /* replay: this answered a different text under the same id */
};

struct ay_chat;

/* Finds the server by its name ("openai", "anthropic", "replay"). If name is NULL, takes
 * by_default, or the other one if only that one has a key; *note then says so, else *note is NULL.
 * Returns -1 if the name is unknown or there is no key; the error says what to set. */
int ay_chat_server(const char *name, enum ay_server by_default, enum ay_server *server, const char **note,
		   struct ay_err *err);
/* Forks the API process. Call it before any worker is forked, because workers must not have the
 * key. */
int ay_chat_open(struct ay_chat **c, const struct ay_chat_spec *s, struct ay_err *err);
/* Queues a request. id must be unique in the run; resume and replay find the answer by it
 * ("aten::add/r2/w0"). Requests beyond in_flight wait in the API process. */
int ay_chat_ask(struct ay_chat *c, const char *id, int n, const struct ay_chat_message *m, struct ay_err *err);
int ay_chat_pending(const struct ay_chat *c); /* requests without an answer */
int ay_chat_fd(const struct ay_chat *c);      /* readable if ay_chat_next has something to read */
/* Returns 1 and an answer (strings in the arena), 0 if no answer has come yet, or -1 if the API
 * process failed or no request can be answered. */
int ay_chat_next(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err);
/* Returns for how many more seconds the server wants no requests, as of the last ay_chat_next; 0 =
 * no waiting time. */
double ay_chat_held_s(const struct ay_chat *c);
/* Returns the error of the last failed try, as of the last ay_chat_next; "" if an answer has come
 * since. */
const char *ay_chat_trouble(const struct ay_chat *c);
/* Drops a request in flight, for example when another worker of kernel_agent was first. The
 * transcript notes the drop. */
void ay_chat_drop(struct ay_chat *c, const char *id);
void ay_chat_close(struct ay_chat *c);

#endif
