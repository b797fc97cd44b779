/* SPDX-License-Identifier: Apache-2.0
 *
 * index - which records there are: a table from record ids to places in the file. 48 bytes a record, whatever its
 * size, so that a run of a million cases can be resumed.
 */
#ifndef AY_STORE_INDEX_H
#define AY_STORE_INDEX_H

#include "store/record.h"

/* Zeroed when it is new. The worst verdict of all attempts, and the place of a record that has it. */
struct ay_index_entry {
	struct ay_record_id id;
	uint64_t offset;
	uint32_t len;
	int32_t attempts; /* 0: a free slot */
	int32_t verdict;
	int32_t owner; /* the user's */
};

/* {0} is an empty one. */
struct ay_index {
	struct ay_index_entry *slot;
	size_t n, cap; /* cap is a power of two, or 0 */
};

struct ay_index_entry *ay_index_find(const struct ay_index *x, struct ay_record_id id);
/* Finds it, or makes one with no attempts yet. Valid until the next get; the caller must count an attempt. */
struct ay_index_entry *ay_index_get(struct ay_index *x, struct ay_record_id id);
/* Counts an attempt; the worse verdict stays, with its place. */
void ay_index_note(struct ay_index_entry *e, enum ay_verdict v, uint64_t offset, size_t len);
void ay_index_release(struct ay_index *x);

#endif
