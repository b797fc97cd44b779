# SPDX-License-Identifier: Apache-2.0
"""What a Python executor does in Python.

main() runs in the zygote: it imports what kernels need, greets the judge and calls the extension
(torch/exec). The extension calls everything else here, in the forked copies. Nothing here is
protected from the kernel, which shares the process: the judge trusts none of it and reads every
result itself.
"""
import _thread
import functools
import gc
import importlib.machinery
import importlib.util
import inspect
import io
import json
import linecache
import os
import random
import socket
import sys
import tempfile
import threading
import types

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from assay import derived
from assay.derived import BadResult
from assay.tensors import CODES, DTYPES, FORMATS, LAYOUTS, describe, dress, hand_over

FAR, EXTENSION = 3, 5  # descriptors of the zygote: to the judge, and the extension's object
WORK = "/w"
COMPILES = "ASSAY_CUDA" in os.environ  # Triton compiles for a GPU; otherwise it interprets

# from the number on the wire to torch's object
FINISH = {
    "ScalarType": DTYPES.__getitem__,
    "Layout": LAYOUTS.__getitem__,
    "MemoryFormat": FORMATS.__getitem__,
    "Device": lambda _: torch.device(device),
}
device = "cpu"  # the device of this copy
generators = []  # torch's own, of the processor and of this device


# --- loading ----------------------------------------------------------------------------------------------------

entries = []
interpreted = False  # by Triton
interpreter = None  # the module assay.interpreter if it has repaired Triton; else None


# Values of Entry.simple: what a function returns. Other values: the number of the one argument that
# it returns.
ONE_TENSOR, SEVERAL = -1, -2


def simple(rets):
    if len(rets) != 1:
        return SEVERAL
    if rets[0]["arg"] >= 0:
        return rets[0]["arg"]
    return ONE_TENSOR if rets[0]["type"]["base"] == "Tensor" and not rets[0]["type"]["list"] else SEVERAL


class Entry:
    def __init__(self, about, call, use):
        self.symbol = about["symbol"].encode()
        self.call = call
        self.params = about["params"]
        self.args = about["args"]
        self.rets = about["rets"]
        self.argnames = [a["name"] for a in self.args]
        self.finish = [None if a["type"]["list"] else FINISH.get(a["type"]["base"]) for a in self.args]
        self.use = use
        self.base = about["base"]
        self.open = False  # returns as many tensors as it likes
        self.ns = about["ns"]
        self.simple = simple(self.rets)
        # else it returns nothing, and no description is needed
        self.told = use != "nothing" or self.simple != SEVERAL
        # every number that leaves a tensor leaves it by item: float(x) does not count as a call of
        # it
        replaced = self.base.encode() if self.ns == "aten" and self.base != "item" else None
        self.replaces = False if use in ("torch", "nothing") else replaced
        self.allowed = ALLOWED.get(use)
        # called after the call: makes the result of what `call` returned; see derive()
        self.deliver = None


def derive(about, function, use):
    """Returns the entry of a form that the kernel defines only in its functional form. None: it
    cannot be derived."""
    targets = derived.written(about)
    if targets is None:
        return None
    e = Entry(about, derived.call_functional(about, function, targets), use)
    e.symbol = about["symbol"].encode() + b"__derived"

    def deliver(value, args, kwargs):
        return derived.deliver(value, [argument(e, i, args, kwargs or {}) for i in targets])

    e.deliver = deliver
    return e


def derive_all(found, use):
    calls = {f["symbol"]: call for f, call in found}
    functional = [(f, calls.get(f["functional"])) for f, call in found if call is None]
    made = [derive(f, call, use) for f, call in functional if call is not None]
    return [e for e in made if e is not None]


def torch_function(f):
    """Returns torch's own implementation, or None."""
    try:
        return getattr(getattr(getattr(torch.ops, f["ns"]), f["base"]), f["overload"] or "default")
    except (AttributeError, RuntimeError):
        return None


def nothing(f, kind):
    """Returns a function that only returns an object of the right kind, to measure the cost of a
    call."""
    at = simple(f["rets"])
    names = [a["name"] for a in f["args"]]
    least = torch.ops.aten.detach.default._op if kind == "torch" else None
    x = torch.zeros(0, device=device)

    if at == ONE_TENSOR and least:
        return lambda *args, **kwargs: least(x)
    if at == ONE_TENSOR:
        return lambda *args, **kwargs: x
    if at >= 0 and least:
        return lambda *args, **kwargs: (least(x), args[at] if at < len(args) else kwargs[names[at]])[1]
    if at >= 0:
        return lambda *args, **kwargs: args[at] if at < len(args) else kwargs[names[at]]
    return lambda *args, **kwargs: least and least(x)


def read_all(fd):
    text, at = b"", 0
    while piece := os.pread(fd, 1 << 20, at):
        text += piece
        at += len(piece)
    return text


def import_source(source, name):
    """Imports the source as a module with a source file, which Triton and tracebacks read."""
    path = os.path.join(WORK, os.path.basename(name))
    module = types.ModuleType("kernel")
    module.__file__ = path
    sys.modules["kernel"] = module
    try:
        with open(path, "wb") as f:
            f.write(source)
    except OSError:
        pass
    text = source.decode()
    linecache.cache[path] = (len(source), None, text.splitlines(True), path)
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def compute_fully():
    """Makes torch compute within the error bound of a product. By default on a GPU it adds the
    parts of split sums in half types, and uses TF32 for f32 in convolutions. The baseline in C does
    this too (baselines/torch_abi.h). Also stops cuDNN from trying out algorithms."""
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def backend(about):
    """Returns how a function of a package is found, and what it may call of torch. The package is
    imported in the copy, because it is under test."""
    if about["backend"] == "aten":
        return lambda f: getattr(torch_function(f), "_op", None), "torch"  # without its wrapper
    if about["backend"] == "oracle":
        return torch_function, "torch"
    module = importlib.import_module("assay." + about["backend"])
    module.open()
    return module.find, about["use"]


def load(fd, about):
    global interpreted
    about = json.loads(about)
    made = []
    if about["empty"]:
        found = [(f, nothing(f, about["empty"])) for f in about["functions"]]
        use = "nothing"
    elif about["backend"] == "oracle" and fd >= 0:  # a user's own reference
        reference = import_source(read_all(fd), about["file"]).reference
        found, use = [(f, reference) for f in about["functions"]], "torch"
    elif about["backend"]:
        compute_fully()
        find, use = backend(about)
        found = [(f, find(f)) for f in about["functions"]]
    else:
        watch_ways()
        module = import_source(read_all(fd), about["file"])
        interpreted = interpreter is not None and interpreter.is_interpreted()
        found = [(f, next((getattr(module, n) for n in f["names"] if callable(getattr(module, n, None))), None))
                 for f in about["functions"]]
        use = about["use"]
        made = derive_all(found, use)
    form.cache_clear()
    entries[:] = [Entry(f, call, use) for f, call in found if call is not None] + made
    if about["backend"] == "oracle":
        from assay import oracle
        for e in entries:
            e.function = e.call
            e.call = oracle.function(e, about["place"])
            e.open, e.simple = True, SEVERAL
    return entries


# --- calling ----------------------------------------------------------------------------------------------------


@functools.cache
def form(entry, plain):
    """Returns how the arguments are passed: (number of positional ones, indices of those by name).
    As in torch, an argument with its default value is omitted, unless the function requires it. A
    device other than the processor is always passed, as torch's dispatcher does: a function that
    makes a new tensor learns it from nowhere else."""
    e = entries[entry]
    named = [i for i, a in enumerate(e.args) if a["kwonly"]]
    where = {i for i, a in enumerate(e.args) if a["type"]["base"] == "Device" and device != "cpu"}
    count = len(e.args) - len(named)
    short = count
    while short and plain >> (short - 1) & 1 and short - 1 not in where:
        short -= 1
    lean = short, tuple(i for i in named if i in where or not plain >> i & 1)
    full = count, tuple(named)
    silent = short, tuple(i for i in lean[1] if i not in where or not plain >> i & 1)
    try:
        signature = inspect.signature(e.call)
    except (TypeError, ValueError):
        return lean
    for npos, kw in (lean, full, silent):
        try:
            signature.bind(*range(npos), **{e.argnames[i]: 0 for i in kw})
            return npos, kw
        except TypeError:
            pass
    return lean


def argument(e, i, args, kwargs):
    return args[i] if i < len(args) else kwargs.get(e.argnames[i])


def is_same(x, y):
    return x is y or (type(x) is torch.Tensor and type(y) is torch.Tensor and x.data_ptr() == y.data_ptr()
                      and x.shape == y.shape and x.stride() == y.stride() and x.dtype == y.dtype)


def results(entry, value, args, kwargs):
    """Returns what the function returned, as a flat list: numbers, then tensors, without
    arguments."""
    e = entries[entry]
    if e.open:
        return value
    if not e.rets:
        return []
    values = [value] if len(e.rets) == 1 else value
    if not isinstance(values, (list, tuple)) or len(values) != len(e.rets):
        raise BadResult(f"returned {type(value).__name__} where {len(e.rets)} results are due")
    numbers, tensors = [], []
    for ret, x in zip(e.rets, values):
        if ret["arg"] >= 0:
            if not is_same(x, argument(e, ret["arg"], args, kwargs)):
                name = e.argnames[ret["arg"]]
                raise BadResult(f"returned {'None' if x is None else 'something else'} where '{name}' itself is due")
        elif ret["type"]["base"] != "Tensor":
            numbers.append(x)
        elif ret["type"]["list"]:
            if not isinstance(x, (list, tuple)):
                raise BadResult(f"returned {type(x).__name__} where a list of tensors is due")
            tensors.extend(x)
        else:
            tensors.append(x)
    return numbers + tensors


def threads(n):
    torch.set_num_threads(n)


def settle():
    """Called before timed calls: existing objects are excluded from garbage collection."""
    generators[:] = [torch.default_generator]
    if device == "cuda":
        torch.cuda.init()
        generators.append(torch.cuda.default_generators[torch.cuda.current_device()])
    gc.freeze()


def seed(n):
    torch.manual_seed(n & (1 << 63) - 1)


def seed_timed(n):
    """Does what seed() does for the generators of this device, in 2 us."""
    for g in generators:
        g.manual_seed(n & (1 << 63) - 1)


def explain(kind, value, trace):
    """Returns one line, as bytes: the exception, and where in the kernel's file it was raised."""
    if kind is BadResult:
        return str(value)[:900].encode()
    where = ""
    for _ in range(8):  # Triton's wrapper: the exception inside it says more
        if getattr(kind, "__name__", "") == "InterpreterError" and value.__cause__ is not None:
            value = value.__cause__
            kind, trace = type(value), value.__traceback__
    while trace is not None and trace is not Ellipsis:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(WORK):
            where = f" ({os.path.basename(code.co_filename)}, line {trace.tb_lineno})"
        trace = trace.tb_next
    if isinstance(value, SyntaxError) and value.lineno:
        where = f" (line {value.lineno})"
        value = value.msg
    first = str(value).strip().splitlines()[0:1]
    return f"raised {getattr(kind, '__name__', kind)}{': ' if first else ''}{''.join(first)[:700]}{where}".encode()


# --- what a kernel calls of torch -------------------------------------------------------------------------------

# Allocation and views, which every kernel needs.
PLAIN = """alias as_strided detach detach_ diagonal empty empty_like empty_strided expand lift_fresh new_empty
    new_empty_strided permute reshape select slice split split_with_sizes squeeze t transpose unbind unsafe_view
    _unsafe_view unsqueeze view view_as_complex view_as_real _reshape_alias _local_scalar_dense item is_same_size
    sym_size sym_stride sym_numel set_ _conj _neg_view resolve_conj resolve_neg""".split()
# Functions that prepare or finish a kernel's work without doing it.
HELPERS = PLAIN + """_to_copy arange cat clone constant_pad_nd contiguous copy_ fill_ flip full full_like lift ones
    ones_like new_full new_ones new_zeros repeat resize_ scalar_tensor stack zero_ zeros zeros_like""".split()
ALLOWED = {"none": set(PLAIN), "helpers": set(HELPERS)}


def forbidden(e, name):
    """Returns why a kernel for e must not call the torch function `name`. None: it may."""
    base = e.base.rstrip("_") if not e.base.startswith("__") else e.base
    if e.ns == "aten" and name.rstrip("_").lstrip("_") == base.lstrip("_"):
        return f"called {name} of torch, which is what it is to replace"
    allowed = ALLOWED.get(e.use)
    if allowed is not None and name not in allowed:
        return f"called {name} of torch (--allow-torch {e.use})"
    return None


class Watch(TorchDispatchMode):
    """Sees the calls that reach the dispatcher."""

    def __init__(self, e):
        super().__init__()
        self.e, self.why = e, None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.see(func)
        return func(*args, **(kwargs or {}))

    def see(self, func):
        if self.why is None and func.namespace == "aten":
            self.why = forbidden(self.e, func._schema.name.split("::")[1])


class WatchNames(TorchFunctionMode):
    """Sees a composite function (matmul) before the dispatcher gets its parts; only the function
    under test."""

    def __init__(self, e, watch):
        super().__init__()
        self.e, self.watch = e, watch

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if self.watch.why is None and name.strip("_") == self.e.base.strip("_"):
            self.watch.why = forbidden(self.e, name.strip("_") if self.e.ns == "aten" else "")
        return func(*args, **(kwargs or {}))


watching = []
extension = None  # the module, in copies on a GPU
# true: the extension (torch/exec/call_monitor.h) records calls; it sees more, and the kernel does
# not see it
recorded = False


def watch(entry):
    e = entries[entry]
    if e.use != "torch":
        watching.append(Watch(e))
        watching.append(WatchNames(e, watching[0]))
        for m in () if recorded else watching:
            m.__enter__()


def unwatch():
    """Returns why a call since watch() is not allowed, or None."""
    why = watching[0].why if watching else None
    while watching:
        m = watching.pop()
        if not recorded:
            m.__exit__(None, None, None)
    return why and why.encode()


class WatchElsewhere(TorchDispatchMode):
    """Watches a thread that the kernel started, because modes end with their thread."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        for w in watching[:1]:
            w.see(func)
        return func(*args, **(kwargs or {}))


def watch_ways():
    """Closes ways around the modes that need only Python: other threads, and calls below the first
    dispatch key."""
    def watched(function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            with WatchElsewhere():
                return function(*args, **kwargs)
        return run

    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        if hasattr(_thread, name):
            real = getattr(_thread, name)
            start = functools.wraps(real)(lambda f, *args, real=real, **kwargs: real(watched(f), *args, **kwargs))
            setattr(_thread, name, start)
            if hasattr(threading, "_" + name):
                setattr(threading, "_" + name, start)
    below = torch._ops.OpOverload.redispatch

    def redispatch(self, *args, **kwargs):
        for w in watching[:1]:
            w.see(self)
        return below(self, *args, **kwargs)

    torch._ops.OpOverload.redispatch = redispatch


def recorder():
    """Returns torch's own recorder of calls, for the extension (torch/exec/call_monitor.h). Removes
    its names, so that no kernel finds it."""
    inside = torch._C._autograd
    try:
        event, more = inside.ProfilerEvent, torch._C._profiler
        config = torch.autograd.ProfilerConfig(torch.autograd.ProfilerState.CPU, False, False, False, False, False,
                                               more._ExperimentalConfig())
        enable, disable = inside._enable_profiler_legacy, inside._disable_profiler_legacy
        names = torch._C._dispatch_get_all_op_names()
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        plain = {n.split(".")[0] for n in names if not has(n, "CompositeImplicitAutograd")}
        composite = {n.split(".")[0] for n in names} - plain
        one = torch.zeros(1)
        mark = functools.partial(torch._C._VariableFunctions.is_same_size, one, one)
    except (AttributeError, TypeError):
        return None  # another version of torch: only the modes are used
    hidden = [n for n in vars(inside) if n.endswith(("able_profiler", "able_profiler_legacy", "_prepare_profiler",
                                                     "_enable_record_function"))]
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in hidden:
            if name in names:
                delattr(module, name)
        if "_profiler_enabled" in names:
            module._profiler_enabled = lambda: False
    short = {n[len("aten::"):] for n in composite if n.startswith("aten::")}
    return enable, config, disable, event.kind, event.name, event.scope, short, mark


# --- the zygote -------------------------------------------------------------------------------------------------


def use_memory(alloc, free, record, begin, end, release):
    """Makes torch get its GPU memory from the extension (torch/exec/py_memory.c). Must run before
    torch has allocated any."""
    make = getattr(torch._C, "_cuda_customAllocator", None)
    if make is None:  # a torch without CUDA
        return
    ours = make(alloc, free)
    for name, f in (("set_record_stream_fn", record), ("set_begin_allocate_to_pool", begin),
                    ("set_end_allocate_to_pool_fn", end), ("set_release_pool", release)):
        if hasattr(ours, name):
            getattr(ours, name)(f)
    torch._C._cuda_changeCurrentAllocator(ours)
    # torch has no answer to these for a custom allocator, and honest kernels call them
    torch._C._cuda_memoryStats = memory_stats
    torch._C._cuda_resetPeakMemoryStats = torch._C._cuda_resetAccumulatedMemoryStats = lambda _: None


def memory_stats(_):
    now, most = extension.memory()
    return {"allocated_bytes": {"all": {"current": now, "peak": most}}}


def inside(cuda, memory, printed):
    """The first call in a copy, in its jail: removes what the zygote left of random state and
    environment. printed: the judge reads what the kernel prints, so nothing may stay in a
    buffer."""
    global device
    device = "cuda" if cuda else "cpu"
    kept = {k: v for k, v in os.environ.items() if cuda and k in ("LD_LIBRARY_PATH", "TRITON_LIBCUDA_PATH")}
    os.environ.clear()
    os.environ.update(HOME=WORK, TMPDIR=WORK, TRITON_CACHE_DIR=WORK, **kept)
    if cuda:
        os.environ.update(PATH="/usr/local/bin:/usr/bin:/bin:/sbin", CUDA_CACHE_DISABLE="1")
        use_memory(*memory)
    elif not COMPILES:
        os.environ["TRITON_INTERPRET"] = "1"
    sys.argv[:] = ["kernel"]
    if printed:
        raw, old = io.FileIO(1, "w", closefd=False), sys.stdout
        sys.stdout = io.TextIOWrapper(raw, old.encoding, old.errors, write_through=True)
    tempfile.tempdir = None  # the zygote may have set it
    random.seed()
    torch.manual_seed(int.from_bytes(os.urandom(7), "little"))


def library():
    """Returns the object whose C ABI calls every operator without an interpreter. Its lists of
    functions are complete from torch 2.10 on."""
    path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
    new = tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 10)
    return os.path.realpath(path) if new and os.path.isfile(path) else None


def version(name):
    try:
        return importlib.import_module(name).__version__
    except Exception:
        return None


def open_triton():
    global interpreter
    found = version("triton")
    if found and not COMPILES:
        try:
            module = importlib.import_module("assay.interpreter")
            module.mend()
            interpreter = module
        except ImportError:  # numpy is missing, so the interpreter cannot be used
            pass
    return found


def warm():
    """Does once what torch delays until first use. With one element, so that no thread pool
    starts."""
    entries.append(types.SimpleNamespace(use="all", base="", ns="aten"))
    watch(0)
    torch.where(torch.zeros(1) < 0, torch.ones(1), torch.zeros(1)).sum()
    unwatch()
    entries.clear()
    seed(0)  # the first time, this reads sources
    # Copies share these pages until they write to them, and a collection writes to all of them.
    gc.collect()
    gc.freeze()


def main(_):
    global recorded, extension
    loader = importlib.machinery.ExtensionFileLoader("_assay", f"/proc/self/fd/{EXTENSION}")
    extension = importlib.util.module_from_spec(importlib.util.spec_from_loader("_assay", loader))
    loader.exec_module(extension)
    os.close(EXTENSION)
    hello = {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "triton": open_triton(),
        "folders": importlib.import_module("assay.folders").folders(),
        "library": library(),
    }
    warm()
    seen = recorder()
    recorded = seen is not None
    gc.collect()
    # these objects are no kernel's, and a collection would write to every page of them in the
    # copies
    gc.freeze()
    judge = socket.socket(fileno=FAR)
    judge.send(json.dumps(hello).encode())
    judge.detach()
    os.chdir("/")
    exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    extension.serve(sys.modules[__name__], torch.Tensor, torch.utils.dlpack.from_dlpack, exchange,
                    torch.Tensor.is_neg, torch.Tensor.is_conj, FAR, seen)
