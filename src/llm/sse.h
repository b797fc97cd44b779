/* SPDX-License-Identifier: Apache-2.0
 *
 * sse - server-sent events: lines, taken apart as they come, in pieces of any size.
 *
 * An event is the joined `data:` lines up to a blank one. Lines end in LF, CR LF or CR, of which the last byte may be
 * in the next piece. What is not of interest here (names, ids, retry times, comments) is passed over: both wire
 * formats say in the data what an event is.
 */
#ifndef AY_LLM_SSE_H
#define AY_LLM_SSE_H

#include "base/str.h"

struct ay_sse {
	/* Non-zero ends the stream, and is passed on. data has a NUL behind it. */
	int (*event)(void *user, const char *data, size_t n);
	void *user;
	/* the rest starts as {0} */
	struct ay_str line, data;
	bool cr, has_data, begun;
};

int ay_sse_feed(struct ay_sse *s, const char *bytes, size_t n);
/* No more will come. An event that only lacks its blank line counts: some servers end so. */
int ay_sse_end(struct ay_sse *s);
void ay_sse_release(struct ay_sse *s);

#endif
