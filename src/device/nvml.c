/* SPDX-License-Identifier: Apache-2.0
 *
 * NVML, opened when it is asked and closed again: it says what the driver's own interface does not, clocks above all.
 */
#include "device/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, TEMPERATURE_GPU = 0 };

struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	int (*driver)(char *s, unsigned n);
	int (*by_bus)(const char *bus, void **dev);
	int (*clock)(void *dev, int type, unsigned *mhz);
	int (*max_clock)(void *dev, int type, unsigned *mhz);
	int (*temperature)(void *dev, int sensor, unsigned *celsius);
	int (*minor)(void *dev, unsigned *n);
	int (*throttled)(void *dev, unsigned long long *bits);
};

/* All of them are as old as NVML for CUDA 11. */
static bool find_all(void *so, struct nvml *m, char *why, size_t n)
{
	const struct {
		const char *symbol;
		size_t at;
	} table[] = {
		{ "nvmlInit_v2", offsetof(struct nvml, init) },
		{ "nvmlShutdown", offsetof(struct nvml, shutdown) },
		{ "nvmlSystemGetDriverVersion", offsetof(struct nvml, driver) },
		{ "nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml, by_bus) },
		{ "nvmlDeviceGetClockInfo", offsetof(struct nvml, clock) },
		{ "nvmlDeviceGetMaxClockInfo", offsetof(struct nvml, max_clock) },
		{ "nvmlDeviceGetTemperature", offsetof(struct nvml, temperature) },
		{ "nvmlDeviceGetMinorNumber", offsetof(struct nvml, minor) },
		{ "nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, throttled) },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		void *f = dlsym(so, table[i].symbol);

		if (!f) {
			snprintf(why, n, "libnvidia-ml.so.1 has no %s", table[i].symbol);
			return false;
		}
		memcpy((char *)m + table[i].at, &f, sizeof f);
	}
	return true;
}

static void ask(const struct nvml *m, void *dev, struct ay_nvml *v)
{
	unsigned long long bits;
	unsigned x;

	if (!m->clock(dev, CLOCK_SM, &x))
		v->sm_mhz = (int)x;
	if (!m->clock(dev, CLOCK_MEMORY, &x))
		v->memory_mhz = (int)x;
	if (!m->max_clock(dev, CLOCK_SM, &x))
		v->sm_max_mhz = (int)x;
	if (!m->max_clock(dev, CLOCK_MEMORY, &x))
		v->memory_max_mhz = (int)x;
	if (!m->temperature(dev, TEMPERATURE_GPU, &x))
		v->celsius = (int)x;
	if (!m->minor(dev, &x))
		v->minor = (int)x;
	if (!m->throttled(dev, &bits))
		v->throttled = (int64_t)bits;
}

int ay_nvml_read(const char *bus, struct ay_nvml *v, char *why, size_t n)
{
	void *so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *dev = NULL;
	struct nvml m;
	int rc = -1;

	*v = (struct ay_nvml){ .sm_mhz = -1,
			       .memory_mhz = -1,
			       .sm_max_mhz = -1,
			       .memory_max_mhz = -1,
			       .celsius = -1,
			       .minor = -1,
			       .throttled = -1 };
	if (!so) {
		const char *s = dlerror();

		snprintf(why, n, "%s", s ? s : "libnvidia-ml.so.1 cannot be opened");
		return -1;
	}
	if (find_all(so, &m, why, n) && !(rc = m.init())) {
		m.driver(v->driver, sizeof v->driver);
		rc = m.by_bus(bus, &dev);
		if (!rc)
			ask(&m, dev, v);
		m.shutdown();
	}
	if (rc > 0)
		snprintf(why, n, "NVML answers with error %d", rc);
	dlclose(so);
	return rc ? -1 : 0;
}
