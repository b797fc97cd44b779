/* SPDX-License-Identifier: Apache-2.0
 *
 * json - the few things jansson leaves to its user: text of unknown encoding, and one line per record.
 */
#ifndef AY_BASE_JSON_H
#define AY_BASE_JSON_H

#include <jansson.h>
#include <stdio.h>

/* A JSON string from any bytes: what is not UTF-8 or is a control character is written as \xHH, at most max. */
json_t *ay_json_text(const char *s, size_t n, size_t max);
/* A JSON number; NaN and infinities, which JSON has not, become strings. */
json_t *ay_json_real(double x);
/* Writes one compact line and a newline. Keeps the order in which keys were set. Returns -1 if the stream has failed, now
 * or before: a pipe that nobody reads, a full disk. */
int ay_json_line(FILE *f, const json_t *j);

#endif
