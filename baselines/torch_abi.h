/* SPDX-License-Identifier: Apache-2.0
 *
 * What the functions of the baseline `aten` stand on: PyTorch's C ABI, without its headers, which are not C.
 *
 * Carried inside assay as text. In front of it src/timing/libtorch.c puts LIBTORCH, the path of libtorch_cpu.so, and
 * behind it one function for each overload, with the prototype that a kernel would have. Every such function puts its
 * arguments on a stack of words, calls the dispatcher by the name of the overload, and gives up what came back; in the
 * object that is judged (COPY) it is copied to where a kernel's result belongs first. In the one that is timed it is
 * not: whoever calls ATen has the tensor that ATen made. It is held until the batch has ended, so that results lie in
 * memory as cold as a kernel's: given up at once, each would lie where the last one did, in the cache (ones of 4 MB
 * took half the time). LEAST is for what such a call costs that does next to nothing.
 *
 * For a GPU LIBTORCH_CUDA is the path of libtorch_cuda.so. Then tensors are over memory of the device, ATen works on the
 * stream that a kernel is given, and its context is made when the object is loaded.
 *
 * The words: a tensor, a list and a string are handles; an optional is 0 or a cell with the word. The stack owns
 * what lies on it, so that a call costs one handle for each tensor, made and given up.
 */
#include <assay/kernel.h>
#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* No overload has arguments of all types. */
#pragma GCC diagnostic ignored "-Wunused-function"

enum { NO_LIBRARY = 2, FAILED = 3, WORDS = 48 /* with room for arguments that a newer torch has added */ };

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
	{ "_Znwm", offsetof(struct torch, new_cell) }, /* operator new: libtorch deletes cells */
};

/* A dtype of ours, and the name of the function that gives torch's number for it. */
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

/* c10::DeviceType, which is a part of files and stays. */
enum { TORCH_CPU = 0, TORCH_CUDA = 1 };

/* Both halves must be there before the first tensor is. No library below it may take TF32 for f32, which some do. */
static void *open_library(void)
{
	void *lib;

#ifdef LIBTORCH_CUDA
	setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
#endif
	lib = dlopen(LIBTORCH, RTLD_NOW | RTLD_GLOBAL);
#ifdef LIBTORCH_CUDA
	lib = lib ? dlopen(LIBTORCH_CUDA, RTLD_NOW | RTLD_GLOBAL)
		  : NULL; /* which has the names of the other one too */
#endif
	return lib;
}

#ifdef LIBTORCH_CUDA

/* Unless it is told not to, ATen adds the parts of a split sum in half types: wrong by the bound of every product. The ABI
 * has no word for that; where these are not there, products that it splits are MISMATCH. */
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

/* The first tensor on a device makes torch's part of a context there: 0.2 s. */
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

/* Before the first clock is read: it takes a third of a second, with a GPU half of one. */
__attribute__((constructor)) static void load(void)
{
	void *lib = open_library();
	char name[64] = "aoti_torch_dtype_";
	const size_t head = strlen(name);

	/* memory that was given up is kept: else it is asked for and zeroed again */
	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most there is */
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f)
			return; /* older than 2.10: ready() says so */
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

/* --- words --------------------------------------------------------------------------------------------------- */

static bool failed; /* while words were made */

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

/* The CPU has no number. */
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

/* A view of it that negates or conjugates. */
static inline word dressed(word w, const char *op)
{
	word v[WORDS] = { w };

	failed |= call(op, "", v) != 0;
	return v[0];
}

/* A tensor without elements may have an address that is nobody's, and torch asks whose an address of a GPU is. */
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

/* --- results ------------------------------------------------------------------------------------------------- */

static inline double to_double(word w)
{
	double x;

	memcpy(&x, &w, sizeof x);
	return x;
}

/* Results of the calls of one batch. */
static struct {
	handle h[1 << 14];
	size_t n;
	const void *first; /* where the first call of every batch is to write, */
	const void *last;  /* and where the last one was */
} held;

/*
 * On a GPU the places of a batch rise, and another batch may have others than the one before, in the same process: it
 * begins where they fall. On the processor a process has the same places as long as it lives.
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

/* Gives up a tensor that came back. Where `out` was due, and somebody reads it, its content is copied there. */
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

/* Is everything as it should be? Clears it for the next call. */
static inline int verdict(int rc)
{
	rc = rc || failed ? FAILED : AY_OK;
	failed = false;
	return rc;
}
