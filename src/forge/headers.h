/* SPDX-License-Identifier: Apache-2.0
 *
 * The headers that a kernel may include as <assay/NAME>: the files of include/assay/, carried inside assay by
 * src/exec/embed.S. A new one is a row here, a row there, and a row in docs/kernel-abi.md.
 */
#ifndef AY_FORGE_HEADERS_H
#define AY_FORGE_HEADERS_H

#define AY_KERNEL_HEADERS(X)                            \
	X(kernel_h, "kernel.h")                         \
	X(kernel_compare_h, "kernel_compare.h")         \
	X(kernel_complex_h, "kernel_complex.h")         \
	X(kernel_convert_h, "kernel_convert.h")         \
	X(kernel_copy_h, "kernel_copy.h")               \
	X(kernel_elementwise_h, "kernel_elementwise.h") \
	X(kernel_gather_h, "kernel_gather.h")           \
	X(kernel_gemm_h, "kernel_gemm.h")               \
	X(kernel_iter_h, "kernel_iter.h")               \
	X(kernel_random_h, "kernel_random.h")           \
	X(kernel_reduce_h, "kernel_reduce.h")           \
	X(kernel_simd_h, "kernel_simd.h")               \
	X(kernel_threads_h, "kernel_threads.h")

#define AY_COUNT_HEADER(symbol, file) +1
enum { AY_NKERNEL_HEADERS = 0 AY_KERNEL_HEADERS(AY_COUNT_HEADER) };
#undef AY_COUNT_HEADER

struct ay_kernel_header {
	const char *path; /* "assay/kernel.h" */
	const char *text, *end;
};

extern const struct ay_kernel_header ay_kernel_headers[AY_NKERNEL_HEADERS];

#endif
