/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/sse.h"

#include <string.h>

static int dispatch(struct ay_sse *s)
{
	int rc = s->has_data ? s->event(s->user, ay_str_text(&s->data), s->data.len) : 0;

	s->has_data = false;
	ay_str_clear(&s->data);
	return rc;
}

static int take_line(struct ay_sse *s)
{
	const char *p = ay_str_text(&s->line);
	size_t n = s->line.len;

	if (!s->begun && n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) { /* a byte order mark may come first */
		p += 3;
		n -= 3;
	}
	s->begun = true;
	if (!n)
		return dispatch(s);
	if (n < 4 || memcmp(p, "data", 4) || (n > 4 && p[4] != ':'))
		return 0;
	p += n > 4 ? 5 : 4;
	n -= n > 4 ? 5 : 4;
	if (n && *p == ' ') {
		p++;
		n--;
	}
	if (s->has_data)
		ay_str_addc(&s->data, '\n');
	s->has_data = true;
	ay_str_addn(&s->data, p, n);
	return 0;
}

int ay_sse_feed(struct ay_sse *s, const char *bytes, size_t n)
{
	const char *end = bytes + n;
	int rc = 0;

	while (bytes < end && !rc) {
		const char *p = bytes;

		if (s->cr && *p == '\n') { /* the LF of a CR LF */
			s->cr = false;
			bytes++;
			continue;
		}
		s->cr = false;
		while (p < end && *p != '\n' && *p != '\r')
			p++;
		ay_str_addn(&s->line, bytes, (size_t)(p - bytes));
		bytes = p;
		if (p == end)
			break;
		s->cr = *p == '\r';
		bytes++;
		rc = take_line(s);
		ay_str_clear(&s->line);
	}
	return rc;
}

int ay_sse_end(struct ay_sse *s)
{
	int rc = s->line.len ? take_line(s) : 0;

	ay_str_clear(&s->line);
	return rc ? rc : dispatch(s);
}

void ay_sse_release(struct ay_sse *s)
{
	ay_str_release(&s->line);
	ay_str_release(&s->data);
}
