# SPDX-License-Identifier: Apache-2.0
"""Prints BackendBench's table of problems as a trace: assay.parquet FILE.

One block per operator, sorted by name; in a block the most frequent call first. The table's own
selection (included_in_benchmark) is respected: excluded rows were synthetic, or its authors could
not run them.
"""
import itertools
import sys

NEEDED = ("op_name", "args", "count")
CHOICE = "included_in_benchmark"


def rows(path):
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        sys.exit(f"{sys.executable} has no pyarrow, which reads parquet: install it there, or give the trace as text")
    try:
        names = parquet.read_schema(path).names
        for name in NEEDED:
            if name not in names:
                sys.exit(f"the table has no column '{name}': it is no table of problems")
        columns = [*NEEDED, CHOICE] if CHOICE in names else NEEDED
        table = parquet.read_table(path, columns=columns).to_pydict()
    except (ArrowException, OSError) as e:
        sys.exit(" ".join(str(e).split()))
    chosen = table.get(CHOICE) or itertools.repeat(True)
    for op, args, count, good in zip(table["op_name"], table["args"], table["count"], chosen):
        if good and op and args:
            yield one_line(op), one_line(args), count


def one_line(text):
    """Replaces line ends, which would start a new line of the trace."""
    return " ".join(str(text).splitlines())


def main(args):
    found = sorted(rows(args[0]), key=lambda r: (r[0], -(r[2] or 0), r[1]))
    out = []
    for op, block in itertools.groupby(found, key=lambda r: r[0]):
        out.append(f"Operator: {op}")
        out.extend(f"{'' if count is None else f'cnt: {count}, '}{text}" for _, text, count in block)
    sys.stdout.write("".join(line + "\n" for line in out))
    sys.stdout.flush()
