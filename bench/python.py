# SPDX-License-Identifier: Apache-2.0
"""What judging one more small Python kernel costs, beside the time of importing torch.

    python3 bench/python.py build [KERNELS]        (with ASSAY_PYTHON, or a python3 that has torch)

Kernels go one by one through `assay check -`: the time from a job's line to its answer counts, everything included:
copy of the template, jail, loading, all calls, judging. Each is another text, so nothing is remembered. Beside them,
in turns, the same with a C kernel that was compiled before, and `python -c "import torch"`.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PYTHON = os.environ.get("ASSAY_PYTHON", "python3")
RELU = "import torch\n\ndef relu(self):\n    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)\n"
ONE = ["aten::relu((T([7], f32),), {})"]


def ms(list_):
    list_ = sorted(list_)
    return f"{list_[len(list_) // 2] * 1e3:7.1f} ms   ({list_[0] * 1e3:.1f} to {list_[-1] * 1e3:.1f}, {len(list_)})"


class Bulk:
    def __init__(self, assay, out):
        self.p = subprocess.Popen([assay, "check", "-", "--fresh", "--jobs", "1", "--out", out],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.n = 0

    def judge(self, **job):
        self.n += 1
        line = json.dumps({"id": self.n, "op": "aten::relu", **job}) + "\n"
        begin = time.monotonic()
        self.p.stdin.write(line)
        self.p.stdin.flush()
        answer = json.loads(self.p.stdout.readline())
        wall = time.monotonic() - begin
        if answer.get("verdict") != "PASS":
            sys.exit(f"not judged: {answer}")
        return wall, answer["cases"]

    def end(self):
        self.p.stdin.close()
        self.p.stdout.read()
        self.p.wait()


def import_torch():
    begin = time.monotonic()
    subprocess.run([PYTHON, "-c", "import torch"], check=True)
    return time.monotonic() - begin


def main(build, n):
    folder = tempfile.mkdtemp()
    bulk = Bulk(os.path.join(build, "assay"), os.path.join(folder, "run"))
    with open("kernels/c/aten_relu.c") as f:
        c = f.read()
    try:
        import_torch()  # so that the disk is warm
        first, _ = bulk.judge(lang="py", source=RELU)
        bulk.judge(source=c)
        grid, one, native, imports = [], [], [], []
        for i in range(n):
            wall, cases = bulk.judge(lang="py", source=f"{RELU}# {i}\n")
            grid.append(wall)
            one.append(bulk.judge(lang="py", source=f"{RELU}# {i}\n", cases=ONE)[0])
            native.append(bulk.judge(source=c)[0])
            if i % 10 == 0:
                imports.append(import_torch())
        bulk.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"python -c 'import torch'             {ms(imports)}")
    print(f"the first Python kernel              {ms([first])}")
    print(f"each one after it, {cases:3d} cases         {ms(grid)}")
    print(f"each one after it, one case          {ms(one)}")
    print(f"a C kernel compiled before, {cases:3d} cases{ms(native)}")
    middle = sorted(imports)[len(imports) // 2]
    print(f"one more Python kernel is {sorted(grid)[n // 2] / middle:.3f} of an import of torch")


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40)
