/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/transcript.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 4096, CHUNK = 1 << 20, LINE_MAX_BYTES = 256 << 20 };

static const char *const ends[] = {
	[AY_CHAT_STOP] = "stop",
	[AY_CHAT_LENGTH] = "length",
	[AY_CHAT_REFUSED] = "refused",
	[AY_CHAT_FAILED] = "failed",
};

/* What is known of one request. */
struct entry {
	const char *id, *sha256;
	bool open, answered; /* open: sent, and neither answered nor dropped */
	struct ay_chat_answer answer;
	struct entry *next, *after; /* next in its bucket; next in the order of the file */
};

struct ay_transcript {
	struct ay_arena a;
	struct entry *bucket[BUCKETS], *first, **last;
	int answered, lost;
	const char **ids;
};

/* --- one line --------------------------------------------------------------------------------- */

json_t *ay_transcript_entry(const char *type, const char *id)
{
	struct timespec t;
	struct tm tm;
	char now[40];

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(now + strlen(now), sizeof now - strlen(now), ".%03dZ", (int)(t.tv_nsec / 1000000));
	return json_pack("{s:s, s:s, s:s}", "type", type, "id", id, "time", now);
}

/* Makes a JSON string. A server's text is UTF-8, because it came as JSON; other bytes are
 * escaped. */
static json_t *text_of(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : ay_json_text(s, strlen(s), strlen(s));
}

void ay_transcript_entry_put(json_t *j, const struct ay_chat_answer *a)
{
	json_object_set_new(j, "end", json_string(ends[a->end]));
	json_object_set_new(j, "text", text_of(a->text ? a->text : ""));
	if (a->thinking)
		json_object_set_new(j, "thinking", text_of(a->thinking));
	if (a->error)
		json_object_set_new(j, "error", text_of(a->error));
	json_object_set_new(j, "tokens_in", json_integer(a->tokens_in));
	json_object_set_new(j, "tokens_out", json_integer(a->tokens_out));
	json_object_set_new(j, "usd", a->usd < 0 ? json_null() : json_real(a->usd));
	json_object_set_new(j, "tries", json_integer(a->tries));
	json_object_set_new(j, "wall_s", json_real(a->wall_s));
	if (a->changed)
		json_object_set_new(j, "changed", json_true());
}

static const char *string_of(struct ay_arena *a, const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s && a ? ay_strdup(a, s) : s;
}

static int64_t count_of(const json_t *j, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(j, name));

	return n > 0 ? n : 0;
}

int ay_transcript_entry_get(struct ay_arena *a, const json_t *j, struct ay_chat_answer *answer)
{
	const char *end = json_string_value(json_object_get(j, "end"));
	const json_t *usd = json_object_get(j, "usd");
	int i = 0;

	while (i <= AY_CHAT_FAILED && (!end || strcmp(end, ends[i])))
		i++;
	*answer = (struct ay_chat_answer){ 0 };
	answer->id = string_of(a, j, "id");
	answer->text = string_of(a, j, "text");
	if (i > AY_CHAT_FAILED || !answer->id || !answer->text)
		return -1;
	answer->end = (enum ay_chat_end)i;
	answer->thinking = string_of(a, j, "thinking");
	answer->error = string_of(a, j, "error");
	answer->tokens_in = count_of(j, "tokens_in");
	answer->tokens_out = count_of(j, "tokens_out");
	answer->usd = json_is_number(usd) && json_number_value(usd) >= 0 ? json_number_value(usd) : -1;
	answer->tries = (int)(count_of(j, "tries") & 0xffff);
	answer->wall_s = json_number_value(json_object_get(j, "wall_s"));
	answer->changed = json_is_true(json_object_get(j, "changed"));
	return 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Finds where the last whole line ends. */
static int whole_end(int fd, off_t size, off_t *end, struct ay_err *err)
{
	char buf[4096];

	for (*end = size; *end > 0;) {
		size_t n = *end < (off_t)sizeof buf ? (size_t)*end : sizeof buf;

		if (pread(fd, buf, n, *end - (off_t)n) != (ssize_t)n)
			return ay_fail_errno(err, AY_ERR_IO, "cannot read");
		for (size_t i = n; i > 0; i--)
			if (buf[i - 1] == '\n') {
				*end -= (off_t)(n - i);
				return 0;
			}
		*end -= (off_t)n;
	}
	return 0;
}

int ay_transcript_open(const char *dir, struct ay_err *err)
{
	char path[4096];
	struct stat st;
	off_t end;
	int fd;

	if (snprintf(path, sizeof path, "%s/" AY_TRANSCRIPT_FILE, dir) >= (int)sizeof path)
		return ay_fail(err, AY_ERR_IO, "the name of the folder '%.200s...' is too long", dir);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644); /* a FIFO must not hang us */
	if (fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot write '%s'", path);
	if (fstat(fd, &st))
		ay_fail_errno(err, AY_ERR_IO, "cannot write");
	else if (!S_ISREG(st.st_mode))
		ay_fail(err, AY_ERR_IO, "not a regular file");
	else if (!whole_end(fd, st.st_size, &end, err) && end < st.st_size && ftruncate(fd, end))
		ay_fail_errno(err, AY_ERR_IO, "cannot cut off its torn last line");
	if (err->code) {
		ay_err_prefix(err, "%s", path);
		close(fd);
		return -1;
	}
	return fd;
}

int ay_transcript_add(int fd, const json_t *line, struct ay_err *err)
{
	struct ay_str b = { 0 };
	size_t need = json_dumpb(line, NULL, 0, JSON_COMPACT);
	struct stat st;
	ssize_t n;

	b.s = ay_xrealloc(NULL, b.cap = need + 2);
	b.len = json_dumpb(line, b.s, need + 1, JSON_COMPACT);
	b.s[b.len++] = '\n';
	if (fstat(fd, &st)) {
		ay_fail_errno(err, AY_ERR_IO, AY_TRANSCRIPT_FILE);
	} else {
		while ((n = write(fd, b.s, b.len)) < 0 && errno == EINTR)
			;
		if (n != (ssize_t)b.len) {
			if (n >= 0)
				errno = ENOSPC;
			ay_fail_errno(err, AY_ERR_IO, "cannot write " AY_TRANSCRIPT_FILE);
			if (n > 0 && ftruncate(fd, st.st_size)) /* a part of a line must not stay */
				ay_err_prefix(err, "half a line stays");
		}
	}
	ay_str_release(&b);
	return err->code ? -1 : 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static struct entry **slot_of(struct ay_transcript *x, const char *id)
{
	uint64_t h = 1469598103934665603u; /* FNV-1a */
	struct entry **e;

	for (const char *p = id; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	for (e = &x->bucket[h % BUCKETS]; *e && strcmp((*e)->id, id);)
		e = &(*e)->next;
	return e;
}

static const struct entry *find(const struct ay_transcript *x, const char *id)
{
	return *slot_of((struct ay_transcript *)x, id);
}

static struct entry *entry_of(struct ay_transcript *x, const char *id)
{
	struct entry **slot = slot_of(x, id);

	if (!*slot) {
		struct entry *e = AY_NEW(&x->a, struct entry);

		e->id = ay_strdup(&x->a, id);
		*slot = *x->last = e;
		x->last = &e->after;
	}
	return *slot;
}

static int take_line(struct ay_transcript *x, const char *s, size_t n, int64_t number, struct ay_err *err)
{
	json_error_t e = { 0 };
	json_t *j = json_loadb(s, n, 0, &e);
	const char *type = json_string_value(json_object_get(j, "type"));
	const char *id = json_string_value(json_object_get(j, "id"));
	const char *sha = json_string_value(json_object_get(j, "prompt_sha256"));
	struct entry *q;

	if (!type || !id) {
		ay_fail(err, AY_ERR_PARSE, "line %lld: %s", (long long)number,
			j ? "no exchange: it needs \"type\" and \"id\"" : e.text);
		json_decref(j);
		return -1;
	}
	q = entry_of(x, id);
	if (!strcmp(type, "asked")) {
		q->open = true;
		if (sha)
			q->sha256 = ay_strdup(&x->a, sha);
	} else if (!strcmp(type, "answered")) {
		if (ay_transcript_entry_get(&x->a, j, &q->answer))
			ay_fail(err, AY_ERR_PARSE, "line %lld: an answer without \"end\" or \"text\"",
				(long long)number);
		q->open = false;
		q->answered = true;
	} else if (!strcmp(type, "dropped")) {
		q->open = false;
	}
	json_decref(j);
	return err->code ? -1 : 0;
}

/* Processes the whole lines at the front of b; the rest stays in b. */
static int take_lines(struct ay_transcript *x, struct ay_str *b, int64_t *number, struct ay_err *err)
{
	size_t at = 0;
	char *nl;

	while ((nl = memchr(b->s + at, '\n', b->len - at))) {
		size_t n = (size_t)(nl - (b->s + at));

		++*number;
		if (n && take_line(x, b->s + at, n, *number, err))
			return -1;
		at += n + 1;
	}
	memmove(b->s, b->s + at, b->len - at + 1);
	b->len -= at;
	if (b->len > LINE_MAX_BYTES)
		return ay_fail(err, AY_ERR_PARSE, "line %lld: longer than %d MiB", (long long)*number + 1,
			       LINE_MAX_BYTES >> 20);
	return 0;
}

static int read_file(struct ay_transcript *x, int fd, struct ay_err *err)
{
	char *chunk = ay_xrealloc(NULL, CHUNK);
	struct ay_str b = { 0 };
	int64_t number = 0;
	ssize_t n;

	while (!err->code && (n = read(fd, chunk, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ay_fail_errno(err, AY_ERR_IO, "cannot read");
			break;
		}
		ay_str_addn(&b, chunk, (size_t)n);
		take_lines(x, &b, &number, err);
	}
	ay_str_release(&b); /* a torn last line */
	ay_xfree(chunk);
	return err->code ? -1 : 0;
}

static void count(struct ay_transcript *x)
{
	for (const struct entry *e = x->first; e; e = e->after) {
		x->answered += e->answered;
		x->lost += e->open;
	}
	x->ids = AY_NEW_N(&x->a, const char *, x->lost + 1);
	x->lost = 0;
	for (const struct entry *e = x->first; e; e = e->after)
		if (e->open)
			x->ids[x->lost++] = e->id;
}

int ay_transcript_read(struct ay_transcript **out, const char *dir, struct ay_err *err)
{
	struct ay_transcript *x;
	char path[4096];
	int fd;

	*out = NULL;
	if (snprintf(path, sizeof path, "%s/" AY_TRANSCRIPT_FILE, dir) >= (int)sizeof path)
		return ay_fail(err, AY_ERR_IO, "the name of the folder '%.200s...' is too long", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	x = ay_xrealloc(NULL, sizeof *x);
	*x = (struct ay_transcript){ 0 };
	x->last = &x->first;
	if (fd >= 0 && read_file(x, fd, err))
		ay_err_prefix(err, "%s", path);
	if (fd >= 0)
		close(fd);
	count(x);
	if (!err->code)
		*out = x;
	else
		ay_transcript_free(x);
	return err->code ? -1 : 0;
}

void ay_transcript_free(struct ay_transcript *x)
{
	if (x)
		ay_arena_release(&x->a);
	ay_xfree(x);
}

bool ay_transcript_answer(const struct ay_transcript *x, const char *id, struct ay_chat_answer *answer)
{
	const struct entry *e = find(x, id);

	if (!e || !e->answered)
		return false;
	*answer = e->answer;
	return true;
}

int ay_transcript_answered(const struct ay_transcript *x)
{
	return x->answered;
}

int ay_transcript_lost(const struct ay_transcript *x, const char *const **ids)
{
	*ids = x->ids;
	return x->lost;
}

bool ay_transcript_again(const struct ay_transcript *x, const char *id, const char *sha256,
			 struct ay_chat_answer *answer)
{
	const struct entry *e = find(x, id);

	if (!e || !e->answered) {
		e = x->first;
		while (e && (!e->answered || !e->sha256 || strcmp(e->sha256, sha256)))
			e = e->after;
	}
	if (!e)
		return false;
	*answer = e->answer;
	answer->changed = !e->sha256 || strcmp(e->sha256, sha256);
	return true;
}
