# SPDX-License-Identifier: Apache-2.0
"""What the runs of bench/gpu.sh amount to: one JSON for each part, all of them in one, and their tables in Markdown.

    python3 bench/gpu_report.py part NAME OUT                                   OUT/NAME.json, and its figures here
    python3 bench/gpu_report.py slow JSON                                       a case above 20 us of each operator
    python3 bench/gpu_report.py merge [--json J] [--markdown M] OUT|JSON...     all parts in J, tables in M

A part's JSON: part, date, device, driver, torch, steps (command, seconds, what ended it), figures (what, value,
limit, met: true, false, or null where there is nothing to decide by), tables, notes. Of a part that is in several
places the last counts. Tables go between the marks of M, text around them stays; a part that is in no place is
said to be missing. Exit status: 0; 1 if merge met a figure beyond its limit or a part is missing.
"""
import argparse
import datetime
import glob
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gpu_samples  # noqa: E402
from gpu_figures import (LARGE_NS, bare, by_operator, case_counts, geometric_mean, half_width, load,  # noqa: E402
                         median, newest, of_topn, percent, ratio_text, time_text, timed_cases)

PARTS = ["doctor", "cold", "honesty", "agreement", "gated", "speed", "hostile", "good", "suites", "flaggems", "whole"]
RUNS = ("timed", "top3", "top1")
BEGIN, END = "<!-- begin: bench/gpu_report.py -->", "<!-- end: bench/gpu_report.py -->"
WELL_US = 40
KILLED = (124, 137)


# --- what a part was ------------------------------------------------------------------------------------------------


class Part:
    """The JSON of a part while it is made."""

    def __init__(self, name, out, folder=None):
        self.name, self.out = name, out
        self.dir = os.path.join(out, folder or name)
        self.steps = read_steps(self.dir)
        self.figures, self.tables, self.notes = [], [], []
        self.cases = []  # whatever was read; its device is the part's

    def records(self, step):
        found = newest(load(os.path.join(self.dir, step, "results.jsonl")))
        self.cases += found
        return found

    def said(self, step):
        """The JSON lines that a step printed."""
        found = load(os.path.join(self.dir, step + ".out"))
        self.cases += found
        return found

    def seconds(self, step):
        """Of all its calls together: a run that was ended goes on with another."""
        return sum(s["seconds"] for s in self.steps if s["name"] == step)

    def ended(self, step):
        """By itself, at last?"""
        last = [s for s in self.steps if s["name"] == step]
        return bool(last) and last[-1]["rc"] in (0, 1)

    def figure(self, what, value, limit=None, most=None, least=None, unit="", note=""):
        """most and least: what the value must not pass. Without a value there is nothing to decide by."""
        met = None
        if value is not None and not math.isfinite(value):
            met, value, note = False, None, f"{note}; not finite: an interval has no upper end".lstrip("; ")
        elif value is not None and (most is not None or least is not None):
            met = (most is None or value <= most) and (least is None or value >= least)
        self.figures.append({"what": what, "value": value, "unit": unit, "limit": limit, "met": met, "note": note})

    def table(self, title, head, rows):
        self.tables.append({"title": title, "head": head, "rows": rows})

    def unfinished(self):
        for s in self.steps:
            if s["rc"] is None:
                yield f"{s['name']}: no time was left for it"
            elif s["rc"] in KILLED:
                yield f"{s['name']}: ended after {s['seconds']:.0f} s, its limit; what it had by then is in here"
            elif s["rc"] > 1 or (s["rc"] and ".py " in s["command"]):  # assay's 1 is about kernels
                yield f"{s['name']}: exit status {s['rc']}: {last_words(self.dir, s['name'])}"

    def dump(self):
        about = machine(self.out, self.cases)
        said = {"part": self.name, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                **about, "steps": self.steps, "figures": self.figures, "tables": self.tables,
                "notes": self.notes + list(self.unfinished())}
        return clean(said, self.out)


def read_steps(folder):
    steps = []
    try:
        with open(os.path.join(folder, "steps"), encoding="utf-8") as f:
            for line in f:
                name, begin, end, rc, most, command = line.rstrip("\n").split("\t", 5)
                steps.append({"name": name, "command": command, "seconds": round(float(end) - float(begin), 3),
                              "limit_s": int(most), "rc": None if rc == "none" else int(rc)})
    except FileNotFoundError:
        pass
    return steps


def clean(x, out):
    """Without the folders of the machine at hand."""
    if isinstance(x, dict):
        return {k: clean(v, out) for k, v in x.items()}
    if isinstance(x, list):
        return [clean(v, out) for v in x]
    if not isinstance(x, str):
        return x
    python = os.environ.get("ASSAY_PYTHON", "")
    for folder, name in ((os.path.abspath(out), "OUT"), (os.getcwd() + "/", ""), (os.path.dirname(python) + "/", "")):
        x = x.replace(folder, name) if len(folder) > 1 else x
    return x


def last_words(folder, step):
    try:
        with open(os.path.join(folder, step + ".err"), encoding="utf-8", errors="replace") as f:
            lines = [s for s in f.read().strip().splitlines() if s]
        return lines[-1][:300] if lines else "it said nothing"
    except FileNotFoundError:
        return "it said nothing"


def machine(out, records):
    """Device and versions: from the doctor where he was asked, else from the records."""
    about = {"device": "", "driver": "", "torch": ""}
    for row in load(os.path.join(out, "doctor", "doctor.out")):
        if row.get("name") == "GPU" and row.get("state") == "ok":
            about["device"] = row["what"]
        if row.get("name") == "NVML":
            about["driver"] = row.get("version", "")
    for r in records:
        about["device"] = about["device"] or r.get("device", "")
        if r.get("backend") == "aten":
            about["torch"] = about["torch"] or r.get("file", "").replace("aten ", "")
    return about


# --- the parts ------------------------------------------------------------------------------------------------------


def doctor(p):
    names = ("GPU", "NVML", "MPS", "nvcc", "NVRTC", "cuBLAS", "GPU ceilings", "CUDA kernels", "Python", "Triton",
             "sandbox")
    rows = [r for r in p.said("doctor") if r.get("state") != "ok" or r.get("name") in names]
    p.table("assay doctor", ["", "", ""], [[r["name"], r["state"], r["what"]] for r in rows])
    missing = [r["name"] for r in rows if r["state"] == "missing"]
    p.figure("missing", len(missing) if rows else None, note=", ".join(missing))


def cold(p):
    found = {k: v for said in (p.said("cold"), p.said("compile")) for row in said for k, v in row.items()}
    kept, stream = found.get("kept"), found.get("stream")
    nothing, compiled = found.get("nothing_kept"), found.get("compile_s")
    right = bool(kept and stream) and {r["verdict"] for r in [nothing, *kept]} | set(stream["verdicts"]) == {"PASS"}
    if kept and stream and not right:
        p.notes.append(f"not all of these passed: {[r['verdict'] for r in [nothing, *kept]]}, {stream['verdicts']}")
    p.figure("cold start to the first verdict, object and judge's kernels made before",
             median([r["first_s"] for r in kept]) if kept else None, "< 2 s", most=2, unit="s",
             note=f"to the end: {median([r['whole_s'] for r in kept]):.2f} s" if kept else "")
    p.figure("the same with nothing kept: nvcc and NVRTC run", nothing["first_s"] if nothing else None, unit="s",
             note=f"to the end: {nothing['whole_s']:.2f} s" if nothing else "")
    p.figure("the first Triton kernel of a stream: torch is imported", stream["first_s"] if stream else None, unit="s")
    p.figure("the next one", median(stream["next_s"]) if stream else None, unit="s",
             note=" ".join(f"{s:.2f}" for s in stream["next_s"]) if stream else "")
    p.figure("its own compile, without a judge", median(compiled) if compiled else None, unit="s")
    beyond = median(stream["next_s"]) - median(compiled) if stream and compiled else None
    p.figure("the next small Triton kernel beyond its own compile", beyond, "<= 1.5 s", most=1.5, unit="s")


def pace_rows(cases):
    return [[t["overload"], t["line"], time_text(t["ns"]), ratio_text(t), t["pace"], "yes" if t["few"] else "no"]
            for t in cases if t["pace"] in ("FASTER", "SLOWER")]


def honesty(p):
    """Without a run of --topn 3 the limit is held against all timed cases of one with more inputs."""
    timed = [t for t in timed_cases(of_topn(p.records("run"), 3)) if t["speedup"]]
    called = {t["overload"] for t in timed if t["pace"] in ("FASTER", "SLOWER")}
    large = [half_width(t) for t in timed if t["ns"] > LARGE_NS]
    mean = geometric_mean([(t["overload"], t["speedup"]) for t in timed])
    few, shared = [t for t in timed if t["few"]], p.dir.endswith("timed")
    p.figure("operators called FASTER or SLOWER", len(called) if timed else None, "<= 3", most=3,
             note=f"of {len({t['overload'] for t in timed})} with a ratio ({len(timed)} cases)")
    if shared:
        called = {t["overload"] for t in few if t["pace"] in ("FASTER", "SLOWER")}
        p.figure("... of them in the --topn 3 part", len(called) if few else None, "<= 3", most=3,
                 note=f"of {len({t['overload'] for t in few})} with a ratio ({len(few)} cases)")
    p.figure("half of the interval, median over kernels above 20 us", 100 * median(large) if large else None,
             "<= 0.5 %", most=0.5, unit="%", note=f"{len(large)} cases")
    p.figure("geometric mean over operators", mean, "1.00 +/- 0.005", most=1.005, least=0.995)
    p.table("Called FASTER or SLOWER, ATen against itself",
            ["operator", "case", "a call", "ratio", "said", "in --topn 3"], pace_rows(timed))
    if shared:
        p.notes.append("from the run of part speed (--topn 20): auto times at most three inputs of an operator, one a "
                       "dtype, the smallest of at least 1 MiB; of these some are among the three largest")


def agreement(p):
    plain = {bare(r["line"]): r for r in p.said("plain")}
    run = [r for folder in RUNS for r in Part("agreement", p.out, folder).records("run")]
    p.cases += run
    timed = [t for t in timed_cases(run) if t["ns"] > LARGE_NS]
    rows, gaps = [], {"inside": {}, "plain": {}}
    for t in timed:
        other = {"inside": t["claimed_ns"], "plain": plain.get(t["line"], {}).get("plain_ns")}
        for kind, ns in other.items():
            if ns:
                gaps[kind].setdefault(t["overload"], []).append(ns / t["ns"] - 1)
        if other["plain"] or other["inside"]:
            rows.append([t["overload"], t["line"], time_text(t["ns"]), percent(other["inside"], t["ns"]),
                         percent(other["plain"], t["ns"])])
    ways = (("inside", "CUDA events inside the executor"), ("plain", "CUDA events around a plain loop of torch"))
    for kind, words in ways:
        gap = [100 * median([abs(x) for x in of]) for of in gaps[kind].values()]
        p.figure(f"{words} against the judge's time, median", median(gap) if gap else None, "< 1 %", most=1, unit="%",
                 note="" if gap else "no record has claimed_ns" if kind == "inside" else "no case was timed plainly")
        p.figure("... operators", len(gap), ">= 50", least=50, note="above 20 us")
    p.table("Judge and CUDA events", ["operator", "case", "judge", "inside", "plain loop"], rows)
    why = sorted({r["why"] for r in plain.values() if r.get("why")})
    p.notes += [f"not timed plainly: {w}" for w in why[:8]]


def gated(p):
    """The same under the gate, for operators that the part agreement found to take more than 20 us."""
    timed = [t for t in timed_cases(p.records("run")) if t["ns"] > LARGE_NS and t["claimed_ns"]]
    gaps = {}
    for t in timed:
        gaps.setdefault(t["overload"], []).append(t["claimed_ns"] / t["ns"] - 1)
    gap = [100 * median([abs(x) for x in of]) for of in gaps.values()]
    p.figure("CUDA events inside the executor against the judge's time, gated, median", median(gap) if gap else None,
             "< 1 %", most=1, unit="%", note="" if gap else "no record has claimed_ns")
    p.figure("... operators", len(gap), ">= 50", least=50, note="above 20 us" + no_end(p, "run"))
    p.table("Judge and CUDA events, gated", ["operator", "case", "judge", "inside"],
            [[t["overload"], t["line"], time_text(t["ns"]), percent(t["claimed_ns"], t["ns"])] for t in timed])


def slow_cases(path):
    """Of a JSON of all parts: a case of each operator in the table of part agreement, the shortest that is long enough
    to tell 1 % well, or else the longest."""
    with open(path, encoding="utf-8") as f:
        parts = {p["part"]: p for p in json.load(f)["parts"]}
    rows = [row for t in parts.get("agreement", {}).get("tables", []) for row in t["rows"]]
    cases = {}
    for operator, line, took, *_ in rows:
        number, unit = took.split()
        cases.setdefault(operator, []).append((float(number) * {"us": 1, "ms": 1000}[unit], line))
    for some in cases.values():
        print(min((c for c in some if c[0] >= WELL_US), default=max(some))[1])


def speed(p):
    records = p.records("run")
    cases = [r for r in records if r.get("type") == "case"]
    timed = timed_cases(records)
    p.figure("--suite torchbench --topn 20, correctness and timing", p.seconds("run") if p.ended("run") else None,
             "< 300 s", most=300, unit="s", note=f"{len(cases)} inputs, {len(timed)} timed" + no_end(p, "run"))
    checks, wall = sum(t["check_s"] or 0 for t in timed), sum(t["wall_s"] for t in timed)
    known = any(t["check_s"] is not None for t in timed)
    p.figure("checking timed calls, of the time that timing took", 100 * checks / wall if known and wall else None,
             "<= 10 %", most=10, unit="%", note="" if known else "no record has check_s")
    p.figure("timing, of the whole", 100 * wall / p.seconds("run") if p.seconds("run") else None, unit="%")


def no_end(p, step):
    return "" if p.ended(step) else f"; not ended after {p.seconds(step):.0f} s"


def whole(p):
    cases = [r for r in p.records("run") if r.get("type") == "case"]
    done, all_of_it, took = len(cases), 15568, p.seconds("run")
    note = f"{done} inputs"
    if not p.ended("run") and done:
        pace = took / done
        note += f" in {took:.0f} s; at this pace all {all_of_it} take {pace * all_of_it:.0f} s, if the rest is alike"
    p.figure("the whole torchbench suite, correctness and timing", took if p.ended("run") else None, "< 1500 s",
             most=1500, unit="s", note=note)
    suite_figures(p, "torchbench, the whole trace", p.records("run"), p.ended("run"), no_end(p, "run"))


def suites(p):
    for step, words in (("smoke", "smoke"), ("opinfo", "opinfo"), ("torchbench", "torchbench --topn 5"),
                        ("kernelgenbench", "kernelgenbench --quick")):
        if step == "torchbench" and not os.path.isdir(os.path.join(p.dir, step)):
            shared_suite(p, words)
        else:
            suite_figures(p, words, p.records(step), p.ended(step), no_end(p, step))


def shared_suite(p, words):
    """The five largest inputs were judged in the run that is timed."""
    timed = Part("suites", p.out, "timed")
    records = [r for r in of_topn(timed.records("run"), 5) if r.get("type") != "case" or r["few"]]
    p.cases += records
    p.steps += [s for s in timed.steps if s["name"] == "run"]
    suite_figures(p, words, records, timed.ended("run"), no_end(timed, "run"))
    p.notes.append(f"{words}: from the run of part speed (--topn 20), whose cases these are a part of")


def suite_figures(p, words, records, ended, unfinished):
    cases = [r for r in records if r.get("type") == "case"]
    counts, bad = case_counts(cases)
    p.figure(f"{words}: operators with a case that neither passes nor has a reason",
             len(bad) if cases and ended else None, "0, or listed", most=0,
             note=f"{len(cases)} cases: {words_of(counts)}{unfinished}" if cases else "no record" + unfinished)
    rows = [[f["overload"], f["verdict"], str(f["n"]), f["detail"], f["line"]] for f in bad.values()]
    if rows:
        p.table(f"{words}: what did not pass", ["operator", "verdict", "cases", "the first of them", "its line"], rows)
    reasons = {}
    for r in cases:
        if r["verdict"] == "SKIPPED":
            key = (r["overload"], r.get("detail", ""))
            reasons[key] = reasons.get(key, 0) + 1
    if reasons:
        p.table(f"{words}: skipped", ["operator", "cases", "reason"],
                [[o, str(n), d] for (o, d), n in sorted(reasons.items())])
    for r in records:
        if r.get("type") in ("error", "device"):
            p.notes.append(f"{words}: {r.get('error') or r.get('detail')}")


def words_of(counts):
    return ", ".join(f"{n} {v}" for v, n in sorted(counts.items(), key=lambda x: -x[1])) or "none"


def flaggems(p):
    for step, words in (("smoke", "smoke"), ("opinfo", "opinfo, add and sub"), ("timed", "bench/gpu.lines")):
        records = p.records(step)
        cases = [r for r in records if r.get("type") == "case"]
        counts, _ = case_counts(cases)
        operators = by_operator(records)
        by, _ = case_counts(operators)
        p.figure(f"{words}: operators that were judged", len(operators) if records else None, "> 0", least=1,
                 note=f"operators: {words_of(by)}; cases: {words_of(counts)}{no_end(p, step)}")
        if step != "smoke":
            timed = [t for t in timed_cases(records) if t["speedup"]]
            p.figure(f"{words}: cases with a speed-up over ATen", len(timed) if cases else None, "> 0", least=1)
            p.table(f"FlagGems: {words}", ["operator", "case", "a call", "speed-up", "said"],
                    [[t["overload"], t["line"], time_text(t["ns"]), ratio_text(t), t["pace"]] for t in timed])
        else:
            p.table("FlagGems: smoke", ["operator", "verdict", "cases"],
                    [[r["overload"], r["verdict"], str(r["cases"])] for r in operators])


def hostile(p):
    answers = {str(r.get("id")): r for r in p.said("judged")}
    rows, wrong, after, n = [], 0, 0, 0
    for path in sorted(i for i in ids(p, "judged") if not i.startswith("after ")):
        about, got = gpu_samples.read(path), verdict_of(answers.get(path))
        good = verdict_of(answers.get(f"after {path}"))
        timed, said = timed_outcome(p, path, about)
        n += 1
        wrong += got not in about["due"] or timed is False
        after += good != "PASS"
        rows.append([os.path.basename(path), "|".join(about["due"]), got, "|".join(about["timed"] or []), said, good])
    p.figure("hostile and wrong kernels that did not get what they are due", wrong if n else None, "0", most=0,
             note=f"of {n}")
    p.figure("right kernels after one of them that did not pass", after if n else None, "0", most=0, note=f"of {n}")
    p.table("Hostile and wrong kernels",
            ["kernel", "due", "got", "timed: due", "timed: got", "the next, a right one"], rows)


def ids(p, step):
    return [job["id"] for job in load(os.path.join(p.dir, step + ".jobs"))]


def verdict_of(answer):
    if not answer:
        return "nothing"
    return answer.get("verdict") or "error: " + str(answer.get("error"))[:80]


def timed_outcome(p, path, about):
    """As due (None: it is due nothing when timed), and in words."""
    if not about["timed"]:
        return None, ""
    records = p.said("timed_" + os.path.basename(path).replace(".", "_"))
    cases = [r for r in records if r.get("type") == "case"]
    if not cases:
        return False, "nothing"
    got, t = cases[-1]["verdict"], cases[-1].get("timing") or {}
    if got != "PASS":
        return got in about["timed"], got
    if not t.get("speedup"):  # then no report called it faster
        return "NOT_FASTER" in about["timed"], f"no ratio: {t.get('why', 'no time')}"
    said = f"{t['pace']} {ratio_text({'hi': None, **t})}"
    return "NOT_FASTER" in about["timed"] and t["pace"] != "FASTER", said


def good(p):
    answers = {str(r.get("id")): r for r in p.said("judged")}
    passed = {"cuda": 0, "triton": 0}
    for lang in passed:
        records, rows = p.records(lang), []
        timed = {}
        for t in timed_cases(records):
            timed.setdefault(os.path.basename(t["file"]), []).append(t)
        listed = {os.path.basename(r["file"]): r["verdict"] for r in records if r.get("type") == "kernel"}
        for path in sorted(i for i in ids(p, "judged") if i.endswith(".py") == (lang == "triton")):
            name, answer = os.path.basename(path), answers.get(path)
            grid = "outside the catalogue" if (answer or {}).get("type") == "error" else verdict_of(answer)
            right = grid == "PASS" or (grid == "outside the catalogue" and listed.get(name) == "PASS")
            right = right and listed.get(name, "PASS") in ("PASS", "SKIPPED")
            passed[lang] += right
            first = [name, f"{grid}, {(answer or {}).get('cases', 0)} cases", listed.get(name, "nothing")]
            for t in timed.get(name) or [None]:
                rows.append(first + (good_row(t) if t else [""] * 6))
                first = ["", "", ""]
        p.figure(f"good kernels in {lang} that pass", passed[lang] if ids(p, "judged") else None, ">= 12", least=12)
        p.figure(f"... of them with a speed-up in {lang}", sum(any(t["speedup"] for t in of) for of in timed.values()))
        p.table(f"Good kernels: {lang}",
                ["kernel", "grid", "here", "case", "a call", "of the floor", "speed-up", "said", "over"], rows)


def good_row(t):
    over = f"{t['baseline'] or ''} {t['version'] or ''}".strip()
    return [t["line"], time_text(t["ns"]), percent_of(t["of_floor"]), ratio_text(t), t["pace"], over]


def percent_of(x):
    return f"{100 * x:.0f} %" if x else ""


MAKERS = {"doctor": doctor, "cold": cold, "honesty": honesty, "agreement": agreement, "gated": gated, "speed": speed,
          "hostile": hostile, "good": good, "suites": suites, "flaggems": flaggems, "whole": whole}
FOLDER = {"honesty": "timed", "speed": "timed"}


def report_part(name, out):
    if name in RUNS:  # said by the parts that they are for
        return
    top3 = name == "honesty" and os.path.isdir(os.path.join(out, "top3", "run"))
    p = Part(name, out, "top3" if top3 else FOLDER.get(name))
    MAKERS[name](p)
    j = p.dump()
    with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as f:
        json.dump(j, f, indent=1)
        f.write("\n")
    print(f"== {name}: " + "; ".join(f"{s['name']} {s['seconds']:.0f} s" for s in j["steps"]))
    for f in j["figures"]:
        print("   " + " ".join(filter(None, row_of(f))))
    for n in j["notes"]:
        print("   " + n)
    sys.stdout.flush()


# --- all parts ------------------------------------------------------------------------------------------------------


def value_text(f):
    v = f["value"]
    if v is None:
        return "-"
    text = f"{v:.4g}" if isinstance(v, float) else str(v)
    return f"{text} {f['unit']}".strip()


def row_of(f):
    met = {True: "met", False: "**not met**", None: "" if f["limit"] is None else "**not shown**"}[f["met"]]
    return [f["what"], value_text(f), f["limit"] or "", met, f["note"]]


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]


def markdown(parts):
    lines = []
    for name in PARTS:
        j = parts.get(name)
        lines += [f"### {name}", ""]
        if not j:
            lines += [f"**Missing: part {name} was not run.**", ""]
            continue
        about = f"driver {j['driver'] or 'unknown'}, torch {j['torch'] or 'unknown'}; {j['date']}"
        lines += [f"{j['device'] or 'no GPU'}, {about}", ""]
        lines += [f"    {s['command']}        {s['seconds']:.0f} s" for s in j["steps"]] + [""]
        lines += markdown_table(["", "figure", "limit", "", ""], [row_of(f) for f in j["figures"]]) + [""]
        lines += [f"- {n}" for n in j["notes"]] + [""] * bool(j["notes"])
        for t in j["tables"]:
            if t["rows"]:
                lines += [t["title"] + ":", ""] + markdown_table(t["head"], t["rows"]) + [""]
    return "\n".join(lines)


def put_between(path, text):
    """Between the marks of a file; at its end, with marks, where it has none."""
    try:
        with open(path, encoding="utf-8") as f:
            old = f.read()
    except FileNotFoundError:
        old = ""
    if BEGIN not in old:
        old += ("\n" if old else "") + f"{BEGIN}\n{END}\n"
    before, rest = old.split(BEGIN, 1)
    if END not in rest:
        sys.exit(f"gpu_report: {path}: '{BEGIN}' without '{END}'")
    with open(path, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END, 1)[1])


def merge(sources, to_json, to_markdown):
    parts = {}
    for source in sources:
        files = [os.path.join(source, n + ".json") for n in PARTS] if os.path.isdir(source) else glob.glob(source)
        for path in filter(os.path.exists, files):
            with open(path, encoding="utf-8") as f:
                j = json.load(f)
            for one in j.get("parts", [j]):
                parts[one["part"]] = one
    missing = [n for n in PARTS if n not in parts]
    if to_json:
        with open(to_json, "w", encoding="utf-8") as f:
            json.dump({"parts": [parts[n] for n in PARTS if n in parts], "missing": missing}, f, indent=1)
            f.write("\n")
    if to_markdown:
        put_between(to_markdown, markdown(parts))
    beyond = [f"{n}: {f['what']}" for n in PARTS if n in parts for f in parts[n]["figures"] if f["met"] is False]
    print(f"{len(parts)} parts, missing: {', '.join(missing) or 'none'}; "
          f"beyond their limits: {'; '.join(beyond) or 'none'}")
    return 1 if missing or beyond else 0


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    sub = ask.add_subparsers(dest="what", required=True)
    one = sub.add_parser("part")
    one.add_argument("name", choices=[*PARTS, *RUNS])
    one.add_argument("out")
    sub.add_parser("slow").add_argument("json")
    every = sub.add_parser("merge")
    every.add_argument("--json")
    every.add_argument("--markdown")
    every.add_argument("sources", nargs="+")
    args = ask.parse_args()
    if args.what == "slow":
        return slow_cases(args.json)
    if args.what == "part":
        return report_part(args.name, args.out)
    return merge(args.sources, args.json, args.markdown)


if __name__ == "__main__":
    sys.exit(main())
