#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every Python file compiles, reads as Python 3.9, and is laid out as the others: spaces, less than 120 columns.
# Kernels that are due LOAD may be no Python at all. 77: no Python here.
python=$(sh tools/python.sh any)
[ -n "$python" ] || { echo "no python3 here"; exit 77; }
git ls-files '*.py' | "$python" -c '
import ast
import sys


def faults(name, text):
    lines = text.split("\n")
    if not lines[0].startswith("# due: LOAD"):
        try:
            compile(text, name, "exec", dont_inherit=True)
            ast.parse(text, name, feature_version=(3, 9))
        except (SyntaxError, ValueError) as e:
            yield getattr(e, "lineno", 1), str(e)
    for at, line in enumerate(lines, 1):
        if len(line) >= 120:
            yield at, f"{len(line)} columns"
        if line != line.rstrip():
            yield at, "blanks at the end"
        if "\t" in line[:len(line) - len(line.lstrip())]:
            yield at, "indented with tabs"
    if not text.endswith("\n"):
        yield len(lines), "no end of line at the end"
    if name.startswith("torch/") and not lines[0].startswith("# SPDX-License-Identifier"):
        yield 1, "no licence"


# It must see what is planted, or it says nothing about the others.
for planted in ["x = (\n", "match x:\n    case 1: pass\n", "x = 1 \n", "if x:\n\ty = 1\n", "# " + "x" * 118 + "\n", "x = 1"]:
    assert list(faults("planted.py", planted)), planted
assert list(faults("torch/planted.py", "x = 1\n"))
assert not list(faults("kernels/planted.py", "# due: LOAD\nx = (\n"))
bad = n = 0
for name in sys.stdin.read().split():
    n += 1
    with open(name, encoding="utf-8") as f:
        for at, what in faults(name, f.read()):
            print(f"{name}:{at}: {what}")
            bad = 1
print(n, "files")
sys.exit(bad or not n)
'
