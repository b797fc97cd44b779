/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/code_fences.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- lines ------------------------------------------------------------------------------------ */

/* A line without its end, that is, without \n and a \r before it. */
struct fence_line {
	const char *at;
	size_t len;
};

static bool next_line(const char **p, const char *end, struct fence_line *l)
{
	const char *nl;

	if (*p >= end)
		return false;
	nl = memchr(*p, '\n', (size_t)(end - *p));
	l->at = *p;
	l->len = (size_t)((nl ? nl : end) - *p);
	*p = nl ? nl + 1 : end;
	if (l->len && l->at[l->len - 1] == '\r')
		l->len--;
	return true;
}

static size_t blanks(const struct fence_line *l)
{
	size_t n = 0;

	while (n < l->len && (l->at[n] == ' ' || l->at[n] == '\t'))
		n++;
	return n;
}

static bool is_blank(const struct fence_line *l)
{
	return blanks(l) == l->len;
}

/* --- thinking --------------------------------------------------------------------------------- */

static const char *const tags[] = { "think", "thinking", "thought", "reasoning", "reflection", "scratchpad" };

/* Returns the length of the <tag> or </tag> at the beginning of s, or 0. */
static size_t tag_at(const char *s, size_t n, bool closing)
{
	const size_t head = closing ? 2 : 1;

	if (n < head || s[0] != '<' || (closing && s[1] != '/'))
		return 0;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		const size_t k = strlen(tags[i]);

		if (n > head + k && !strncasecmp(s + head, tags[i], k) && s[head + k] == '>')
			return head + k + 1;
	}
	return 0;
}

static size_t skip_blanks(const struct fence_line *l, size_t at)
{
	while (at < l->len && isspace((unsigned char)l->at[at]))
		at++;
	return at;
}

/* Finds a closing tag that begins or ends the line, or stands before a fence. Returns the text
 * after the tag, or NULL. */
static const char *behind_thinking(const struct fence_line *l)
{
	const size_t first = blanks(l);

	for (size_t i = first, k; i < l->len; i++) {
		const char *lt = memchr(l->at + i, '<', l->len - i);
		size_t next;

		if (!lt)
			return NULL;
		i = (size_t)(lt - l->at);
		k = tag_at(lt, l->len - i, true);
		next = skip_blanks(l, i + k);
		if (k &&
		    (i == first || next == l->len ||
		     (l->len - next >= 3 && (!memcmp(l->at + next, "```", 3) || !memcmp(l->at + next, "~~~", 3)))))
			return l->at + i + k;
	}
	return NULL;
}

/* Copies the text without the thinking. *open: a tag was not closed. */
static void drop_thinking(const char *text, size_t len, struct ay_str *kept, bool *open)
{
	const char *p = text, *end = text + len, *from = text;
	bool thinking = false;
	struct fence_line l;

	while (next_line(&p, end, &l)) {
		const char *answer = behind_thinking(&l);
		const size_t first = blanks(&l);
		size_t k;

		if (answer) {
			/* the server has removed the opening tag: all text so far is thinking */
			if (!thinking)
				ay_str_clear(kept);
			thinking = false;
			from = p = answer;
		} else if (!thinking && (k = tag_at(l.at + first, l.len - first, false))) {
			ay_str_addn(kept, from, (size_t)(l.at - from));
			thinking = true;
			from = p = l.at + first + k;
		}
	}
	ay_str_addn(kept, from, (size_t)(end - from));
	*open = thinking;
}

/* --- fences ----------------------------------------------------------------------------------- */

struct fence {
	char mark;
	size_t indent, run; /* bytes */
	size_t column;      /* a tab counts as four */
	const char *label;  /* text after the marks, without blanks */
	size_t label_len;
};

static bool is_fence(const struct fence_line *l, struct fence *f)
{
	size_t at = blanks(l), end = l->len;

	*f = (struct fence){ .indent = at, .mark = at < l->len ? l->at[at] : 0 };
	for (size_t i = 0; i < at; i++)
		f->column += l->at[i] == '\t' ? 4 : 1;
	if (f->mark != '`' && f->mark != '~')
		return false;
	while (at < end && l->at[at] == f->mark)
		at++, f->run++;
	while (at < end && isspace((unsigned char)l->at[at]))
		at++;
	while (end > at && isspace((unsigned char)l->at[end - 1]))
		end--;
	f->label = l->at + at;
	f->label_len = end - at;
	/* ```x``` is inline code */
	return f->run >= 3 && !(f->mark == '`' && memchr(f->label, '`', f->label_len));
}

/* Finds a fence at the end of a line that begins with other text; *at is its position. The line may
 * have no other run of ` marks, so ```x``` and lists of such words do not count. */
static bool is_glued(const struct fence_line *l, struct fence *f, size_t *at)
{
	size_t runs = 0;
	struct fence_line rest;

	*at = 0;
	for (size_t i = 0; i + 3 <= l->len; i++) {
		if (memcmp(l->at + i, "```", 3) != 0)
			continue;
		*at = i;
		runs++;
		while (i < l->len && l->at[i] == '`')
			i++;
	}
	if (runs != 1 || *at <= blanks(l))
		return false;
	rest = (struct fence_line){ l->at + *at, l->len - *at };
	return is_fence(&rest, f);
}

/* Returns true if the fence can end or replace the block that `open` began. Other fences belong to
 * the block's text, such as an example in a comment. */
static bool is_seen(const struct fence *f, const struct fence *open)
{
	return f->mark == open->mark && f->run >= open->run && f->column <= open->column + 3;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Returns the label's first word: "c" for "{.c .numbered}" and for "C title=x.c". */
static const char *label_of(struct ay_arena *a, const struct fence *f)
{
	size_t from = 0, n = 0;
	char *s;

	while (from < f->label_len && is_one_of(f->label[from], "{.: \t"))
		from++;
	while (from + n < f->label_len &&
	       (isalnum((unsigned char)f->label[from + n]) || is_one_of(f->label[from + n], "+#_-")))
		n++;
	s = ay_strndup(a, f->label + from, n);
	for (char *c = s; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return s;
}

static bool is_wrapper(const char *label)
{
	return !strcmp(label, "markdown") || !strcmp(label, "md");
}

/* A block that is being read. */
struct open_block {
	bool is_open;
	struct fence fence;
	const char *prefix; /* the blanks before its fence */
	const char *label, *caption;
	struct ay_str text;
};

/* Keeps only the last AY_BLOCKS_KEPT blocks. */
static void forget(struct ay_code_fences *f)
{
	const int extra = f->n - AY_BLOCKS_KEPT;

	if (extra <= 0)
		return;
	memmove(f->block, f->block + extra, sizeof *f->block * AY_BLOCKS_KEPT);
	f->n = AY_BLOCKS_KEPT;
}

static void finish(struct ay_arena *a, struct open_block *o, bool closed, struct ay_code_fences *f)
{
	struct ay_block b = { o->label, o->caption, NULL, o->text.len, closed };
	bool empty = true;

	o->is_open = false;
	for (size_t i = 0; i < o->text.len; i++)
		empty &= isspace((unsigned char)o->text.s[i]) != 0;
	if (!empty) {
		b.text = ay_strndup(a, ay_str_text(&o->text), o->text.len);
		f->seen++;
		if (f->n == 2 * AY_BLOCKS_KEPT)
			forget(f);
		f->block[f->n++] = b;
	}
	ay_str_clear(&o->text);
}

static void begin(struct ay_arena *a, struct open_block *o, const struct fence *f, const struct fence_line *before,
		  const struct fence_line *l)
{
	enum { CAPTION = 200 };
	const int n = before->len > CAPTION ? CAPTION : (int)before->len,
		  k = l->len > CAPTION ? CAPTION : (int)l->len;

	o->is_open = true;
	o->fence = *f;
	o->prefix = l->at;
	o->label = label_of(a, f);
	o->caption = ay_sprintf(a, "%.*s %.*s", n, before->at ? before->at : "", k, l->at);
}

static void add_line(struct open_block *o, const struct fence_line *l)
{
	size_t skip = 0;

	while (skip < o->fence.indent && skip < l->len && l->at[skip] == o->prefix[skip])
		skip++;
	ay_str_addn(&o->text, l->at + skip, l->len - skip);
	ay_str_addc(&o->text, '\n');
}

/* Processes a line that does not begin with a fence. */
static void take_line(struct ay_arena *a, struct open_block *o, const struct fence_line *before,
		      const struct fence_line *l, struct ay_code_fences *f)
{
	struct fence fence;
	size_t at;

	if (!is_glued(l, &fence, &at)) {
		if (o->is_open)
			add_line(o, l);
	} else if (!o->is_open) {
		if (fence.label_len && !memchr(fence.label, ' ', fence.label_len))
			begin(a, o, &fence, before, &(struct fence_line){ l->at + at, l->len - at });
	} else if (fence.label_len || fence.run < o->fence.run || o->fence.mark != '`') {
		add_line(o, l);
	} else {
		add_line(o, &(struct fence_line){ l->at, at });
		finish(a, o, true, f);
	}
}

void ay_code_fences_find(struct ay_arena *a, const char *text, size_t len, struct ay_code_fences *f)
{
	struct open_block o = { 0 };
	struct fence_line l, before = { 0 };
	struct ay_str kept = { 0 };
	struct fence fence;
	const char *p, *end;
	bool was_open;

	*f = (struct ay_code_fences){ .block = AY_NEW_N(a, struct ay_block, 2 * AY_BLOCKS_KEPT) };
	drop_thinking(text, len, &kept, &f->thinking);
	f->rest = ay_strndup(a, ay_str_text(&kept), kept.len);
	f->rest_len = kept.len;
	ay_str_release(&kept);
	p = f->rest;
	end = p + f->rest_len;
	while (next_line(&p, end, &l)) {
		if (!is_fence(&l, &fence) || (o.is_open && !is_seen(&fence, &o.fence))) {
			take_line(a, &o, &before, &l, f);
			if (!is_blank(&l))
				before = l;
			continue;
		}
		was_open = o.is_open;
		if (was_open)
			finish(a, &o, !fence.label_len, f);
		if ((!was_open || fence.label_len) && !is_wrapper(label_of(a, &fence)))
			begin(a, &o, &fence, &before, &l);
	}
	if (o.is_open)
		finish(a, &o, false, f);
	forget(f);
	ay_str_release(&o.text);
}
