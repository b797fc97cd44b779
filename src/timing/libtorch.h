/* SPDX-License-Identifier: Apache-2.0
 *
 * libtorch - the baseline `aten` for native kernels: C that calls PyTorch's dispatcher through its C ABI.
 *
 * From an overload's schema follows the whole function, so there is none to write: see baselines/torch_abi.h for what it
 * stands on. What the ABI has no type for (Scalar, Generator, lists of results) goes by way of Python instead.
 */
#ifndef AY_TIMING_LIBTORCH_H
#define AY_TIMING_LIBTORCH_H

#include "base/arena.h"
#include "op/proto.h"

#include <stdbool.h>

/* The function as it is judged, which leaves its results where a kernel's belong; as it is timed, which has the tensors
 * that ATen made; and one of the same prototype that calls the least that ATen has. */
enum ay_libtorch { AY_LIBTORCH_JUDGED, AY_LIBTORCH_TIMED, AY_LIBTORCH_LEAST };

/* What of this machine its executor must see: the interpreter's folders, and what the library looks at to choose its
 * code for this processor. Without that it runs its plainest: 13 times as slow. NULL-ended, in the arena. */
const char *const *ay_libtorch_folders(struct ay_arena *a, const char *const *python);
/* Does the ABI have all types of this overload? */
bool ay_libtorch_takes(const struct ay_schema *s);
/* The half of it for GPUs, which lies beside the other; NULL: this torch has none. In the arena. */
const char *ay_libtorch_cuda(struct ay_arena *a, const char *library);
/* The source of its function. library: the path of libtorch_cpu.so; cuda: that of ay_libtorch_cuda, for tensors on a GPU, or
 * NULL. In the arena. */
const char *ay_libtorch_source(struct ay_arena *a, const struct ay_proto *p, enum ay_libtorch what,
			       const char *library, const char *cuda);

#endif
