/* SPDX-License-Identifier: Apache-2.0 */
#include "store/attempts.h"
#include "base/arena.h"

#include <string.h>
#include <unistd.h>

/* Makes one key of two texts. */
static void make_key(struct ay_str *b, const char *x, const char *y)
{
	ay_str_clear(b);
	ay_str_addf(b, "%s %s", x ? x : "", y ? y : "");
}

static void note_choice(struct ay_attempts *x, const json_t *rec)
{
	struct ay_str problem = { 0 }, kernel = { 0 };

	if (!x->problems)
		x->problems = json_object();
	make_key(&problem, ay_record_str(rec, AY_FIELD_RUN), ay_record_str(rec, AY_FIELD_PROBLEM));
	make_key(&kernel, ay_record_str(rec, AY_FIELD_KERNEL_SHA256), ay_record_str(rec, AY_FIELD_OPERATOR));
	json_object_set_new(x->problems, ay_str_text(&problem), json_string(ay_str_text(&kernel)));
	ay_str_release(&problem);
	ay_str_release(&kernel);
}

bool ay_attempts_takes(struct ay_attempts *x, const struct ay_scan_line *l)
{
	const char *type = ay_record_str(l->rec, AY_FIELD_TYPE);

	if (!strcmp(type, AY_RECORD_CHOSEN)) {
		note_choice(x, l->rec);
		return true;
	}
	if (!ay_record_str(l->rec, AY_FIELD_ATTEMPT) ||
	    (strcmp(type, AY_RECORD_CASE) && strcmp(type, AY_RECORD_KERNEL)))
		return false;
	if (!(x->n & (x->n - 1)))
		x->at = ay_xrealloc(x->at, sizeof *x->at * (size_t)(x->n ? 2 * x->n : 1));
	x->at[x->n++] = (struct ay_attempts_place){ l->offset, (uint32_t)l->len };
	return true;
}

json_t *ay_record_at(int fd, uint64_t offset, uint32_t len)
{
	char *line = ay_xrealloc(NULL, (size_t)len + 1);
	json_t *rec = NULL;

	if (pread(fd, line, len, (off_t)offset) == (ssize_t)len)
		ay_record_open(line, len, &rec);
	ay_xfree(line);
	return rec;
}

bool ay_attempts_counts(const struct ay_attempts *x, const json_t *rec)
{
	const char *overload = ay_record_str(rec, AY_FIELD_OVERLOAD), *op = ay_record_str(rec, AY_FIELD_OPERATOR);
	struct ay_str key = { 0 };
	bool counts;

	if (!ay_record_str(rec, AY_FIELD_ATTEMPT))
		return true;
	make_key(&key, ay_record_str(rec, AY_FIELD_KERNEL_SHA256), op ? op : overload);
	counts = json_object_get(x->chosen, ay_str_text(&key)) != NULL;
	ay_str_release(&key);
	return counts;
}

void ay_attempts_end(struct ay_attempts *x, int fd, void (*take)(void *user, const struct ay_scan_line *l),
		     void *user)
{
	const char *problem;
	json_t *kernel;

	x->chosen = json_object();
	json_object_foreach(x->problems, problem, kernel)
		json_object_set_new(x->chosen, json_string_value(kernel), json_true());
	for (int i = 0; i < x->n; i++) {
		json_t *rec = ay_record_at(fd, x->at[i].offset, x->at[i].len);

		if (rec && ay_attempts_counts(x, rec))
			take(user,
			     &(struct ay_scan_line){ .rec = rec, .offset = x->at[i].offset, .len = x->at[i].len });
		json_decref(rec);
	}
}

void ay_attempts_release(struct ay_attempts *x)
{
	ay_xfree(x->at);
	json_decref(x->problems);
	json_decref(x->chosen);
	*x = (struct ay_attempts){ 0 };
}
