/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory for a witness's answers on a GPU that others use too: who needs much of it has it alone, and waits for it.
 */
#include "helpers.h"
#include "judge/room.h"
#include "test.h"
#include "witness_rig.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of f16, by a GPU with 7 GiB: 68 bytes an element for an answer, 12 for shapes. */
static const char little[] = "aten::silu_backward((T([1048576], f16), T([1048576], f16)), {})",
		  much[] = "aten::silu_backward((T([12582912], f16), T([12582912], f16)), {})",
		  too_much[] = "aten::silu_backward((T([33554432], f16), T([33554432], f16)), {})";

static const struct ay_call *bind(struct witness_rig *g, const char *line)
{
	struct ay_call *c;

	witness_rig_bind(g, line, &c);
	return c;
}

/* A process that takes room for the line's answer and says so. ours: that it must not have from us. */
static pid_t take(struct witness_rig *g, const char *line, struct ay_quiet_lock *ours, int said)
{
	const struct ay_call *c = bind(g, line);
	const pid_t pid = fork();

	if (!pid) {
		struct ay_quiet_lock lock;
		bool got;

		ay_quiet_leave(ours);
		got = ay_room_take(g->d, c, AY_ASK_ANSWER, &lock);
		_exit(write(said, got ? "y" : "n", 1) == 1 ? 0 : 1);
	}
	return pid;
}

static bool has_said(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c = 0;

	return poll(&p, 1, timeout_ms) == 1 && read(fd, &c, 1) == 1 && c == 'y';
}

TEST(room_for_large_answers_is_taken_in_turn)
{
	struct ay_quiet_lock lock;
	struct witness_rig g = { 0 };
	int said[2];
	pid_t pid;

	witness_rig_registry(&g, NULL);
	help_fake_gpu(&g.a);
	CHECKF(!ay_dev_open(&g.d, "cuda", &g.err), "%s", g.err.msg);
	CHECK(!pipe(said));
	CHECK(ay_room_take(g.d, bind(&g, little), AY_ASK_ANSWER, &lock) && !lock.n);
	CHECK(ay_room_take(g.d, bind(&g, much), AY_ASK_SHAPES, &lock) && !lock.n);
	CHECK(ay_room_on_gpu(g.d, bind(&g, much), false) && !ay_room_on_gpu(g.d, bind(&g, too_much), false));
	CHECK(ay_room_take(g.d, bind(&g, much), AY_ASK_ANSWER, &lock) && lock.n == 1);
	pid = take(&g, much, &lock, said[1]);
	CHECK(!has_said(said[0], 200)); /* not while we have it */
	ay_quiet_leave(&lock);
	CHECK(has_said(said[0], 10000));
	waitpid(pid, NULL, 0);
	pid = take(&g, too_much, &lock, said[1]);
	CHECK(!has_said(said[0], 200)); /* it waits for more than there is */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(ay_room_take(g.d, bind(&g, much), AY_ASK_ANSWER, &lock) &&
	      lock.n == 1); /* and it left nothing behind */
	ay_quiet_leave(&lock);
	close(said[0]);
	close(said[1]);
	ay_dev_close(g.d);
	ay_registry_release(&g.r);
	ay_arena_release(&g.a);
}
