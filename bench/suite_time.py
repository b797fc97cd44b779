# SPDX-License-Identifier: Apache-2.0
"""Which operators the shipped model suites spend most of their time in, with ATen on this machine.

    build/venv/bin/python3 bench/suite_time.py [SUITE...]        (suites/*.trace)

Every distinct call of a suite is made a few times with one thread, its least time counts as often as the model made
the call. Prints a line an operator of the catalogue: its share of all time, and of what the catalogue has. A rank, not
a score: operators are compared with each other, and nothing is judged.
"""
import glob
import re
import subprocess
import sys
import time

import torch

TYPES = {"b8": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
         "c64": torch.complex64, "c128": torch.complex128}
LINE = re.compile(r"cnt: (\d+), (aten::([a-z_0-9]+)(?:\.(\w+))?)\((.*)\)$")


def tensor(shape, dtype, stride=None, offset=0, fill=None, data=None):
    if data is not None:
        return torch.tensor(data, dtype=dtype).reshape(shape)
    dense = torch.empty_strided(shape, stride or torch.empty(shape).stride(), dtype=dtype)
    return dense.zero_() if not dtype.is_floating_point else dense.normal_()


def calls(path):
    names = dict(TYPES, T=tensor, torch=torch, inf=float("inf"), nan=float("nan"),
                 **{f: (lambda *a: None) for f in ("index", "uniform", "normal", "sorted", "perm")})
    for line in open(path):
        m = LINE.match(line.strip())
        if m:
            yield int(m[1]), m[3], m[4] or "default", names, m[5]


def least(f, args, kwargs):
    best = spent = 0.0
    while spent < 0.02:
        begin = time.perf_counter()
        f(*args, **kwargs)
        took = time.perf_counter() - begin
        best = min(best or took, took)
        spent += took
    return best


def measure(paths):
    total, left = {}, 0
    for path in paths:
        for count, base, overload, names, text in calls(path):
            try:
                args, kwargs = eval(f"({text})", {"__builtins__": {"True": True, "False": False, "None": None}}, names)
                f = getattr(getattr(torch.ops.aten, base), overload)
                total[base] = total.get(base, 0) + count * least(f, args, kwargs)
            except Exception:  # a call that wants special content (an index that is not 0)
                left += count
    return total, left


def main(paths):
    torch.set_num_threads(1)
    listed = subprocess.run(["build/assay", "ops", "--source", "aten"], capture_output=True, text=True, check=True)
    catalogue = set(re.findall(r"aten::([a-z_0-9]+)", listed.stdout))
    total, left = measure(paths)
    ranked = sorted(((s, op) for op, s in total.items() if op in catalogue), reverse=True)
    everything, ours = sum(total.values()), sum(s for s, _ in ranked)
    print(f"{len(paths)} suites, torch {torch.__version__}, one thread; {left} calls could not be made")
    for i, (s, op) in enumerate(ranked, 1):
        print(f"{i:3d} {op:24s} {1e3 * s:10.2f} ms {100 * s / everything:6.2f} % of all "
              f"{100 * s / ours:6.2f} % of the catalogue's")


main(sys.argv[1:] or sorted(glob.glob("suites/*.trace")))
