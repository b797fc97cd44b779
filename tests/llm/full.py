# SPDX-License-Identifier: Apache-2.0
"""A whole run against the fake server, over all operators of a set and with every kind of answer, must give exactly
what its script implies: which operator is solved in which round, how many attempts, tokens, and which verdicts.

    python3 tests/llm/full.py BUILD_DIR SCRATCH [DATASET]

Which sample kernels solve their operator is found by another way: `assay eval` on a folder of them.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
fake = __import__("with")

TOKENS = [1000, 200]
# answer -> how it is recorded: reply, verdict (None: not judged)
KINDS = {"correct": ("fenced", "PASS"), "wrong": ("fenced", "a failure"), "uncompilable": ("fenced", "BUILD"),
         "truncated": ("truncated", None), "refusing": ("refused", None), "no code": ("no code", None),
         "empty": ("empty", None), "cheating": ("fenced", "a failure")}
PLANS = [["correct"], ["wrong", "correct"], ["uncompilable", "truncated", "correct"], ["refusing", "correct"],
         ["cheating", "no code", "correct"], ["wrong"], ["empty", "correct"], ["uncompilable"],
         ["truncated", "wrong", "correct"], ["refusing"]]
ROUNDS = 3


def run(args, **more):
    done = subprocess.run(args, capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def operators(assay, dataset):
    code, out, err = run([assay, "eval", "--suite", dataset, "--quick", "--timing", "none", "--backend", "reference",
                          "--list"])
    assert not code, err
    return [line.split()[0] for line in out.splitlines()]


def sources(names):
    """For each operator the sample that defines most of its functions."""
    found = {}
    files = [f for f in sorted(glob.glob("kernels/c/*.c")) if not f.endswith("__fast.c")]
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        defines = re.findall(r"^int (\w+)\(", text, re.M)
        for op in names:
            stem = op.replace("::", "_")
            n = sum(d == stem or (d.startswith(stem + "_") and not d.startswith(stem + "__")) for d in defines)
            if n > found.get(op, (0, ""))[0]:
                found[op] = (n, path)
    return {op: path for op, (n, path) in found.items()}


def solvable(assay, dataset, kernels, scratch):
    """The operators that their sample solves: by `assay eval` on a folder of samples, of which only an operator's own
    counts (a sample of div may answer for div_ too)."""
    os.makedirs(scratch + "/one", exist_ok=True)
    taken = set()
    for op, path in kernels.items():
        target = "%s/one/%s.c" % (scratch, op.replace("::", "."))
        with open(path, encoding="utf-8") as f, open(target, "w", encoding="utf-8") as g:
            # one may be the sample of several; the others stay as they are, since they were compiled before
            g.write(f.read().replace("due: PASS", "due: PASS, " + op, path in taken))
        taken.add(path)
        kernels[op] = target
    code, _, err = run([assay, "eval", "--suite", dataset, "--quick", "--timing", "none", "--kernels",
                        scratch + "/one", "--out", scratch + "/by-eval"])
    assert code in (0, 1), err
    overloads, passed = {}, {}
    with open(scratch + "/by-eval/operator_summary.csv", encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            op = row["operator"]
            if row["in_suite"] == "yes":
                overloads.setdefault(op, set()).add(row["overload"])
                if row["file"] == kernels.get(op) and row["verdict"] == "PASS":
                    passed.setdefault(op, set()).add(row["overload"])
    return {op for op in overloads if passed.get(op) == overloads[op]}


def expect(names, kernels, passed):
    """The script, and for each operator the round in which it is solved (None: never) and its answers."""
    script = {"tokens": TOKENS, "key": fake.KEY, "missing": "refusing", "sources": kernels, "ops": {}}
    due = {}
    for i, op in enumerate(names):
        plan = PLANS[i % len(PLANS)]
        script["ops"][op] = plan
        attempts, solved = [], None
        for r in range(1, ROUNDS + 1):
            kind = plan[min(r, len(plan)) - 1]
            attempts.append(kind)
            if kind == "correct" and op in passed:
                solved = r
                break
        due[op] = (solved, attempts)
    return script, due


def main(build, scratch, dataset="kernelgenbench-aten"):
    assay = build + "/assay"
    names = operators(assay, dataset)
    kernels = sources(names)
    passed = solvable(assay, dataset, kernels, scratch)
    script, due = expect(names, kernels, passed)
    log, out = scratch + "/server.log", scratch + "/run"
    with fake.FakeServer(script, log) as s:
        code, text, err = run([assay, "llm", "--dataset", dataset, "--max-rounds", str(ROUNDS), "--lang", "c",
                               "--quick", "--out", out], env=s.environment())
    assert code == 0, (code, text[-2000:], err[-2000:])
    with open(out + "/pass_at_k_results.json", encoding="utf-8") as f:
        got = json.load(f)
    solved = sorted(op for op, (r, _) in due.items() if r)
    attempts = sum(len(a) for _, a in due.values())
    wrong = []

    def same(what, x, y):
        if x != y:
            wrong.append("%s: %r, not %r" % (what, x, y))

    same("operators", got["total_operators"], len(names))
    same("solved", sorted(got["passed_operators"]), solved)
    for r in range(1, ROUNDS + 1):
        n = sum(bool(k) and k <= r for k, _ in due.values())
        same("solved within %d" % r, round(got["solved_within"][str(r)] * len(names)), n)
    same("attempts", got["attempts"]["attempts"], attempts)
    same("tokens", [got["tokens"]["in"], got["tokens"]["out"]], [attempts * TOKENS[0], attempts * TOKENS[1]])
    records = {}
    with open(out + "/results.jsonl", encoding="utf-8") as f:
        for line in f:
            rec = json.loads(line)
            if rec["type"] == "attempt":
                same("attempts called " + rec["attempt"], rec["attempt"] in records, False)
                records[rec["attempt"]] = rec
    for op, (solved_in, kinds) in due.items():
        for r, kind in enumerate(kinds, 1):
            rec = records.pop("%s/r%d/w0" % (op, r), {})
            missing = op not in kernels and kind in ("correct", "truncated")
            reply, verdict = KINDS["refusing" if missing else kind]
            if kind == "cheating" and op not in kernels:
                reply = rec.get("reply")  # what it makes of nothing is no concern of ours
                continue
            same("reply of %s round %d (%s)" % (op, r, kind), rec.get("reply"), reply)
            v = rec.get("verdict")
            if verdict == "a failure" or (verdict == "PASS" and op not in passed):
                ok = v is not None and not rec.get("solved")
            else:
                ok = v == verdict
            same("verdict of %s round %d (%s): %s" % (op, r, kind, v), ok, True)
    same("attempts without a script", sorted(records), [])
    with open(log, encoding="utf-8") as f:
        asked = [json.loads(line) for line in f]
    same("requests", sum(x["event"] == "seen" for x in asked), attempts)
    same("key in the run", run(["grep", "-rl", fake.KEY, out])[1], "")
    print("\n".join(wrong[:30]) or "%d operators, %d solved, %d attempts, as scripted (%d samples solve theirs)" % (
        len(names), len(solved), attempts, len(passed)))
    return bool(wrong) or len(solved) < len(names) // 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
