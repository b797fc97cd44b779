/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"
#include "base/arena.h"
#include "base/str.h"
#include "report/run_report.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM };
enum { SIGNALS = sizeof signals / sizeof *signals };

struct last_words {
	int fd;
	pid_t writer;
	size_t len;
	char text[];
};

/* The only global variable of the commands, because a handler gets nothing but the signal's
 * number. */
static _Atomic(struct last_words *) last_words;

static void on_signal(int sig)
{
	const struct last_words *w = atomic_load(&last_words);
	ssize_t n = 0;

	if (!w || w->writer != getpid()) { /* a child: the signal ends it when this returns */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	for (size_t at = 0; at < w->len && n >= 0; at += (size_t)n)
		n = write(w->fd, w->text + at, w->len - at);
	_exit(128 + sig);
}

static void set_handlers(bool on)
{
	struct sigaction now, act = { .sa_flags = SA_RESTART };

	act.sa_handler = on ? on_signal : SIG_DFL;
	for (int i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

void interrupt_say(int fd, const char *text)
{
	const size_t len = text ? strlen(text) : 0;
	struct last_words *w = text ? ay_xrealloc(NULL, sizeof *w + len) : NULL;
	sigset_t set, before;

	sigemptyset(&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	/* so that no handler sees a half-made or freed message */
	sigprocmask(SIG_BLOCK, &set, &before);
	if (w) {
		*w = (struct last_words){ .fd = fd, .writer = getpid(), .len = len };
		memcpy(w->text, text, len);
		fflush(stdout);
	}
	ay_xfree(atomic_exchange(&last_words, w));
	set_handlers(w != NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void interrupt_say_resume(const char *command, const char *dir)
{
	struct ay_str b = { 0 };

	ay_str_addf(&b, "%sinterrupted; go on with: assay %s --resume-from ", isatty(2) ? "\r\033[K" : "",
		    command);
	ay_shell_word(&b, dir);
	ay_str_addc(&b, '\n');
	interrupt_say(2, ay_str_text(&b));
	ay_str_release(&b);
}
