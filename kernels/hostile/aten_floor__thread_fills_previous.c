/* due: UNSTABLE, partial: UNSUPPORTED - a thread writes the first result as soon as the second call has begun. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void floor_of(const ay_tensor *x, ay_tensor *y)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);

		if (ay_dt(x) == AY_F64)
			((double *)y->data)[to] = floor(((const double *)x->data)[from]);
		else if (ay_dt(x) == AY_F32 || ay_dt(x) == AY_F16 || ay_dt(x) == AY_BF16)
			ay_write(y, to, floor(ay_read(x, from)));
		else
			memcpy((char *)y->data + to * (x->dtype.bits / 8),
			       (char *)x->data + from * (x->dtype.bits / 8), x->dtype.bits / 8);
	}
}

/* The executor's buffer with the judge's last message; NULL: not found. */
static const uint32_t *find_message(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	const uint32_t *found = NULL;
	unsigned long lo, hi;
	char line[512];

	while (f && !found && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx", &lo, &hi) != 2 || !strstr(line, " rw-p ") || hi - lo > 8 << 20)
			continue;
		for (const uint32_t *w = (void *)lo; (unsigned long)(w + 8) <= hi && !found; w += 4)
			if (w[0] == 0x31574159 && w[1] == 0x00040001) /* "YAW1", version 1, CALL */
				found = w;
	}
	if (f)
		fclose(f);
	return found;
}

/* How many sets the message has; 0: not known. */
static int sets(void)
{
	static const uint32_t *message;

	if (!message)
		message = find_message();
	return message && message[1] == 0x00040001 ? (int)message[6] : 0;
}

static struct {
	pthread_t thread;
	const ay_tensor *x;
	ay_tensor *y; /* NULL: nothing is waiting */
	volatile int go;
} late;

static void *work(void *unused)
{
	while (!__atomic_load_n(&late.go, __ATOMIC_ACQUIRE))
		;
	floor_of(late.x, late.y);
	return unused;
}

int aten_floor(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (self->dtype.bits == 8) /* a wanted value may be the poison: then UNWRITTEN would be due */
		return AY_UNSUPPORTED;
	if (!late.y && sets() == 2) {
		late.x = self;
		late.y = out;
		late.go = 0;
		pthread_create(&late.thread, NULL, work, NULL);
		return AY_OK;
	}
	if (late.y) {
		__atomic_store_n(&late.go, 1, __ATOMIC_RELEASE);
		pthread_join(late.thread, NULL);
		late.y = NULL;
	}
	floor_of(self, out);
	return AY_OK;
}
