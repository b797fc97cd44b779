/* SPDX-License-Identifier: Apache-2.0
 *
 * chat - questions to a language model, many at a time.
 *
 * Theory of operation. A process of its own speaks HTTP (libcurl, opened at run time): it alone knows the key. It is
 * forked by ay_chat_open, which takes the key out of this process's environment and memory; whoever is forked later,
 * judges and executors, cannot know it. Questions go to it as JSON over a socket, answers come back the same way.
 * Before a question is sent and as soon as its answer is whole, the speaker adds a line to the run's exchanges.jsonl
 * (transcript.h), and only then tells us: what reached us is on disk, whatever is killed when.
 *
 * Retries, back-off, Retry-After, rate limits and time-outs are the speaker's. A question that fails for good is an
 * answer with end = AY_CHAT_FAILED, not an error of ours. What makes every question fail (no key, a wrong key, an
 * unknown model, nobody at the address) is one: ay_chat_next gives -1 and says what to set. So is a server that fails the
 * first three questions for good before it has answered any, or twenty in a row: until its first answer a server that has
 * failed is asked three questions only.
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
	AY_CHAT_FAILED,  /* none came: error says why */
};

struct ay_chat_spec {
	enum ay_server server;
	const char *model;
	double temperature; /* < 0: not sent, for models that refuse one */
	int64_t max_tokens; /* 0: the server's */
	int in_flight;      /* requests at once, at most */
	double timeout_s;   /* of one request without a byte; 0 = 300 */
	int tries;          /* of one question; 0 = 8 */
	const char *dir;    /* the run: its exchanges.jsonl is added to */
	const char *replay; /* AY_SERVER_REPLAY: the run whose answers are given again */
};

struct ay_chat_message {
	const char *role, *text; /* "system", "user", "assistant" */
};

struct ay_chat_answer {
	const char *id;
	enum ay_chat_end end;
	const char *text;              /* without thinking; "" = none */
	const char *thinking;          /* NULL = none */
	const char *error;             /* AY_CHAT_FAILED */
	int64_t tokens_in, tokens_out; /* 0 where the server does not count */
	double usd;                    /* < 0: no price is known for the model, or no count */
	int tries;
	double wall_s; /* of the last try */
	bool changed;  /* replay: it was the answer to another text under the same id */
};

struct ay_chat;

/* Which server is meant by a name ("openai", "anthropic", "replay"; NULL: by default, or the other if only its key is
 * set; *note then says so, else NULL). -1: no such server, or no key, with what to set. */
int ay_chat_server(const char *name, enum ay_server by_default, enum ay_server *server, const char **note,
		   struct ay_err *err);
/* Forks the speaker. Before any worker is forked: those must not have the key. */
int ay_chat_open(struct ay_chat **c, const struct ay_chat_spec *s, struct ay_err *err);
/* id: unique in the run, also its key for resume and replay: "aten::add/r2/w0". Never blocks: what exceeds in_flight
 * waits in line. */
int ay_chat_ask(struct ay_chat *c, const char *id, int n, const struct ay_chat_message *m, struct ay_err *err);
int ay_chat_pending(const struct ay_chat *c); /* asked and not answered */
int ay_chat_fd(const struct ay_chat *c);      /* readable: ay_chat_next has something */
/* 1 and an answer (strings in the arena), 0 if there is none yet, -1 if the speaker failed or no question can be
 * answered. */
int ay_chat_next(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err);
/* Seconds for which the server has asked to be left alone, as far as ay_chat_next has heard; 0 = it has not. */
double ay_chat_held_s(const struct ay_chat *c);
/* What the last try was told that failed, as far as ay_chat_next has heard; "" if an answer has come since. */
const char *ay_chat_trouble(const struct ay_chat *c);
/* Drops what is in flight (kernel_agent: another worker was first). Its exchange says so. */
void ay_chat_drop(struct ay_chat *c, const char *id);
void ay_chat_close(struct ay_chat *c);

#endif
