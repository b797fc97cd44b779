/* SPDX-License-Identifier: Apache-2.0
 *
 * json - what jansson does not do: text of unknown encoding, numbers that JSON lacks, and one line
 * per record.
 */
#ifndef AY_BASE_JSON_H
#define AY_BASE_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Returns a JSON string made of n bytes, at most `max` of them. Control characters and bytes that
 * are not UTF-8 are written as \xHH. */
json_t *ay_json_text(const char *s, size_t n, size_t max);
/* Like ay_json_text, for the whole name of a file, a folder and the like. */
json_t *ay_json_name(const char *s);
/* Returns a JSON number. NaN and infinities, which JSON lacks, become the strings "nan", "inf"
 * and "-inf". */
json_t *ay_json_real(double x);
/* Like ay_json_real, but an integer that a double cannot hold becomes a JSON integer. */
json_t *ay_json_wide(long double x);
/* Reads back what ay_json_real or ay_json_wide made. Returns NaN for any other value. */
long double ay_json_number(const json_t *j);
/* Writes one compact line and a newline, with the keys in the order in which they were set. Returns
 * -1 if the stream has failed, in this call or before: for example a closed pipe or a full disk. */
int ay_json_line(FILE *f, const json_t *j);

#endif
