/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "judge/job.h"
#include "judge/judge.h"

#include <string.h>

static struct ay_arena a;

TEST(job_reads_every_field)
{
	static const char text[] =
		"{\"id\": 7, \"op\": \"aten::relu\", \"lang\": \"c++\", \"source\": \"int x;\", "
		"\"cases\": [\"aten::relu((T([3], f32),), {})\"], \"timeout\": 2.5, \"timing\": \"none\", "
		"\"more\": {}}";
	struct ay_err err = { 0 };
	struct ay_job j;

	CHECKF(!ay_job_parse(&a, text, strlen(text), &j, &err), "%s", err.msg);
	CHECK(json_integer_value(j.id) == 7 && !strcmp(j.op, "aten::relu") && j.lang == AY_LANG_CXX);
	CHECK(!strcmp(j.source, "int x;") && j.source_len == 6 && !j.path && j.ncase == 1 && j.timeout_s == 2.5);
	json_decref(j.id);
}

TEST(job_refuses_with_the_fields_name)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "", "not JSON" },
		{ "{", "not JSON" },
		{ "[1]", "a JSON object" },
		{ "{\"id\": 1}", "'source' or 'path'" },
		{ "{\"source\": \"x\", \"path\": \"y\"}", "'source' or 'path'" },
		{ "{\"source\": 5}", "'source' must be" },
		{ "{\"source\": \"a\\u0000b\"}", "not JSON" },
		{ "{\"source\": \"x\", \"id\": [1]}", "'id' must be" },
		{ "{\"source\": \"x\", \"lang\": \"rust\"}", "'lang' must be" },
		{ "{\"source\": \"x\", \"cases\": []}", "'cases' must be" },
		{ "{\"source\": \"x\", \"cases\": [1]}", "'cases' must be" },
		{ "{\"source\": \"x\", \"cases\": \"some\"}", "'cases' must be" },
		{ "{\"source\": \"x\", \"timeout\": -1}", "'timeout' must be" },
		{ "{\"source\": \"x\", \"timeout\": \"1\"}", "'timeout' must be" },
		{ "{\"source\": \"x\", \"timing\": \"full\"}", "'timing' must be" },
		{ "{\"source\": \"x\", \"source\": \"y\"}", "duplicate" },
		{ "{\"path\": \"kernel.rs\"}", "kernel.rs" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_err err = { 0 };
		struct ay_job j;

		CHECKF(ay_job_parse(&a, bad[i].text, strlen(bad[i].text), &j, &err), "accepted: %s", bad[i].text);
		CHECKF(strstr(err.msg, bad[i].part), "%s\n      said: %s", bad[i].text, err.msg);
		json_decref(j.id);
	}
}

TEST(job_languages_have_their_names)
{
	static const struct {
		const char *text;
		enum ay_lang lang;
	} good[] = {
		{ "{\"source\": \"x\"}", AY_LANG_C },
		{ "{\"source\": \"x\", \"lang\": \"c\"}", AY_LANG_C },
		{ "{\"source\": \"x\", \"lang\": \"cc\"}", AY_LANG_CXX },
		{ "{\"source\": \"x\", \"lang\": \"py\"}", AY_LANG_PY },
		{ "{\"source\": \"x\", \"lang\": \"python\"}", AY_LANG_PY },
		{ "{\"path\": \"a/relu.py\"}", AY_LANG_PY },
		{ "{\"path\": \"a/relu.so\"}", AY_LANG_SO },
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct ay_err err = { 0 };
		struct ay_job j;

		CHECKF(!ay_job_parse(&a, good[i].text, strlen(good[i].text), &j, &err), "%s", err.msg);
		CHECKF(j.lang == good[i].lang, "%s: language %d", good[i].text, (int)j.lang);
		json_decref(j.id);
	}
}

TEST(job_keys_tell_jobs_apart)
{
	static const char *const texts[] = {
		"{\"source\": \"x\"}",
		"{\"source\": \"y\"}",
		"{\"source\": \"x\", \"op\": \"relu\"}",
		"{\"source\": \"x\", \"lang\": \"c++\"}",
		"{\"source\": \"x\", \"lang\": \"py\"}",
		"{\"source\": \"x\", \"cases\": \"full\"}",
		"{\"source\": \"x\", \"cases\": [\"a\"]}",
		"{\"source\": \"x\", \"timeout\": 3}",
	};
	enum { N = sizeof texts / sizeof *texts };
	char key[N + 1][65];
	struct ay_err err = { 0 };
	struct ay_job j;

	for (int i = 0; i < N; i++) {
		CHECK(!ay_job_parse(&a, texts[i], strlen(texts[i]), &j, &err));
		ay_job_key(&j, j.source, j.source_len, "s", key[i]);
		for (int k = 0; k < i; k++)
			CHECKF(strcmp(key[i], key[k]), "%s and %s", texts[i], texts[k]);
	}
	ay_job_parse(&a, "{\"id\": 9, \"source\": \"x\"}", strlen("{\"id\": 9, \"source\": \"x\"}"), &j, &err);
	ay_job_key(&j, j.source, j.source_len, "s", key[N]);
	CHECK(!strcmp(key[N], key[0])); /* the id does not identify the work */
	ay_job_key(&j, j.source, j.source_len, "t", key[N]);
	CHECK(strcmp(key[N], key[0]));
	json_decref(j.id);
}

/* 168 million complex numbers, read and written twice, are 5 GiB. Ten seconds may be too short on a
 * busy machine. */
TEST(judge_waits_longer_for_large_calls)
{
	const struct ay_policy p = { .call_timeout_s = 2.5 };

	CHECK(ay_judge_call_timeout(&p, 0) == 2.5);
	CHECK(ay_judge_call_timeout(&p, (1u << 28) - 1) == 2.5);
	CHECK(ay_judge_call_timeout(&p, 5ull << 30) == 22.5);
}
