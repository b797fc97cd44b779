#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the time of a generation run goes: the 110 operators of KernelGenBench-aten, one round, kernels in C, a fake server that
# answers at once with the bundled kernels. With an empty compile cache, then with a warm one, where compiling costs nothing.
# llm.sh BUILD_DIR [JOBS]
build=$1 jobs=${2:-$(nproc)}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
for cache in empty warm; do
	python3 tests/llm/with.py '{"tokens": [1000, 200], "default": ["correct"], "missing": "wrong"}' -- \
		"$build/assay" llm --dataset KernelGenBench-aten --max-rounds 1 --lang c --quick --device-count "$jobs" \
		--out "$dir/$cache" --json > "$dir/$cache.json" 2> "$dir/$cache.err" || { cat "$dir/$cache.err"; exit 1; }
	python3 - "$dir/$cache" "$dir/$cache.json" "$cache" "$jobs" <<'END'
import json
import sys

run, said, cache, jobs = sys.argv[1:]
wall = json.loads(open(said).read().splitlines()[-1])["wall_s"]
records = [json.loads(line) for line in open(run + "/results.jsonl")]
tries = [r for r in records if r["type"] == "attempt"]
kernels = [r for r in records if r["type"] == "kernel"]
asked = [json.loads(line) for line in open(run + "/exchanges.jsonl")]


def total(of, key):
    return sum(r.get(key) or 0 for r in of)


judge = total(tries, "judge_s")
compile_s = total(kernels, "build_s")
room = wall * int(jobs)
print(f"compile cache {cache}: {len(tries)} attempts, {len(kernels)} kernels judged by {jobs} at once: {wall:.1f} s")
print(f"  of {room:.1f} s that the judges had: compiling {compile_s:.1f} ({100 * compile_s / room:.0f} %), "
      f"cases {judge - compile_s:.1f} ({100 * (judge - compile_s) / room:.0f} %), "
      f"waiting and the rest {room - judge:.1f} ({100 * (room - judge) / room:.0f} %)")
print(f"  waiting for the model, all requests together: {total(tries, 'generate_s'):.1f} s")
END
done
