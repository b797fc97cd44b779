/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/api_key.h"
#include "base/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PREFIX = 10 /* length of a key that a server has shortened: "sk-proj-ab***" */ };

bool ay_api_key_is_set(const char *variable)
{
	const char *v = getenv(variable);

	return v && *v;
}

/* Clears vector registers. Bytes copied last stay in them and reach the stack or a child. Most code
 * does not touch half of the AVX-512 registers. */
static void clear_registers(void)
{
#if defined __x86_64__
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" ::
					 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
					   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile("vpxord %zmm16, %zmm16, %zmm16; vpxord %zmm17, %zmm17, %zmm17;"
				 "vpxord %zmm18, %zmm18, %zmm18; vpxord %zmm19, %zmm19, %zmm19;"
				 "vpxord %zmm20, %zmm20, %zmm20; vpxord %zmm21, %zmm21, %zmm21;"
				 "vpxord %zmm22, %zmm22, %zmm22; vpxord %zmm23, %zmm23, %zmm23;"
				 "vpxord %zmm24, %zmm24, %zmm24; vpxord %zmm25, %zmm25, %zmm25;"
				 "vpxord %zmm26, %zmm26, %zmm26; vpxord %zmm27, %zmm27, %zmm27;"
				 "vpxord %zmm28, %zmm28, %zmm28; vpxord %zmm29, %zmm29, %zmm29;"
				 "vpxord %zmm30, %zmm30, %zmm30; vpxord %zmm31, %zmm31, %zmm31");
#endif
}

/* Overwrites the text in every string of the environment, and so in /proc/PID/environ. */
static void overwrite(const char *text, size_t n)
{
	for (char **e = environ; e && *e; e++)
		for (char *at = *e; n && (at = strstr(at, text)); at += n)
			explicit_bzero(at, n);
}

int ay_api_key_take(struct ay_api_key *k, const char *variable, struct ay_err *err)
{
	char *v = getenv(variable);

	if (!v || !*v)
		return ay_fail(err, AY_ERR_USAGE, "%s is not set", variable);
	for (const char *p = v; *p; p++)
		if (!isgraph((unsigned char)*p))
			return ay_fail(err, AY_ERR_USAGE,
				       "%s holds a blank or a control character at position %d: no key does",
				       variable, (int)(p - v) + 1);
	k->len = strlen(v);
	k->text = memcpy(ay_xrealloc(NULL, k->len + 1), v, k->len + 1);
	if (k->len >= AY_SECRET_MIN)
		overwrite(k->text, k->len);
	else
		explicit_bzero(v, k->len);
	unsetenv(variable);
	return 0;
}

void ay_api_key_wipe(struct ay_api_key *k)
{
	if (k->text)
		explicit_bzero(k->text, k->len);
	ay_xfree(k->text);
	*k = (struct ay_api_key){ 0 };
	clear_registers();
}

/* Returns how many bytes at s belong to the key: all of the key, or its beginning and the rest of
 * that word. Returns 0 if none. */
static size_t of_key(const struct ay_api_key *k, const char *s, size_t n)
{
	size_t same = 0;

	while (same < n && same < k->len && s[same] == k->text[same])
		same++;
	if (same == k->len)
		return same;
	if (same < PREFIX)
		return 0;
	while (same < n && (isalnum((unsigned char)s[same]) || (s[same] && strchr("-_*.", s[same]))))
		same++;
	return same;
}

void ay_api_key_scrub(const struct ay_api_key *k, struct ay_str *b)
{
	struct ay_str out = { 0 };
	bool found = false;

	if (k->len < AY_SECRET_MIN || !b->len)
		return;
	for (size_t i = 0, from = 0; from < b->len; i++) {
		const char *next = i < b->len ? memchr(b->s + i, k->text[0], b->len - i) : NULL;
		size_t n;

		i = next ? (size_t)(next - b->s) : b->len;
		n = next ? of_key(k, next, b->len - i) : 0;
		if (!n && next)
			continue;
		ay_str_addn(&out, b->s + from, i - from);
		if (n)
			ay_str_add(&out, "[key]");
		found |= n > 0;
		from = i + n;
		i = from - 1;
	}
	if (found) {
		explicit_bzero(b->s, b->len);
		ay_str_clear(b);
		ay_str_addn(b, out.s, out.len);
	}
	ay_str_release(&out);
}

static json_t *scrub_string(const struct ay_api_key *k, const char *s, size_t n)
{
	struct ay_str b = { 0 };
	json_t *j;

	ay_str_addn(&b, s, n);
	ay_api_key_scrub(k, &b);
	j = json_stringn_nocheck(b.s, b.len);
	ay_str_release(&b);
	return j;
}

json_t *ay_api_key_scrub_json(const struct ay_api_key *k, const json_t *j)
{
	json_t *out, *v;
	const char *name;
	size_t i;

	switch (json_typeof(j)) {
	case JSON_STRING: return scrub_string(k, json_string_value(j), json_string_length(j));
	case JSON_ARRAY:
		out = json_array();
		json_array_foreach(j, i, v) json_array_append_new(out, ay_api_key_scrub_json(k, v));
		return out;
	case JSON_OBJECT:
		out = json_object();
		json_object_foreach((json_t *)j, name, v)
		{
			json_t *clean = scrub_string(k, name, strlen(name));

			json_object_set_new(out, json_string_value(clean), ay_api_key_scrub_json(k, v));
			json_decref(clean);
		}
		return out;
	default: return json_copy((json_t *)j);
	}
}
