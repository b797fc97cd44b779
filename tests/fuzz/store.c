/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a results.jsonl. Read whole or in pieces, the same lines come out; what is taken can be sealed
 * again to the same hash; a line that its forger sealed properly is refused for its fields only, or taken.
 */
#include "base/arena.h"
#include "store/scan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BUILD "0000000000000000000000000000000000000000000000000000000000000000"

/* What a scan saw, as one number. */
struct seen {
	uint64_t sum;
	int64_t lines;
	const char *data;
	size_t size;
};

static void check_record(const json_t *rec)
{
	const char *seal = ay_record_str(rec, AY_FIELD_SHA256);
	json_t *copy = json_deep_copy(rec), *again;
	struct ay_record_id id;
	struct ay_str b = { 0 };
	struct ay_err err = { 0 };
	const char *build = ay_record_str(rec, AY_FIELD_BUILD_SHA256);

	ay_record_id(rec, &id);
	ay_id_seal(rec);
	if (ay_record_seal(copy, build ? build : BUILD, &b, &err))
		abort();
	if (build && strcmp(seal, ay_record_str(copy, AY_FIELD_SHA256)))
		abort();
	if (ay_record_open(b.s, b.len - 1, &again) != AY_FAULT_NONE || !json_equal(again, copy))
		abort();
	json_decref(again);
	json_decref(copy);
	ay_str_release(&b);
}

static int take(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct seen *s = user;

	(void)err;
	if ((l->fault == AY_FAULT_NONE) != (l->rec != NULL) || l->offset > s->size ||
	    l->len > s->size - l->offset || memcmp(s->data + l->offset, l->text, l->len))
		abort();
	s->lines++;
	s->sum = s->sum * 31 + (uint64_t)l->fault * 1000003 + l->offset * 7 + l->len + (uint64_t)l->number;
	if (l->rec)
		check_record(l->rec);
	return 0;
}

/* The bytes lie in memory of their own size, so that a read behind them is noticed. */
static struct seen scan(const uint8_t *data, size_t size, size_t step, uint64_t *end)
{
	struct seen s = { .data = (const char *)data, .size = size };
	struct ay_scan scan = { .line = take, .user = &s };
	struct ay_err err = { 0 };
	size_t from = 0, to = 0, used;

	do {
		char *piece;

		to = size - to > step ? to + step : size;
		piece = ay_xrealloc(NULL, to - from);
		if (to > from)
			memcpy(piece, data + from, to - from);
		if (ay_scan_feed(&scan, piece, to - from, to == size, &used, &err) || used > to - from)
			abort();
		ay_xfree(piece);
		from += used;
	} while (to < size);
	if (from != size || scan.offset != size || scan.end > size || (scan.end && data[scan.end - 1] != '\n'))
		abort();
	*end = scan.end;
	return s;
}

/* Each line that is an object, as an attacker would write it who knows how seals are made. */
static void forged(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size;) {
		const uint8_t *nl = memchr(data + i, '\n', size - i);
		size_t n = nl ? (size_t)(nl - data) - i : size - i;
		json_t *j = json_loadb((const char *)data + i, n, JSON_REJECT_DUPLICATES, NULL), *again;
		struct ay_str b = { 0 };
		struct ay_err err = { 0 };

		if (json_is_object(j) && !ay_record_seal(j, BUILD, &b, &err)) {
			if (ay_record_open(b.s, b.len - 1, &again) != AY_FAULT_NONE)
				abort();
			check_record(again);
			json_decref(again);
		}
		ay_str_release(&b);
		json_decref(j);
		i += n + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t end[2];
	struct seen whole, pieces;
	size_t step;

	if (!size)
		return 0;
	step = (size_t)data[0] + 1;
	data++;
	size--;
	whole = scan(data, size, size ? size : 1, &end[0]);
	pieces = scan(data, size, step, &end[1]);
	if (whole.sum != pieces.sum || whole.lines != pieces.lines || end[0] != end[1])
		abort();
	forged(data, size);
	return 0;
}
