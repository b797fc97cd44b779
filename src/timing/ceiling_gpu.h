/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_gpu - what a GPU can do at best, as a struct ay_ceilings: one row (threads: 1), its L2 as the last cache
 * (AY_LEVEL_L3), no other. Floors and levels are made of it as of a processor's.
 *
 * Theory of operation. Kernels of the judge's own (ceiling.cu) read, write, update, copy and join memory of sizes
 * from an eighth of the L2 to 32 times the L2, in several shapes of grids, tiles and copy engines; the driver's
 * own memset and memcpy compete with them. Each window is timed by two events in the judge's context, what an
 * empty launch takes is subtracted, and the fastest window of a size counts.
 *
 * A kernel below 0.9 of its floor is called IMPLAUSIBLE, so no figure may be too low. What keeps it from that:
 *   - Only bytes that a kernel must touch are in a floor, each once a call. The caches of SMs hold nothing over
 *     from one launch to the next, so such a byte comes from the L2 or from memory, and all of it is measured past
 *     those caches.
 *   - The best mix counts: inside the L2 reading and writing at once (on an H200 10.5 TB/s, where reading alone
 *     has 9.2 and writing 4.7), beyond it writing alone. An operator with another mix has a floor that is too
 *     kind.
 *   - All sizes up to that of the L2 have the speed of the best of them.
 *   - A pool beyond the L2 may have found as much of itself there as the L2 holds, whoever put it there, in both
 *     of its halves: a point of P bytes is raised to (1 - L2/P) of its bytes at memory's speed and the rest at the
 *     L2's, which no walk can beat. On an H200 16 % above memory's speed at four times the L2, 2 % at 32 times.
 *   - What was measured at clocks below the highest that the GPU allows is raised by their ratio: those of its SMs
 *     for the L2, of its memory for what is beyond.
 *   - What was measured quickly has a margin in floor.c: 10 %, where 0.95 of the L2's speed and 0.99 of memory's
 *     were seen.
 *   - Memory is not compressed: neither ours nor what allocators of frameworks give. A kernel that asks for memory
 *     which the hardware compresses, and writes constants to it, could be faster than this.
 * Content is random bits: what is all zeros takes less power, not less time.
 */
#ifndef AY_TIMING_CEILING_GPU_H
#define AY_TIMING_CEILING_GPU_H

#include "device/device.h"
#include "timing/ceiling.h"

/* Loads what was kept for this GPU with this driver, or measures quickly (half a second, and as much again the first
 * time, for NVRTC) and saves. A cache folder that cannot be written is no failure; NVRTC missing is one. */
int ay_ceilings_get_gpu(struct ay_ceilings *c, struct ay_dev *d, struct ay_err *err);
/* Only loads. */
bool ay_ceilings_find_gpu(struct ay_ceilings *c, struct ay_dev *d);
/* Measures. Not quick: ten seconds, and products by cuBLAS where that is found; without it they are 0. Whoever
 * wants to be alone with the GPU takes its lock before (quiet.h). */
int ay_ceilings_measure_gpu(struct ay_ceilings *c, struct ay_dev *d, bool quick, struct ay_err *err);
/* What is surely possible, enforced upwards (see above): ay_ceilings_repair, then the part of a pool that the L2 holds. */
void ay_ceilings_repair_gpu(struct ay_ceilings *c);

#endif
