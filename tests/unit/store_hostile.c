/* SPDX-License-Identifier: Apache-2.0
 *
 * store_hostile - tests that tampering with a run folder is noticed, and that hostile content does
 * no harm.
 */
#include "test.h"
#include "helpers.h"
#include "store_fixture.h"
#include "store/scan.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

TEST(store_altered_record_is_noticed)
{
	const char *dir = help_path("r"), *path = help_path("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir);
	char *data, *at;
	size_t n;
	int attempts;

	for (int i = 0; i < 3; i++) {
		json_t *j = store_fixture_job_record(i);

		json_object_set_new(j, "verdict", json_string("LOAD"));
		CHECK(!store_fixture_add(r, j, &err));
	}
	data = help_slurp(&a, path, &n);
	at = memmem(data, n, "\"LOAD\"", 6);
	at = memmem(at + 1, n - (size_t)(at + 1 - data), "\"LOAD\"", 6);
	memcpy(at, "\"PASS\"", 6);
	help_spill(path, data, n); /* writes to that file without the writer's knowledge */
	CHECK(store_fixture_has_job(r, 0, &attempts) && !store_fixture_has_job(r, 1, &attempts) &&
	      store_fixture_has_job(r, 2, &attempts));
	ay_run_close(r, &err);
	r = store_fixture_resume(dir, &found);
	CHECK(found.records == 2 && found.fault[AY_FAULT_ALTERED] == 1 && found.first_bad == 2);
	CHECK(!store_fixture_has_job(r, 1, &attempts) && store_fixture_has_job(r, 2, &attempts));
	ay_run_close(r, &err);
	ay_arena_release(&a);
}

TEST(store_any_flipped_byte_is_noticed)
{
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	json_t *rec = store_fixture_job_record(3), *got;

	CHECK(!ay_record_seal(rec, KERNEL_B, &b, &err));
	CHECK(ay_record_open(b.s, b.len - 1, &got) == AY_FAULT_NONE && json_equal(rec, got));
	json_decref(got);
	for (size_t i = 0; i + 1 < b.len; i++) {
		b.s[i] ^= 1;
		/* the last digit of a number may have no effect */
		CHECKF(ay_record_open(b.s, b.len - 1, &got) != AY_FAULT_NONE || json_equal(rec, got), "byte %zu",
		       i);
		json_decref(got);
		b.s[i] ^= 1;
	}
	json_decref(rec);
	ay_str_release(&b);
}

/* Seals a record with that text as a forger would, with invented run and build. */
static void forge(struct ay_str *b, const char *text)
{
	json_t *j = json_loads(text, JSON_ALLOW_NUL, NULL);
	struct ay_str s = { 0 };
	char hex[AY_SHA256_HEX];

	json_dump_callback(j, ay_dump_to, &s, JSON_COMPACT | JSON_SORT_KEYS);
	ay_sha256(s.s, s.len, hex);
	json_object_set_new(j, "sha256", json_string(hex));
	json_dump_callback(j, ay_dump_to, b, JSON_COMPACT);
	json_decref(j);
	ay_str_release(&s);
}

TEST(store_resume_takes_only_its_own_run_and_build)
{
	const char *dir = help_path("r"), *path = help_path("r/results.jsonl");
	struct ay_run *r = store_fixture_create(dir);
	struct ay_run_found found;
	struct ay_err err = { 0 };
	struct ay_str b = { 0 }, t = { 0 };
	json_t *j;
	int attempts;

	for (int i = 0; i < 3; i++) {
		j = store_fixture_job_record(i);
		json_object_set_new(j, "run", json_string(i == 1 ? STORE_RIG_KERNEL : ay_run_id(r)));
		CHECK(!ay_record_seal(j, i == 2 ? STORE_RIG_KERNEL : ay_run_build_sha256(r), &b, &err));
		json_decref(j);
	}
	ay_run_close(r, &err);
	help_spill(path, b.s, b.len);
	r = store_fixture_resume(dir, &found);
	CHECK(found.records == 1 && found.fault[AY_FAULT_RUN] == 1 && found.fault[AY_FAULT_BUILD] == 1);
	CHECK(store_fixture_has_job(r, 0, &attempts) && !store_fixture_has_job(r, 1, &attempts) &&
	      !store_fixture_has_job(r, 2, &attempts));
	ay_run_found_print(&t, &found);
	CHECK_STR(ay_str_text(&t),
		  "1 records; 2 lines not taken, the first is line 2; 1: belongs to another run; 1: "
		  "judged by another build of assay");
	ay_run_close(r, &err);
	ay_str_release(&b);
	ay_str_release(&t);
}

/* Hostile content for the file. %F: the text has a forged seal. */
static const struct {
	const char *what, *text;
	enum ay_fault fault;
} hostile[] = {
	{ "no JSON", "hello", AY_FAULT_JSON },
	{ "half an object", "{\"type\":\"case\"", AY_FAULT_JSON },
	{ "two objects", "{\"type\":\"a\"}{\"type\":\"b\"}", AY_FAULT_JSON },
	{ "an array", "[1,2,3]", AY_FAULT_JSON },
	{ "a number", "42", AY_FAULT_JSON },
	{ "a string", "\"PASS\"", AY_FAULT_JSON },
	{ "null", "null", AY_FAULT_JSON },
	{ "an empty object", "{}", AY_FAULT_UNSEALED },
	{ "no seal", "{\"type\":\"error\",\"error\":\"x\"}", AY_FAULT_UNSEALED },
	{ "a seal that is a number", "{\"type\":\"error\",\"sha256\":1}", AY_FAULT_UNSEALED },
	{ "a short seal", "{\"type\":\"error\",\"sha256\":\"00\"}", AY_FAULT_ALTERED },
	{ "a seal of zeros",
	  "{\"type\":\"error\",\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
	  AY_FAULT_ALTERED },
	{ "a key twice", "{\"type\":\"error\",\"type\":\"case\"}", AY_FAULT_JSON },
	{ "a key twice, deep", "{\"type\":\"error\",\"id\":{\"a\":1,\"a\":2}}", AY_FAULT_JSON },
	{ "bytes that are no UTF-8", "{\"type\":\"\xff\xfe\"}", AY_FAULT_JSON },
	{ "half a surrogate", "{\"type\":\"\\ud800\"}", AY_FAULT_JSON },
	{ "an escaped NUL", "{\"type\":\"a\\u0000b\"}", AY_FAULT_JSON },
	{ "a huge integer", "{\"type\":\"error\",\"id\":99999999999999999999999}", AY_FAULT_JSON },
	{ "a huge real", "{\"type\":\"error\",\"id\":1e999}", AY_FAULT_JSON },
	{ "NaN", "{\"type\":\"error\",\"id\":NaN}", AY_FAULT_JSON },
	{ "a raw ESC", "{\"type\":\"\x1b[2J\"}", AY_FAULT_JSON },
	{ "a byte order mark", "\xef\xbb\xbf{\"type\":\"error\"}", AY_FAULT_JSON },
	{ "a comma too many", "{\"type\":\"error\",}", AY_FAULT_JSON },
	{ "deep arrays", "%D", AY_FAULT_DEEP },
	{ "deep arrays that never close", "%d", AY_FAULT_DEEP },
	{ "a long line", "%L", AY_FAULT_LONG },
	{ "sealed: no type", "%F{\"verdict\":\"PASS\"}", AY_FAULT_SHAPE },
	{ "sealed: type is a number", "%F{\"type\":1}", AY_FAULT_SHAPE },
	{ "sealed: a case without a line",
	  "%F{\"type\":\"case\",\"overload\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\"}", AY_FAULT_SHAPE },
	{ "sealed: a line without its hash",
	  "%F{\"type\":\"case\",\"overload\":\"a\",\"line\":\"l\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\"}",
	  AY_FAULT_ALTERED },
	{ "sealed: unknown verdict",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"NONE\",\"kernel_sha256\":\"\"}",
	  AY_FAULT_SHAPE },
	{ "sealed: verdict is an object",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":{},\"kernel_sha256\":\"\"}", AY_FAULT_SHAPE },
	{ "sealed: a path for a hash",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"../../etc/passwd\"}",
	  AY_FAULT_SHAPE },
	{ "sealed: overloads is an array",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\",\"overloads\":[]"
	  "}",
	  AY_FAULT_SHAPE },
	{ "sealed: a negative count",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\",\"overloads\":{"
	  "\"a\":{"
	  "\"verdict\":\"PASS\",\"counts\":{\"PASS\":-1}}}}",
	  AY_FAULT_SHAPE },
	{ "sealed: cases is text", "%F{\"type\":\"summary\",\"cases\":\"12\"}", AY_FAULT_SHAPE },
	{ "sealed: a suite of numbers", "%F{\"type\":\"suite\",\"operators\":{\"a\":[1]}}", AY_FAULT_SHAPE },
	{ "sealed: another run", "%F{\"type\":\"error\",\"run\":\"x\"}", AY_FAULT_RUN },
	{ "sealed: no run", "%F{\"type\":\"strange\",\"new\":true}", AY_FAULT_RUN },
};

static void hostile_text(struct ay_str *b, const char *text)
{
	if (ay_starts(text, "%F")) {
		forge(b, text + 2);
	} else if (ay_starts(text, "%L")) {
		for (int i = 0; i < 3 * AY_RECORD_MAX / 16; i++)
			ay_str_add(b, "{\"type\":\"case\"} ");
	} else if (text[0] == '%') {
		ay_str_add(b, "{\"id\":");
		for (int i = 0; i < 100000; i++)
			ay_str_addc(b, '[');
		for (int i = 0; i < 100000 && text[1] == 'D'; i++)
			ay_str_addc(b, ']');
		ay_str_addc(b, '}');
	} else {
		ay_str_add(b, text);
	}
}

TEST(store_hostile_lines_are_counted_and_passed_over)
{
	const char *dir = help_path("r"), *path = help_path("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir);
	size_t n, half;
	char *data;
	int attempts;

	CHECK(!store_fixture_add(r, store_fixture_job_record(0), &err) &&
	      !store_fixture_add(r, store_fixture_job_record(1), &err) && !ay_run_close(r, &err));
	data = help_slurp(&a, path, &n);
	half = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct ay_str b = { 0 };

		ay_str_addn(&b, data, half);
		hostile_text(&b, hostile[i].text);
		ay_str_addc(&b, '\n');
		ay_str_addn(&b, data + half, n - half);
		help_spill(path, b.s, b.len);
		r = store_fixture_resume(dir, &found);
		CHECKF(found.records == 2 && found.fault[hostile[i].fault] == 1 && found.first_bad == 2,
		       "%s: %lld records, %s", hostile[i].what, (long long)found.records,
		       ay_fault_text(found.first_fault));
		CHECK(store_fixture_has_job(r, 0, &attempts) && store_fixture_has_job(r, 1, &attempts));
		CHECK(!ay_run_close(r, &err));
		help_slurp(&a, path, &half);
		CHECK(half == b.len); /* the bad line is still there */
		half = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
		ay_str_release(&b);
	}
	ay_arena_release(&a);
}

TEST(store_hostile_files_are_survived)
{
	static const struct {
		const char *what, *text;
		size_t n;
		int64_t bad;
		enum ay_fault first;
	} files[] = {
		{ "empty", "", 0, 0, 0 },
		{ "one line end", "\n", 1, 0, 0 },
		{ "blank lines", "\n \n\t\r\n", 6, 0, 0 },
		{ "a NUL byte", "\0\n", 2, 1, AY_FAULT_NUL },
		{ "NUL bytes and no end", "\0\0\0\0", 4, 1, AY_FAULT_TORN },
		{ "ELF", "\177ELF\2\1\1\0\0\0\n\0", 12, 2, AY_FAULT_NUL },
		{ "carriage returns", "a\r\nb\r\n", 6, 2, AY_FAULT_JSON },
		{ "no end", "{\"type\":", 8, 1, AY_FAULT_TORN },
	};
	const char *dir = help_path("r"), *path = help_path("r/results.jsonl");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir);

	ay_run_close(r, &err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		int64_t bad = 0;

		help_spill(path, files[i].text, files[i].n);
		r = store_fixture_resume(dir, &found);
		for (int k = 0; k < AY_FAULT_COUNT; k++)
			bad += found.fault[k];
		CHECKF(!found.records && bad == files[i].bad && found.first_fault == files[i].first,
		       "%s: %lld bad, %s", files[i].what, (long long)bad, ay_fault_text(found.first_fault));
		CHECKF(!store_fixture_add(r, store_fixture_job_record(0), &err), "%s: %s", files[i].what, err.msg);
		ay_run_close(r, &err);
		r = store_fixture_resume(dir, &found);
		CHECKF(found.records == 1, "%s", files[i].what);
		ay_run_close(r, &err);
	}
}

TEST(store_follows_no_links_and_hangs_on_no_fifo)
{
	static const char *const names[] = { "run.json", "results.jsonl", "run.lock" };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r;

	help_spill(help_path("victim"), "precious\n", 9);
	for (int i = 0; i < 9; i++) {
		char path[4400], dir[40];
		struct stat st;

		snprintf(dir, sizeof dir, "r%d", i);
		ay_run_close(store_fixture_create(help_path(dir)), &err);
		snprintf(path, sizeof path, "%s/%s/%s", test_dir(), dir, names[i % 3]);
		CHECK(!unlink(path));
		CHECK(!(i < 3   ? symlink(help_path("victim"), path)
			: i < 6 ? mkfifo(path, 0644)
				: mkdir(path, 0755)));
		if (i == 5) /* a lock file that is a FIFO works too */
			continue;
		CHECKF(ay_run_resume(help_path(dir), NULL, &r, &found, &err), "%s %d", names[i % 3], i / 3);
		ay_err_clear(&err);
		CHECK(!stat(help_path("victim"), &st) && st.st_size == 9);
	}
}

TEST(store_hostile_run_json_is_refused)
{
	static const char *const heads[] = { "",
					     "{",
					     "[]",
					     "{}",
					     "{\"run\":1}",
					     "{\"run\":\"short\"}",
					     "null",
					     "{\"run\":\"x\",\"run\":\"00000000000000000000000000000000\"}" };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(help_path("r"));

	CHECK(!store_fixture_add(r, store_fixture_job_record(0), &err) && !ay_run_close(r, &err));
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		ay_err_clear(&err);
		help_spill(help_path("r/run.json"), heads[i], strlen(heads[i]));
		CHECKF(ay_run_resume(help_path("r"), NULL, &r, &found, &err) && strstr(err.msg, "damaged"),
		       "%s: %s", heads[i], err.msg);
	}
	CHECK(store_fixture_count_whole(help_path("r")) == 1);
}

struct counted {
	int64_t good, bad[AY_FAULT_COUNT];
};

static int count_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct counted *c = user;

	(void)err;
	c->good += l->fault == AY_FAULT_NONE;
	c->bad[l->fault]++;
	return 0;
}

TEST(store_reader_does_not_care_how_bytes_arrive)
{
	struct ay_str b = { 0 };
	struct ay_err err = { 0 };

	for (int i = 0; i < 3; i++) {
		json_t *j = store_fixture_job_record(i);

		CHECK(!ay_record_seal(j, STORE_RIG_KERNEL, &b, &err));
		json_decref(j);
		ay_str_add(&b, i ? "garbage\n\n" : "\n");
	}
	ay_str_add(&b, "torn");
	for (size_t step = 1; step <= b.len; step = step * 3 + 1) {
		struct counted c = { 0 };
		struct ay_scan s = { .line = count_line, .user = &c };
		size_t from = 0, used;

		for (size_t to = 0; to < b.len;) {
			to = to + step < b.len ? to + step : b.len;
			CHECK(!ay_scan_feed(&s, b.s + from, to - from, to == b.len, &used, &err));
			from += used;
		}
		CHECKF(c.good == 3 && c.bad[AY_FAULT_JSON] == 2 && c.bad[AY_FAULT_TORN] == 1 &&
			       s.end == b.len - 4 && s.offset == b.len,
		       "step %zu: %lld good", step, (long long)c.good);
	}
	ay_str_release(&b);
}
