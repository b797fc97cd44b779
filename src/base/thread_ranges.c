/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread_ranges.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* One thread's part. */
struct range_part {
	ay_range_fn fn;
	void *user;
	int64_t lo, hi;
};

static void *do_part(void *arg)
{
	const struct range_part *p = arg;

	p->fn(p->user, p->lo, p->hi);
	return NULL;
}

void ay_thread_ranges(ay_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t least, int threads)
{
	enum { MOST = 64 };
	const int64_t n = hi - lo;
	struct range_part part[MOST];
	pthread_t t[MOST];
	bool runs[MOST] = { false };
	int count = threads < MOST ? threads : MOST;

	if (n / least < count)
		count = n / least < 1 ? 1 : (int)(n / least);
	for (int i = 0; i < count; i++) {
		part[i] = (struct range_part){ fn, user, lo + n / count * i, hi };
		if (i + 1 < count) {
			part[i].hi = lo + n / count * (i + 1);
			runs[i] = !pthread_create(&t[i], NULL, do_part, &part[i]);
		}
		if (!runs[i])
			do_part(&part[i]);
	}
	for (int i = 0; i < count; i++)
		if (runs[i])
			pthread_join(t[i], NULL);
}
