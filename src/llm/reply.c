/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/reply.h"

#include "base/str.h"
#include "llm/unfenced_code.h"
#include "llm/code_fences.h"
#include "llm/symbols.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define R(id, name, text) { name, text },
static const struct {
	const char *name, *text;
} kinds[] = { AY_REPLIES(R) };
#undef R

const char *ay_reply_name(enum ay_reply_kind k)
{
	return kinds[k].name;
}

const char *ay_reply_text(enum ay_reply_kind k)
{
	return kinds[k].text;
}

/* --- one block -------------------------------------------------------------------------------- */

/* How well a block fits what is wanted. */
enum level { SILENT, MENTIONS, DEFINES };

struct candidate {
	const struct ay_block *block;
	const char *text;
	size_t len;
	struct ay_symbols names;
	enum level level;
	bool foreign; /* its label is of no language for kernels */
	bool needed;  /* the chosen block needs it */
};

struct code_choice {
	struct ay_arena *a;
	bool python;
	const char *const *wanted;
	int n;
	struct candidate *c;
};

static bool is_in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* Returns true if the label excludes a block. A block without a label or with an unknown one may be
 * anything. */
static bool is_foreign(const char *label, bool python)
{
	static const char *const others[] = { "bash",   "sh",   "shell", "console",  "terminal", "text",
					      "txt",    "json", "jsonc", "yaml",     "toml",     "diff",
					      "patch",  "make", "cmake", "makefile", "markdown", "md",
					      "output", "log",  "latex", "tex",      "math",     "mermaid",
					      "html",   "xml",  "csv",   "asm",      "ini",      "plaintext",
					      NULL };
	static const char *const pythons[] = { "python", "py", "python3", "triton", "pycon", "ipython", NULL };
	static const char *const cs[] = { "c", "cpp", "c++",    "cxx",  "cc",   "cu",      "cuda",
					  "h", "hpp", "opencl", "rust", "java", "fortran", NULL };

	return is_in(label, others) || is_in(label, python ? cs : pythons);
}

/* Removes common indentation, because Python that is indented as a whole cannot be run. */
static void dedent(struct ay_arena *a, struct candidate *c)
{
	const char *end = c->text + c->len, *first = NULL;
	size_t common = 0;
	struct ay_str b = { 0 };

	for (const char *p = c->text, *nl; p < end; p = nl + 1) {
		size_t k = 0;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		while (p + k < nl && (p[k] == ' ' || p[k] == '\t'))
			k++;
		if (p + k == nl)
			continue;
		if (!first)
			first = p, common = k;
		for (size_t i = 0; i < common; i++)
			if (i >= k || p[i] != first[i])
				common = i;
	}
	if (!common)
		return;
	for (const char *p = c->text, *nl; p < end; p = nl + 1) {
		size_t skip = 0;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		while (skip < common && p + skip < nl && (p[skip] == ' ' || p[skip] == '\t'))
			skip++;
		ay_str_addn(&b, p + skip, (size_t)(nl - p) - skip);
		ay_str_addc(&b, '\n');
	}
	c->text = ay_strndup(a, ay_str_text(&b), b.len);
	c->len = b.len;
	ay_str_release(&b);
}

static enum level level_of(const struct code_choice *w, const struct ay_symbols *s)
{
	enum level level = SILENT;

	for (const char *const *name = w->wanted; *name; name++) {
		if (ay_symbols_has(s->def, s->ndef, *name))
			return DEFINES;
		if (ay_symbols_has(s->use, s->nuse, *name))
			level = MENTIONS;
	}
	return level;
}

static void look(struct code_choice *w, const struct ay_block *b, struct candidate *c)
{
	*c = (struct candidate){
		.block = b, .text = b->text, .len = b->len, .foreign = is_foreign(b->label, w->python)
	};
	if (w->python) {
		dedent(w->a, c);
		ay_symbols_python(w->a, c->text, c->len, &c->names);
	} else {
		ay_symbols_c(w->a, c->text, c->len, &c->names);
	}
	c->level = level_of(w, &c->names);
}

/* Returns the last block that defines a wanted function, else the last that mentions one, else the
 * longest. */
static struct candidate *choose(struct code_choice *w)
{
	struct candidate *best = NULL;

	for (int i = 0; i < w->n; i++) {
		struct candidate *c = &w->c[i];

		if (c->foreign && c->level != DEFINES)
			continue;
		if (!best || c->level > best->level ||
		    (c->level == best->level && (c->level != SILENT || c->len > best->len)))
			best = c;
	}
	return best;
}

/* --- several that are one file ---------------------------------------------------------------- */

static bool has(const struct ay_symbols *s, const char *name)
{
	return ay_symbols_has(s->def, s->ndef, name) || ay_symbols_has(s->import, s->nimport, name);
}

/* Returns true if a part of the file so far uses the name, and no part defines it. */
static bool is_missing(const struct code_choice *w, const struct candidate *chosen, const char *name)
{
	bool used = false;

	for (int i = 0; i < w->n; i++) {
		const struct candidate *c = &w->c[i];

		if (c != chosen && !c->needed)
			continue;
		if (has(&c->names, name))
			return false;
		used |= ay_symbols_has(c->names.use, c->names.nuse, name);
	}
	return used;
}

static bool has_what_is_missing(const struct code_choice *w, const struct candidate *chosen,
				const struct candidate *c)
{
	for (int k = 0; k < c->names.nshared; k++)
		if (is_missing(w, chosen, c->names.shared[k]))
			return true;
	for (int k = 0; k < c->names.nimport; k++)
		if (is_missing(w, chosen, c->names.import[k]))
			return true;
	return false;
}

/* For a line #include "NAME": stores where the name begins and returns its length. Else returns
 * 0. */
static size_t included(const char *line, size_t len, const char **name)
{
	const char *p = line, *end = line + len, *quote;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p++ != '#')
		return 0;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(end - p) < 8 || memcmp(p, "include", 7) != 0)
		return 0;
	for (p += 7; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	if (p == end || *p != '"')
		return 0;
	quote = memchr(p + 1, '"', (size_t)(end - p - 1));
	*name = p + 1;
	return quote ? (size_t)(quote - p - 1) : 0;
}

/* Returns true if the line before a block, its label or its first line has that file name. */
static bool is_called(const struct candidate *c, const char *name, size_t len)
{
	const char *nl = memchr(c->text, '\n', c->len);
	const size_t first = nl ? (size_t)(nl - c->text) : c->len;

	return memmem(c->block->caption, strlen(c->block->caption), name, len) ||
	       memmem(c->text, first, name, len);
}

/* Returns the block with the file that a line includes, or NULL if no block that may be joined is
 * it. */
static struct candidate *file_of(struct code_choice *w, const struct candidate *user, const char *line, size_t len)
{
	const char *name;
	const size_t n = included(line, len, &name);

	for (int i = w->n - 1; i >= 0 && n; i--)
		if (&w->c[i] != user && !w->c[i].foreign && w->c[i].level != DEFINES &&
		    is_called(&w->c[i], name, n))
			return &w->c[i];
	return NULL;
}

static void mark_included(struct code_choice *w, const struct candidate *user)
{
	const char *end = user->text + user->len;

	for (const char *p = user->text, *nl; p < end; p = nl + 1) {
		struct candidate *c;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		c = file_of(w, user, p, (size_t)(nl - p));
		if (c)
			c->needed = true;
	}
}

static bool has_include(const struct candidate *c)
{
	return memmem(c->text, c->len, "#include", 8);
}

/* Returns true if the block has only the lines that begin a C file, and the chosen block lacks
 * them. */
static bool is_its_head(const struct code_choice *w, const struct candidate *chosen, const struct candidate *c)
{
	return !w->python && c < chosen && !c->names.ndef && has_include(c) && !has_include(chosen);
}

/* For answers with one block per overload: returns true if the block defines wanted functions that
 * the file so far lacks. In C it must not define any name of the file again. */
static bool completes(const struct code_choice *w, const struct candidate *chosen, const struct candidate *c)
{
	for (int i = 0; i < w->n; i++) {
		const struct candidate *other = &w->c[i];

		if (other != chosen && !other->needed)
			continue;
		for (const char *const *name = w->wanted; *name; name++)
			if (ay_symbols_has(c->names.def, c->names.ndef, *name) && has(&other->names, *name))
				return false;
		for (int k = 0; k < c->names.nshared && !w->python; k++)
			if (has(&other->names, c->names.shared[k]))
				return false;
	}
	return true;
}

/* Marks the blocks that the chosen one needs and returns their number. Blocks near the end come
 * first: if two define a name, the model settled on the later one. A block with another whole
 * kernel is another attempt and is not marked. */
static int mark_needed(struct code_choice *w, const struct candidate *chosen)
{
	int n = 0;

	if (!w->python)
		mark_included(w, chosen);
	for (int i = w->n - 1; i >= 0; i--) {
		struct candidate *c = &w->c[i];

		if (c == chosen || c->foreign)
			continue;
		c->needed = c->level == DEFINES
				    ? chosen->level == DEFINES && completes(w, chosen, c)
				    : c->needed || has_what_is_missing(w, chosen, c) || is_its_head(w, chosen, c);
		n += c->needed;
	}
	return n;
}

/* Adds the text without #include lines for blocks that are joined. */
static void add_text(struct code_choice *w, const struct candidate *c, struct ay_str *b)
{
	const char *end = c->text + c->len;

	for (const char *p = c->text, *nl; p < end; p = nl + 1) {
		const struct candidate *file;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		file = file_of(w, c, p, (size_t)(nl - p));
		if (!file || !file->needed)
			ay_str_addn(b, p, (size_t)(nl - p) + (nl < end));
	}
}

static void give(struct code_choice *w, const struct candidate *chosen, int joined, struct ay_reply *r)
{
	struct ay_str b = { 0 };

	for (int i = 0; i < w->n && joined; i++)
		if (w->c[i].needed)
			add_text(w, &w->c[i], &b);
	if (joined)
		add_text(w, chosen, &b);
	else
		ay_str_addn(&b, chosen->text, chosen->len);
	r->source = ay_strndup(w->a, ay_str_text(&b), b.len);
	r->len = b.len;
	ay_str_release(&b);
}

/* --- the answer ------------------------------------------------------------------------------- */

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isspace((unsigned char)s[i]) && s[i])
			return false;
	return true;
}

/* Used only if there is no code; affects only the name of the outcome. */
static bool sounds_refusing(const char *s, size_t n)
{
	static const char *const beginnings[] = {
		"i'm sorry",    "i\xe2\x80\x99m sorry", "i am sorry", "sorry",
		"i can't",      "i can\xe2\x80\x99t",   "i cannot",   "i can not",
		"i won't",      "i will not",           "i'm unable", "i am unable",
		"i'm not able", "i must decline",
	};

	for (; n && isspace((unsigned char)*s); n--)
		s++;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (n >= strlen(beginnings[i]) && !strncasecmp(s, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* Handles an answer without a usable block: code without a fence, or no code. */
static void without_block(struct code_choice *w, const struct ay_code_fences *f, bool cut, struct ay_reply *r)
{
	struct ay_symbols s;
	size_t len;
	const char *code = f->seen ? NULL : ay_unfenced_code_find(f->rest, f->rest_len, w->python, &len);

	if (code && w->python)
		ay_symbols_python(w->a, code, len, &s);
	else if (code)
		ay_symbols_c(w->a, code, len, &s);
	if (cut) {
		r->kind = AY_REPLY_TRUNCATED;
	} else if (code && level_of(w, &s) == DEFINES) {
		r->kind = AY_REPLY_BARE;
		r->source = ay_strndup(w->a, code, len);
		r->len = len;
	} else {
		r->kind = sounds_refusing(f->rest, f->rest_len) ? AY_REPLY_REFUSED : AY_REPLY_NO_CODE;
	}
}

void ay_reply_find(struct ay_arena *a, const char *text, size_t len, bool cut, enum ay_lang lang,
		   const char *const *names, struct ay_reply *r)
{
	struct code_choice w = { .a = a, .python = lang == AY_LANG_PY, .wanted = names };
	struct candidate *chosen;
	struct ay_code_fences f;
	int joined;

	*r = (struct ay_reply){ .kind = cut ? AY_REPLY_TRUNCATED : AY_REPLY_EMPTY };
	if (is_blank(text, len))
		return;
	ay_code_fences_find(a, text, len, &f);
	r->blocks = f.seen;
	w.n = f.n;
	w.c = AY_NEW_N(a, struct candidate, f.n + 1);
	for (int i = 0; i < f.n; i++)
		look(&w, &f.block[i], &w.c[i]);
	chosen = choose(&w);
	if (!chosen || (cut && f.thinking)) {
		without_block(&w, &f, cut, r);
		return;
	}
	/* an unclosed block before the last one was ended by the next fence */
	if (chosen == &w.c[f.n - 1] && !chosen->block->closed) {
		r->kind = cut ? AY_REPLY_TRUNCATED : AY_REPLY_UNCLOSED;
		if (cut)
			return;
	} else {
		r->kind = f.seen == 1 ? AY_REPLY_FENCED : AY_REPLY_SEVERAL;
	}
	joined = mark_needed(&w, chosen);
	if (joined && r->kind == AY_REPLY_SEVERAL)
		r->kind = AY_REPLY_JOINED;
	give(&w, chosen, joined, r);
}

void ay_reply_parse(struct ay_arena *a, const struct ay_chat_answer *answer, enum ay_lang lang,
		    const char *const *names, struct ay_reply *r)
{
	const char *text = answer->text ? answer->text : "";

	*r = (struct ay_reply){ .kind = answer->end == AY_CHAT_REFUSED ? AY_REPLY_REFUSED : AY_REPLY_EMPTY };
	if (answer->end != AY_CHAT_REFUSED && answer->end != AY_CHAT_FAILED)
		ay_reply_find(a, text, strlen(text), answer->end == AY_CHAT_LENGTH, lang, names, r);
}
