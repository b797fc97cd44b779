# SPDX-License-Identifier: Apache-2.0
"""Numbers of records, for bench/gpu_report.py."""
import json
import math
import re

LARGE_NS = 20000  # below that a launch is much of the time
EXCUSED = ("PASS", "SKIPPED", "WEAK_CASE")
BYTES = {"b8": 1, "u8": 1, "i8": 1, "f8e4m3fn": 1, "f8e5m2": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4,
         "c32": 4, "i64": 8, "f64": 8, "c64": 8, "c128": 16}


def load(path):
    """The JSON lines of a file; [] where there is none. A line that was cut off, or is no JSON, is no record."""
    found = []
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                try:
                    r = json.loads(line)
                except ValueError:
                    continue
                if isinstance(r, dict):
                    found.append(r)
    except FileNotFoundError:
        pass
    return found


def newest(records):
    """Of several records of one thing, as a run has that another build of assay went on with, the last."""
    last = {}
    for i, r in enumerate(records):
        what = {"case": r.get("case") or r.get("line"), "kernel": r.get("operator")}.get(r.get("type"), i)
        last[r.get("type"), what, r.get("kernel_sha256")] = r
    return list(last.values())


def bare(line):
    """Without what is drawn anew in every run."""
    return re.sub(r" seed=\d+$", "", line)


def line_bytes(line):
    """Elements times their size, of all tensors of a line: what --topn goes by (src/op/suite_filter.c)."""
    return sum(math.prod(int(n) for n in shape.split(",") if n.strip()) * BYTES[dtype]
               for shape, dtype in re.findall(r"T\(\[([\d, ]*)\], (\w+)", line))


def of_topn(records, n):
    """The same records; cases have `few`: is it one of the n inputs of its overload with most bytes? Of equals the
    earlier are. Right only where the run had all of these, so with a larger --topn or none."""
    by = {}
    for r in records:
        if r.get("type") == "case":
            by.setdefault(r["overload"], []).append(r)
    for of in by.values():
        for place, r in enumerate(sorted(of, key=lambda r: (-line_bytes(r["line"]), r.get("seq", 0)))):
            r["few"] = place < n
    return records


def timed_cases(records):
    """Cases with a time, flat; what an older record has not is None."""
    out = []
    for r in records:
        t = r.get("timing") if r.get("type") == "case" else None
        if t and t.get("ns"):
            out.append({"overload": r["overload"], "line": bare(r["line"]), "file": r.get("file", ""),
                        "few": r.get("few", False), "pace": t["pace"], "wall_s": t.get("wall_s", 0),
                        **{k: t.get(k) for k in ("ns", "speedup", "lo", "hi", "claimed_ns", "check_s", "of_floor",
                                                 "baseline", "version")}})
    return out


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def half_width(t):
    """Half of the interval of a ratio, as a part of it."""
    return (t["hi"] - t["lo"]) / 2 / t["speedup"] if t["hi"] is not None else math.inf


def geometric_mean(pairs):
    """Of (operator, ratio): over operators, each with the mean of its own."""
    by = {}
    for name, ratio in pairs:
        by.setdefault(name, []).append(math.log(ratio))
    return math.exp(sum(sum(x) / len(x) for x in by.values()) / len(by)) if by else None


def case_counts(cases):
    """Cases by verdict; and of overloads with some that neither pass nor are excused the first and their number."""
    counts, bad = {}, {}
    for r in cases:
        counts[r["verdict"]] = counts.get(r["verdict"], 0) + 1
        if r["verdict"] in EXCUSED:
            continue
        f = bad.setdefault(r["overload"], {"overload": r["overload"], "verdict": r["verdict"], "n": 0,
                                           "detail": r.get("detail", ""), "line": r["line"]})
        f["n"] += 1
    return counts, bad


def by_operator(records):
    """Judged operators: an overload that fails speaks for the others, one that passes for those that were not judged.
    Not the records of kernels, which may be for several operators."""
    rows = {}
    for r in records:
        for name, o in (r.get("overloads") or {}).items() if r.get("type") == "kernel" else ():
            name = name.split(".")[0]
            row = rows.setdefault(name, {"overload": name, "line": "", "verdict": o["verdict"], "cases": 0})
            row["cases"] += o["cases"]
            if row["verdict"] in EXCUSED and (o["verdict"] == "PASS" or o["verdict"] not in EXCUSED):
                row["verdict"] = o["verdict"]
    return [row for row in rows.values() if row["cases"]]


def time_text(ns):
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def ratio_text(t):
    if not t["speedup"]:
        return ""
    interval = f"[{t['lo']:.3g}, {t['hi']:.3g}]" if t["hi"] is not None else "(no interval)"
    return f"{t['speedup']:.3g}x {interval}"


def percent(ns, of):
    """How much longer."""
    return f"{100 * (ns / of - 1):+.2f} %" if ns else ""
