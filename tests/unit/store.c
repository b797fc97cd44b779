/* SPDX-License-Identifier: Apache-2.0
 *
 * store - tests of ordinary use of the run folder. store_survives.c has crashes, store_hostile.c
 * has tampering.
 */
#include "test.h"
#include "helpers.h"
#include "store_fixture.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

TEST(store_round_trip)
{
	static const char source[] = "int x;\n";
	const char *dir = help_path("new/run"), *line = "aten::relu((T([7], f32),), {}) seed=1";
	struct ay_run *r = store_fixture_create(dir);
	struct ay_run_found found;
	struct ay_err err = { 0 };
	char sha[AY_SHA256_HEX], build[AY_SHA256_HEX];
	json_t *rec = store_fixture_case_record(STORE_RIG_KERNEL, line, "MISMATCH"), *got;
	int attempts;

	json_object_set_new(rec, "detail", json_string("\x1b[31m \xe2\x82\xac \"quoted\" \\"));
	json_object_set_new(rec, "unknown", json_pack("[i, n, {s:f}]", 1, "x", 0.1));
	CHECK(!ay_run_add(r, rec, &err));
	CHECK(!store_fixture_add(r,
				 json_pack("{s:s, s:s, s:s, s:s, s:{}}", "type", "kernel", "operator",
					   "aten::relu", "verdict", "MISMATCH", "kernel_sha256", STORE_RIG_KERNEL,
					   "overloads"),
				 &err));
	CHECK(!store_fixture_add(
		r, json_pack("{s:s, s:i, s:s}", "type", "error", "id", 7, "error", "no such operator"), &err));
	ay_sha256(source, strlen(source), sha);
	CHECK(!ay_run_keep_kernel(r, sha, "c", source, strlen(source), &err));
	CHECK(ay_run_progress_due(r));
	CHECK(!ay_run_progress(r, NULL, &err) && !ay_run_progress_due(r));
	CHECK(!ay_run_close(r, &err));
	CHECK(store_fixture_count_whole(dir) == 3);

	r = store_fixture_resume(dir, &found);
	CHECK(found.records == 3 && !found.first_bad && ay_run_records(r) == 3);
	got = ay_run_find(r, ay_id_case(STORE_RIG_KERNEL, line), &attempts);
	CHECK(got && json_equal(got, rec) && attempts == 1);
	CHECK(!ay_build_sha256(build, &err) && got && !strcmp(ay_record_str(got, AY_FIELD_BUILD_SHA256), build));
	CHECK(ay_run_has(r, ay_id_kernel(STORE_RIG_KERNEL, "aten::relu")));
	CHECK(!ay_run_has(r, ay_id_kernel(STORE_RIG_KERNEL, "aten::add")) &&
	      !ay_run_has(r, ay_id_case(KERNEL_B, line)));
	CHECK(!ay_run_find(r, ay_id_case(STORE_RIG_KERNEL, "aten::relu"), &attempts) && !attempts);
	CHECK(!ay_run_close(r, &err));
	CHECKF(!err.code, "%s", err.msg);
	json_decref(got);
	json_decref(rec);
}

TEST(store_head_names_run_machine_and_build)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *dir = help_path("r");
	struct ay_run *r = store_fixture_create(dir);
	char path[4300];
	size_t n;
	json_t *h;

	ay_run_close(r, &err);
	snprintf(path, sizeof path, "%s/run.json", dir);
	h = json_loads(help_slurp(&a, path, &n), 0, NULL);
	CHECK(strlen(json_string_value(json_object_get(h, "run"))) == 32);
	CHECK(ay_is_sha256(json_string_value(json_object_get(h, "build_sha256"))));
	CHECK(json_integer_value(json_object_get(json_object_get(h, "machine"), "cores")) > 0);
	CHECK_STR(json_string_value(json_object_get(h, "suite")), "smoke");
	CHECK(json_object_get(h, "start") && json_object_get(h, "policy"));
	json_decref(h);
	ay_arena_release(&a);
}

TEST(store_names_runs_and_makes_them_unique)
{
	json_t *h = json_pack("{s:s, s:s, s:s}", "command", "eval", "suite", "../../tmp/.. my suite;.txt",
			      "backend", "directory");
	struct ay_err err = { 0 };
	struct ay_run *r[3];
	char first[300];

	CHECK(!chdir(test_dir()));
	for (int i = 0; i < 3; i++)
		CHECK(!ay_run_create(NULL, h, &r[i], &err));
	CHECKF(!err.code, "%s", err.msg);
	snprintf(first, sizeof first, "%s", ay_run_dir(r[0]));
	CHECKF(ay_starts(first, "runs/eval-mysuite.txt-directory-2"), "%s", first);
	CHECK(strlen(first) == strlen("runs/eval-mysuite.txt-directory-yyyymmddThhmmssZ"));
	CHECK(strcmp(first, ay_run_dir(r[1])) && strcmp(ay_run_dir(r[1]), ay_run_dir(r[2])));
	for (int i = 0; i < 3; i++)
		ay_run_close(r[i], &err);
	json_decref(h);
}

TEST(store_refuses_a_used_folder_and_other_rules)
{
	const char *dir = help_path("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir), *again;
	json_t *h = json_pack("{s:{s:i}}", "policy", "threads", 4);

	ay_run_close(r, &err);
	CHECK(ay_run_create(dir, NULL, &again, &err) && !again && strstr(err.msg, "--resume-from"));
	ay_err_clear(&err);
	CHECK(ay_run_resume(dir, h, &again, &found, &err) && strstr(err.msg, "its policy was another"));
	ay_err_clear(&err);
	CHECK(ay_run_resume(help_path("none"), NULL, &again, &found, &err) && strstr(err.msg, "none"));
	ay_err_clear(&err);
	CHECK(!mkdir(help_path("empty"), 0755));
	CHECK(ay_run_resume(help_path("empty"), NULL, &again, &found, &err) && strstr(err.msg, "no run in"));
	json_decref(h);
}

TEST(store_refuses_records_it_could_not_read_back)
{
	struct ay_err err = { 0 };
	struct ay_run *r = store_fixture_create(help_path("r"));
	json_t *deep = json_object(), *big = store_fixture_case_record(STORE_RIG_KERNEL, "l", "PASS");
	char *text = ay_xrealloc(NULL, AY_RECORD_MAX + 1);

	CHECK(store_fixture_add(r, store_fixture_case_record(STORE_RIG_KERNEL, "l", "GREAT"), &err) &&
	      strstr(err.msg, "'verdict'"));
	ay_err_clear(&err);
	CHECK(store_fixture_add(r, store_fixture_case_record("abc", "l", "PASS"), &err) &&
	      strstr(err.msg, "'kernel_sha256'"));
	ay_err_clear(&err);
	CHECK(store_fixture_add(
		r,
		json_pack("{s:s, s:s, s:s}", "type", "case", "verdict", "PASS", "kernel_sha256", STORE_RIG_KERNEL),
		&err));
	ay_err_clear(&err);
	json_object_set_new(deep, "type", json_string("error"));
	for (int i = 0; i < 40; i++)
		deep = json_pack("{s:s, s:o}", "type", "error", "id", deep);
	CHECK(store_fixture_add(r, deep, &err));
	ay_err_clear(&err);
	memset(text, 'x', AY_RECORD_MAX);
	text[AY_RECORD_MAX] = 0;
	json_object_set_new(big, "detail", json_string(text));
	CHECK(store_fixture_add(r, big, &err) && strstr(err.msg, "bytes"));
	ay_err_clear(&err);
	CHECK(!store_fixture_add(r, store_fixture_case_record(STORE_RIG_KERNEL, "l", "PASS"), &err));
	CHECK(!ay_run_close(r, &err) && store_fixture_count_whole(help_path("r")) == 1);
	ay_xfree(text);
}

TEST(store_keeps_kernels_under_their_hash_only)
{
	const char *dir = help_path("r");
	struct ay_err err = { 0 };
	struct ay_run *r = store_fixture_create(dir);
	char sha[AY_SHA256_HEX], path[4400];
	struct stat st;

	ay_sha256("abc", 3, sha);
	CHECK(ay_run_keep_kernel(r, STORE_RIG_KERNEL, "c", "abc", 3, &err));
	CHECK(ay_run_keep_kernel(r, sha, "../x", "abc", 3, &err) &&
	      ay_run_keep_kernel(r, sha, "", "abc", 3, &err));
	ay_err_clear(&err);
	CHECK(!ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err) &&
	      !ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err));
	snprintf(path, sizeof path, "%s/kernels/%s.cu", dir, sha);
	CHECK(!stat(path, &st) && st.st_size == 3);
	CHECK(!truncate(path, 0) && !ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err)); /* after a power loss */
	CHECK(!stat(path, &st) && st.st_size == 3);
	ay_run_close(r, &err);
	CHECKF(!err.code, "%s", err.msg);
}

static void *add_many(void *run)
{
	static int next;

	for (int i = 0; i < 200; i++) {
		struct ay_err err = { 0 };

		if (store_fixture_add(
			    run, store_fixture_job_record(__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)), &err))
			return run;
	}
	return NULL;
}

TEST(store_threads_add_at_once)
{
	struct ay_err err = { 0 };
	struct ay_run *r = store_fixture_create(help_path("r"));
	struct ay_arena a = { 0 };
	bool seen[801] = { 0 };
	size_t n;
	pthread_t t[4];
	void *failed;
	int attempts;

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, add_many, r));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(t[i], &failed) && !failed);
	for (int i = 0; i < 800; i++)
		CHECK(store_fixture_has_job(r, i, &attempts) && attempts == 1);
	CHECK(!ay_run_close(r, &err) && store_fixture_count_whole(help_path("r")) == 800);
	for (char *p = help_slurp(&a, help_path("r/results.jsonl"), &n); (p = strstr(p, "\"seq\":")); p++) {
		long seq = strtol(p + 6, NULL, 10);

		CHECKF(seq >= 1 && seq <= 800 && !seen[seq], "seq %ld twice", seq);
		seen[seq < 801 ? seq : 0] = true;
	}
	ay_arena_release(&a);
}
