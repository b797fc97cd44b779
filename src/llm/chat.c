/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/chat.h"
#include "base/process.h"
#include "llm/transcript.h"
#include "llm/api_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY_MS = 30000, CLOSE_MS = 3000, IN_FLIGHT_MAX = 4096 };

static const char *const names[] = {
	[AY_SERVER_OPENAI] = "openai",
	[AY_SERVER_ANTHROPIC] = "anthropic",
	[AY_SERVER_REPLAY] = "replay",
};
enum { SERVERS = sizeof names / sizeof *names };

struct chat_pending {
	int64_t number;
	char *id;
};

struct ay_chat {
	pid_t pid;
	int fd;
	int64_t number; /* of the last request */
	struct chat_pending *list;
	int n, cap;
	struct ay_str in;     /* an incomplete frame */
	int64_t held_ns;      /* no try begins before this time */
	char trouble[200];    /* error of the last failed try; "" = a request was answered since */
	struct ay_err failed; /* why no more answers will come */
};

/* --- which server ----------------------------------------------------------------------------- */

static bool has_key(enum ay_server s)
{
	const struct ay_provider *p = ay_provider_of(s);

	return !p || ay_api_key_is_set(p->key_variable);
}

static int named(const char *name, enum ay_server *server, struct ay_err *err)
{
	int i = 0;

	while (i < SERVERS && strcmp(name, names[i]))
		i++;
	if (i == SERVERS)
		return ay_fail(err, AY_ERR_USAGE,
			       "there is no server type '%s'; there are openai, anthropic and replay", name);
	*server = (enum ay_server)i;
	if (!has_key(*server))
		return ay_fail(err, AY_ERR_USAGE,
			       "no key for %s: set %s (any text will do for a server that asks for none, at %s)",
			       name, ay_provider_of(*server)->key_variable,
			       ay_provider_of(*server)->base_variable);
	return 0;
}

int ay_chat_server(const char *name, enum ay_server by_default, enum ay_server *server, const char **note,
		   struct ay_err *err)
{
	static const char *const notes[] = {
		[AY_SERVER_OPENAI] = "ANTHROPIC_API_KEY is not set and OPENAI_API_KEY is: openai is asked",
		[AY_SERVER_ANTHROPIC] = "OPENAI_API_KEY is not set and ANTHROPIC_API_KEY is: anthropic is asked",
	};
	enum ay_server other = by_default == AY_SERVER_OPENAI ? AY_SERVER_ANTHROPIC : AY_SERVER_OPENAI;

	*note = NULL;
	if (name)
		return named(name, server, err);
	*server = by_default;
	if (has_key(by_default))
		return 0;
	if (!has_key(other))
		return ay_fail(
			err, AY_ERR_USAGE,
			"no key: set %s, or %s for %s (any text will do for a server that asks for none, at %s)",
			ay_provider_of(by_default)->key_variable, ay_provider_of(other)->key_variable,
			names[other], ay_provider_of(by_default)->base_variable);
	*server = other;
	*note = notes[other];
	return 0;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Sends a frame and frees j. Blocks only while the API process writes a line of its file, because
 * that process always reads on. */
static int say(struct ay_chat *c, json_t *j, struct ay_err *err)
{
	uint32_t len = (uint32_t)json_dumpb(j, NULL, 0, JSON_COMPACT);
	size_t all = sizeof len + len, at = 0;
	char *frame = ay_xrealloc(NULL, all);
	int rc = 0;

	memcpy(frame, &len, sizeof len);
	json_dumpb(j, frame + sizeof len, len, JSON_COMPACT);
	json_decref(j);
	while (at < all && !rc) {
		ssize_t n = send(c->fd, frame + at, all - at, MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		else if (errno != EINTR)
			rc = ay_fail_errno(err, AY_ERR_EXEC, "the process that speaks to the model is gone");
	}
	ay_xfree(frame);
	return rc;
}

/* Returns 1 and a frame, 0 if no whole frame has come, or -1 if none will come. Never reads beyond
 * the frame, so that further data keeps the descriptor readable. */
static int hear(struct ay_chat *c, json_t **j, struct ay_err *err)
{
	char buf[65536];
	uint32_t len = 0;

	for (;;) {
		size_t want = sizeof len, n;
		ssize_t got;

		if (c->in.len >= sizeof len) {
			memcpy(&len, c->in.s, sizeof len);
			want += len;
		}
		if (c->in.len == want && want > sizeof len)
			break;
		n = want - c->in.len;
		got = recv(c->fd, buf, n < sizeof buf ? n : sizeof buf, MSG_DONTWAIT);
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return ay_fail(err, AY_ERR_EXEC, "the process that speaks to the model has ended");
		ay_str_addn(&c->in, buf, (size_t)got);
	}
	*j = json_loadb(c->in.s + sizeof len, len, 0, NULL);
	ay_str_clear(&c->in);
	return *j ? 1 : ay_fail(err, AY_ERR_EXEC, "the process that speaks to the model makes no sense");
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool is_plain(const char *s)
{
	json_t *j = json_string(s);
	bool plain = j && *s;

	for (; *s; s++)
		plain &= (unsigned char)*s >= ' ' && *s != 0x7f;
	json_decref(j);
	return plain;
}

/* Checks the specification before anything is done. */
static int examine(const struct ay_chat_spec *s, struct ay_err *err)
{
	if (s->in_flight < 1 || s->in_flight > IN_FLIGHT_MAX)
		return ay_fail(err, AY_ERR_USAGE, "%d requests at once: from 1 to %d will do", s->in_flight,
			       IN_FLIGHT_MAX);
	if (!s->model || !is_plain(s->model))
		return ay_fail(err, AY_ERR_USAGE, "the model has no name, or one with control characters");
	if (s->server == AY_SERVER_REPLAY && !s->replay)
		return ay_fail(err, AY_ERR_USAGE, "a replay needs the run whose answers are given again");
	return 0;
}

/* Prepares all that the API process needs. The key is taken last. */
static int prepare(struct ay_api_process_spec *sp, struct ay_arena *a, struct ay_transcript **past,
		   struct ay_err *err)
{
	const struct ay_chat_spec *s = sp->chat;

	if (examine(s, err))
		return -1;
	sp->provider = ay_provider_of(s->server);
	if (!sp->provider) {
		if (ay_transcript_read(past, s->replay, err))
			return -1;
		sp->past = *past;
		if (!ay_transcript_answered(sp->past))
			return ay_fail(err, AY_ERR_USAGE, "there is no answer in '%s': nothing to replay",
				       s->replay);
	} else if (ay_provider_url(sp->provider, a, &sp->url, &sp->own, err) ||
		   ay_price_find(s->model, &sp->price, err)) {
		return -1;
	}
	sp->file = ay_transcript_open(s->dir, err);
	if (sp->file < 0)
		return -1;
	return sp->provider ? ay_api_key_take(&sp->key, sp->provider->key_variable, err) : 0;
}

/* Removes all servers' keys from the environment, because no later child needs them. */
static void forget_other_keys(void)
{
	for (int i = 0; i < SERVERS; i++) {
		const struct ay_provider *p = ay_provider_of((enum ay_server)i);
		struct ay_api_key k = { 0 };
		struct ay_err none = { 0 };

		if (p && !ay_api_key_take(&k, p->key_variable, &none))
			ay_api_key_wipe(&k);
	}
}

static int start(struct ay_chat *c, struct ay_api_process_spec *sp, struct ay_err *err)
{
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ay_fail_errno(err, AY_ERR_SYS, "socketpair for the process that speaks to the model");
	fflush(NULL);
	c->fd = pair[0];
	sp->fd = pair[1];
	c->pid = fork();
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		ay_api_process_run(sp);
	}
	close(pair[1]);
	return c->pid < 0 ? ay_fail_errno(err, AY_ERR_SYS, "cannot start the process that speaks to the model")
			  : 0;
}

/* Waits for the first frame: the process is ready, or it says why it cannot start. */
static int greet(struct ay_chat *c, struct ay_err *err)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	const char *why;
	json_t *j = NULL;
	int rc = 0;

	while (!rc && poll(&p, 1, READY_MS))
		rc = hear(c, &j, err);
	if (!rc)
		return ay_fail(err, AY_ERR_EXEC, "the process that speaks to the model does not start");
	why = json_string_value(json_object_get(j, "fatal"));
	if (rc > 0 && why)
		ay_fail(err, AY_ERR_SYS, "%s", why);
	json_decref(j);
	return err->code ? -1 : 0;
}

int ay_chat_open(struct ay_chat **out, const struct ay_chat_spec *s, struct ay_err *err)
{
	struct ay_api_process_spec sp = { .chat = s, .price = { -1, -1 }, .fd = -1, .file = -1 };
	struct ay_chat *c = ay_xrealloc(NULL, sizeof *c);
	struct ay_transcript *past = NULL;
	struct ay_arena a = { 0 };
	int rc = -1;

	*c = (struct ay_chat){ .fd = -1, .pid = -1 };
	*out = NULL;
	if (!prepare(&sp, &a, &past, err)) {
		forget_other_keys();
		rc = start(c, &sp, err);
	}
	ay_api_key_wipe(&sp.key);
	ay_transcript_free(past);
	ay_arena_release(&a);
	if (sp.file >= 0)
		close(sp.file);
	if (rc || greet(c, err)) {
		ay_chat_close(c);
		return -1;
	}
	*out = c;
	return 0;
}

/* --- in use ----------------------------------------------------------------------------------- */

static int pending_at(const struct ay_chat *c, const char *id)
{
	int i = 0;

	while (i < c->n && strcmp(c->list[i].id, id))
		i++;
	return i;
}

static void pending_remove(struct ay_chat *c, int i)
{
	ay_xfree(c->list[i].id);
	memmove(&c->list[i], &c->list[i + 1], sizeof *c->list * (size_t)(--c->n - i));
}

static void pending_add(struct ay_chat *c, const char *id)
{
	size_t n = strlen(id) + 1;

	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 64;
		c->list = ay_xrealloc(c->list, sizeof *c->list * (size_t)c->cap);
	}
	c->list[c->n].number = c->number;
	c->list[c->n++].id = memcpy(ay_xrealloc(NULL, n), id, n);
}

int ay_chat_ask(struct ay_chat *c, const char *id, int n, const struct ay_chat_message *m, struct ay_err *err)
{
	json_t *list;

	if (c->failed.code) {
		*err = c->failed;
		return -1;
	}
	if (!is_plain(id))
		return ay_fail(err, AY_ERR_USAGE, "a question needs a name without control characters");
	if (pending_at(c, id) < c->n)
		return ay_fail(err, AY_ERR_USAGE, "'%s' is asked already", id);
	list = json_array();
	for (int i = 0; i < n; i++) {
		json_t *text = json_string(m[i].text);

		if (!text) /* not UTF-8, such as compiler output or a kernel */
			text = ay_json_text(m[i].text, strlen(m[i].text), strlen(m[i].text));
		json_array_append_new(list, json_pack("{s:s, s:o}", "role", m[i].role, "content", text));
	}
	c->number++;
	if (say(c, json_pack("{s:I, s:s, s:o}", "ask", (json_int_t)c->number, "id", id, "messages", list), err))
		return -1;
	pending_add(c, id);
	return 0;
}

int ay_chat_pending(const struct ay_chat *c)
{
	return c->n;
}

int ay_chat_fd(const struct ay_chat *c)
{
	return c->fd;
}

/* Handles a frame. Returns 1 if it is an answer to a pending request. */
static int take(struct ay_chat *c, const json_t *j, struct ay_arena *a, struct ay_chat_answer *answer)
{
	const char *fatal = json_string_value(json_object_get(j, "fatal"));
	const char *trouble = json_string_value(json_object_get(j, "trouble"));
	int64_t number = json_integer_value(json_object_get(j, "answer"));
	int i = 0;

	if (fatal)
		return ay_fail(&c->failed, AY_ERR_USAGE, "%s", fatal);
	if (json_object_get(j, "held"))
		c->held_ns = ay_now_ns() + (int64_t)(json_number_value(json_object_get(j, "held")) * 1e9);
	if (trouble)
		snprintf(c->trouble, sizeof c->trouble, "%s", trouble);
	while (i < c->n && c->list[i].number != number)
		i++;
	if (i == c->n) /* the request was dropped while its answer was on the way */
		return 0;
	if (ay_transcript_entry_get(a, j, answer))
		return ay_fail(&c->failed, AY_ERR_EXEC, "the process that speaks to the model makes no sense");
	if (answer->end != AY_CHAT_FAILED)
		c->trouble[0] = 0;
	pending_remove(c, i);
	return 1;
}

int ay_chat_next(struct ay_chat *c, struct ay_arena *a, struct ay_chat_answer *answer, struct ay_err *err)
{
	json_t *j;
	int rc = 0;

	while (!c->failed.code && !rc) {
		int got = hear(c, &j, &c->failed);

		if (!got)
			return 0;
		if (got > 0) {
			rc = take(c, j, a, answer);
			json_decref(j);
		}
	}
	if (rc == 1)
		return 1;
	*err = c->failed;
	return -1;
}

double ay_chat_held_s(const struct ay_chat *c)
{
	double s = (double)(c->held_ns - ay_now_ns()) / 1e9;

	return s > 0 ? s : 0;
}

const char *ay_chat_trouble(const struct ay_chat *c)
{
	return c->trouble;
}

void ay_chat_drop(struct ay_chat *c, const char *id)
{
	struct ay_err err = { 0 };
	int i = pending_at(c, id);

	if (i == c->n)
		return;
	/* if the API process is gone, the next call reports it */
	say(c, json_pack("{s:I}", "drop", (json_int_t)c->list[i].number), &err);
	pending_remove(c, i);
}

/* --- closing ---------------------------------------------------------------------------------- */

/* Asks the process to end, so that it can note dropped requests, and kills it if it does not end in
 * time. */
static void part(struct ay_chat *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	struct ay_err err = { 0 };
	char buf[65536];

	if (!say(c, json_pack("{s:b}", "close", 1), &err))
		while (poll(&p, 1, CLOSE_MS) > 0 && recv(c->fd, buf, sizeof buf, MSG_DONTWAIT))
			;
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void ay_chat_close(struct ay_chat *c)
{
	if (!c)
		return;
	if (c->pid > 0)
		part(c);
	if (c->fd >= 0)
		close(c->fd);
	while (c->n)
		pending_remove(c, c->n - 1);
	ay_xfree(c->list);
	ay_str_release(&c->in);
	ay_xfree(c);
}
