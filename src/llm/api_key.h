/* SPDX-License-Identifier: Apache-2.0
 *
 * api_key - the secret key by which a server identifies its user.
 *
 * The key is read once. Its text in the environment is overwritten in place, so /proc/PID/environ
 * of this process and of later children does not show it. The API process (api_process.h) gets the
 * copy. The parent wipes its own copy right after that fork. Texts from a server are scrubbed, so
 * that a server that echoes the key does not get it into a file or message.
 */
#ifndef AY_LLM_API_KEY_H
#define AY_LLM_API_KEY_H

#include "base/err.h"
#include "base/str.h"

#include <jansson.h>

/* A shorter key is no secret ("EMPTY", for a server without keys) and may be an ordinary word of an
 * answer. */
enum { AY_SECRET_MIN = 8 };

struct ay_api_key {
	char *text; /* NULL = none */
	size_t len;
};

/* Returns true if the variable is set and not empty. */
bool ay_api_key_is_set(const char *variable);
/* Moves the key out of the environment: unsets the variable and overwrites its text in all other
 * variables. Returns -1, and changes nothing, if the variable is unset or its value cannot be a
 * key. */
int ay_api_key_take(struct ay_api_key *k, const char *variable, struct ay_err *err);
/* Overwrites and frees the key. {0} is allowed. */
void ay_api_key_wipe(struct ay_api_key *k);
/* Replaces the key in b by "[key]". Also replaces a word that begins with the key's first ten
 * characters. */
void ay_api_key_scrub(const struct ay_api_key *k, struct ay_str *b);
/* Scrubs all strings and names of a JSON value. Returns a new reference; j is not changed. */
json_t *ay_api_key_scrub_json(const struct ay_api_key *k, const json_t *j);

#endif
