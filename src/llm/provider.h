/* SPDX-License-Identifier: Apache-2.0
 *
 * provider - the wire formats of model servers: how a request is written and how an answer is read.
 *
 * A format is a table of facts and three functions. Answers are read piece by piece into a struct
 * ay_response; an answer without streaming is read as one piece. Thinking is kept apart from text.
 * Everything from a server is untrusted. A piece that is not JSON, or is JSON of an unexpected
 * shape, fails the try and nothing else.
 */
#ifndef AY_LLM_PROVIDER_H
#define AY_LLM_PROVIDER_H

#include "base/str.h"
#include "llm/chat.h"

/* What has been read of one answer so far. */
struct ay_response {
	struct ay_str text, thinking, refusal;
	struct ay_str error; /* the server's error message; empty = none */
	char error_type[64]; /* "overloaded_error" */
	int error_status;    /* the error's code if it is an HTTP status; 0 = none */
	char error_param[64];
	char reason[64]; /* the server's reason for stopping; "" = none yet */
	char id[128], model[128];
	bool ended;                    /* the end of the answer was read */
	int64_t tokens_in, tokens_out; /* < 0: not reported */
	json_t *usage;                 /* as the server sent it */
};

/* How a server differs from the provider whose format it uses. */
struct ay_api_quirks {
	bool own;   /* it is the provider itself and does not differ */
	bool plain; /* it has refused stream_options, so it reports no token counts */
};

struct ay_provider {
	const char *name;
	const char *key_variable, *base_variable;
	const char *base;                    /* address of the provider itself */
	const char *path;                    /* path after the base */
	const char *key_header, *key_before; /* "authorization", "Bearer " */
	const char *const *headers;          /* additional headers, NULL at the end */
	/* Returns the body of a request as a new reference. */
	json_t *(*request)(const struct ay_chat_spec *s, const json_t *messages, const struct ay_api_quirks *d);
	/* Reads one event of a stream. Returns -1 if it cannot be understood. An error that the
	 * server reports is stored in h. */
	int (*event)(struct ay_response *h, const char *data, size_t n);
	/* Reads an answer that comes in one piece. Returns -1 if it cannot be understood. */
	int (*whole)(struct ay_response *h, const json_t *reply);
};

extern const struct ay_provider ay_provider_openai, ay_provider_anthropic;

/* Returns NULL for AY_SERVER_REPLAY, which has no server. */
const struct ay_provider *ay_provider_of(enum ay_server s);
/* Finds the server's address: from base_variable if it is set, else the provider's own, with *own
 * set. In the arena. */
int ay_provider_url(const struct ay_provider *p, struct ay_arena *a, const char **url, bool *own,
		    struct ay_err *err);

/* --- used by the formats ---------------------------------------------------------------------- */

void ay_response_init(struct ay_response *h);
void ay_response_release(struct ay_response *h);
/* Appends a string, or the texts of a list of parts; ignores all else. A NUL, which no C string can
 * hold, becomes U+FFFD. */
void ay_response_add(struct ay_str *to, const json_t *text);
/* Copies a short string, cut to size. */
void ay_response_keep(char *dst, size_t size, const json_t *text);
/* Stores a token count if n is one. */
void ay_response_count(int64_t *to, const json_t *n);
/* Returns true if the object reports an error in any of the shapes that servers use. */
bool ay_response_error(struct ay_response *h, const json_t *j);
/* Returns how a complete answer ended. */
enum ay_chat_end ay_response_end(const struct ay_response *h);

#endif
