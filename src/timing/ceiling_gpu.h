/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_gpu - measures the limits of a GPU, as a struct ay_ceilings.
 *
 * The result has one row (threads: 1) and the L2 as its only cache (AY_LEVEL_L3). Floors and
 * levels follow from it as they do for a CPU.
 *
 * Theory of operation. Kernels of the judge (ceiling.cu) read, write, update, copy and join memory
 * of sizes from an eighth of the L2 to 32 times the L2. They use several shapes of grids, tiles
 * and copy engines. The driver's own memset and memcpy compete with them. Two events in the
 * judge's context time each window. The time of an empty launch is subtracted, and the fastest
 * window of a size counts.
 *
 * A kernel below 0.9 of its floor is called IMPLAUSIBLE, so no figure may be too low. These rules
 * ensure that:
 * - A floor counts only bytes that a kernel must touch, each once per call. The caches of SMs keep
 *   nothing from one launch to the next. So each such byte comes from the L2 or from memory, and
 *   everything is measured beyond the SM caches.
 * - The best mix counts. Inside the L2 it is reading and writing at once (10.5 TB/s on an H200,
 *   where reading alone has 9.2 and writing alone 4.7). Beyond the L2 it is writing alone. An
 *   operator with another mix has a floor that is too low.
 * - All sizes up to that of the L2 have the speed of the best of them.
 * - A pool beyond the L2 may have found as much of itself there as the L2 holds, no matter what
 *   put it there, in both of its halves. So a point of P bytes is raised: (1 - L2/P) of its bytes
 *   count at memory's speed and the rest at the L2's. No access order can beat that. On an H200
 *   this is 16 % above memory's speed at four times the L2, and 2 % at 32 times.
 * - A figure measured below the highest clock that the GPU allows is raised by the ratio of the
 *   clocks: that of the SMs for the L2, that of the memory beyond the L2.
 * - Quick measurements have a margin of 10 % in floor.c. They have shown 0.95 of the L2's speed
 *   and 0.99 of memory's.
 * - Memory is not compressed: neither the judge's nor what the allocators of frameworks return. A
 *   kernel that requests memory which the hardware compresses, and writes constants to it, could
 *   be faster than these figures.
 *
 * Content is random bits. Zeros take less power, but not less time.
 */
#ifndef AY_TIMING_CEILING_GPU_H
#define AY_TIMING_CEILING_GPU_H

#include "device/device.h"
#include "timing/ceiling.h"

/* Loads the saved ceilings of this GPU and driver, or measures them quickly and saves them.
 * Measuring takes half a second, and half a second more the first time, for NVRTC. A cache folder
 * that cannot be written is no failure. A missing NVRTC is one. */
int ay_ceilings_get_gpu(struct ay_ceilings *c, struct ay_dev *d, struct ay_err *err);
/* Loads saved ceilings. Returns false if there are none. */
bool ay_ceilings_find_gpu(struct ay_ceilings *c, struct ay_dev *d);
/* Measures the ceilings. If not `quick`, this takes ten seconds and includes cuBLAS products,
 * which are 0 if cuBLAS is not found. A caller that needs the GPU exclusively locks it first
 * (perf_lock.h). */
int ay_ceilings_measure_gpu(struct ay_ceilings *c, struct ay_dev *d, bool quick, struct ay_err *err);
/* Raises figures to what is certainly possible: applies ay_ceilings_repair, then accounts for the
 * part of a pool that the L2 holds. */
void ay_ceilings_repair_gpu(struct ay_ceilings *c);

#endif
