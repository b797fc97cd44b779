# SPDX-License-Identifier: Apache-2.0
"""What the samples of kernels say they are due, as jobs for `assay check -` and lists for bench/gpu.sh.

    python3 bench/gpu_samples.py jobs FILE...           a job for each
    python3 bench/gpu_samples.py after GOOD FILE...     a job for each, and one of GOOD after it, on two small cases
    python3 bench/gpu_samples.py compile FILE...        a job for each that is compiled, on nothing to compute
    python3 bench/gpu_samples.py timed FILE...          file, case and twin of each that is due something when timed

Their first lines (tests/unit/samples_cuda.c):

    due: UNWRITTEN|CHEAT - what it does
    due: PASS, timed: CHEAT|NOT_FASTER - what it does, with `case:` and `twin:` below
"""
import json
import os
import re
import sys

FEW = ["aten::relu((T([3, 65], f32),), {})", "aten::relu((T([64, 1000], f16),), {})"]
NOTHING = {  # so that the object is made and the kernel has no work to do wrong
    "relu": "aten::relu((T([0], f32),), {})",
    "mm": "aten::mm((T([0, 3], f16), T([3, 5], f16)), {})",
    "sum": "aten::sum((T([0], f32),), {})",
}


def read(path):
    """due, timed (a list of words, or None), case, twin of a sample."""
    with open(path, encoding="utf-8") as f:
        text = f.read(4000)
    end = text.find("*/") if text.startswith("/*") else len(text)
    head = text[:end]
    due = re.match(r"(?:/\*|#) due: ([A-Z_|]+)(?:, timed: ([A-Z_|]+))?", head)
    if not due:
        raise ValueError(f"{path}: its first line does not say what it is due")

    def said(word):
        found = re.search(rf"^(?: \*|#) {word}: (.*?)\s*$", head, re.M)
        return found[1] if found else None

    if due[2] and not (said("case") and said("twin")):
        raise ValueError(f"{path}: it is due something when timed, and names no case or no twin")
    return {"due": due[1].split("|"), "timed": due[2].split("|") if due[2] else None, "case": said("case"),
            "twin": said("twin")}


def operator(path):
    """"relu" of aten_relu__x.cu and of relu__x.py."""
    stem = os.path.basename(path).split(".")[0]
    return re.sub(r"__.*", "", re.sub(r"^aten_", "", stem))


def jobs(kind, files):
    if kind == "after":
        good, files = files[0], files[1:]
    for path in files:
        if kind == "compile":
            if not path.endswith(".py") and operator(path) in NOTHING:
                yield {"id": path, "path": path, "cases": [NOTHING[operator(path)]]}
            continue
        yield {"id": path, "path": path}
        if kind == "after":
            yield {"id": f"after {path}", "path": good, "cases": FEW}


def main(kind, files):
    if kind == "timed":
        for path in files:
            about = read(path)
            if about["timed"]:
                print(path, about["case"], about["twin"], sep="\t")
    else:
        for job in jobs(kind, files):
            print(json.dumps(job))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("jobs", "after", "compile", "timed"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
