/* SPDX-License-Identifier: Apache-2.0
 *
 * sse - parses server-sent events from pieces of any size.
 *
 * An event is the `data:` lines up to a blank line, joined. Lines end in LF, CR LF or CR; the LF
 * may come in the next piece. All other fields (names, ids, retry times, comments) are ignored,
 * because both wire formats give the type of an event in its data.
 */
#ifndef AY_LLM_SSE_H
#define AY_LLM_SSE_H

#include "base/str.h"

struct ay_sse {
	/* Called for each event. A non-zero result ends the stream and is returned to the caller.
	 * data has a NUL after it. */
	int (*event)(void *user, const char *data, size_t n);
	void *user;
	/* start the fields below as {0} */
	struct ay_str line, data;
	bool cr, has_data, begun;
};

int ay_sse_feed(struct ay_sse *s, const char *bytes, size_t n);
/* Call it when no more bytes will come. A last event without its blank line counts, because some
 * servers omit it. */
int ay_sse_end(struct ay_sse *s);
void ay_sse_release(struct ay_sse *s);

#endif
