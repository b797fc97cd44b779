/* SPDX-License-Identifier: Apache-2.0
 *
 * key - the secret by which a server knows its user.
 *
 * It is read once. Where it lay in the environment it is overwritten in place, so that /proc/PID/environ of this
 * process and of all that are forked later does not show it; the copy is the speaker's (api_process.h), and ours is
 * wiped as soon as that one is forked. Texts that come from a server are scrubbed: one that sends the key back does
 * not put it into a file or a message.
 */
#ifndef AY_LLM_API_KEY_H
#define AY_LLM_API_KEY_H

#include "base/err.h"
#include "base/str.h"

#include <jansson.h>

/* A shorter one is no secret ("EMPTY", for a server that asks for none) and may well be a word of an answer. */
enum { AY_SECRET_MIN = 8 };

struct ay_api_key {
	char *text; /* NULL = none */
	size_t len;
};

/* Is the variable set to something? */
bool ay_api_key_is_set(const char *variable);
/* Takes the variable out of the environment, and the same text out of every other one. -1: it is not set, or no key
 * can look like this; nothing was taken then. */
int ay_api_key_take(struct ay_api_key *k, const char *variable, struct ay_err *err);
/* Overwrites and forgets it. {0} is fine. */
void ay_api_key_wipe(struct ay_api_key *k);
/* Writes [key] in its place; the first ten characters of it and what follows them are enough. */
void ay_api_key_scrub(const struct ay_api_key *k, struct ay_str *b);
/* The same for all strings of a value, names included; a new reference, j is not changed. */
json_t *ay_api_key_scrub_json(const struct ay_api_key *k, const json_t *j);

#endif
