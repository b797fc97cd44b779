/* SPDX-License-Identifier: Apache-2.0
 *
 * chat_kept - tests of what remains of a chat: its answers, even after a kill, and nothing of its
 * key.
 */
#include "test.h"
#include "helpers.h"
#include "fake_llm.h"
#include "llm/transcript.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- killed ----------------------------------------------------------------------------------- */

enum { QUESTIONS = 160 };

static const char *id_of(int i)
{
	static char id[4][60];
	static int at;
	char *p = id[at++ % 4];

	snprintf(p, 60, "aten::op%d/r1/w0", i);
	return p;
}

/* Runs in its own process: sends the requests without answer, and writes the number of each answer
 * to `told`. */
static _Noreturn void asker(const char *dir, int told)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, dir);
	struct ay_transcript *x;
	struct ay_chat_answer got;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_chat *c;

	setenv("OPENAI_API_KEY", "sk-fake", 1);
	if (ay_transcript_read(&x, dir, &err) || ay_chat_open(&c, &spec, &err))
		_exit(2);
	for (int i = 0; i < QUESTIONS; i++)
		if (!ay_transcript_answer(x, id_of(i), &got))
			live_ask(c, id_of(i), "a question");
	while (ay_chat_pending(c) && live_wait_answer(c, &a, &got, &err) == 1) {
		int n = (int)strtol(got.id + strlen("aten::op"), NULL, 10);

		if (write(told, &n, sizeof n) < 0)
			_exit(2);
	}
	ay_chat_close(c);
	_exit(err.code ? 3 : 0);
}

/* After a kill: each answer that the process received is on disk. Each answer that the fake server
 * sent is on disk or known as lost. */
static int examine_kill(const struct fake_llm *s, const char *dir, const bool *told, int *times_lost)
{
	struct ay_transcript *x;
	struct ay_chat_answer got;
	struct ay_err err = { 0 };
	const char *const *ids;
	json_t *log = fake_llm_log(s);
	int lost, answered;

	CHECKF(!ay_transcript_read(&x, dir, &err), "%s", err.msg);
	lost = ay_transcript_lost(x, &ids);
	answered = ay_transcript_answered(x);
	for (int k = 0; k < lost; k++)
		times_lost[strtol(ids[k] + strlen("aten::op"), NULL, 10)]++;
	for (int i = 0; i < QUESTIONS; i++) {
		bool is_lost = false, is_answered = ay_transcript_answer(x, id_of(i), &got);

		for (int k = 0; k < lost; k++)
			is_lost |= !strcmp(ids[k], id_of(i));
		CHECKF(!told[i] || is_answered, "%s was told and is not on disk", id_of(i));
		CHECKF(!(is_lost && is_answered), "%s is answered and lost", id_of(i));
		if (fake_llm_count_in(log, "seen", id_of(i)))
			CHECKF(is_lost || is_answered, "%s was asked and is not known", id_of(i));
		if (is_answered) {
			CHECKF(fake_llm_count_in(log, "sent", id_of(i)), "%s was never answered", id_of(i));
			CHECK_STR(got.text, "some words of an answer");
		}
	}
	ay_transcript_free(x);
	json_decref(log);
	return answered;
}

/* Starts such a process, kills it after that many answers (< 0: never), and waits until it and its
 * API process have ended. */
static int run_asker(const char *dir, int kill_after, bool *told)
{
	int pair[2], n, count = 0, status = 0, gone = 0;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC))
		test_skip("no pipe");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		asker(dir, pair[1]);
	}
	close(pair[1]);
	while (read(pair[0], &n, sizeof n) == sizeof n) {
		CHECKF(!told[n], "op%d was answered twice", n);
		told[n] = true;
		if (++count == kill_after)
			kill(pid, SIGKILL);
	}
	close(pair[0]);
	waitpid(pid, &status, 0);
	if (kill_after < 0)
		return status;
	/* its API process is our child now and must end by itself */
	for (int i = 0; i < 1000 && !gone; i++) {
		gone = waitpid(-1, NULL, WNOHANG) > 0;
		usleep(5000);
	}
	CHECKF(gone, "the API process lives on");
	return status;
}

TEST(chat_kept_through_kills_at_any_point)
{
	static const int after[] = { 1, 3, 9, 2, 14, 5 };
	bool told[QUESTIONS] = { 0 };
	int times_lost[QUESTIONS] = { 0 }, answered = 0, lost = 0;
	const char *dir = live_run_dir("run");
	struct ay_arena a = { 0 };
	struct fake_llm s = { 0 };
	json_t *log;
	char *file;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fake_llm_start(&s, "{\"default\": [{\"answer\": \"text:some words of an answer\", \"chunk\": 4, "
			   "\"slow_s\": 0.004}]}");
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		CHECK(WIFSIGNALED(run_asker(dir, after[i], told)));
		answered = examine_kill(&s, dir, told, times_lost);
	}
	CHECKF(answered >= 34 && answered < QUESTIONS, "%d answered before the last run", answered);
	CHECK(!run_asker(dir, -1, told));
	examine_kill(&s, dir, told, times_lost);
	file = live_file_of(&a, dir);
	log = fake_llm_log(&s);
	CHECKF(live_occurrences(file, "\"type\":\"answered\"") == QUESTIONS, "%d answers",
	       live_occurrences(file, "\"type\":\"answered\""));
	for (int i = 0; i < QUESTIONS; i++) {
		char mark[100];

		snprintf(mark, sizeof mark, "\"type\":\"answered\",\"id\":\"%s\"", id_of(i));
		CHECKF(live_occurrences(file, mark) == 1, "%s: %d answers", id_of(i),
		       live_occurrences(file, mark));
		/* asked again only where an answer was lost; a question may be lost before its
		 * first byte was sent */
		CHECKF(fake_llm_count_in(log, "seen", id_of(i)) <= 1 + times_lost[i],
		       "%s was asked %d times and lost %d times", id_of(i),
		       fake_llm_count_in(log, "seen", id_of(i)), times_lost[i]);
		lost += times_lost[i];
	}
	CHECKF(lost > 0, "nothing was in flight at any kill: this proves nothing");
	json_decref(log);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* The API process is killed: its parent gets an error and does not hang. */
TEST(chat_kept_if_the_speaker_dies)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct fake_llm s = { 0 };
	struct ay_chat *c;
	char *out;

	fake_llm_start(&s, "{\"default\": [{\"answer\": \"text:x\", \"delay_s\": 30}]}");
	c = live_open_chat(&spec);
	live_ask(c, "q", "?");
	help_run(&a,
		 ay_sprintf(&a,
			    "for p in /proc/[0-9]*; do [ \"$(cat $p/comm)\" = assay-api ] && grep -q "
			    "'^PPid:.%d$' $p/status && kill -9 ${p#/proc/}; done 2> /dev/null; true",
			    (int)getpid()),
		 20, &out);
	CHECK(live_wait_answer(c, &a, &got, &err) == -1);
	CHECKF(strstr(err.msg, "has ended"), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_chat_next(c, &a, &got, &err) == -1 && err.code);
	ay_err_clear(&err);
	CHECK(ay_chat_ask(c, "q2", 0, NULL, &err) == -1 && err.code);
	ay_chat_close(c);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* No room for another line: the run ends, and the file has whole lines only. */
TEST(chat_kept_where_there_is_room)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct rlimit room = { 6000, 6000 };
	struct ay_chat_answer got;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_transcript *x;
	struct fake_llm s = { 0 };
	struct ay_chat *c;
	const char *const *ids;
	char *file;
	int told = 0;

	fake_llm_start(&s, "{\"default\": [\"text:some words of an answer\"]}");
	/* limits the size of the API process's files, like a full disk */
	setrlimit(RLIMIT_FSIZE, &room);
	spec.in_flight = 2;
	c = live_open_chat(&spec);
	for (int i = 0; i < 30; i++)
		live_ask(c, id_of(i), "a question");
	while (live_wait_answer(c, &a, &got, &err) == 1)
		told++;
	CHECKF(strstr(err.msg, AY_TRANSCRIPT_FILE) && strstr(err.msg, "make room"), "%s", err.msg);
	ay_chat_close(c);
	ay_err_clear(&err);
	CHECKF(!ay_transcript_read(&x, spec.dir, &err), "%s", err.msg);
	CHECKF(told > 0 && ay_transcript_answered(x) == told, "%d answers told, %d kept", told,
	       ay_transcript_answered(x));
	CHECK(ay_transcript_lost(x, &ids) <= 2);
	file = live_file_of(&a, spec.dir);
	CHECK(strlen(file) <= 6000 && file[strlen(file) - 1] == '\n');
	ay_transcript_free(x);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

/* --- dropped, and given again ----------------------------------------------------------------- */

TEST(chat_kept_what_is_dropped_is_not_answered)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, live_run_dir("run"));
	struct ay_chat_answer got;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_transcript *x;
	const char *const *ids;
	struct fake_llm s = { 0 };
	struct ay_chat *c;

	spec.in_flight = 2;
	fake_llm_start(&s,
		       "{\"ops\": {\"aten::slow\": [{\"answer\": \"text:late\", \"delay_s\": 30}]}, \"default\": "
		       "[\"text:soon\"]}");
	c = live_open_chat(&spec);
	live_ask(c, "slow1", "aten::slow");
	live_ask(c, "slow2", "aten::slow");
	/* the request is still queued, so its drop needs no line */
	live_ask(c, "waits", "aten::slow");
	CHECK(ay_chat_ask(c, "slow1", 0, NULL, &err) == -1 && strstr(err.msg, "asked already"));
	ay_err_clear(&err);
	while (fake_llm_count(&s, "seen", NULL) < 2)
		usleep(10000);
	ay_chat_drop(c, "waits");
	ay_chat_drop(c, "slow1");
	ay_chat_drop(c, "none");
	CHECK(ay_chat_pending(c) == 1);
	live_ask(c, "soon", "aten::soon");
	live_ask(c, "slow1", "aten::soon"); /* the old name again, for another request */
	for (int i = 0; i < 2; i++)
		CHECK(live_wait_answer(c, &a, &got, &err) == 1 && !strcmp(got.text, "soon"));
	ay_chat_close(c); /* slow2 is in flight */
	CHECKF(!ay_transcript_read(&x, spec.dir, &err), "%s", err.msg);
	CHECK(ay_transcript_answered(x) == 2 && !ay_transcript_lost(x, &ids));
	CHECK(live_occurrences(live_file_of(&a, spec.dir), "\"type\":\"dropped\"") == 2);
	CHECK(!live_occurrences(live_file_of(&a, spec.dir), "waits") && fake_llm_count(&s, "seen", NULL) == 4);
	ay_transcript_free(x);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}

TEST(chat_kept_answers_are_given_again_without_a_network)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_ANTHROPIC, live_run_dir("first"));
	struct ay_chat_answer got[3], again;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct fake_llm s = { 0 };
	struct ay_chat *c;

	fake_llm_start(&s, "{\"thinking\": \"t\", \"tokens\": [3, 4], \"ops\": {\"aten::mm\": [\"truncated\"], "
			   "\"aten::cos\": "
			   "[{\"answer\": \"text:x\", \"faults\": [\"400\"]}]}}");
	c = live_open_chat(&spec);
	live_ask(c, "relu", "aten::relu");
	CHECK(live_wait_answer(c, &a, &got[0], &err) == 1);
	live_ask(c, "mm", "aten::mm");
	CHECK(live_wait_answer(c, &a, &got[1], &err) == 1);
	live_ask(c, "cos", "aten::cos");
	CHECK(live_wait_answer(c, &a, &got[2], &err) == 1 && got[2].end == AY_CHAT_FAILED);
	ay_chat_close(c);
	fake_llm_stop(&s);

	spec.server = AY_SERVER_REPLAY;
	spec.replay = spec.dir;
	spec.dir = live_run_dir("second");
	unsetenv("OPENAI_BASE_URL");
	unsetenv("ANTHROPIC_BASE_URL");
	for (int turn = 0; turn < 2; turn++) { /* the second run replays the replay of the first */
		static const char *const ids[] = { "relu", "mm", "cos" };

		c = live_open_chat(&spec);
		for (int i = 0; i < 3; i++) {
			live_ask(c, ids[i], ay_sprintf(&a, "aten::%s", ids[i]));
			CHECK(live_wait_answer(c, &a, &again, &err) == 1 && again.end == got[i].end &&
			      !again.changed);
			CHECK_STR(again.text, got[i].text);
			CHECK_STR(again.thinking ? again.thinking : "", got[i].thinking ? got[i].thinking : "");
			CHECK(again.tokens_in == got[i].tokens_in && again.tokens_out == got[i].tokens_out);
			CHECK(again.usd == got[i].usd && again.tries == got[i].tries);
		}
		ay_chat_close(c);
		spec.replay = spec.dir;
		spec.dir = live_run_dir("third");
	}
	spec.dir = live_run_dir("odd");
	c = live_open_chat(&spec);
	live_ask(c, "relu", "another text");
	CHECK(live_wait_answer(c, &a, &again, &err) == 1 && again.changed && !strcmp(again.text, got[0].text));
	live_ask(c, "renamed", "aten::mm");
	CHECK(live_wait_answer(c, &a, &again, &err) == 1 && !again.changed && !strcmp(again.text, got[1].text));
	live_ask(c, "never", "never asked");
	CHECK(live_wait_answer(c, &a, &again, &err) == 1 && again.end == AY_CHAT_FAILED);
	CHECKF(again.error && strstr(again.error, "no answer"), "%s", again.error);
	ay_chat_close(c);
	spec.replay = live_run_dir("empty");
	CHECK(ay_chat_open(&c, &spec, &err) == -1 && strstr(err.msg, "nothing to replay"));
	ay_arena_release(&a);
}

/* --- the key ---------------------------------------------------------------------------------- */

/* A process that starts with the key in its environment, as assay does; the test below runs this
 * program again for it. It sends a request, forks a worker, prints the worker's pid, and waits. */
static _Noreturn void hold_key(const char *dir)
{
	struct ay_chat_spec spec = live_spec_of(AY_SERVER_OPENAI, dir);
	static const char *const ids[] = { "echo", "leak", "fine" };
	struct ay_chat_answer got;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_chat *c;
	char path[200];
	FILE *f;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c = live_open_chat(&spec);
	for (int i = 0; i < 3; i++)
		live_ask(c, ids[i], ay_sprintf(&a, "aten::%s", ids[i]));
	snprintf(path, sizeof path, "%s/log", dir);
	f = fopen(path, "w");
	while (f && ay_chat_pending(c) && live_wait_answer(c, &a, &got, &err) == 1)
		fprintf(f, "%s: %s %s\n", got.id, got.text, got.error ? got.error : "");
	live_ask(c, "last", "aten::wrong");
	CHECK(f && live_wait_answer(c, &a, &got, &err) == -1);
	if (f) {
		fprintf(f, "%s\n", err.msg);
		fclose(f);
	}
	if (!fork()) { /* an executor would be forked like this worker */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	snprintf(path, sizeof path, "%s/ready", dir);
	f = fopen(path, "w");
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	for (;;)
		pause();
}

__attribute__((constructor)) static void hold_key_if_asked(void)
{
	if (getenv("ASSAY_TEST_KEY_RUN"))
		hold_key(getenv("ASSAY_TEST_KEY_RUN"));
}

static bool file_has(const char *path, const char *what)
{
	static char buf[1 << 22];
	int fd = open(path, O_RDONLY);
	size_t n = 0;
	ssize_t got;

	while (fd >= 0 && n < sizeof buf && (got = read(fd, buf + n, sizeof buf - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	return n && memmem(buf, n, what, strlen(what));
}

/* Returns true if the process's writable memory has the text. */
static bool memory_has(int pid, const char *what)
{
	static char buf[1 << 20];
	char path[60], line[300], perms[8];
	unsigned long from, to;
	bool found = false;
	FILE *maps;
	int mem;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY);
	while (maps && mem >= 0 && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, perms) != 3 || perms[1] != 'w' ||
		    to - from > 1ul << 30)
			continue;
		for (unsigned long at = from; at < to; at += sizeof buf / 2) {
			ssize_t n = pread(mem, buf, sizeof buf, (off_t)at);

			found |= n > 0 && memmem(buf, (size_t)n, what, strlen(what));
		}
	}
	if (maps)
		fclose(maps);
	if (mem >= 0)
		close(mem);
	return found;
}

static int parent_of(int pid)
{
	char path[60], text[400];
	int ppid = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof text, f) && strrchr(text, ')'))
		sscanf(strrchr(text, ')') + 1, " %*c %d", &ppid);
	if (f)
		fclose(f);
	return ppid;
}

/* Checks the three processes: none shows the key, and only the API process has it in memory. */
static void examine_processes(int holder, const char *key, const char *other)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int seen = 0, with_key = 0;

	while (d && (e = readdir(d))) {
		int pid = (int)strtol(e->d_name, NULL, 10);
		char path[60];

		if (pid <= 0 || (pid != holder && parent_of(pid) != holder))
			continue;
		seen++;
		snprintf(path, sizeof path, "/proc/%d/environ", pid);
		CHECKF(!file_has(path, key), "%s shows the key", path);
		CHECKF(!file_has(path, other), "%s shows the other key", path);
		snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
		CHECKF(!file_has(path, key), "%s shows the key", path);
		/* freed memory loses only its first bytes */
		if (!getenv("ASSAY_SANITIZED"))
			with_key += memory_has(pid, key + 240);
		CHECKF(pid != holder || getenv("ASSAY_SANITIZED") || !memory_has(pid, key + 240),
		       "the judge still has the key");
	}
	if (d)
		closedir(d);
	CHECKF(seen == 3, "%d processes", seen);
	/* the search finds the key where it is, if this process may read that memory */
	CHECKF(getenv("ASSAY_SANITIZED") || with_key == (geteuid() ? with_key : 1), "%d processes have the key",
	       with_key);
}

TEST(chat_key_is_nowhere)
{
	const char *dir = live_run_dir("run");
	struct ay_arena a = { 0 };
	struct fake_llm s = { 0 };
	char key[300], other[60], *out;
	int holder = 0;
	pid_t pid;
	FILE *f = NULL;

	snprintf(key, sizeof key, "sk-%0240lu-%020lu-%020lu", (unsigned long)getpid(), (unsigned long)(size_t)&a,
		 (unsigned long)getpid() * 2654435761u);
	snprintf(other, sizeof other, "other-%lu", (unsigned long)getpid() * 40503u);
	fake_llm_start(
		&s, ay_sprintf(&a,
			       "{\"key\": \"%s\", \"ops\": {\"aten::echo\": [\"echo-key\"], \"aten::leak\": "
			       "[{\"answer\": \"text:x\", \"faults\": [\"500\"]}], \"aten::fine\": [\"text:y\"], "
			       "\"aten::wrong\": [{\"answer\": \"text:x\", \"faults\": [\"echo\"]}]}}",
			       key));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("OPENAI_API_KEY", key, 1);
		setenv("ANTHROPIC_API_KEY", other, 1);
		setenv("OTHER_NAME_OF_IT", key, 1);
		setenv("ASSAY_TEST_KEY_RUN", dir, 1);
		execl("/proc/self/exe", "test", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 2000 && !holder; i++) {
		usleep(10000);
		f = fopen(ay_sprintf(&a, "%s/ready", dir), "r");
		if (f && fscanf(f, "%d", &holder) != 1)
			holder = 0;
		if (f)
			fclose(f);
	}
	CHECKF(holder > 0, "the holder does not start");
	if (holder > 0)
		examine_processes(holder, key, other);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(help_run(&a, ay_sprintf(&a, "grep -r -l -e %s %s", key, dir), 20, &out) == 1);
	CHECKF(!out[0], "%s", out);
	/* the key was used, and the server sent it back in a text and in an error */
	CHECK(!help_run(&a, ay_sprintf(&a, "cat %s/log", dir), 20, &out));
	CHECKF(strstr(out, "echo: Your key is [key], is it not?") && strstr(out, "fine: y") &&
		       strstr(out, "Incorrect API key provided: [key]."),
	       "%s", out);
	CHECK(live_occurrences(live_file_of(&a, dir), "\"authorization\":\"[key]\"") == 4);
	ay_arena_release(&a);
	fake_llm_stop(&s);
}
