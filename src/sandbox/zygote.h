/* SPDX-License-Identifier: Apache-2.0
 *
 * far - jails whose process is a copy of another process of ours.
 *
 * Starting an interpreter takes seconds, forking one that is warm takes milliseconds. So a template, a child of the
 * judge that has seen no kernel, is asked for a copy of itself: it forks (CLONE_PARENT: the copy is a child of the
 * judge, who waits for it as for any other), and the copy builds the walls around itself with the same code as
 * every jailed process.
 */
#ifndef AY_SANDBOX_ZYGOTE_H
#define AY_SANDBOX_ZYGOTE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

struct ay_plan;

/* The judge's end of a template. */
struct ay_zygote {
	int sock;             /* SOCK_SEQPACKET */
	pthread_mutex_t lock; /* one question at a time */
};

/* The copy's process number; -1 and errno. */
pid_t ay_zygote_request(struct ay_zygote *f, const struct ay_plan *p, uint64_t clone_flags, int group);

/*
 * In the template: answers one question. 0: go on; 1: this is the copy, inside its walls, with the descriptors of
 * the jail's specification at their numbers and no others; -1: the judge has gone.
 */
int ay_zygote_serve(int sock);

#endif
