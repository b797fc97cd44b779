/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/api_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 8, SPARE_FILES = 50 };
#define TIMEOUT_S 300.0
#define CONNECT_S 30.0

/* --- to the parent ---------------------------------------------------------------------------- */

static void flush_out(struct api_process *sp)
{
	while (sp->sent < sp->out.len) {
		ssize_t n = send(sp->spec->fd, sp->out.s + sp->sent, sp->out.len - sp->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			_exit(1);
		sp->sent += (size_t)n;
	}
	ay_str_clear(&sp->out);
	sp->sent = 0;
}

void ay_api_process_say(struct api_process *sp, json_t *j)
{
	uint32_t len = (uint32_t)json_dumpb(j, NULL, 0, JSON_COMPACT);
	char *text = ay_xrealloc(NULL, (size_t)len + 1);

	json_dumpb(j, text, len, JSON_COMPACT);
	ay_str_addn(&sp->out, (const char *)&len, sizeof len);
	ay_str_addn(&sp->out, text, len);
	ay_xfree(text);
	json_decref(j);
	flush_out(sp);
}

void ay_api_process_fatal(struct api_process *sp, const char *text, const char *hint)
{
	struct ay_str b = { 0 };

	if (sp->is_fatal)
		return;
	sp->is_fatal = true;
	ay_str_addf(&b, "%s%s%s", text, *hint ? ": " : "", hint);
	ay_api_key_scrub(&sp->spec->key, &b);
	ay_requests_note(sp, b.s);
	ay_requests_free(sp);
	ay_api_process_say(sp, json_pack("{s:o}", "fatal", ay_json_text(b.s, b.len, b.len)));
	ay_str_release(&b);
}

/* --- from the parent -------------------------------------------------------------------------- */

static _Noreturn void take_close(struct api_process *sp)
{
	ay_requests_note(sp, "the run ended before");
	_exit(0);
}

static void take_frame(struct api_process *sp, const char *text, size_t n)
{
	json_t *j = json_loadb(text, n, 0, NULL);

	if (json_object_get(j, "close"))
		take_close(sp);
	if (json_object_get(j, "drop"))
		ay_request_drop(sp, json_integer_value(json_object_get(j, "drop")));
	else if (!sp->is_fatal && json_object_get(j, "ask"))
		ay_request_add(sp, json_integer_value(json_object_get(j, "ask")),
			       json_string_value(json_object_get(j, "id")), json_object_get(j, "messages"));
	json_decref(j);
}

static void hear_parent(struct api_process *sp)
{
	char buf[65536];
	size_t at = 0;
	uint32_t len;
	ssize_t n;
	bool gone;

	while ((n = recv(sp->spec->fd, buf, sizeof buf, MSG_DONTWAIT)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			ay_str_addn(&sp->in, buf, (size_t)n);
	gone = n == 0 || errno != EAGAIN;
	while (sp->in.len - at >= sizeof len) {
		memcpy(&len, sp->in.s + at, sizeof len);
		if (sp->in.len - at - sizeof len < len)
			break;
		take_frame(sp, sp->in.s + at + sizeof len, len);
		at += sizeof len + len;
	}
	if (at) {
		memmove(sp->in.s, sp->in.s + at, sp->in.len - at + 1);
		sp->in.len -= at;
	}
	/* the parent was killed: requests in flight are lost, and the transcript must show it */
	if (gone)
		_exit(1);
}

/* --- the process ------------------------------------------------------------------------------ */

/* Closes the parent's descriptors, among them its run's lock and pipes whose end another process
 * waits for. */
static void close_others(const struct ay_api_process_spec *s)
{
	unsigned lo = (unsigned)(s->fd < s->file ? s->fd : s->file), hi = (unsigned)(s->fd + s->file) - lo;
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	if (lo > 3)
		syscall(SYS_close_range, 3, lo - 1, 0);
	if (hi > lo + 1)
		syscall(SYS_close_range, lo + 1, hi - 1, 0);
	syscall(SYS_close_range, hi + 1, ~0U, 0);
}

static void enter(struct api_process *sp)
{
	struct rlimit none = { 0 }, files;
	static const int ignored[] = { SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGXFSZ };

	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, "assay-api");
	setrlimit(RLIMIT_CORE, &none);
	sp->in_flight = sp->chat->in_flight;
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		/* each request in flight needs a descriptor, besides some others */
		setrlimit(RLIMIT_NOFILE, &files);
		if (files.rlim_max < (rlim_t)sp->in_flight + SPARE_FILES)
			sp->in_flight = files.rlim_max > SPARE_FILES ? (int)files.rlim_max - SPARE_FILES : 1;
	}
	signal(SIGTERM, SIG_DFL);
	/* the parent decides when to end, and this process ends with it */
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	close_others(sp->spec);
}

static void add_header(struct api_process *sp, const char **list, int *n, const char *name, const char *value,
		       bool secret)
{
	list[(*n)++] = ay_sprintf(&sp->arena, "%s:%s%s", name, *value ? " " : "", value);
	if (*value)
		json_object_set_new(sp->shown, name, json_string(secret ? "[key]" : value));
}

static int open_http(struct api_process *sp, const char **version, struct ay_err *err)
{
	const struct ay_provider *p = sp->spec->provider;
	const char **list = AY_NEW_N(&sp->arena, const char *, 16);
	int n = 0;

	sp->place = ay_try_place(&sp->arena, sp->spec->url);
	add_header(sp, list, &n, "content-type", "application/json", false);
	add_header(sp, list, &n, "accept", "text/event-stream, application/json", false);
	/* without this, libcurl waits a second for a go-ahead before a long request */
	add_header(sp, list, &n, "expect", "", false);
	add_header(sp, list, &n, p->key_header, ay_sprintf(&sp->arena, "%s%s", p->key_before, sp->spec->key.text),
		   true);
	for (const char *const *l = p->headers; *l; l++) {
		const char *colon = strchr(*l, ':');

		add_header(sp, list, &n, ay_strndup(&sp->arena, *l, (size_t)(colon - *l)), colon + 2, false);
	}
	return ay_http_open(&sp->http, sp->spec->url, list, sp->in_flight,
			    sp->timeout_s < CONNECT_S ? sp->timeout_s : CONNECT_S, version, err);
}

static int turn(struct api_process *sp, int ms, struct ay_err *err)
{
	bool writing = sp->sent < sp->out.len;
	struct pollfd p = { .fd = sp->spec->fd, .events = (short)(POLLIN | (writing ? POLLOUT : 0)) };

	if (sp->http)
		return ay_http_turn(sp->http, sp->spec->fd, writing, ms, err);
	poll(&p, 1, ms);
	return 0;
}

_Noreturn void ay_api_process_run(struct ay_api_process_spec *s)
{
	struct api_process sp = { .spec = s, .chat = s->chat, .shown = json_object() };
	struct ay_err err = { 0 };
	const char *version = "replay";

	enter(&sp);
	sp.dialect.own = s->own;
	sp.last = &sp.first;
	sp.timeout_s = s->chat->timeout_s > 0 ? s->chat->timeout_s : TIMEOUT_S;
	sp.tries = s->chat->tries > 0 ? s->chat->tries : TRIES;
	if (s->provider && open_http(&sp, &version, &err))
		ay_api_process_fatal(&sp, err.msg, "");
	else
		ay_api_process_say(&sp, json_pack("{s:s}", "ready", version));
	for (;;) {
		flush_out(&sp);
		hear_parent(&sp);
		ay_requests_begin(&sp);
		if (turn(&sp, ay_requests_wait_ms(&sp), &err))
			ay_api_process_fatal(&sp, err.msg, "");
		ay_requests_end(&sp);
	}
}
