/* SPDX-License-Identifier: Apache-2.0
 *
 * NVML reports what the driver's own interface does not, above all clocks. It is found by dlopen.
 * Callers that read often keep a connection open, because starting it takes tens of milliseconds.
 */
#include "device/gpu.h"
#include "device/device_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, TEMPERATURE_GPU = 0 };

struct ay_nvml_link {
	void *so, *dev;
	int (*init)(void);
	int (*shutdown)(void);
	int (*driver)(char *s, unsigned n);
	int (*by_bus)(const char *bus, void **dev);
	int (*clock)(void *dev, int type, unsigned *mhz);
	int (*max_clock)(void *dev, int type, unsigned *mhz);
	int (*temperature)(void *dev, int sensor, unsigned *celsius);
	int (*minor)(void *dev, unsigned *n);
	int (*throttled)(void *dev, unsigned long long *bits);
	int (*power)(void *dev, unsigned *mw);
	int (*power_most)(void *dev, unsigned *mw);
};

/* Finds all functions. They are as old as NVML for CUDA 11. */
static bool find_all(struct ay_nvml_link *m, char *why, size_t n)
{
	const struct ay_symbol table[] = {
		{ "nvmlInit_v2", offsetof(struct ay_nvml_link, init) },
		{ "nvmlShutdown", offsetof(struct ay_nvml_link, shutdown) },
		{ "nvmlSystemGetDriverVersion", offsetof(struct ay_nvml_link, driver) },
		{ "nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct ay_nvml_link, by_bus) },
		{ "nvmlDeviceGetClockInfo", offsetof(struct ay_nvml_link, clock) },
		{ "nvmlDeviceGetMaxClockInfo", offsetof(struct ay_nvml_link, max_clock) },
		{ "nvmlDeviceGetTemperature", offsetof(struct ay_nvml_link, temperature) },
		{ "nvmlDeviceGetMinorNumber", offsetof(struct ay_nvml_link, minor) },
		{ "nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct ay_nvml_link, throttled) },
		{ "nvmlDeviceGetPowerUsage", offsetof(struct ay_nvml_link, power) },
		{ "nvmlDeviceGetEnforcedPowerLimit", offsetof(struct ay_nvml_link, power_most) },
	};
	const char *missing = ay_cuda_symbols(m->so, sizeof table / sizeof *table, table, m);

	if (missing)
		snprintf(why, n, "libnvidia-ml.so.1 has no %s", missing);
	return !missing;
}

/* --- the link -------------------------------------------------------------------------------------------- */

void ay_nvml_close(struct ay_nvml_link *m)
{
	if (!m)
		return;
	if (m->dev)
		m->shutdown();
	if (m->so)
		dlclose(m->so);
	ay_xfree(m);
}

struct ay_nvml_link *ay_nvml_open(const char *bus, char *why, size_t n)
{
	struct ay_nvml_link *m = ay_xrealloc(NULL, sizeof *m);
	int e = 0;

	*m = (struct ay_nvml_link){ .so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL) };
	if (!m->so) {
		const char *s = dlerror();

		snprintf(why, n, "%s", s ? s : "libnvidia-ml.so.1 cannot be opened");
	} else if (find_all(m, why, n)) {
		e = m->init();
		if (!e && (e = m->by_bus(bus, &m->dev))) {
			m->dev = NULL;
			m->shutdown();
		}
	}
	if (e)
		snprintf(why, n, "NVML answers with error %d", e);
	if (m->dev)
		return m;
	ay_nvml_close(m);
	return NULL;
}

/* --- reading --------------------------------------------------------------------------------------------- */

static void ask(const struct ay_nvml_link *m, struct ay_nvml *v)
{
	unsigned long long bits;
	unsigned x;

	if (!m->clock(m->dev, CLOCK_SM, &x))
		v->sm_mhz = (int)x;
	if (!m->clock(m->dev, CLOCK_MEMORY, &x))
		v->memory_mhz = (int)x;
	if (!m->max_clock(m->dev, CLOCK_SM, &x))
		v->sm_max_mhz = (int)x;
	if (!m->max_clock(m->dev, CLOCK_MEMORY, &x))
		v->memory_max_mhz = (int)x;
	if (!m->temperature(m->dev, TEMPERATURE_GPU, &x))
		v->celsius = (int)x;
	if (!m->minor(m->dev, &x))
		v->minor = (int)x;
	if (!m->power(m->dev, &x))
		v->watts = (int)((x + 500) / 1000);
	if (!m->power_most(m->dev, &x))
		v->watts_most = (int)((x + 500) / 1000);
	if (!m->throttled(m->dev, &bits))
		v->throttled = (int64_t)bits;
}

int ay_nvml_read(const char *bus, struct ay_nvml *v, char *why, size_t n)
{
	struct ay_nvml_link *m = ay_nvml_open(bus, why, n);

	*v = (struct ay_nvml){ .sm_mhz = -1,
			       .memory_mhz = -1,
			       .sm_max_mhz = -1,
			       .memory_max_mhz = -1,
			       .celsius = -1,
			       .watts = -1,
			       .watts_most = -1,
			       .minor = -1,
			       .throttled = -1 };
	if (!m)
		return -1;
	m->driver(v->driver, sizeof v->driver);
	ask(m, v);
	ay_nvml_close(m);
	return 0;
}

void ay_nvml_state(const struct ay_nvml_link *m, struct ay_gpu_state *s)
{
	unsigned long long bits;
	unsigned x;

	*s = (struct ay_gpu_state){ .sm_mhz = -1, .memory_mhz = -1, .celsius = -1 };
	if (!m->clock(m->dev, CLOCK_SM, &x))
		s->sm_mhz = (int)x;
	if (!m->clock(m->dev, CLOCK_MEMORY, &x))
		s->memory_mhz = (int)x;
	if (!m->temperature(m->dev, TEMPERATURE_GPU, &x))
		s->celsius = (int)x;
	if (!m->throttled(m->dev, &bits))
		s->throttled = bits & ~(uint64_t)AY_THROTTLE_NOT;
}

int ay_gpu_state(struct ay_dev *d, struct ay_gpu_state *s)
{
	struct gpu *g = ay_gpu_of(d);
	char why[200];

	if (!g->nvml && !g->no_nvml) {
		g->no_nvml = !(g->nvml = ay_nvml_open(d->info.bus, why, sizeof why));
		if (g->nvml) /* the first request of each kind takes 5 ms, so it is made here */
			ay_nvml_state(g->nvml, s);
	}
	if (g->nvml)
		ay_nvml_state(g->nvml, s);
	else
		*s = (struct ay_gpu_state){ .sm_mhz = -1, .memory_mhz = -1, .celsius = -1 };
	return g->nvml ? 0 : -1;
}

/* --- as text --------------------------------------------------------------------------------------------- */

/* Names of the bits of nvmlClocksEventReasons. The first two are AY_THROTTLE_NOT: the GPU is idle,
 * or its clocks were set. */
const char *ay_gpu_throttle_words(uint64_t bits, char *buf)
{
	static const char *const words[] = { "idle",
					     "clocks set by its owner",
					     "power limit",
					     "hardware slowdown",
					     "another GPU of its group",
					     "heat, by the driver",
					     "heat, by the hardware",
					     "power brake",
					     "display clocks" };
	enum { COUNT = sizeof words / sizeof *words };
	size_t n = 0;

	buf[0] = 0;
	for (int i = 0; i < COUNT; i++)
		if (bits >> i & 1)
			n += (size_t)snprintf(buf + n, AY_THROTTLE_WORDS - n, "%s%s", n ? ", " : "", words[i]);
	if (bits >> COUNT)
		snprintf(buf + n, AY_THROTTLE_WORDS - n, "%sreason %#llx", n ? ", " : "",
			 (unsigned long long)(bits >> COUNT << COUNT));
	return buf;
}
