/* SPDX-License-Identifier: Apache-2.0
 *
 * zygote - jails whose process is forked from a warm process of assay's.
 *
 * Starting an interpreter takes seconds; forking a warm one takes milliseconds. The zygote is a
 * child of the judge that has seen no kernel. At the judge's request it forks with CLONE_PARENT, so
 * that the copy is a child of the judge, which waits for it as for any other child. The copy then
 * builds its jail around itself with the same code as every jailed process.
 */
#ifndef AY_SANDBOX_ZYGOTE_H
#define AY_SANDBOX_ZYGOTE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

struct ay_plan;

/* The judge's end of a zygote. */
struct ay_zygote {
	int sock;             /* SOCK_SEQPACKET */
	pthread_mutex_t lock; /* one request at a time */
};

/* Has the zygote fork a copy for plan `p`. Returns the copy's pid; -1 and errno if it failed. */
pid_t ay_zygote_request(struct ay_zygote *f, const struct ay_plan *p, uint64_t clone_flags, int group);

/*
 * Runs in the zygote: answers one request. Returns 0 in the zygote, to be called again. Returns 1
 * in the copy, which is then inside its jail, with the descriptors of the jail's specification at
 * their numbers and no others. Returns -1 if the judge has ended.
 */
int ay_zygote_serve(int sock);

#endif
