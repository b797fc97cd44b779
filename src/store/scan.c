/* SPDX-License-Identifier: Apache-2.0 */
#include "store/scan.h"
#include "base/arena.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 1 << 20 };

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return true;
}

static int one_line(struct ay_scan *s, const char *text, size_t n, uint64_t offset, enum ay_fault fault,
		    struct ay_err *err)
{
	struct ay_scan_line l = { .text = text, .len = n, .offset = offset, .fault = fault };
	int rc;

	if (is_blank(text, n) && fault == AY_FAULT_NONE)
		return 0;
	l.number = s->lines;
	if (fault == AY_FAULT_NONE)
		l.fault = ay_record_open(text, n, &l.rec);
	rc = s->line(s->user, &l, err);
	json_decref(l.rec);
	return rc;
}

/* Handles data without a line end. The line is torn if no data follows, and LONG if it exceeds the
 * limit. Otherwise the caller must supply more data. */
static int no_end(struct ay_scan *s, const char *data, size_t n, bool last, size_t *used, struct ay_err *err)
{
	int rc = 0;

	if (!s->skipping && n > AY_RECORD_MAX) {
		s->skipping = true;
		s->lines++;
		rc = one_line(s, data, AY_RECORD_MAX, s->offset, AY_FAULT_LONG, err);
	} else if (!s->skipping && last && n) {
		s->lines++;
		rc = one_line(s, data, n, s->offset, AY_FAULT_TORN, err);
	} else if (!s->skipping && !last) {
		return 0;
	}
	*used += n;
	s->offset += n;
	return rc;
}

int ay_scan_feed(struct ay_scan *s, const char *data, size_t n, bool last, size_t *used, struct ay_err *err)
{
	*used = 0;
	for (;;) {
		const char *text = data + *used, *end = n > *used ? memchr(text, '\n', n - *used) : NULL;
		size_t len;
		int rc = 0;

		if (!end)
			return no_end(s, text, n - *used, last, used, err);
		len = (size_t)(end - text);
		if (s->skipping) {
			s->skipping = false;
		} else {
			s->lines++;
			rc = one_line(s, text, len < AY_RECORD_MAX ? len : AY_RECORD_MAX, s->offset,
				      len > AY_RECORD_MAX ? AY_FAULT_LONG : AY_FAULT_NONE, err);
		}
		*used += len + 1;
		s->offset += len + 1;
		s->end = s->offset;
		if (rc)
			return rc;
	}
}

int ay_scan_fd(struct ay_scan *s, int fd, const char *name, struct ay_err *err)
{
	char *buf = ay_xrealloc(NULL, AY_RECORD_MAX + STEP);
	uint64_t at = 0;
	size_t have = 0, used;
	ssize_t n;
	int rc = 0;

	do {
		n = pread(fd, buf + have, AY_RECORD_MAX + STEP - have, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", name);
			break;
		}
		at += (uint64_t)n;
		have += (size_t)n;
		rc = ay_scan_feed(s, buf, have, !n, &used, err);
		have -= used;
		memmove(buf, buf + used, have);
	} while (n && !rc);
	ay_xfree(buf);
	return rc;
}
