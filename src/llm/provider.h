/* SPDX-License-Identifier: Apache-2.0
 *
 * provider - the wire formats: what a question looks like in the words of a server, and what its answer says.
 *
 * A format is a table of facts and three functions. Answers are heard piece by piece into a struct ay_response; those of
 * a server that does not stream are heard in one piece. Thinking is kept apart from text. Everything a server sends
 * is hostile until it is understood: a piece that is not JSON, or JSON of another shape, fails the try and no more.
 */
#ifndef AY_LLM_PROVIDER_H
#define AY_LLM_PROVIDER_H

#include "base/str.h"
#include "llm/chat.h"

/* What has been heard of one answer so far. */
struct ay_response {
	struct ay_str text, thinking, refusal;
	struct ay_str error; /* the server's own words; empty = none */
	char error_type[64]; /* "overloaded_error" */
	int error_status;    /* where its code is one of HTTP; 0 = none */
	char error_param[64];
	char reason[64]; /* its word for why it stopped; "" = it has not said */
	char id[128], model[128];
	bool ended;                    /* its last word was heard */
	int64_t tokens_in, tokens_out; /* < 0: it has not said */
	json_t *usage;                 /* as it was sent */
};

/* How a server's way differs from its provider's. */
struct ay_api_quirks {
	bool own;   /* not at all: it is the provider */
	bool plain; /* it has refused stream_options: it does not count tokens */
};

struct ay_provider {
	const char *name;
	const char *key_variable, *base_variable;
	const char *base;                    /* where the provider itself serves */
	const char *path;                    /* behind the base */
	const char *key_header, *key_before; /* "authorization", "Bearer " */
	const char *const *headers;          /* further ones, NULL at the end */
	/* A new reference. */
	json_t *(*request)(const struct ay_chat_spec *s, const json_t *messages, const struct ay_api_quirks *d);
	/* One event of a stream. -1: not to be understood; an error of the server's is in h. */
	int (*event)(struct ay_response *h, const char *data, size_t n);
	/* An answer in one piece, likewise. */
	int (*whole)(struct ay_response *h, const json_t *reply);
};

extern const struct ay_provider ay_provider_openai, ay_provider_anthropic;

/* NULL: a replay speaks to nobody. */
const struct ay_provider *ay_provider_of(enum ay_server s);
/* The address that is asked: of the environment's variable, else the provider's own. In the arena. */
int ay_provider_url(const struct ay_provider *p, struct ay_arena *a, const char **url, bool *own,
		    struct ay_err *err);

/* --- for the formats ----------------------------------------------------------------------------------------- */

void ay_response_init(struct ay_response *h);
void ay_response_release(struct ay_response *h);
/* Adds a string, or the texts of a list of parts; anything else is no text. A NUL, which no C string has, becomes
 * U+FFFD. */
void ay_response_add(struct ay_str *to, const json_t *text);
/* Keeps a short string, cut to size. */
void ay_response_keep(char *dst, size_t size, const json_t *text);
/* A count of tokens, if it is one. */
void ay_response_count(int64_t *to, const json_t *n);
/* True if the object tells of an error, in any of the shapes that are about. */
bool ay_response_error(struct ay_response *h, const json_t *j);
/* How the answer ended, once it has. */
enum ay_chat_end ay_response_end(const struct ay_response *h);

#endif
