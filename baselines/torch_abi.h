/* SPDX-License-Identifier: Apache-2.0
 *
 * torch_abi - PyTorch's C ABI for the functions of the baseline `aten`, without PyTorch's headers,
 * which are not C.
 *
 * This text is carried inside assay. src/timing/libtorch.c puts LIBTORCH, the path of
 * libtorch_cpu.so, before it. After it comes one function for each overload, with the prototype of
 * a kernel. Each function puts its arguments on a stack of words, calls the dispatcher with the
 * overload's name, and releases the results.
 *
 * In the object that is judged (COPY), results are first copied to where a kernel's results belong.
 * In the object that is timed they are not copied, because a caller of ATen uses the tensor that
 * ATen made. There the result is held until the batch has ended, so that results lie in memory as
 * cold as a kernel's. If each were released at once, the next would lie in its place, in the cache
 * (results of 4 MB took half the time). LEAST measures the cost of a call that does almost nothing.
 *
 * For a GPU, LIBTORCH_CUDA is the path of libtorch_cuda.so. Then tensors are in device memory, ATen
 * uses the kernel's stream, and its context is made when the object is loaded.
 *
 * The words: a tensor, a list and a string are handles; an optional is 0 or a cell with the word.
 * The stack owns its words. So a call creates and releases one handle for each tensor.
 */
#include <assay/kernel.h>
#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* No overload has arguments of all types, so some functions are unused. */
#pragma GCC diagnostic ignored "-Wunused-function"

enum { NO_LIBRARY = 2, FAILED = 3, WORDS = 48 /* more than needed: a newer torch may add arguments */ };

typedef uint64_t word;
typedef struct torch_tensor *handle;
typedef struct torch_list *list;
typedef struct torch_string *string;

static struct torch {
	uint64_t (*version)(void);
	int32_t (*call)(const char *op, const char *overload, word *stack, uint64_t version);
	int32_t (*from_blob)(void *, int64_t n, const int64_t *size, const int64_t *stride, int64_t offset,
			     int32_t dtype, int32_t device, int32_t index, handle *);
	int32_t (*drop)(handle);
	int32_t (*copy)(handle to, handle from, int32_t non_blocking);
	int32_t (*new_list)(size_t, list *);
	int32_t (*push)(list, word);
	int32_t (*new_string)(const char *, size_t, string *);
	void (*set_grad)(bool);
	void (*set_threads)(int);
#ifdef LIBTORCH_CUDA
	int32_t (*set_stream)(void *stream, int32_t index);
	int32_t (*empty)(int64_t n, const int64_t *size, const int64_t *stride, int32_t dtype, int32_t device,
			 int32_t index, handle *);
#endif
	void *(*new_cell)(size_t);
} torch;

static const struct {
	const char *name;
	size_t at;
} symbols[] = {
	{ "torch_call_dispatcher", offsetof(struct torch, call) },
	{ "aoti_torch_abi_version", offsetof(struct torch, version) },
	{ "aoti_torch_create_tensor_from_blob", offsetof(struct torch, from_blob) },
	{ "aoti_torch_delete_tensor_object", offsetof(struct torch, drop) },
	{ "aoti_torch_copy_", offsetof(struct torch, copy) },
	{ "torch_new_list_reserve_size", offsetof(struct torch, new_list) },
	{ "torch_list_push_back", offsetof(struct torch, push) },
	{ "torch_new_string_handle", offsetof(struct torch, new_string) },
	{ "aoti_torch_grad_mode_set_enabled", offsetof(struct torch, set_grad) },
	{ "_ZN2at15set_num_threadsEi", offsetof(struct torch, set_threads) }, /* at::set_num_threads(int) */
#ifdef LIBTORCH_CUDA
	{ "torch_set_current_cuda_stream", offsetof(struct torch, set_stream) },
	{ "aoti_torch_empty_strided", offsetof(struct torch, empty) },
#endif
	/* operator new, because libtorch deletes cells */
	{ "_Znwm", offsetof(struct torch, new_cell) },
};

/* A dtype of assay, and the function that returns torch's number for it. */
static struct {
	int32_t dt;
	const char *getter;
	int32_t code;
} dtypes[] = {
	{ AY_F32, "float32", 0 },        { AY_F64, "float64", 0 },
	{ AY_F16, "float16", 0 },        { AY_BF16, "bfloat16", 0 },
	{ AY_I64, "int64", 0 },          { AY_I32, "int32", 0 },
	{ AY_I16, "int16", 0 },          { AY_I8, "int8", 0 },
	{ AY_U8, "uint8", 0 },           { AY_B8, "bool", 0 },
	{ AY_C64, "complex64", 0 },      { AY_C128, "complex128", 0 },
	{ AY_C32, "complex32", 0 },      { AY_F8E4M3FN, "float8_e4m3fn", 0 },
	{ AY_F8E5M2, "float8_e5m2", 0 },
};

/* Values of c10::DeviceType; they are part of file formats and do not change. */
enum { TORCH_CPU = 0, TORCH_CUDA = 1 };

/* Opens both libraries, before the first tensor is made. The environment forbids TF32 for f32,
 * which some libraries would use. */
static void *open_library(void)
{
	void *lib;

#ifdef LIBTORCH_CUDA
	setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
#endif
	lib = dlopen(LIBTORCH, RTLD_NOW | RTLD_GLOBAL);
#ifdef LIBTORCH_CUDA
	lib = lib ? dlopen(LIBTORCH_CUDA, RTLD_NOW | RTLD_GLOBAL)
		  : NULL; /* its handle also finds the names of libtorch_cpu.so */
#endif
	return lib;
}

#ifdef LIBTORCH_CUDA

/* Forbids ATen to add the parts of a split sum in half types, which would exceed the error bound of
 * every product. The C ABI has no function for that. If these C++ functions do not exist, products
 * with split sums are MISMATCH. */
static void keep_sums_whole(void *lib)
{
	static const char *const setters[] = { "_ZN2at7Context27setAllowFP16ReductionCuBLASEbb",
					       "_ZN2at7Context27setAllowBF16ReductionCuBLASEbb",
					       "_ZN2at7Context27setAllowFP16ReductionCuBLASEb",
					       "_ZN2at7Context27setAllowBF16ReductionCuBLASEb" };
	void *f = dlsym(lib, "_ZN2at13globalContextEv"), *(*context)(void);
	void (*set)(void *context, bool reduced, bool split);

	memcpy(&context, &f, sizeof f);
	for (size_t i = 0; context && i < sizeof setters / sizeof *setters; i++) {
		f = dlsym(lib, setters[i]);
		memcpy(&set, &f, sizeof f);
		if (set)
			set(context(), false, true);
	}
}

#endif

/* Makes a tensor on the device. The first one creates torch's context there, which takes 0.2 s. */
static bool open_device(void *lib)
{
#ifdef LIBTORCH_CUDA
	const int64_t one = 1;
	handle h = NULL;

	keep_sums_whole(lib);
	if (torch.empty(1, &one, &one, dtypes[0].code, TORCH_CUDA, -1, &h) || torch.drop(h))
		return false;
#endif
	return lib;
}

/* Loads everything before the first clock is read. It takes a third of a second, with a GPU half a
 * second. */
__attribute__((constructor)) static void load(void)
{
	void *lib = open_library();
	char name[64] = "aoti_torch_dtype_";
	const size_t head = strlen(name);

	/* keep released memory, which would else be requested and zeroed again */
	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest allowed value */
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f)
			return; /* torch is older than 2.10; ready() reports it */
		memcpy((char *)&torch + symbols[i].at, &f, sizeof f);
	}
	for (size_t i = 0; lib && i < sizeof dtypes / sizeof *dtypes; i++) {
		int32_t (*get)(void);
		void *f;

		strcpy(name + head, dtypes[i].getter);
		f = dlsym(lib, name);
		memcpy(&get, &f, sizeof get);
		dtypes[i].code = get ? get() : -1;
	}
	if (lib && !open_device(lib))
		torch.new_cell = NULL;
}

static bool ready(const ay_ctx *ctx)
{
	static int threads;

	if (!torch.new_cell)
		return false;
	if (threads != ctx->threads) {
		torch.set_threads(threads = ctx->threads);
		torch.set_grad(false);
	}
#ifdef LIBTORCH_CUDA
	static void *stream;

	if (stream != ctx->stream && torch.set_stream(ctx->stream, ctx->device.id))
		return false;
	stream = ctx->stream;
#endif
	return true;
}

/* --- words ------------------------------------------------------------------------------------ */

static bool failed; /* making a word has failed */

static inline word of_pointer(const void *p)
{
	return (word)(uintptr_t)p;
}

static inline handle to_handle(word w)
{
	return (handle)(uintptr_t)w;
}

static inline word some(word w)
{
	word *cell = torch.new_cell(sizeof *cell);

	*cell = w;
	return of_pointer(cell);
}

static inline word of_int(int64_t x)
{
	return (word)x;
}

static inline word of_bool(bool x)
{
	return x;
}

/* Returns a device as a word; the CPU has no number. */
static inline word of_device(ay_device d)
{
	return d.type == AY_CUDA ? (word)TORCH_CUDA << 32 | (uint32_t)d.id : UINT32_MAX;
}

static inline word of_double(double x)
{
	word w;

	memcpy(&w, &x, sizeof w);
	return w;
}

static inline int32_t code_of(int32_t dt)
{
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
		if (dtypes[i].dt == dt)
			return dtypes[i].code;
	return -1;
}

static inline word of_dtype(int32_t dt)
{
	const int32_t code = code_of(dt);

	failed |= code < 0;
	return (uint32_t)code;
}

static inline int call(const char *op, const char *overload, word *v)
{
	return torch.call(op, overload, v, torch.version());
}

/* Returns a view of the tensor that negates or conjugates. */
static inline word dressed(word w, const char *op)
{
	word v[WORDS] = { w };

	failed |= call(op, "", v) != 0;
	return v[0];
}

/* Makes a tensor over existing memory. A tensor without elements may have any address, and torch
 * checks the owner of a GPU address, so such a tensor is made anew. */
static inline int32_t wrap(const ay_tensor *t, int32_t code, handle *h)
{
#ifdef LIBTORCH_CUDA
	if (t->device.type == AY_CUDA)
		return ay_numel(t) ? torch.from_blob(t->data, t->ndim, t->shape, t->strides, 0, code, TORCH_CUDA,
						     t->device.id, h)
				   : torch.empty(t->ndim, t->shape, t->strides, code, TORCH_CUDA, t->device.id, h);
#endif
	return torch.from_blob(t->data, t->ndim, t->shape, t->strides, 0, code, TORCH_CPU, -1, h);
}

static inline word of_tensor(const ay_tensor *t)
{
	const int32_t code = code_of(ay_dt(t));
	handle h = NULL;
	word w;

	if (code < 0 || wrap(t, code, &h)) {
		failed = true;
		return 0;
	}
	w = of_pointer(h);
	if (t->flags & AY_CONJ)
		w = dressed(w, "aten::_conj");
	if (t->flags & AY_NEG)
		w = dressed(w, "aten::_neg_view");
	return w;
}

static inline list new_list(int64_t n)
{
	list l = NULL;

	failed |= torch.new_list((size_t)n, &l) != 0;
	return l;
}

static inline word of_ints(const int64_t *x, int64_t n)
{
	list l = new_list(n);

	for (int64_t i = 0; i < n; i++)
		torch.push(l, (word)x[i]);
	return of_pointer(l);
}

static inline word of_doubles(const double *x, int64_t n)
{
	list l = new_list(n);

	for (int64_t i = 0; i < n; i++)
		torch.push(l, of_double(x[i]));
	return of_pointer(l);
}

static inline word of_bools(const bool *x, int64_t n)
{
	list l = new_list(n);

	for (int64_t i = 0; i < n; i++)
		torch.push(l, x[i]);
	return of_pointer(l);
}

static inline word of_tensors(const ay_tensor *const *x, int64_t n)
{
	list l = new_list(n);

	for (int64_t i = 0; i < n; i++)
		torch.push(l, of_tensor(x[i]));
	return of_pointer(l);
}

static inline word of_some_tensors(const ay_tensor *const *x, int64_t n)
{
	list l = new_list(n);

	for (int64_t i = 0; i < n; i++)
		torch.push(l, x[i] ? some(of_tensor(x[i])) : 0);
	return of_pointer(l);
}

static inline word of_text(const char *s)
{
	string h = NULL;

	failed |= torch.new_string(s, strlen(s), &h) != 0;
	return of_pointer(h);
}

/* --- results ---------------------------------------------------------------------------------- */

static inline double to_double(word w)
{
	double x;

	memcpy(&x, &w, sizeof x);
	return x;
}

/* Results of one batch's calls. */
static struct {
	handle h[1 << 14];
	size_t n;
	const void *first; /* output of the first call of the batch */
	const void *last;  /* output of the last call */
} held;

/*
 * Returns true if the call with this output belongs to the present batch. On a GPU the addresses of
 * a batch increase, and differ between batches of a process; a batch begins where they decrease. On
 * the processor all batches of a process have equal addresses.
 */
static inline bool goes_on(const void *place)
{
#ifdef LIBTORCH_CUDA
	return place > held.last;
#else
	return place != held.first;
#endif
}

static inline void begin(const ay_tensor *out)
{
	const bool more = held.first && goes_on(out->data);

	held.last = out->data;
	if (more)
		return;
	held.first = out->data;
	while (held.n)
		torch.drop(held.h[--held.n]);
}

static inline void hold(handle h)
{
	if (held.n < sizeof held.h / sizeof *held.h)
		held.h[held.n++] = h;
	else
		torch.drop(h);
}

/* Releases a returned tensor. With COPY its content is copied to `out` first, if there is an
 * `out`. */
static inline void give_up(word w, ay_tensor *out)
{
#ifdef COPY
	if (out && ay_numel(out) > 0) {
		const word to = of_tensor(out);

		failed |= !to || torch.copy(to_handle(to), to_handle(w), 0) != 0;
		if (to)
			torch.drop(to_handle(to));
	}
	out = NULL;
#endif
	if (w && out)
		hold(to_handle(w));
	else if (w)
		torch.drop(to_handle(w));
}

/* Returns the result of a call, and clears `failed` for the next. */
static inline int verdict(int rc)
{
	rc = rc || failed ? FAILED : AY_OK;
	failed = false;
	return rc;
}
