/* SPDX-License-Identifier: Apache-2.0
 *
 * A libtorch without torch, for tests: the C ABI that baselines/torch_abi.h calls, with relu and detach of f32 over the
 * memory of fake.c. It refuses tensors that are not on the GPU, empty ones over an address (which need not be the device's),
 * and calls before the stream of the kernel was set. With -DCUDA it is the half that libtorch_cuda.so is.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tensor {
	float *data;
	int64_t n;
	bool own;
};

#ifdef CUDA

extern void *fake_torch_stream;

int32_t torch_set_current_cuda_stream(void *stream, int32_t index);
int32_t torch_set_current_cuda_stream(void *stream, int32_t index)
{
	fake_torch_stream = stream;
	return index;
}

#else

void *fake_torch_stream;
static bool opened; /* the context, by the first tensor */
static int whole;   /* half types whose sums must not be added in them */

static struct tensor *new_tensor(void *data, int64_t n)
{
	struct tensor *t = malloc(sizeof *t);

	*t = (struct tensor){ data ? data : calloc((size_t)n + 1, sizeof *t->data), n, !data };
	return t;
}

uint64_t aoti_torch_abi_version(void)
{
	return 0x020b000000000000;
}

int32_t aoti_torch_empty_strided(int64_t ndim, const int64_t *size, const int64_t *stride, int32_t dtype,
				 int32_t device, int32_t index, struct tensor **t)
{
	if (ndim != 1 || *stride != 1 || dtype != 6 || device != 1 || index > 0)
		return 1;
	opened = true;
	*t = new_tensor(NULL, *size);
	return 0;
}

int32_t aoti_torch_create_tensor_from_blob(void *data, int64_t ndim, const int64_t *size, const int64_t *stride,
					   int64_t offset, int32_t dtype, int32_t device, int32_t index,
					   struct tensor **t)
{
	if (!opened || whole != 2 || ndim != 1 || !*size || *stride != 1 || offset || dtype != 6 || device != 1 ||
	    index != 0)
		return 1;
	*t = new_tensor(data, *size);
	return 0;
}

int32_t aoti_torch_delete_tensor_object(struct tensor *t)
{
	if (t->own)
		free(t->data);
	free(t);
	return 0;
}

int32_t aoti_torch_copy_(struct tensor *to, const struct tensor *from, int32_t non_blocking)
{
	if (to->n != from->n || non_blocking || !fake_torch_stream)
		return 1;
	memcpy(to->data, from->data, (size_t)to->n * sizeof *to->data);
	return 0;
}

int32_t torch_call_dispatcher(const char *op, const char *overload, uint64_t *stack, uint64_t version)
{
	struct tensor *x = (struct tensor *)(uintptr_t)stack[0], *y;

	if (*overload || version != aoti_torch_abi_version() || !fake_torch_stream)
		return 1;
	if (!strcmp(op, "aten::detach"))
		return 0;
	if (strcmp(op, "aten::relu"))
		return 1;
	y = new_tensor(NULL, x->n);
	for (int64_t i = 0; i < x->n; i++)
		y->data[i] = x->data[i] < 0 ? 0 : x->data[i];
	aoti_torch_delete_tensor_object(x);
	stack[0] = (uint64_t)(uintptr_t)y;
	return 0;
}

int32_t aoti_torch_dtype_float32(void)
{
	return 6;
}

void aoti_torch_grad_mode_set_enabled(bool on)
{
	(void)on;
}

void set_num_threads(int n) __asm__("_ZN2at15set_num_threadsEi");
void set_num_threads(int n)
{
	(void)n;
}

void *global_context(void) __asm__("_ZN2at13globalContextEv");
void *global_context(void)
{
	return &whole;
}

void reduce_f16(void *context, bool reduced, bool split) __asm__("_ZN2at7Context27setAllowFP16ReductionCuBLASEbb");
void reduce_f16(void *context, bool reduced, bool split)
{
	whole += context == &whole && !reduced && split;
}

void reduce_bf16(void *context, bool reduced,
		 bool split) __asm__("_ZN2at7Context27setAllowBF16ReductionCuBLASEbb");
void reduce_bf16(void *context, bool reduced, bool split)
{
	reduce_f16(context, reduced, split);
}

void *new_cell(size_t n) __asm__("_Znwm");
void *new_cell(size_t n)
{
	return malloc(n);
}

/* Not called here, but asked for. */
int32_t torch_new_list_reserve_size(void)
{
	return 1;
}

int32_t torch_list_push_back(void)
{
	return 1;
}

int32_t torch_new_string_handle(void)
{
	return 1;
}

#endif
