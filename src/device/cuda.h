/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda - the part of the CUDA driver's interface that assay uses: declared here, found by dlopen.
 *
 * Building needs no header of CUDA, and the program also runs where there is no driver. Only
 * functions are used whose versions have not changed since CUDA 11.4. Shared by the judge and the
 * executors: depends on libc alone.
 */
#ifndef AY_DEVICE_CUDA_H
#define AY_DEVICE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver's own values and layouts (cuda.h). A test compares them with the real header if that
 * is installed. */
enum {
	AY_CU_OK = 0,
	AY_CU_OUT_OF_MEMORY = 2,
	AY_CU_NO_DEVICE = 100,
	AY_CU_NO_CONTEXT = 201, /* this thread has no current context */
	AY_CU_NOT_READY = 600,
	AY_CU_ILLEGAL_ADDRESS = 700,

	AY_CU_HANDLE_FD = 1,  /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
	AY_CU_PINNED = 1,     /* CU_MEM_ALLOCATION_TYPE_PINNED */
	AY_CU_ON_DEVICE = 1,  /* CU_MEM_LOCATION_TYPE_DEVICE */
	AY_CU_READ = 1,       /* CU_MEM_ACCESS_FLAGS_PROT_READ */
	AY_CU_READ_WRITE = 3, /* CU_MEM_ACCESS_FLAGS_PROT_READWRITE */
	AY_CU_TYPE_HOST = 1,  /* CU_MEMORYTYPE_HOST */
	AY_CU_TYPE_DEVICE = 2,
	/* CU_STREAM_DEFAULT: ordered with work on the default stream */
	AY_CU_STREAM_BLOCKING = 0,
	AY_CU_STREAM_NON_BLOCKING = 1, /* not ordered with the default stream */
};

enum ay_cu_attribute {
	AY_CU_SMS = 16,
	AY_CU_L2_BYTES = 38,
	AY_CU_MAJOR = 75,
	AY_CU_MINOR = 76,
	AY_CU_FD_HANDLES = 103, /* whether memory can be exported as a file descriptor */
};

struct ay_cu_location {
	int32_t type, id;
};

struct ay_cu_prop {
	int32_t type, handles;
	struct ay_cu_location location;
	void *windows;
	uint8_t compression, rdma;
	uint16_t usage;
	uint8_t reserved[4];
};

struct ay_cu_access {
	struct ay_cu_location location;
	int32_t flags;
};

struct ay_cu_copy_2d { /* CUDA_MEMCPY2D */
	size_t from_x, from_y;
	int32_t from_type;
	const void *from_host;
	uint64_t from_device;
	void *from_array;
	size_t from_pitch, to_x, to_y;
	int32_t to_type;
	void *to_host;
	uint64_t to_device;
	void *to_array;
	size_t to_pitch, width, height;
};

struct ay_cu_uuid {
	uint8_t byte[16];
};

typedef uint64_t ay_cu_ptr;    /* an address on the device */
typedef uint64_t ay_cu_memory; /* physical memory */

/*      field          symbol                             parameters */
#define AY_CUDA(F)                                                                                                \
	F(init, "cuInit", (unsigned flags))                                                                       \
	F(driver_version, "cuDriverGetVersion", (int *v))                                                         \
	F(error_name, "cuGetErrorName", (int e, const char **s))                                                  \
	F(error_text, "cuGetErrorString", (int e, const char **s))                                                \
	F(device_count, "cuDeviceGetCount", (int *n))                                                             \
	F(device_get, "cuDeviceGet", (int *dev, int i))                                                           \
	F(device_name, "cuDeviceGetName", (char *s, int n, int dev))                                              \
	F(device_uuid, "cuDeviceGetUuid_v2", (struct ay_cu_uuid * u, int dev))                                    \
	F(device_bus, "cuDeviceGetPCIBusId", (char *s, int n, int dev))                                           \
	F(device_bytes, "cuDeviceTotalMem_v2", (size_t * n, int dev))                                             \
	F(device_attribute, "cuDeviceGetAttribute", (int *v, int what, int dev))                                  \
	F(context_retain, "cuDevicePrimaryCtxRetain", (void **ctx, int dev))                                      \
	F(context_release, "cuDevicePrimaryCtxRelease_v2", (int dev))                                             \
	F(context_set, "cuCtxSetCurrent", (void *ctx))                                                            \
	F(context_sync, "cuCtxSynchronize", (void))                                                               \
	F(memory_info, "cuMemGetInfo_v2", (size_t * free, size_t * total))                                        \
	F(memory_alloc, "cuMemAlloc_v2", (ay_cu_ptr * p, size_t n))                                               \
	F(memory_free, "cuMemFree_v2", (ay_cu_ptr p))                                                             \
	F(memory_grain, "cuMemGetAllocationGranularity", (size_t * n, const struct ay_cu_prop *p, int which))     \
	F(memory_create, "cuMemCreate", (ay_cu_memory * m, size_t n, const struct ay_cu_prop *p, uint64_t flags)) \
	F(memory_release, "cuMemRelease", (ay_cu_memory m))                                                       \
	F(memory_export, "cuMemExportToShareableHandle", (void *fd, ay_cu_memory m, int type, uint64_t flags))    \
	F(memory_import, "cuMemImportFromShareableHandle", (ay_cu_memory * m, void *fd, int type))                \
	F(reserve, "cuMemAddressReserve", (ay_cu_ptr * p, size_t n, size_t align, ay_cu_ptr at, uint64_t flags))  \
	F(unreserve, "cuMemAddressFree", (ay_cu_ptr p, size_t n))                                                 \
	F(map, "cuMemMap", (ay_cu_ptr p, size_t n, size_t offset, ay_cu_memory m, uint64_t flags))                \
	F(unmap, "cuMemUnmap", (ay_cu_ptr p, size_t n))                                                           \
	F(access, "cuMemSetAccess", (ay_cu_ptr p, size_t n, const struct ay_cu_access *a, size_t count))          \
	F(copy_in, "cuMemcpyHtoD_v2", (ay_cu_ptr to, const void *from, size_t n))                                 \
	F(copy_out, "cuMemcpyDtoH_v2", (void *to, ay_cu_ptr from, size_t n))                                      \
	F(copy_out_async, "cuMemcpyDtoHAsync_v2", (void *to, ay_cu_ptr from, size_t n, void *stream))             \
	F(copy_2d_async, "cuMemcpy2DAsync_v2", (const struct ay_cu_copy_2d *c, void *stream))                     \
	F(event_create, "cuEventCreate", (void **e, unsigned flags))                                              \
	F(event_record, "cuEventRecord", (void *e, void *stream))                                                 \
	F(event_elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to))                                 \
	F(host_alloc, "cuMemAllocHost_v2", (void **p, size_t n))                                                  \
	F(host_free, "cuMemFreeHost", (void *p))                                                                  \
	F(stream_sync, "cuStreamSynchronize", (void *s))                                                          \
	F(reset_l2, "cuCtxResetPersistingL2Cache", (void))                                                        \
	F(fill_async, "cuMemsetD8Async", (ay_cu_ptr p, uint8_t byte, size_t n, void *stream))                     \
	F(pin, "cuMemHostRegister_v2", (void *p, size_t n, unsigned flags))                                       \
	F(unpin, "cuMemHostUnregister", (void *p))                                                                \
	F(alloc_async, "cuMemAllocAsync", (ay_cu_ptr * p, size_t n, void *stream))                                \
	F(free_async, "cuMemFreeAsync", (ay_cu_ptr p, void *stream))                                              \
	F(stream_create, "cuStreamCreate", (void **s, unsigned flags))                                            \
	F(stream_query, "cuStreamQuery", (void *s))                                                               \
	F(module_load, "cuModuleLoadData", (void **m, const void *image))                                         \
	F(module_function, "cuModuleGetFunction", (void **f, void *m, const char *name))                          \
	F(launch, "cuLaunchKernel",                                                                               \
	  (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                 \
	   unsigned shared, void *stream, void **args, void **extra))

/* A function of a library, and the offset in a struct at which the pointer to it is stored. */
struct ay_symbol {
	const char *name;
	size_t at;
};

struct ay_cuda {
	void *library;
	char folder[400]; /* the library's folder; "" if the loader does not say */
#define F(field, symbol, params) int(*field) params;
	AY_CUDA(F)
#undef F
};

/* Stores n function pointers in *to. Returns NULL, or the first name that the library does not
 * have. */
const char *ay_cuda_symbols(void *library, size_t n, const struct ay_symbol *s, void *to);
/* Opens libcuda.so.1. Does not start the driver (init): a process that forks workers must not start
 * it before it forks. Returns -1 with the reason in `why` if that fails. */
int ay_cuda_open(struct ay_cuda *c, char *why, size_t n);
/* Returns the name of an error ("CUDA_ERROR_ILLEGAL_ADDRESS"); "an unknown error" if the driver is
 * missing or does not know it. */
const char *ay_cuda_error(const struct ay_cuda *c, int e);
/* Returns the device with this uuid, or -1. Device numbers cannot be used: they depend on which
 * devices a process sees. */
int ay_cuda_find(const struct ay_cuda *c, const struct ay_cu_uuid *u);
/* Reserves n bytes of address space with `guard` unmapped bytes on either side, and maps memory m
 * there. *p becomes the address. Returns 0 or CUDA's error. */
int ay_cuda_map(const struct ay_cuda *c, int dev, ay_cu_memory m, size_t n, size_t guard, int access,
		ay_cu_ptr *p);
void ay_cuda_unmap(const struct ay_cuda *c, ay_cu_ptr p, size_t n, size_t guard);

#endif
