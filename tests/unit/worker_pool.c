/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/worker_pool.h"

#include "base/str.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Jobs: a number n answers with n messages; "die" kills its worker; "exit" leaves; "big" answers 1
 * MiB. */
static void work(void *user, const char *job, size_t len, struct ay_worker_out *out)
{
	static char big[1 << 20];

	(void)user, (void)len;
	if (!strcmp(job, "die"))
		raise(SIGKILL);
	if (!strcmp(job, "exit"))
		_exit(3);
	if (!strcmp(job, "big"))
		ay_worker_send(out, big, sizeof big);
	for (int i = 0; i < atoi(job); i++)
		ay_worker_send(out, job, strlen(job));
}

struct seen {
	int messages, done, died, killed; /* workers that were killed, among those that died */
	size_t bytes;
};

static int on_message(void *user, void *job, const char *data, size_t len)
{
	struct seen *s = user;

	(void)data;
	CHECK(job != NULL);
	s->messages++;
	s->bytes += len;
	return 0;
}

static int on_done(void *user, void *job, const char *died)
{
	struct seen *s = user;

	CHECK(job != NULL);
	s->done++;
	s->died += died != NULL;
	s->killed += died && !strcmp(died, "signal 9");
	return 0;
}

TEST(worker_pool_does_every_job_and_survives_the_dead)
{
	static const char *const jobs[] = { "3", "die", "2", "big", "exit", "0", "1", "die", "4" };
	struct seen s = { 0 };
	struct ay_worker_pool_events e = { &s, on_message, on_done };
	struct ay_err err = { 0 };
	struct ay_worker_pool *c;
	int n = sizeof jobs / sizeof *jobs;

	CHECK(!ay_worker_pool_start(&c, 2, work, NULL, &err));
	for (int i = 0; i < n || ay_worker_pool_busy(c);) {
		if (i < n && ay_worker_pool_idle(c)) {
			CHECK(!ay_worker_pool_submit(c, (void *)jobs[i], jobs[i], strlen(jobs[i]), &err));
			i++;
			continue;
		}
		CHECK(ay_worker_pool_wait(c, -1, 5000, &e, &err) == 0);
	}
	CHECK(s.done == n && s.died == 3 && s.killed == 2 && s.messages == 3 + 2 + 1 + 1 + 4);
	CHECK(s.bytes == 10 + (1 << 20));
	ay_worker_pool_stop(c);
}

/* --- groups ----------------------------------------------------------------------------------- */

enum { JOBS = 60, GROUPS = 3, EACH = 2 };

/* A job's messages are its number and its group. If the job's group is in `bad` (a bit each), the
 * job makes the group fail after half of its messages. */
struct plan {
	unsigned bad;
	int after; /* jobs of a worker that succeed first */
};

static void work_in_group(void *user, const char *job, size_t len, struct ay_worker_out *out)
{
	static int count;
	const struct plan *p = user;
	char text[40];

	(void)len;
	for (int half = 0; half < 2; half++) {
		if (half && p->bad >> out->group & 1 && count >= p->after) {
			ay_worker_fail_group(out, "it went up in smoke");
			return;
		}
		snprintf(text, sizeof text, "%s.%d %d", job, half, out->group);
		ay_worker_send(out, text, strlen(text));
	}
	count++;
	usleep(1000);
}

struct desk {
	char text[JOBS][12];
	bool waiting[JOBS], done[JOBS];
	int said[JOBS][2], on[JOBS][2]; /* how often a job came back, and which group had it last */
	int backs, losses;
	bool lost[GROUPS];
};

static int desk_message(void *user, void *job, const char *data, size_t len)
{
	struct desk *d = user;
	int n, half, group;

	(void)len;
	CHECK(sscanf(data, "%d.%d %d", &n, &half, &group) == 3 && n == (int)((char(*)[12])job - d->text));
	CHECKF(!d->lost[group], "job %d was done by group %d, which is lost", n, group);
	d->said[n][half]++;
	d->on[n][half] = group;
	return 0;
}

static int desk_done(void *user, void *job, const char *died)
{
	struct desk *d = user;

	CHECK(!died);
	d->done[(char(*)[12])job - d->text] = true;
	return 0;
}

static int desk_lost(void *user, int group, const char *why)
{
	struct desk *d = user;

	CHECK(!d->lost[group] && !strcmp(why, "it went up in smoke"));
	/* all messages of the group's workers have come; from now on none may come */
	d->lost[group] = true;
	d->losses++;
	return 0;
}

static int desk_back(void *user, void *job, int group)
{
	struct desk *d = user;
	const long n = (char(*)[12])job - d->text;

	(void)group;
	d->backs++;
	d->done[n] = d->said[n][1]; /* another worker of the group, ended after its last message */
	d->waiting[n] = !d->said[n][1];
	return 0;
}

/* Gives all jobs until they are done or no worker is left. */
static void run_desk(struct desk *d, struct plan *p, struct ay_worker_pool **c)
{
	struct ay_worker_pool_events e = { d, desk_message, desk_done, desk_lost, desk_back };
	struct ay_err err = { 0 };

	*d = (struct desk){ 0 };
	for (int i = 0; i < JOBS; i++) {
		snprintf(d->text[i], sizeof d->text[i], "%d", i);
		d->waiting[i] = true;
	}
	CHECK(!ay_worker_pool_start_groups(c, GROUPS, EACH, work_in_group, p, &err));
	CHECK(ay_worker_pool_size(*c) == GROUPS * EACH);
	for (;;) {
		int i = 0;

		while (i < JOBS && !d->waiting[i])
			i++;
		if (i < JOBS && ay_worker_pool_idle(*c)) {
			d->waiting[i] = false;
			CHECK(!ay_worker_pool_submit(*c, d->text[i], d->text[i], strlen(d->text[i]), &err));
			continue;
		}
		if (!ay_worker_pool_busy(*c))
			return;
		CHECK(!ay_worker_pool_wait(*c, -1, 5000, &e, &err));
	}
}

/* One group fails. Every job is done, none is lost, and none is done twice. A working group sends
 * the second half of an interrupted job's messages. */
/* A job for certain workers waits for one of them, even if others are idle. */
TEST(worker_pool_some_workers_can_be_asked_alone)
{
	struct seen s = { 0 };
	const struct ay_worker_pool_events ev = { &s, on_message, on_done, NULL, NULL };
	struct ay_err err = { 0 };
	struct ay_worker_pool *c;
	int job[3];

	CHECK(!ay_worker_pool_start_groups(&c, 1, 3, work, NULL, &err));
	CHECK(ay_worker_pool_idle_among(c, 0, 1) && !ay_worker_pool_idle_among(c, 3, 9));
	CHECK(!ay_worker_pool_submit_among(c, 0, 1, &job[0], "1", 1, &err));
	CHECK(!ay_worker_pool_idle_among(c, 0, 1) && ay_worker_pool_idle_among(c, 0, 2));
	CHECK(!ay_worker_pool_submit_among(c, 2, 3, &job[1], "1", 1, &err));
	CHECK(ay_worker_pool_idle_among(c, 1, 2) && !ay_worker_pool_idle_among(c, 2, 3) &&
	      ay_worker_pool_busy(c) == 2);
	while (s.done < 2)
		CHECK(!ay_worker_pool_wait(c, -1, 5000, &ev, &err));
	CHECK(ay_worker_pool_idle_among(c, 0, 1) && ay_worker_pool_idle_among(c, 2, 3));
	CHECK(!ay_worker_pool_submit_among(c, 2, 3, &job[2], "die", 3, &err));
	while (s.done < 3)
		CHECK(!ay_worker_pool_wait(c, -1, 5000, &ev, &err));
	/* the new worker has the place of the old one */
	CHECK(s.died == 1 && ay_worker_pool_idle_among(c, 2, 3));
	ay_worker_pool_stop(c);
}

TEST(worker_pool_goes_on_without_a_group_that_is_lost)
{
	struct plan p = { .bad = 1u << 1, .after = 2 };
	struct desk d;
	struct ay_worker_pool *c;
	int by[GROUPS] = { 0 };
	double work_s;

	run_desk(&d, &p, &c);
	CHECK(d.losses == 1 && ay_worker_pool_size(c) == (GROUPS - 1) * EACH && ay_worker_pool_idle(c));
	CHECKF(d.backs >= 1 && d.backs <= EACH, "%d jobs came back", d.backs);
	for (int i = 0; i < JOBS; i++) {
		CHECKF(d.done[i] && d.said[i][1] == 1, "job %d: done %d, said %d times", i, d.done[i],
		       d.said[i][1]);
		by[d.on[i][1]]++;
	}
	/* all groups worked, the lost one as long as it existed */
	CHECKF(by[0] > 5 && by[2] > 5 && by[1] >= 2 && by[1] <= 2 * EACH * 2, "%d %d %d", by[0], by[1], by[2]);
	work_s = ay_worker_pool_work_s(c);
	usleep(20000);
	work_s = ay_worker_pool_work_s(c) - work_s;
	CHECKF(work_s > 0.02 * (GROUPS - 1) * EACH * 0.9, "%g s of %d workers in 20 ms", work_s,
	       (GROUPS - 1) * EACH);
	ay_worker_pool_stop(c);
}

/* All groups fail: the pool reports that no worker is left, and returns the unfinished jobs to the
 * caller. */
TEST(worker_pool_of_lost_groups_gives_everything_back)
{
	struct plan p = { .bad = 7, .after = 1 };
	struct desk d;
	struct ay_worker_pool *c;
	int done = 0, waiting = 0;

	run_desk(&d, &p, &c);
	CHECK(d.losses == GROUPS && !ay_worker_pool_size(c) && !ay_worker_pool_idle(c) && !ay_worker_pool_busy(c));
	for (int i = 0; i < JOBS; i++) {
		CHECKF(d.done[i] != d.waiting[i], "job %d is both or neither", i);
		CHECK(d.said[i][1] == d.done[i]);
		done += d.done[i];
		waiting += d.waiting[i];
	}
	CHECKF(done >= GROUPS && done <= GROUPS * EACH && done + waiting == JOBS, "%d done, %d waiting", done,
	       waiting);
	ay_worker_pool_stop(c);
}

static void sleep_or_work(void *user, const char *job, size_t len, struct ay_worker_out *out)
{
	(void)user, (void)len;
	for (int i = 0; i < 150; i++) {
		usleep(10000);
		if (out->group || job[0] == 't')
			ay_worker_send(out, "0.1 0", 5);
	}
	while (!out->group && job[0] != 't')
		pause();
}

static int desk_hangs(void *user, int group, const char *why)
{
	struct desk *d = user;

	CHECKF(!group && strstr(why, "nothing was heard"), "%s", why);
	d->losses++;
	return 0;
}

/* A worker that is silent for longer than it may be; one that talks all the time may take longer
 * than that. */
TEST(worker_pool_watch_finds_who_hangs)
{
	struct desk d = { .text = { "0" } };
	struct ay_worker_pool_events e = { &d, desk_message, desk_done, desk_hangs, desk_back };
	struct ay_err err = { 0 };
	struct ay_worker_pool *c;

	CHECK(!ay_worker_pool_start_groups(&c, 2, 1, sleep_or_work, NULL, &err));
	for (int round = 0; round < 2; round++) {
		d.backs = 0;
		for (int i = 0; i < 2; i++)
			CHECK(!ay_worker_pool_submit(c, d.text[0], round ? "0" : "t", 1, &err));
		while (ay_worker_pool_busy(c)) {
			CHECK(!ay_worker_pool_wait(c, -1, 10, &e, &err));
			CHECK(!ay_worker_pool_watch(c, 1, &e));
		}
		CHECKF(d.losses == round && d.backs == round && ay_worker_pool_size(c) == 2 - round,
		       "round %d: %d lost, %d back", round, d.losses, d.backs);
	}
	ay_worker_pool_stop(c);
}

/* An idle worker ends with its group too, and later jobs skip its place. */
TEST(worker_pool_idle_workers_of_a_lost_group_end_too)
{
	struct plan p = { .bad = 1u << 0 };
	struct desk d = { .text = { "0", "1" } };
	struct ay_worker_pool_events e = { &d, desk_message, desk_done, desk_lost, desk_back };
	struct ay_err err = { 0 };
	struct ay_worker_pool *c;

	CHECK(!ay_worker_pool_start_groups(&c, 2, EACH, work_in_group, &p, &err));
	CHECK(!ay_worker_pool_submit(c, d.text[0], "0", 1, &err)); /* to the first of group 0 */
	while (ay_worker_pool_busy(c))
		CHECK(!ay_worker_pool_wait(c, -1, 5000, &e, &err));
	CHECKF(d.losses == 1 && d.backs == 1 && ay_worker_pool_size(c) == EACH, "%d workers",
	       ay_worker_pool_size(c));
	for (int i = 0; i < EACH; i++)
		CHECK(ay_worker_pool_idle(c) && !ay_worker_pool_submit(c, d.text[1], "1", 1, &err));
	CHECK(!ay_worker_pool_idle(c));
	while (ay_worker_pool_busy(c))
		CHECK(!ay_worker_pool_wait(c, -1, 5000, &e, &err));
	CHECK(d.said[1][1] == EACH && d.on[1][1] == 1);
	ay_worker_pool_stop(c);
}
