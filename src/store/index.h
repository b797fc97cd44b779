/* SPDX-License-Identifier: Apache-2.0
 *
 * index - a hash table from record ids to the records' places in the file. An entry takes 48 bytes
 * whatever the size of its record, so that a run of a million cases can be resumed.
 */
#ifndef AY_STORE_INDEX_H
#define AY_STORE_INDEX_H

#include "store/record.h"

/* The worst verdict of all attempts with this id, and the place of a record with that verdict.
 * Zeroed when it is new. */
struct ay_index_entry {
	struct ay_record_id id;
	uint64_t offset;
	uint32_t len;
	int32_t attempts; /* 0: a free slot */
	int32_t verdict;
	int32_t owner; /* free for the index's user */
};

/* Start with {0}, which is an empty index. */
struct ay_index {
	struct ay_index_entry *slot;
	size_t n, cap; /* cap is a power of two, or 0 */
};

struct ay_index_entry *ay_index_find(const struct ay_index *x, struct ay_record_id id);
/* Finds the entry, or makes one with 0 attempts. The pointer is valid until the next ay_index_get.
 * The caller must count an attempt in a new entry. */
struct ay_index_entry *ay_index_get(struct ay_index *x, struct ay_record_id id);
/* Counts an attempt. The entry keeps the worse verdict and the place of its record. */
void ay_index_note(struct ay_index_entry *e, enum ay_verdict v, uint64_t offset, size_t len);
void ay_index_release(struct ay_index *x);

#endif
