/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for a kernel in C: a loop whose range is split among at most ctx->threads threads.
 */
#ifndef ASSAY_KERNEL_THREADS_H
#define ASSAY_KERNEL_THREADS_H

#include <assay/kernel.h>
#include <pthread.h>

enum { AY_MAX_THREADS = 64 };

/* Does elements `from` .. `to` - 1 of the work that `job` describes. */
typedef void ay_work_fn(const void *job, int64_t from, int64_t to);

struct ay_range {
	ay_work_fn *work;
	const void *job;
	int64_t from, to;
};

static inline int64_t ay_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline void *ay_run_range(void *arg)
{
	const struct ay_range *r = (const struct ay_range *)arg;

	r->work(r->job, r->from, r->to);
	return NULL;
}

/* Runs work on 0 .. n - 1. Each thread gets at least `grain` elements; starting one takes about 20 us. A range whose
 * thread does not start runs in the calling thread. */
static inline void ay_parallel_for(ay_work_fn *work, const void *job, int64_t n, int64_t grain, const ay_ctx *ctx)
{
	int64_t k = ay_min(n / grain, ay_min(ctx->threads, AY_MAX_THREADS));
	struct ay_range range[AY_MAX_THREADS];
	pthread_t id[AY_MAX_THREADS];
	bool runs[AY_MAX_THREADS] = { false };

	k = k < 1 ? 1 : k;
	for (int64_t i = k - 1; i >= 0; i--) {
		range[i] = (struct ay_range){ work, job, n * i / k, n * (i + 1) / k };
		runs[i] = i && !pthread_create(&id[i], NULL, ay_run_range, &range[i]);
		if (!runs[i])
			ay_run_range(&range[i]);
	}
	for (int64_t i = 1; i < k; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
}

/* Returns into how many parts to split work of n elements if a part has at least `grain` of them. */
static inline int64_t ay_thread_count(int64_t n, int64_t grain, const ay_ctx *ctx)
{
	return ay_min(ay_min(ctx->threads, AY_MAX_THREADS), 1 + n / grain);
}

#endif
