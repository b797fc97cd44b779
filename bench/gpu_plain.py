# SPDX-License-Identifier: Apache-2.0
"""The calls that a run has timed once more, without a judge: torch, a plain loop, CUDA events around it.

    python3 bench/gpu_plain.py DEVICE RESULTS.jsonl...       a JSON object a case: line, overload, plain_ns

Of each overload the slowest timed case that took more than 20 us by the record. As the judge has it: calls go
through sets of inputs that are beyond twice the last cache together, results of a batch are kept until it has
ended, and no library below may use TF32 or add in half types. Cases with tensors of integers or booleans are left
out: what an index holds decides how long it takes, and only the judge knows what it held. DEVICE cpu is for
trials; there time is a clock's.
"""
import json
import os
import re
import sys
import time

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gpu_figures import load  # noqa: E402

LEAST_NS, COLD, SETS, BATCHES = 20000, 120 << 20, 200, 7
BATCH_S, SECONDS = 0.02, 50
TYPES = {"b8": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
         "c64": torch.complex64, "c128": torch.complex128}


class NotHere(Exception):
    pass


def names(device):
    """What a line is made of, as Python."""
    def tensor(shape, dtype, stride=None, offset=0, **more):
        if more or not (dtype.is_floating_point or dtype.is_complex):
            raise NotHere("its content matters")
        size = 1 + sum((n - 1) * s for n, s in zip(shape, stride)) if stride else 1
        if not stride:
            for n in shape:
                size *= n
        flat = torch.randn(max(size, 0) + offset, dtype=dtype, device=device)
        dense = stride or torch.empty(shape, device="meta").stride()
        return torch.as_strided(flat, shape, tuple(dense), offset)

    return dict(TYPES, T=tensor, inf=float("inf"), nan=float("nan"))


def make(line, device):
    """The function of a line, and its arguments."""
    m = re.match(r"aten::(\w+)(?:\.(\w+))?(\(.*\))(?: (?:seed|cnt)=\d+)*$", line)
    if not m:
        raise NotHere("no line of aten")
    args, kwargs = eval(m[3], {"__builtins__": {"True": True, "False": False, "None": None}}, names(device))
    return getattr(getattr(torch.ops.aten, m[1]), m[2] or "default"), args, kwargs


def batch(f, sets, calls, device):
    """Nanoseconds a call."""
    kept = [None] * calls
    if device == "cpu":
        begin = time.perf_counter_ns()
        for i in range(calls):
            args, kwargs = sets[i % len(sets)]
            kept[i] = f(*args, **kwargs)
        return (time.perf_counter_ns() - begin) / calls
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    begin.record()
    for i in range(calls):
        args, kwargs = sets[i % len(sets)]
        kept[i] = f(*args, **kwargs)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e6 / calls


def bytes_of(x):
    if isinstance(x, torch.Tensor):
        return x.numel() * x.element_size()
    if isinstance(x, dict):
        x = list(x.values())
    return sum(bytes_of(y) for y in x) if isinstance(x, (list, tuple)) else 0


def time_case(record, device):
    f, args, kwargs = make(record["line"], device)
    ns, size = record["timing"]["ns"], bytes_of([args, kwargs, f(*args, **kwargs)]) + 1
    sets = [(args, kwargs)]
    for _ in range(min(SETS, int(COLD // size) + 1)):
        sets.append(make(record["line"], device)[1:])
    calls = max(2, min(int(BATCH_S * 1e9 / ns), int((8 << 30) // size), 1000))
    batch(f, sets, min(calls, len(sets)), device)
    return sorted(batch(f, sets, calls, device) for _ in range(BATCHES))[BATCHES // 2]


def choose(paths):
    best = {}
    for r in (r for path in paths for r in load(path)):
        if r.get("type") != "case" or ((r.get("timing") or {}).get("ns") or 0) <= LEAST_NS:
            continue
        old = best.get(r["overload"])
        if not old or r["timing"]["ns"] > old["timing"]["ns"]:
            best[r["overload"]] = r
    return best


def main(device, *paths):
    end = time.monotonic() + SECONDS
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.set_num_threads(1)
    for overload, record in choose(paths).items():
        said = {"overload": overload, "line": record["line"], "ns": record["timing"]["ns"]}
        if time.monotonic() > end:
            said["why"] = "no time was left"
        else:
            try:
                with torch.no_grad():
                    said["plain_ns"] = time_case(record, device)
            except Exception as e:  # one that cannot be made here costs no other
                said["why"] = f"{type(e).__name__}: {e}"[:200]
            if device == "cuda":
                torch.cuda.empty_cache()
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
