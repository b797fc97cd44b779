# SPDX-License-Identifier: Apache-2.0
"""Recomputes the scores of run folders from results.jsonl alone, and compares them with what assay reports.

scores.py ASSAY RUN...: prints a line a run; exits with 1 if a number differs. It shares nothing with src/store but
the documented meaning of the records (docs/store.md): rules are written down here a second time, in another language.
"""
import json
import math
import subprocess
import sys

WORST = """CHEAT CRASH OVERRUN INPUT_WRITTEN TIMEOUT OOM BUILD LOAD BAD_RESULT MISMATCH UNWRITTEN UNSTABLE IMPLAUSIBLE
    UNSUPPORTED PASS WEAK_CASE SKIPPED""".split()  # PASS outranks WEAK_CASE and SKIPPED: they decide only alone
P = [0, 0.5, 0.8, 1, 1.5, 2]


def worst(verdicts):
    return min((v for v in verdicts if v), key=WORST.index, default=None)


def read(path):
    """The records, without what was written twice and without a torn last line."""
    seen, records = set(), []
    with open(path + "/results.jsonl", encoding="utf-8") as f:
        for line in f:
            if line.endswith("\n") and line not in seen:
                seen.add(line)
                records.append(json.loads(line))
    return records


def operator_of(overload):
    return overload.split(".")[0]


def suite_of(records):
    """{ operator: [overload] } of the suite; without a suite record, of what was seen."""
    ops, has = {}, False
    for r in records:
        if r["type"] == "suite":
            has = True
            for op, overloads in r["operators"].items():
                ops.setdefault(op, [])
                ops[op] += [o for o in overloads if o not in ops[op]]
    return ops, has


def rows_of(records, suite):
    """{ (overload, kernel): (verdict, derived) }: of cases, of kernels' own records, of kernels without rows."""
    found, derived = {}, {}
    for r in records:
        if r["type"] == "case":
            key = r["overload"], r["kernel_sha256"]
            found.setdefault(key, []).append(r["verdict"])
            derived[key] = bool(r.get("derived"))
        elif r["type"] == "kernel":
            for overload, o in r["overloads"].items():
                key = overload, r["kernel_sha256"]
                found.setdefault(key, []).append(o["verdict"])
                derived[key] = bool(o.get("derived"))
    for r in records:
        if r["type"] != "kernel" or r["overloads"] or r["verdict"] == "PASS":
            continue
        meant = suite.get(r["operator"], [])
        meant = [o for o in meant if o == r.get("overload")] or meant or [r["operator"]]
        for overload in meant:
            found.setdefault((overload, r["kernel_sha256"]), []).append(r["verdict"])
            derived.setdefault((overload, r["kernel_sha256"]), False)
    return {key: (worst(v), derived[key]) for key, v in found.items()}


def overloads_of(rows):
    verdict, derived = {}, {}
    for (overload, _), (v, d) in rows.items():
        verdict[overload] = worst([verdict.get(overload), v])
        derived[overload] = derived.get(overload, True) and d
    return verdict, derived


def operator_verdicts(records, verdict, derived):
    own, other = {}, {}
    for overload, v in verdict.items():
        to = other if derived[overload] else own
        to[operator_of(overload)] = worst([to.get(operator_of(overload)), v])
    for r in records:
        if r["type"] == "kernel" and worst([o["verdict"] for o in r["overloads"].values()]) != r["verdict"]:
            own[r["operator"]] = worst([own.get(r["operator"]), r["verdict"]])
    return {op: own.get(op) or other.get(op) for op in {**own, **other}}


def count(labels):
    score = dict(passed=0, partial=0, failed=0, undecided=0, missing=0, of=len(labels))
    for label in labels:
        score[{"PASS": "passed", "PARTIAL": "partial", "SKIPPED": "undecided", "WEAK_CASE": "undecided",
               None: "missing"}.get(label, "failed")] += 1
    return score


# --- speed ---------------------------------------------------------------------------------------------------------


def worth(t):
    """(speed-up, lower, upper, is it lowered) that a timed case counts for; None: none; "?": its operator has none."""
    if t and t.get("too_slow"):  # whatever it would have taken: the operator is not as fast as its other cases say
        return "?"
    if not t or not t.get("baseline") or t["baseline"] == "reference":
        return None
    if not t.get("scored") or t.get("overhead_bound"):
        return None
    if not t.get("ns") or t.get("pace") in (None, "NONE"):
        return None
    lo, hi, x = t.get("lo", 0), t.get("hi", 0), t.get("speedup", 0)
    lowered = t["pace"] == "UNCLEAR" and lo < x
    if lowered:
        x = lo
    return (x, min(lo, x), max(hi, x) if hi else 0, lowered) if x > 0 and lo > 0 else "?"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def speeds_of(records, verdict_of_case, name_of):
    """{ name: (speed-up, lower bound, cases counted by their lower bound) } over the cases that passed and count."""
    taken = {}
    for r in records:
        if r["type"] != "case":
            continue
        key = r["overload"], r["kernel_sha256"], r.get("case", r["line"])
        slow = (r.get("timing") or {}).get("too_slow")  # such a case is SKIPPED if it was not judged either
        w = worth(r.get("timing"))
        if w is None or (not slow and (r["verdict"] != "PASS" or verdict_of_case[key] != "PASS")):
            continue
        rank = -1 if w == "?" else w[0]
        if key not in taken or rank < taken[key][0]:
            taken[key] = rank, name_of(r["overload"]), w
    by = {}
    for _, name, w in taken.values():
        by.setdefault(name, []).append(w)
    return {n: (mean([w[0] for w in ws]), mean([w[1] for w in ws]), sum(w[3] for w in ws))
            for n, ws in by.items() if "?" not in ws}


def speed_score(names, passes, speeds):
    chosen = [speeds[n] for n in names if passes(n) and n in speeds]
    return dict(of=len(names), correct=sum(map(passes, names)), scored=len(chosen),
                speedup=mean([s[0] for s in chosen]), fast=[sum(s[0] > p * (1 + 1e-12) for s in chosen) for p in P],
                surely=[sum(s[1] > p * (1 + 1e-12) for s in chosen) for p in P],
                lowered_cases=sum(s[2] for s in chosen))


def compute(path):
    records = read(path)
    suite, has = suite_of(records)
    rows = rows_of(records, suite)
    verdict, derived = overloads_of(rows)
    ops = operator_verdicts(records, verdict, derived)
    if not has:
        for overload in verdict:
            suite.setdefault(operator_of(overload), []).append(overload)

    def passes(op):
        return ops.get(op) == "PASS" and bool(suite[op]) and all(verdict.get(o) == "PASS" for o in suite[op])

    labels = {op: "PARTIAL" if ops.get(op) == "PASS" and not passes(op) else ops.get(op) for op in suite}
    overloads = [o for op in suite for o in suite[op]]
    cases = {}
    for r in records:
        if r["type"] == "case":
            key = r["overload"], r["kernel_sha256"], r.get("case", r["line"])
            cases[key] = worst([cases.get(key), r["verdict"]])
    return dict(
        labels=labels, operators=count(labels.values()), overloads=count([verdict.get(o) for o in overloads]),
        speed_operators=speed_score(list(suite), passes, speeds_of(records, cases, operator_of)),
        speed_overloads=speed_score(overloads, lambda o: verdict.get(o) == "PASS", speeds_of(records, cases, str)))


def compare(mine, said):
    """What differs, as texts."""
    wrong = []

    def same(what, x, y):
        numbers = isinstance(x, float) or isinstance(y, float)
        close = math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) if numbers else x == y
        if not close:
            wrong.append(f"{what}: {x} by this script, {y} by assay")

    for level in ("operators", "overloads"):
        for key, n in mine[level].items():
            same(f"{level} {key}", n, said["scores"][level][key])
        speed = said["scores"]["speed"][level]
        for key in ("of", "correct", "scored"):
            same(f"speed of {level}, {key}", mine["speed_" + level][key], speed[key])
        same(f"speed-up of {level}", float(mine["speed_" + level]["speedup"]), float(speed.get("speedup", 0)))
        same(f"lowered cases of {level}", mine["speed_" + level]["lowered_cases"], speed["lowered_cases"])
        for i, p in enumerate(speed["perf_at"]):
            same(f"perf@{p['p']} of {level}", mine["speed_" + level]["fast"][i], p["above"])
            same(f"certain perf@{p['p']} of {level}", mine["speed_" + level]["surely"][i], p["surely_above"])
    for op, label in mine["labels"].items():
        same(op, label or "MISSING", said["operators"][op]["verdict"])
    rows = [o["verdict"] for o in said["operators"].values() if o.get("in_suite", True)]
    same("rows that say PASS", rows.count("PASS"), said["scores"]["operators"]["passed"])
    return wrong


def main(assay, *runs):
    status = 0
    for run in runs:
        out = subprocess.run([assay, "report", run, "--json"], check=True, capture_output=True).stdout
        mine = compute(run)
        wrong = compare(mine, json.loads(out))
        name = run.rstrip("/").rsplit("/", 1)[-1]
        print(f"{name}: {mine['operators']['passed']} of {mine['operators']['of']}: "
              f"{'agrees' if not wrong else '; '.join(wrong)}")
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
