/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_llm.h"
#include "helpers.h"
#include "test.h"
#include "base/file.h"
#include "llm/transcript.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SETTLED_TRIES = 50, SETTLED_US = 20000 };

static const char *python(void)
{
	static char path[4096];
	FILE *f;

	if (path[0])
		return path;
	f = popen("sh tools/python.sh any", "r");
	if (!f || !fgets(path, sizeof path, f))
		path[0] = 0;
	if (f)
		pclose(f);
	path[strcspn(path, "\n")] = 0;
	if (!path[0])
		test_skip("no python3 here");
	return path;
}

static void need_curl(void)
{
	void *lib = dlopen("libcurl.so.4", RTLD_LAZY);

	if (!lib)
		lib = dlopen("libcurl-gnutls.so.4", RTLD_LAZY);
	if (!lib)
		test_skip("no libcurl here");
	dlclose(lib);
}

void fake_llm_start(struct fake_llm *s, const char *script)
{
	const char *interpreter = python();
	struct ay_err err = { 0 };
	char path[200], base[100];
	int out[2];
	FILE *f;

	need_curl();
	snprintf(path, sizeof path, "%s/script.json", test_dir());
	snprintf(s->log, sizeof s->log, "%s/server.log", test_dir());
	remove(s->log); /* of one before */
	CHECK(!ay_file_write(path, script, strlen(script), &err));
	if (pipe2(out, O_CLOEXEC))
		test_skip("no pipe");
	fflush(NULL);
	s->pid = fork();
	if (!s->pid) {
		dup2(out[1], 1);
		execl(interpreter, interpreter, "tests/llm/fake_server.py", "--script", path, "--log", s->log,
		      s->tls ? "--tls" : NULL, s->tls, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	if (!f || fscanf(f, "port %d", &s->port) != 1) {
		test_fail(__FILE__, __LINE__, "the fake does not start");
		exit(1);
	}
	fclose(f);
	setenv("no_proxy", "*", 1);
	unsetenv("ASSAY_PRICES");
	snprintf(base, sizeof base, "http%s://127.0.0.1:%d/v1", s->tls ? "s" : "", s->port);
	setenv("OPENAI_BASE_URL", base, 1);
	setenv("ANTHROPIC_BASE_URL", base, 1);
	setenv("OPENAI_API_KEY", "sk-fake", 1);
	setenv("ANTHROPIC_API_KEY", "sk-fake", 1);
}

void fake_llm_stop(struct fake_llm *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

static json_t *read_log(const struct fake_llm *s)
{
	json_t *list = json_array(), *j;
	FILE *f = fopen(s->log, "r");

	while (f && (j = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)))
		json_array_append_new(list, j);
	if (f)
		fclose(f);
	return list;
}

int fake_llm_count_in(const json_t *log, const char *event, const char *id)
{
	const json_t *j;
	int n = 0;
	size_t i;

	json_array_foreach(log, i, j)
		n += (!event || !strcmp(event, json_string_value(json_object_get(j, "event")))) &&
		     (!id || !strcmp(id, json_string_value(json_object_get(j, "id"))));
	return n;
}

/* The fake server logs an answer after sending it, when the test may already have it. So this waits
 * a moment. */
json_t *fake_llm_log(const struct fake_llm *s)
{
	json_t *log = read_log(s);

	for (int i = 0; i < SETTLED_TRIES; i++) {
		if (fake_llm_count_in(log, "seen", NULL) ==
		    fake_llm_count_in(log, "sent", NULL) + fake_llm_count_in(log, "gone", NULL))
			break;
		usleep(SETTLED_US);
		json_decref(log);
		log = read_log(s);
	}
	return log;
}

int fake_llm_count(const struct fake_llm *s, const char *event, const char *id)
{
	json_t *log = fake_llm_log(s);
	int n = fake_llm_count_in(log, event, id);

	json_decref(log);
	return n;
}

/* --- a chat ----------------------------------------------------------------------------------- */

enum { PATIENCE_MS = 60000 };

const char *live_run_dir(const char *name)
{
	static char path[4][200];
	static int at;
	char *p = path[at++ % 4];

	snprintf(p, 200, "%s/%s", test_dir(), name);
	mkdir(p, 0755);
	return p;
}

struct ay_chat_spec live_spec_of(enum ay_server server, const char *dir)
{
	return (struct ay_chat_spec){ .server = server,
				      .model = "gpt-4o",
				      .temperature = 0.8,
				      .in_flight = 8,
				      .timeout_s = 20,
				      .dir = dir };
}

struct ay_chat *live_open_chat(const struct ay_chat_spec *s)
{
	struct ay_chat *c;
	struct ay_err err = { 0 };

	if (ay_chat_open(&c, s, &err)) {
		test_fail(__FILE__, __LINE__, "%s", err.msg);
		exit(1);
	}
	return c;
}

void live_ask(struct ay_chat *c, const char *id, const char *text)
{
	const struct ay_chat_message m[] = { { "system", "You write kernels." }, { "user", text } };
	struct ay_err err = { 0 };

	CHECKF(!ay_chat_ask(c, id, 2, m, &err), "%s", err.msg);
}

/* Waits for the next answer. Returns 1, or -1 and err. */
int live_wait_answer(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err)
{
	struct pollfd p = { .fd = ay_chat_fd(c), .events = POLLIN };

	for (;;) {
		int rc = ay_chat_next(c, a, answer, err);

		if (rc)
			return rc;
		if (!poll(&p, 1, PATIENCE_MS))
			return ay_fail(err, AY_ERR_SYS, "no answer for %d ms", PATIENCE_MS);
	}
}

/* Sends one request and waits for its answer. */
int live_once(const struct ay_chat_spec *s, const char *id, const char *text, struct ay_arena *a,
	      struct ay_chat_answer *answer, struct ay_err *err)
{
	struct ay_chat *c = live_open_chat(s);
	int rc;

	live_ask(c, id, text);
	rc = live_wait_answer(c, a, answer, err);
	CHECK(rc < 0 || (!ay_chat_pending(c) && !strcmp(answer->id, id)));
	ay_chat_close(c);
	return rc;
}

char *live_file_of(struct ay_arena *a, const char *dir)
{
	struct ay_err err = { 0 };
	char *text = NULL;
	size_t n;

	CHECKF(!ay_file_read(a, ay_sprintf(a, "%s/" AY_TRANSCRIPT_FILE, dir), 64 << 20, &text, &n, &err), "%s",
	       err.msg);
	return text ? text : ay_strdup(a, "");
}

int live_occurrences(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}
