/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling - measured limits of this machine: bytes per second of each cache level, FLOPs per
 * second, cache sizes.
 *
 * They are measured once (`assay doctor --calibrate`, or before the first timing) and kept in
 * $XDG_CACHE_HOME/assay/ceilings.json. The key is the CPU (model and features), the number of CPUs
 * and the version of the format.
 *
 * Floors follow from the ceilings, and a kernel below 0.9 of its floor is called IMPLAUSIBLE. A
 * ceiling that is too high only makes a floor too low, which accuses no kernel wrongly. So each
 * figure is the best of many short runs over every known method, never a mean. The methods are
 * reading, writing, updating, copying and joining two, with SIMD of each width, stores past the
 * caches, and the C library. Afterwards figures are raised to what is certainly possible:
 * - A smaller working set is not slower.
 * - More threads are not slower.
 * - One thread alone is not slower than one of many.
 * - A cache is as fast as at its best size, since another program may have used the rest of it.
 * - n threads are n times as fast as one in caches and units of their own. Two threads of one core
 *   are not, but that only lowers floors.
 */
#ifndef AY_TIMING_CEILING_H
#define AY_TIMING_CEILING_H

#include "base/err.h"
#include "tensor/dtype.h"

enum ay_level { AY_LEVEL_L1, AY_LEVEL_L2, AY_LEVEL_L3, AY_LEVEL_MEMORY, AY_LEVEL_COUNT };
enum { AY_CURVE = 12, AY_CEILING_THREADS = 8 };

/* Bytes read or written per second by all threads together, when each thread uses its share of
 * `bytes` again and again. */
struct ay_curve_point {
	double bytes, per_s;
};

struct ay_ceiling_row {
	int threads;
	int n;
	struct ay_curve_point point[AY_CURVE]; /* sizes ascending, speeds non-increasing */
	/* FLOPs per second; a fused multiply-add counts as two */
	double f32, f64;
};

/* What matrix units multiply. */
#define AY_PRODUCTS(P) \
	P(F64, "f64") P(F32, "f32") P(TF32, "tf32") P(F16, "f16") P(BF16, "bf16") P(I8, "i8") P(F8, "f8")
enum ay_product {
#define P(id, name) AY_PRODUCT_##id,
	AY_PRODUCTS(P)
#undef P
		AY_PRODUCT_COUNT
};

/* Figures of a GPU; all 0 for a CPU. They are reported only and enter no floor. */
struct ay_gpu_figures {
	/* bytes per second in memory far larger than the L2, for each kind of access alone; a copy
	 * counts its bytes twice */
	double read, write, copy;
	double launch_ns; /* CPU time of one launch among many */
	double kernel_ns; /* GPU time of one empty kernel among many */
	/* from the launch of an empty kernel until the host knows that it has finished */
	double latency_ns;
	/* FLOPs per second of large cuBLAS products; 0: not measured */
	double product[AY_PRODUCT_COUNT];
	int sm_mhz, memory_mhz; /* clocks during the measurement; 0: not known */
	double wall_s;          /* seconds that the measurement took */
};

struct ay_ceilings {
	/* see ay_machine_cpu; for a GPU: its identity, driver and name */
	char cpu[96];
	int cpus; /* 1 for a GPU */
	/* bytes of L1d and L2 of one core and of the whole L3; 0: no such cache */
	uint64_t cache[AY_LEVEL_MEMORY];
	int nthread;                                   /* how many of the rows below are filled */
	struct ay_ceiling_row row[AY_CEILING_THREADS]; /* for 1, 2, 4... and all CPUs */
	bool quick;
	char when[32]; /* UTC */
	struct ay_gpu_figures gpu;
};

/* Reads the saved ceilings of this machine. *found is false if there are none, or none that can be
 * parsed. */
int ay_ceilings_load(struct ay_ceilings *c, bool *found, struct ay_err *err);
/* Reads the saved ceilings of the named CPU or GPU. Returns false if there are none. */
bool ay_ceilings_find(struct ay_ceilings *c, const char *cpu, int cpus);
/* Measures the ceilings, in about one second if `quick`, else in about five. Runs threads on the
 * CPUs that ay_cpuset_choose returns for their number. A caller that needs an undisturbed machine
 * locks it first. */
int ay_ceilings_measure(struct ay_ceilings *c, bool quick, struct ay_err *err);
int ay_ceilings_save(const struct ay_ceilings *c, struct ay_err *err);
/* Loads the ceilings, or measures them quickly and saves them. A cache folder that cannot be
 * written is no failure. */
int ay_ceilings_get(struct ay_ceilings *c, struct ay_err *err);
/* Makes speeds non-increasing with the size and non-decreasing with the threads, by raising
 * figures that are too low. */
void ay_ceilings_repair(struct ay_ceilings *c);

/* Returns the highest speed for bytes that are touched once, if all sets of a batch have
 * pool_bytes. This is the speed of the largest measured size not above pool_bytes, with the
 * smallest measured number of threads not below `threads`. */
double ay_ceiling_bytes_per_s(const struct ay_ceilings *c, int threads, double pool_bytes);
/* Returns the FLOPs per second for products of dtype `dt`; 0: not known. Matrix units of a GPU
 * count if they accept that dtype unchanged: TF32 does not count for f32. */
double ay_ceiling_flops(const struct ay_ceilings *c, int threads, enum ay_dt dt);
/* Returns the level that holds a pool of this size: MEMORY beyond twice the last cache. */
enum ay_level ay_ceiling_level(const struct ay_ceilings *c, double pool_bytes);
const char *ay_level_name(enum ay_level l); /* "L1", "L2", "L3", "memory" */
const char *ay_product_name(enum ay_product p);

#endif
