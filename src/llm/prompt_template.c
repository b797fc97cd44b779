/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/prompt_template.h"

#include "base/file.h"
#include "base/pack.h"

#include <dirent.h>
#include <stdint.h>
#include <string.h>

enum { TEMPLATE_MAX = 1 << 20, PLACE_MAX = 40 };

extern const uint8_t ay_embedded_prompts[], ay_embedded_prompts_end[];

const char *const ay_prompt_template_names[] = {
	"system.txt",
	"new.txt",
	"again.txt",
	"mend.txt",
	"faster.txt",
	"task.txt",
	"rules_c.txt",
	"rules_cuda.txt",
	"rules_python.txt",
	"rules_triton.txt",
	"policy_none.txt",
	"policy_helpers.txt",
	"policy_all.txt",
	"policy_native.txt",
	"example_c.txt",
	"example_cuda.txt",
	"example_python.txt",
	"example_triton.txt",
	"other_c.txt",
	"other_cuda.txt",
	"other_python.txt",
	"other_triton.txt",
	NULL,
};

static const char *nearest(const char *word, const char *const *list)
{
	const char *best = NULL;
	int least = 4; /* at a larger distance it is a different word */

	for (; *list; list++) {
		const int d = ay_str_distance(word, *list);

		if (d < least)
			least = d, best = *list;
	}
	return best;
}

static bool is_in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

bool ay_template_is_verbatim(const char *name)
{
	return ay_starts(name, "example_") || ay_starts(name, "other_");
}

int ay_prompt_template_check(const char *dir, struct ay_err *err)
{
	int known = 0, rc = 0;
	DIR *d = dir ? opendir(dir) : NULL;

	if (!dir)
		return 0;
	if (!d)
		return ay_fail_errno(err, AY_ERR_USAGE, "no folder of templates '%s'", dir);
	for (struct dirent *e; !rc && (e = readdir(d));) {
		const char *like = nearest(e->d_name, ay_prompt_template_names);

		if (!ay_ends(e->d_name, ".txt"))
			continue;
		known++;
		if (!is_in(e->d_name, ay_prompt_template_names))
			rc = ay_fail(err, AY_ERR_USAGE,
				     "'%s/%s' is the name of no template%s%s%s (docs/prompts.md lists them)", dir,
				     e->d_name, like ? "; did you mean " : "", like ? like : "", like ? "?" : "");
	}
	closedir(d);
	if (!rc && !known)
		rc = ay_fail(err, AY_ERR_USAGE,
			     "the folder '%s' has no templates: new.txt, task.txt... (docs/prompts.md)", dir);
	return rc;
}

int ay_prompt_template_read(struct ay_arena *a, const char *dir, const char *name, struct ay_prompt_template *t,
			    struct ay_err *err)
{
	const char *path = dir ? ay_sprintf(a, "%s/%s", dir, name) : NULL;
	char *text;

	*t = (struct ay_prompt_template){ .file = name };
	if (!path || !ay_file_exists(path)) {
		t->text = ay_pack_find((const char *)ay_embedded_prompts, (const char *)ay_embedded_prompts_end,
				       name, &t->len);
		AY_ASSERT(t->text);
		return 0;
	}
	if (ay_file_read(a, path, TEMPLATE_MAX, &text, &t->len, err))
		return -1;
	if (strlen(text) != t->len)
		return ay_fail(err, AY_ERR_PARSE, "%s: a template has no NUL bytes", path);
	t->file = path;
	t->text = text;
	return 0;
}

/* --- places ----------------------------------------------------------------------------------- */

struct filling {
	const struct ay_prompt_template *t;
	const char *const *places;
	ay_fill_place *fill;
	void *user;
	int line;
};

/* Reads a place's name at "{{". Returns the position after it, or NULL and err. */
static const char *read_place(const struct filling *f, const char *p, const char *end, char *name,
			      struct ay_err *err)
{
	const char *close = memmem(p, (size_t)(end - p), "}}", 2);
	const size_t n = close ? (size_t)(close - p - 2) : 0;
	const char *like;

	if (!close || n >= PLACE_MAX) {
		ay_fail(err, AY_ERR_PARSE, "%s, line %d: {{ without }}", f->t->file, f->line);
		return NULL;
	}
	memcpy(name, p + 2, n);
	name[n] = 0;
	if (is_in(name, f->places))
		return close + 2;
	like = nearest(name, f->places);
	ay_fail(err, AY_ERR_PARSE, "%s, line %d: there is no place {{%s}}%s%s%s (docs/prompts.md lists them)",
		f->t->file, f->line, name, like ? "; did you mean {{" : "", like ? like : "", like ? "}}?" : "");
	return NULL;
}

static int put(const struct filling *f, const char *name, struct ay_str *b, struct ay_err *err)
{
	const size_t from = b->len;

	if (!f->fill)
		return 0;
	if (f->fill(f->user, name, b, err))
		return -1;
	while (b->len > from && b->s[b->len - 1] == '\n')
		b->s[--b->len] = 0;
	return 0;
}

/* Fills in one line, given without its end. *alone: it has one place and otherwise only blanks. */
static int fill_line(const struct filling *f, const char *p, const char *end, struct ay_str *b, bool *alone,
		     struct ay_err *err)
{
	char name[PLACE_MAX];
	int places = 0;
	bool other = false;

	while (p < end) {
		if (end - p >= 2 && p[0] == '{' && p[1] == '{') {
			p = read_place(f, p, end, name, err);
			if (!p || put(f, name, b, err))
				return -1;
			places++;
		} else {
			other |= *p != ' ' && *p != '\t' && *p != '\r';
			ay_str_addc(b, *p++);
		}
	}
	*alone = places == 1 && !other;
	return 0;
}

static bool is_blank(const char *s, size_t n)
{
	return strspn(s, " \t\r") >= n;
}

int ay_prompt_template_fill(const struct ay_prompt_template *t, const char *const *places, ay_fill_place *fill,
			    void *user, struct ay_str *b, struct ay_err *err)
{
	struct filling f = { t, places, fill, user, 0 };
	const char *p = t->text, *end = p + t->len;
	struct ay_str line = { 0 };
	/* the last line was empty; a line was dropped after an empty one */
	bool after_blank = false, gone = false;
	int rc = 0;

	while (p < end && !rc) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		bool alone;

		f.line++;
		nl = nl ? nl : end;
		ay_str_clear(&line);
		rc = fill_line(&f, p, nl, &line, &alone, err);
		p = nl + 1;
		if (rc || (alone && is_blank(ay_str_text(&line), line.len))) {
			gone |= after_blank;
			continue;
		}
		if (!line.len && gone)
			continue;
		after_blank = !line.len;
		gone = false;
		ay_str_addn(b, ay_str_text(&line), line.len);
		ay_str_addc(b, '\n');
	}
	ay_str_release(&line);
	return rc;
}
