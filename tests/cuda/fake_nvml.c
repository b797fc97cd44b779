/* SPDX-License-Identifier: Apache-2.0
 *
 * A libnvidia-ml.so.1 without a GPU, for tests. $FAKE_NVML_BITS are the reasons why clocks are low, $FAKE_NVML
 * names something to go wrong ("init", "bus", or "values": it answers nothing), or is "full": clocks are at their
 * most. Every start and end adds a letter to the file $FAKE_NVML_LOG.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 3, NOT_FOUND = 6, UNKNOWN = 999 };

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *s, unsigned n);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **dev);
int nvmlDeviceGetClockInfo(void *dev, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *dev, int type, unsigned *mhz);
int nvmlDeviceGetTemperature(void *dev, int sensor, unsigned *celsius);
int nvmlDeviceGetMinorNumber(void *dev, unsigned *n);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *dev, unsigned long long *bits);
int nvmlDeviceGetPowerUsage(void *dev, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(void *dev, unsigned *mw);

static bool faults(const char *what)
{
	const char *s = getenv("FAKE_NVML");

	return s && !strcmp(s, what);
}

static void note(char c)
{
	const char *path = getenv("FAKE_NVML_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fputc(c, f);
		fclose(f);
	}
}

static int say(unsigned *to, unsigned x)
{
	*to = faults("values") ? 12345 : x;
	return faults("values") ? NOT_SUPPORTED : 0;
}

int nvmlInit_v2(void)
{
	note('i');
	return faults("init") ? UNKNOWN : 0;
}

int nvmlShutdown(void)
{
	note('s');
	return 0;
}

int nvmlSystemGetDriverVersion(char *s, unsigned n)
{
	snprintf(s, n, "580.1");
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **dev)
{
	*dev = &faults;
	return strcmp(bus, "0000:00:00.0") || faults("bus") ? NOT_FOUND : 0;
}

int nvmlDeviceGetClockInfo(void *dev, int type, unsigned *mhz)
{
	(void)dev;
	return faults("full") ? nvmlDeviceGetMaxClockInfo(dev, type, mhz) : say(mhz, type == 1 ? 1500 : 3000);
}

int nvmlDeviceGetMaxClockInfo(void *dev, int type, unsigned *mhz)
{
	(void)dev;
	return say(mhz, type == 1 ? 1980 : 3201);
}

int nvmlDeviceGetTemperature(void *dev, int sensor, unsigned *celsius)
{
	(void)dev, (void)sensor;
	return say(celsius, 41);
}

int nvmlDeviceGetMinorNumber(void *dev, unsigned *n)
{
	(void)dev;
	return say(n, 0);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *dev, unsigned long long *bits)
{
	const char *s = getenv("FAKE_NVML_BITS");
	unsigned x;

	(void)dev;
	*bits = s ? strtoull(s, NULL, 0) : 0;
	return say(&x, 0);
}

int nvmlDeviceGetPowerUsage(void *dev, unsigned *mw)
{
	(void)dev;
	return say(mw, 123600);
}

int nvmlDeviceGetEnforcedPowerLimit(void *dev, unsigned *mw)
{
	(void)dev;
	return say(mw, 700000);
}
