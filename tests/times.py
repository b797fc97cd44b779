# SPDX-License-Identifier: Apache-2.0
"""Gives the cases of a run that passed times of every kind, by their order. times.py RESULTS.JSONL: changed in place.

Other fractions of these records become 0.5: jansson and Python print a number like 0.1 differently, and a record's
hash is that of its text. Those written here are sums of powers of two.
"""
import hashlib
import json
import sys

BASE = dict(baseline="openblas", version="0.3", scored=True, too_slow=False, overhead_bound=False, ns=1000.0,
            ns_lo=990.0, ns_hi=1010.0, base_ns=2000.0, threads=1, floor_ns=250.0, samples=[])
KINDS = [dict(pace="FASTER", speedup=2.0, lo=1.75, hi=2.25), dict(pace="SLOWER", speedup=0.5, lo=0.25, hi=0.75),
         dict(pace="SAME", speedup=1.0, lo=0.984375, hi=1.015625), dict(pace="UNCLEAR", speedup=3.0, lo=0.125, hi=9.0),
         dict(pace="FASTER", speedup=8.0, lo=7.0, hi=9.0, overhead_bound=True),
         dict(pace="FASTER", speedup=16.0, lo=15.0, hi=17.0, baseline="reference", scored=False)]
# One such case takes the speed-up of its overload away, whatever the other cases say.
UNKNOWN = [dict(pace="UNCLEAR", speedup=3.0, lo=0.0, hi=0.0), dict(pace="NONE", too_slow=True, ns=0.0)]


def printable(x):
    if isinstance(x, dict):
        return {k: printable(v) for k, v in x.items()}
    if isinstance(x, list):
        return [printable(v) for v in x]
    return 0.5 if isinstance(x, float) and (x * 1024) % 1 else x


def with_hash(record):
    record.pop("sha256")
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {**record, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def main(path):
    with open(path, encoding="utf-8") as f:
        records = [json.loads(line) for line in f]
    n = 0
    for r in records:
        if r["type"] == "case" and r["verdict"] == "PASS":
            kinds = KINDS + UNKNOWN if r["overload"] == "aten::copy_" else KINDS
            r.update(with_hash(printable({**r, "timing": {**BASE, **kinds[n % len(kinds)]}})))
            n += 1
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(r) + "\n" for r in records)
    return 0 if n > 3 * len(KINDS) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
