/* SPDX-License-Identifier: Apache-2.0
 *
 * exec_cache - tests of cached executors: which may be reused, which can load another kernel, and
 * what was measured of them.
 */
#include "timing/exec_cache.h"
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(exec_cache_names_tell_executors_apart)
{
	const int one = memfd_create("one", 0), two = memfd_create("two", 0);
	static const char *const folders[] = { "/usr/lib/x", NULL };
	struct ay_python *python = (struct ay_python *)(void *)&folders; /* never dereferenced */
	const struct {
		struct ay_exec_spec spec;
		int same, kind; /* as which other row, or -1 */
	} row[] = {
		{ { .so_fd = one }, -1, -1 },
		{ { .so_fd = one }, 0, -1 },
		{ { .so_fd = two }, -1, -1 },
		{ { .so_fd = -1 }, -1, -1 },
		{ { .so_fd = one, .folders = folders }, -1, -1 },
		{ { .so_fd = one, .python = python, .about = "relu" }, -1, -1 },
		{ { .so_fd = -1, .python = python, .about = "relu" }, -1, -1 },
		{ { .so_fd = -1, .python = python, .about = "add" }, -1, 6 },
		{ { .so_fd = -1, .python = python, .about = "relu" }, 6, 6 },
	};
	enum { ROWS = sizeof row / sizeof *row };
	struct ay_exec_cache_name name[ROWS];

	for (int i = 0; i < ROWS; i++) {
		ay_exec_cache_name(&row[i].spec, &name[i]);
		for (int k = 0; k < i; k++) {
			const bool same = !strcmp(name[i].who, name[k].who);

			CHECKF(same == (row[i].same == k), "%d and %d", i, k);
		}
		CHECKF(row[i].kind < 0 || (name[i].kind[0] && !strcmp(name[i].kind, name[row[i].kind].kind)), "%d",
		       i);
	}
	/* an executor with its own source cannot load another kernel */
	CHECK(!name[0].kind[0] && !name[5].kind[0]);
	close(one);
	close(two);
}

TEST(exec_cache_gates_are_found_while_they_are_true)
{
	struct ay_exec_cache k = { 0 };
	struct ay_exec_cache_gate g = { .name = { .who = "a" }, .empty_bytes = 1 << 30, .gate_ns = 1 };
	const struct ay_exec_cache_gate *found;

	CHECK(!ay_exec_cache_find_gate(&k, &g) && !ay_exec_cache_find_gate(NULL, &g));
	ay_exec_cache_note_gate(&k, &g);
	g.empty_bytes += 10 << 20; /* about as much */
	found = ay_exec_cache_find_gate(&k, &g);
	CHECK(found && found->gate_ns == 1);
	g.empty_bytes += 200 << 20;
	CHECK(!ay_exec_cache_find_gate(&k, &g));
	g.ungated = true;
	CHECK(!ay_exec_cache_find_gate(&k, &g));
	g.gate_ns = 2;
	ay_exec_cache_note_gate(&k, &g);
	g.empty_bytes = 0; /* trusted executors get no shared memory */
	found = ay_exec_cache_find_gate(&k, &g);
	CHECK(found && found->gate_ns == 2 && k.ngate == 2);
	g.gate_ns = 3;
	ay_exec_cache_note_gate(&k, &g); /* in the place of the other */
	CHECK(k.ngate == 2 && ay_exec_cache_find_gate(&k, &g)->gate_ns == 3);
	k.gate[1].when -= 61000000000ll;
	CHECK(!ay_exec_cache_find_gate(&k, &g));
	for (int i = 0; i < 2 * AY_EXEC_CACHE_GATES; i++) {
		g.name.who[0] = (char)('b' + i);
		ay_exec_cache_note_gate(&k, &g);
	}
	CHECK(k.ngate == AY_EXEC_CACHE_GATES && ay_exec_cache_find_gate(&k, &g));
	g.name.who[0] = 'b';
	CHECK(!ay_exec_cache_find_gate(&k, &g));
}
