/* SPDX-License-Identifier: Apache-2.0
 *
 * libtorch - the baseline `aten` for native kernels: C code that calls PyTorch's dispatcher
 * through its C ABI.
 *
 * The whole function follows from the schema of an overload, so it is generated.
 * baselines/torch_abi.h explains what the code relies on. Overloads with types that the ABI lacks
 * (Scalar, Generator, lists of results) are called through Python instead.
 */
#ifndef AY_TIMING_LIBTORCH_H
#define AY_TIMING_LIBTORCH_H

#include "base/arena.h"
#include "op/proto.h"

#include <stdbool.h>

/* Variants of the function. JUDGED: leaves its results where those of a kernel belong. TIMED:
 * returns the tensors that ATen allocated. LEAST: has the prototype of the overload, but calls
 * ATen's cheapest function. */
enum ay_libtorch { AY_LIBTORCH_JUDGED, AY_LIBTORCH_TIMED, AY_LIBTORCH_LEAST };

/* Returns the folders that its executor must see: those of the interpreter, and the files that the
 * library reads to choose its code for this CPU. Without these it runs its slowest code, 13 times
 * as slow. NULL-terminated, in the arena. */
const char *const *ay_libtorch_folders(struct ay_arena *a, const char *const *python);
/* Returns true if the ABI supports all types of this overload. */
bool ay_libtorch_takes(const struct ay_schema *s);
/* Returns the path of torch's CUDA library, which lies beside the CPU library; NULL: this torch
 * has none. In the arena. */
const char *ay_libtorch_cuda(struct ay_arena *a, const char *library);
/* Returns the source of the function. library: path of libtorch_cpu.so. cuda: result of
 * ay_libtorch_cuda, for tensors on a GPU, or NULL. In the arena. */
const char *ay_libtorch_source(struct ay_arena *a, const struct ay_proto *p, enum ay_libtorch what,
			       const char *library, const char *cuda);

#endif
