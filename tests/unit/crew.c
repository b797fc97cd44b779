/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/crew.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Jobs: a number n answers with n messages; "die" kills its worker; "exit" leaves; "big" answers 1 MiB. */
static void work(void *user, const char *job, size_t len, struct ay_crew_out *out)
{
	static char big[1 << 20];

	(void)user, (void)len;
	if (!strcmp(job, "die"))
		raise(SIGKILL);
	if (!strcmp(job, "exit"))
		_exit(3);
	if (!strcmp(job, "big"))
		ay_crew_say(out, big, sizeof big);
	for (int i = 0; i < atoi(job); i++)
		ay_crew_say(out, job, strlen(job));
}

struct seen {
	int messages, done, died;
	size_t bytes;
	char how[60];
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
	if (died) {
		s->died++;
		snprintf(s->how, sizeof s->how, "%s", died);
	}
	return 0;
}

TEST(crew_does_every_job_and_survives_the_dead)
{
	static const char *const jobs[] = { "3", "die", "2", "big", "exit", "0", "1", "die", "4" };
	struct seen s = { 0 };
	struct ay_crew_events e = { &s, on_message, on_done };
	struct ay_err err = { 0 };
	struct ay_crew *c;
	int n = sizeof jobs / sizeof *jobs;

	CHECK(!ay_crew_start(&c, 2, work, NULL, &err));
	for (int i = 0; i < n || ay_crew_busy(c);) {
		if (i < n && ay_crew_idle(c)) {
			CHECK(!ay_crew_give(c, (void *)jobs[i], jobs[i], strlen(jobs[i]), &err));
			i++;
			continue;
		}
		CHECK(ay_crew_wait(c, -1, 5000, &e, &err) == 0);
	}
	CHECK(s.done == n && s.died == 3 && s.messages == 3 + 2 + 1 + 1 + 4);
	CHECK(s.bytes == 10 + (1 << 20));
	CHECK(!strcmp(s.how, "signal 9"));
	ay_crew_stop(c);
}
