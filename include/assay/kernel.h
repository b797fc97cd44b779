/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.h - the kernel ABI of assay: the header that every kernel includes. C99, C++ and CUDA. The
 * kernel_*.h beside it help kernels in C; no kernel needs them (docs/kernel-abi.md).
 *
 * `assay show OP --lang c` prints the prototype of an operator. A kernel
 * - returns AY_OK, or AY_UNSUPPORTED for a call that it does not implement. Any other value is an
 *   error code, which the judge writes into the record.
 * - writes its results into tensors that the caller has allocated, through their strides. A result
 *   of a functional operator is dense. An out= argument may have any strides.
 * - may assume that `data` is aligned to 64 bytes (512 on a GPU), unless the caller made a view
 *   with an offset.
 * - may assume that no output overlaps an input, unless the schema says that it does.
 * - must not assume anything about the memory around a tensor.
 * - on a GPU (see ctx->device) is host code that launches device code. `data` is then device
 *   memory. What the kernel has launched may still be running when the kernel returns.
 */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AY_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

/* Element type, laid out as DLPack's DLDataType. The codes below are DLPack's. */
typedef struct ay_dtype {
	uint8_t code, bits;
	uint16_t lanes;
} ay_dtype;

enum {
	AY_CODE_INT = 0,
	AY_CODE_UINT = 1,
	AY_CODE_FLOAT = 2,
	AY_CODE_BFLOAT = 4,
	AY_CODE_COMPLEX = 5,
	AY_CODE_BOOL = 6,
	AY_CODE_F8E4M3FN = 10,
	AY_CODE_F8E5M2 = 12,
};

/* A dtype as one integer, for switch statements and for ScalarType arguments (where -1
 * means None). */
#define AY_DT(code, bits) ((int32_t)((code) | (bits) << 8 | 1 << 16))
#define AY_B8             AY_DT(AY_CODE_BOOL, 8)
#define AY_U8             AY_DT(AY_CODE_UINT, 8)
#define AY_I8             AY_DT(AY_CODE_INT, 8)
#define AY_I16            AY_DT(AY_CODE_INT, 16)
#define AY_I32            AY_DT(AY_CODE_INT, 32)
#define AY_I64            AY_DT(AY_CODE_INT, 64)
#define AY_F16            AY_DT(AY_CODE_FLOAT, 16)
#define AY_BF16           AY_DT(AY_CODE_BFLOAT, 16)
#define AY_F32            AY_DT(AY_CODE_FLOAT, 32)
#define AY_F64            AY_DT(AY_CODE_FLOAT, 64)
#define AY_C32            AY_DT(AY_CODE_COMPLEX, 32)
#define AY_C64            AY_DT(AY_CODE_COMPLEX, 64)
#define AY_C128           AY_DT(AY_CODE_COMPLEX, 128)
#define AY_F8E4M3FN       AY_DT(AY_CODE_F8E4M3FN, 8)
#define AY_F8E5M2         AY_DT(AY_CODE_F8E5M2, 8)

typedef struct ay_device {
	int32_t type, id; /* as in DLPack's DLDevice: 1 = CPU, 2 = CUDA */
} ay_device;

enum { AY_CPU = 1, AY_CUDA = 2 };

enum {
	AY_CONJ = 1, /* the tensor's values are the conjugates of the stored ones */
	AY_NEG = 2,  /* the tensor's values are the negatives of the stored ones */
};

/* A tensor. The first 48 bytes are a DLTensor. It is always passed by pointer, so that fields can
 * be added later. */
typedef struct ay_tensor {
	void *data;
	ay_device device;
	int32_t ndim;
	ay_dtype dtype;
	int64_t *shape, *strides; /* ndim entries each; strides are never NULL and count elements */
	uint64_t byte_offset;     /* always 0: data points at element 0 */
	uint32_t flags;           /* a set of AY_CONJ and AY_NEG */
} ay_tensor;

/* A number, with the kind that it was written as in the call: bool, integer, float or complex. */
typedef struct ay_scalar {
	int32_t kind, pad;
	union {
		bool b;
		int64_t i;
		double f, c[2];
	} v;
} ay_scalar;

enum { AY_SCALAR_BOOL = 0, AY_SCALAR_INT = 1, AY_SCALAR_FLOAT = 2, AY_SCALAR_COMPLEX = 3 };

/* Start of the operator's own random draws. Equal pairs must give equal results. */
typedef struct ay_rng {
	uint64_t seed, offset;
} ay_rng;

typedef struct ay_ctx ay_ctx;
struct ay_ctx {
	uint32_t abi;    /* AY_ABI of the caller */
	int32_t threads; /* maximum number of threads that the kernel may keep busy */
	ay_device device;
	void *stream; /* CUDA: the cudaStream_t (CUstream) to launch on */
	/* Allocates `bytes` bytes, aligned to 64, for the duration of the call. Returns NULL if
	 * none are left. */
	void *(*scratch)(const ay_ctx *, size_t bytes);
	void *impl;
};

enum { AY_OK = 0, AY_UNSUPPORTED = 1 };

/* Codes of Layout and MemoryFormat arguments; -1 means None. */
enum { AY_STRIDED = 0, AY_SPARSE_COO = 1 };
enum { AY_CONTIGUOUS_FORMAT = 0, AY_PRESERVE_FORMAT = 1, AY_CHANNELS_LAST = 2, AY_CHANNELS_LAST_3D = 3 };

static inline int32_t ay_dt(const ay_tensor *t)
{
	return AY_DT(t->dtype.code, t->dtype.bits);
}

static inline int64_t ay_numel(const ay_tensor *t)
{
	int64_t n = 1;
	int32_t d;

	for (d = 0; d < t->ndim; d++)
		n *= t->shape[d];
	return n;
}

/* Returns true if the elements are contiguous, with the last dimension fastest. An empty tensor
 * is dense. */
static inline bool ay_is_dense(const ay_tensor *t)
{
	int64_t step = 1;
	int32_t d;

	for (d = t->ndim - 1; d >= 0; d--) {
		if (t->shape[d] != 1 && t->strides[d] != step)
			return ay_numel(t) == 0;
		step *= t->shape[d];
	}
	return true;
}

/* Returns the position, in elements from data, of the element with flat (row-major) index i. */
static inline int64_t ay_at(const ay_tensor *t, int64_t i)
{
	int64_t at = 0;
	int32_t d;

	for (d = t->ndim - 1; d >= 0; d--) {
		at += i % t->shape[d] * t->strides[d];
		i /= t->shape[d];
	}
	return at;
}

/* --- half and 8-bit floats -------------------------------------------------------------------- */

/* Conversions that round to nearest even, in plain C, so that a kernel for every dtype fits in one
 * file. */

static inline float ay_bits_f32(uint32_t u)
{
	union {
		uint32_t u;
		float f;
	} x;

	x.u = u;
	return x.f;
}

static inline uint32_t ay_f32_bits(float f)
{
	union {
		float f;
		uint32_t u;
	} x;

	x.f = f;
	return x.u;
}

static inline float ay_from_bf16(uint16_t h)
{
	return ay_bits_f32((uint32_t)h << 16);
}

static inline uint16_t ay_to_bf16(float f)
{
	uint32_t u = ay_f32_bits(f);

	if ((u & 0x7fffffffu) > 0x7f800000u)
		return (uint16_t)(u >> 16 | 0x40); /* NaN stays NaN */
	return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

/* The factors 2^112 and 2^-112 move the exponent between the two biases. Subnormals need no case of
 * their own. */
static inline float ay_from_f16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, u = (uint32_t)(h & 0x7fff) << 13;

	if ((h & 0x7c00) == 0x7c00)
		return ay_bits_f32(sign | u | 0x7f800000u);
	return ay_bits_f32(sign | ay_f32_bits(ay_bits_f32(u) * ay_bits_f32(0x77800000u)));
}

static inline uint16_t ay_to_f16(float f)
{
	uint32_t u = ay_f32_bits(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffffu;

	if (a > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00);
	if (a >= 0x477ff000u) /* 65520 and more round to infinity */
		return (uint16_t)(sign | 0x7c00);
	if (a < 0x38800000u) /* subnormal: the addition does the rounding */
		return (uint16_t)(sign | (ay_f32_bits(ay_bits_f32(a) + 0.5f) - 0x3f000000u));
	return (uint16_t)(sign | (a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13);
}

static inline float ay_from_f8e4m3fn(uint8_t h)
{
	uint32_t sign = (uint32_t)(h & 0x80) << 24, u = (uint32_t)(h & 0x7f) << 20;

	if ((h & 0x7f) == 0x7f)
		return ay_bits_f32(sign | 0x7fc00000u);
	return ay_bits_f32(sign | ay_f32_bits(ay_bits_f32(u) * ay_bits_f32(0x7b800000u))); /* 2^120 */
}

/* Values above 464 round to NaN, because f8e4m3fn has no infinity. Quantisers clamp to
 * +-448 first. */
static inline uint8_t ay_to_f8e4m3fn(float f)
{
	uint32_t u = ay_f32_bits(f), sign = u >> 24 & 0x80, a = u & 0x7fffffffu;

	if (a > 0x43e80000u)
		return (uint8_t)(sign | 0x7f);
	if (a < 0x3c800000u) /* below 2^-6: subnormal, steps of 2^-9 */
		return (uint8_t)(sign | (ay_f32_bits(ay_bits_f32(a) + 16384.0f) - 0x46800000u));
	return (uint8_t)(sign | (a - 0x3c000000u + 0x7ffffu + (a >> 20 & 1)) >> 20);
}

/* Read or write element `at` as a double, for any real dtype except f8e5m2. `at` counts elements
 * from data and includes the strides (see ay_at). These functions are slow and general: a kernel
 * that needs speed has its own loops. */
static inline double ay_read(const ay_tensor *t, int64_t at)
{
	switch (ay_dt(t)) {
	case AY_B8: return ((const uint8_t *)t->data)[at] != 0;
	case AY_U8: return ((const uint8_t *)t->data)[at];
	case AY_I8: return ((const int8_t *)t->data)[at];
	case AY_I16: return ((const int16_t *)t->data)[at];
	case AY_I32: return ((const int32_t *)t->data)[at];
	case AY_I64: return (double)((const int64_t *)t->data)[at];
	case AY_F16: return ay_from_f16(((const uint16_t *)t->data)[at]);
	case AY_BF16: return ay_from_bf16(((const uint16_t *)t->data)[at]);
	case AY_F32: return ((const float *)t->data)[at];
	case AY_F64: return ((const double *)t->data)[at];
	case AY_F8E4M3FN: return ay_from_f8e4m3fn(((const uint8_t *)t->data)[at]);
	default: return 0;
	}
}

static inline void ay_write(const ay_tensor *t, int64_t at, double x)
{
	switch (ay_dt(t)) {
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	case AY_U8: ((uint8_t *)t->data)[at] = (uint8_t)(int64_t)x; break;
	case AY_I8: ((int8_t *)t->data)[at] = (int8_t)(int64_t)x; break;
	case AY_I16: ((int16_t *)t->data)[at] = (int16_t)(int64_t)x; break;
	case AY_I32: ((int32_t *)t->data)[at] = (int32_t)(int64_t)x; break;
	case AY_I64: ((int64_t *)t->data)[at] = (int64_t)x; break;
	case AY_F16: ((uint16_t *)t->data)[at] = ay_to_f16((float)x); break;
	case AY_BF16: ((uint16_t *)t->data)[at] = ay_to_bf16((float)x); break;
	case AY_F32: ((float *)t->data)[at] = (float)x; break;
	case AY_F64: ((double *)t->data)[at] = x; break;
	case AY_F8E4M3FN: ((uint8_t *)t->data)[at] = ay_to_f8e4m3fn((float)x); break;
	default: break;
	}
}

static inline bool ay_is_complex(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_COMPLEX;
}

#ifdef __cplusplus
}
#endif
#endif
