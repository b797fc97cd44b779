/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling - what this machine can do at best: bytes a second per level of the cache, FLOPs a second, and how large
 * its caches are. Measured once (`assay doctor --calibrate`, or before the first timing) and kept in
 * $XDG_CACHE_HOME/assay/ceilings.json under a key of the CPU (model and features), the number of CPUs and this
 * format's version.
 *
 * Floors are made from these, and a kernel below 0.9 of its floor is called IMPLAUSIBLE. So each figure is the best
 * of many short runs over every way we know (reading, writing, updating, copying, joining two; SIMD of each width,
 * stores past the caches, the C library), never a mean: a ceiling that is too high only makes a floor too kind.
 * What is surely possible is then enforced upwards: a smaller working set is not slower, more threads are not
 * slower, one thread is not slower than one of many, a cache is as fast as at its best size (a neighbour on the same
 * machine may have had the rest of it), and n threads are n times as fast as one in caches and units of their own
 * (two of one core are not, but that errs on the kind side).
 */
#ifndef AY_TIMING_CEILING_H
#define AY_TIMING_CEILING_H

#include "base/err.h"
#include "tensor/dtype.h"

enum ay_level { AY_LEVEL_L1, AY_LEVEL_L2, AY_LEVEL_L3, AY_LEVEL_MEMORY, AY_LEVEL_COUNT };
enum { AY_CURVE = 12, AY_CEILING_THREADS = 8 };

/* Bytes read or written a second, all threads together, when each thread's share of `bytes` is used again and
 * again. */
struct ay_curve_point {
	double bytes, per_s;
};

struct ay_ceiling_row {
	int threads;
	int n;
	struct ay_curve_point point[AY_CURVE]; /* sizes ascending, speeds made non-increasing */
	double f32, f64;                       /* FLOPs a second, fused multiply-adds counted twice */
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

/* Of a GPU alone; of a processor all is 0. What is only told, and in no floor. */
struct ay_gpu_figures {
	double read, write,
		copy;      /* bytes a second far beyond its L2, each way for itself; a copy's bytes count twice */
	double launch_ns;  /* of the host, for one launch of many */
	double kernel_ns;  /* of the GPU, for an empty kernel, one of many */
	double latency_ns; /* launch of an empty kernel until the host knows that it is over */
	double product[AY_PRODUCT_COUNT]; /* FLOPs a second of large products by cuBLAS; 0 = not measured */
	int sm_mhz, memory_mhz;           /* while it was measured; 0 = not known */
	double wall_s;                    /* that measuring took */
};

struct ay_ceilings {
	char cpu[96];                    /* see ay_machine_cpu; of a GPU: its identity, driver and name */
	int cpus;                        /* of a GPU: 1 */
	uint64_t cache[AY_LEVEL_MEMORY]; /* bytes of L1d and L2 of one core, of the whole L3; 0 = there is none */
	int nthread;                     /* how many of the rows below are filled */
	struct ay_ceiling_row row[AY_CEILING_THREADS]; /* 1, 2, 4... and all CPUs */
	bool quick;
	char when[32]; /* UTC */
	struct ay_gpu_figures gpu;
};

/* Reads what was kept for this machine; *found false if there is nothing (or nothing that can be understood). */
int ay_ceilings_load(struct ay_ceilings *c, bool *found, struct ay_err *err);
/* The same for what is kept under another name. */
bool ay_ceilings_find(struct ay_ceilings *c, const char *cpu, int cpus);
/* Measures; quick: about a second, else about five. Runs threads on the CPUs that ay_cpuset_choose gives for their
 * number. Whoever wants a quiet machine takes its locks before. */
int ay_ceilings_measure(struct ay_ceilings *c, bool quick, struct ay_err *err);
int ay_ceilings_save(const struct ay_ceilings *c, struct ay_err *err);
/* Loads, or measures quickly and saves. A cache folder that cannot be written is no failure. */
int ay_ceilings_get(struct ay_ceilings *c, struct ay_err *err);
/* Makes speeds non-increasing with the size and non-decreasing with the threads (see above), by raising what is too
 * low. */
void ay_ceilings_repair(struct ay_ceilings *c);

/* The fastest that `bytes` which are touched once can go when the whole pool of them is pool_bytes large: the speed
 * of the largest measured size not above pool_bytes, with the smallest measured number of threads not below
 * `threads`. */
double ay_ceiling_bytes_per_s(const struct ay_ceilings *c, int threads, double pool_bytes);
/* dt: of what is multiplied. 0 = not known. A GPU's matrix units are counted where they take that dtype as it is: not
 * TF32 for f32. */
double ay_ceiling_flops(const struct ay_ceilings *c, int threads, enum ay_dt dt);
/* Where a pool of this size lives: MEMORY beyond twice the last cache. */
enum ay_level ay_ceiling_level(const struct ay_ceilings *c, double pool_bytes);
const char *ay_level_name(enum ay_level l); /* "L1", "L2", "L3", "memory" */
const char *ay_product_name(enum ay_product p);

#endif
