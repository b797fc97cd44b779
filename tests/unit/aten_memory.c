/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_memory - tests of GPU memory for an oracle's answers, on a GPU that others use too. A
 * process that needs much of it waits for its share.
 */
#include "helpers.h"
#include "judge/aten_memory.h"
#include "test.h"
#include "aten_oracle_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A call in f16 on a GPU with 7 GiB: 68 bytes an element for an answer, 12 for shapes. */
static const char little[] = "aten::silu_backward((T([1048576], f16), T([1048576], f16)), {})",
		  much[] = "aten::silu_backward((T([12582912], f16), T([12582912], f16)), {})",
		  too_much[] = "aten::silu_backward((T([33554432], f16), T([33554432], f16)), {})";

static const struct ay_call *bind(struct aten_oracle_fixture *g, const char *line)
{
	struct ay_call *c;

	aten_oracle_fixture_bind(g, line, &c);
	return c;
}

/* A process that takes room for the line's answer, says so and keeps it. Ours it must not have from
 * us. */
static pid_t fork_taker(struct aten_oracle_fixture *g, const char *line, struct ay_perf_lock *one,
			struct ay_perf_lock *two, int said)
{
	const struct ay_call *c = bind(g, line);
	const pid_t pid = fork();

	if (!pid) {
		struct ay_perf_lock lock;
		bool got;

		ay_perf_unlock(one);
		ay_perf_unlock(two);
		got = ay_aten_memory_take(g->d, c, AY_ATEN_REQUEST_ANSWER, &lock);
		if (write(said, got ? "y" : "n", 1) == 1)
			pause();
		_exit(1);
	}
	return pid;
}

static bool has_said(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c = 0;

	return poll(&p, 1, timeout_ms) == 1 && read(fd, &c, 1) == 1 && c == 'y';
}

TEST(aten_memory_for_large_answers_is_taken_in_turn)
{
	struct ay_perf_lock one, two, none = { 0 };
	struct aten_oracle_fixture g = { 0 };
	int said[2];
	pid_t pid, next;

	aten_oracle_fixture_registry(&g, NULL);
	help_fake_gpu(&g.a);
	CHECKF(!ay_dev_open(&g.d, "cuda", &g.err), "%s", g.err.msg);
	CHECK(!pipe(said));
	CHECK(ay_aten_memory_take(g.d, bind(&g, little), AY_ATEN_REQUEST_SHAPES, &one) && !one.n);
	CHECK(ay_aten_memory_take(g.d, bind(&g, little), AY_ATEN_REQUEST_ANSWER, &one) && one.n == 1);
	ay_perf_unlock(&one);
	CHECK(ay_aten_memory_on_gpu(g.d, bind(&g, much), false) &&
	      !ay_aten_memory_on_gpu(g.d, bind(&g, too_much), false));
	CHECK(ay_aten_memory_on_gpu(g.d, bind(&g, much), true) &&
	      !ay_aten_memory_on_gpu(g.d, bind(&g, too_much), true));
	CHECK(!ay_aten_memory_take(g.d, bind(&g, too_much), AY_ATEN_REQUEST_ANSWER, &none) && !none.n);
	CHECK(ay_aten_memory_take(g.d, bind(&g, much), AY_ATEN_REQUEST_ANSWER, &one) &&
	      one.n == 4); /* two at a time */
	CHECK(ay_aten_memory_take(g.d, bind(&g, much), AY_ATEN_REQUEST_ANSWER, &two) && two.n == 4);
	pid = fork_taker(&g, much, &one, &two, said[1]);
	CHECK(!has_said(said[0], 200)); /* not while we have all */
	next = fork_taker(&g, little, &one, &two, said[1]);
	ay_perf_unlock(&one);
	CHECK(has_said(said[0], 10000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(has_said(said[0], 10000)); /* the share of a killed process goes to the next one */
	kill(next, SIGKILL);
	waitpid(next, NULL, 0);
	ay_perf_unlock(&two);
	close(said[0]);
	close(said[1]);
	ay_dev_close(g.d);
	ay_registry_release(&g.r);
	ay_arena_release(&g.a);
}
