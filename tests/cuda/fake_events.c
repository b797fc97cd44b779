/* SPDX-License-Identifier: Apache-2.0
 *
 * Events that do not tell the time: NONE_MS milliseconds lie between any two of them. Compiled together with fake.c.
 */
#include <stdlib.h>

#ifndef NONE_MS
#define NONE_MS 1
#endif

int cuEventCreate(void **e, unsigned flags);
int cuEventRecord(void *e, void *stream);
int cuEventElapsedTime(float *ms, const void *from, const void *to);

int cuEventCreate(void **e, unsigned flags)
{
	(void)flags;
	*e = calloc(1, 8);
	return *e ? 0 : 2;
}

int cuEventRecord(void *e, void *stream)
{
	(void)e, (void)stream;
	return 0;
}

int cuEventElapsedTime(float *ms, const void *from, const void *to)
{
	(void)from, (void)to;
	*ms = NONE_MS;
	return 0;
}
