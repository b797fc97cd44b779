# SPDX-License-Identifier: Apache-2.0
"""Kills a generation run with SIGKILL at five points and resumes it. In the end it must be what an undisturbed run of
the same script is; no answer that had reached the run may have been asked for again; every question that was in flight
must have been reported as lost, and none else.

    python3 tests/llm/kill.py BUILD_DIR SCRATCH
"""
import collections
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
fake = __import__("with")

# of which the samples know no wrong kernel that smoke's two cases might let pass
OPS = ["mm", "cos", "eq", "sub", "argmax", "diff", "silu", "hardsigmoid", "rot90", "rsub", "gt", "select_backward"]
# Independent samples, and with ASSAY_WHOLE=1 rounds of repair: "improving" is right only if the prompt shows its last
# kernel, also where that was made before the kill.
TRACKS = [
    ([], [["correct"], ["wrong", "correct"], ["uncompilable", "no code", "correct"], ["truncated", "wrong"]]),
    (["--reflection"], [["improving"], ["uncompilable", "improving"], ["no code", "improving"], ["wrong", "empty"]]),
]
SCRIPT = """
import json
OPS = %(ops)r
PLANS = %(plans)r
SCRIPT = {"tokens": [1000, 200], "key": %(key)r, "missing": "refusing"}
def answer(op, attempt, request):
    with open(%(control)r) as f:
        how = json.load(f)
    plan = PLANS[OPS.index(op.split("::")[1]) %% len(PLANS)]
    return dict(how, answer=plan[min(attempt, len(plan)) - 1])
"""


def lines(path):
    """Whole lines only; the last may be torn."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split("\n")[:-1] if line]


class Run:
    def __init__(self, assay, out, track):
        self.assay, self.out, self.track = assay, out, track
        self.resumed = False

    def start(self, service):
        how = ["--resume-from", self.out] if self.resumed else [
            "--dataset", "smoke", "--op-name", ",".join(OPS), "--max-rounds", "3", "--lang", "c", "--out",
            self.out] + self.track
        self.log = open(self.out + ".log", "a", encoding="utf-8")
        self.process = subprocess.Popen([self.assay, "llm", "--jobs", "1", "--timing", "none"] + how,
                                        env=service.environment(), stdout=self.log, stderr=self.log)
        self.resumed = True
        self.before = len(lines(self.out + "/results.jsonl"))

    def kill_when(self, ready, patience=60):
        """False: it ended first."""
        until = time.time() + patience
        while time.time() < until:
            if self.process.poll() is not None:
                return False
            if ready(self):
                self.process.kill()
                self.process.wait()
                return True
            time.sleep(0.001)
        raise SystemExit("the point never came")

    def end(self):
        self.process.wait(300)
        self.log.close()
        with open(self.out + ".log", encoding="utf-8") as f:
            text = f.read()
        assert self.process.returncode == 0, text

    def exchanges(self, kind):
        return [x for x in lines(self.out + "/exchanges.jsonl") if x["type"] == kind]

    def records(self, kind, since=0):
        return [x for x in lines(self.out + "/results.jsonl")[since:] if x["type"] == kind]


def in_flight(run):
    done = {x["id"] for x in lines(run.out + "/exchanges.jsonl") if x["type"] in ("answered", "dropped")}
    return [x["id"] for x in run.exchanges("asked") if x["id"] not in done]


def is_judging(run):
    judged = {x["attempt"] for x in run.records("kernel")}
    return any(x["attempt"] not in judged for x in run.records("case", run.before))


def is_behind(run):
    return run.records("attempt", run.before) and len(run.exchanges("answered")) > len(run.records("attempt")) + 2


POINTS = [
    ("right after asking", {"delay_s": 30}, lambda r: len(in_flight(r)) >= len(OPS)),
    ("while answers come in", {"slow_s": 0.05, "chunk": 40},
     lambda r: len(r.exchanges("answered")) >= 3 and in_flight(r)),
    ("between answer and verdict", {}, is_behind),
    ("during judging", {}, is_judging),
    ("before the results are written", {},
     lambda r: len(r.records("chosen")) >= r.problems and not os.path.exists(r.out + "/pass_at_k_results.json")),
]


def facts(out):
    """What must not depend on kills."""
    with open(out + "/pass_at_k_results.json", encoding="utf-8") as f:
        got = json.load(f)
    attempts = {x["attempt"]: (x["reply"], x.get("verdict"), x["solved"], x["kernel_sha256"], x["tokens_in"])
                for x in lines(out + "/results.jsonl") if x["type"] == "attempt"}
    keep = ["total_operators", "passed_operators", "solved_within", "tokens", "rounds_summary"]
    return {"attempts": attempts, "verdicts": got["attempts"]["verdict"], **{k: got[k] for k in keep}}


def check_counts(run, log):
    wrong = []
    asked, answered, lost = (collections.Counter() for _ in range(3))
    for x in lines(run.out + "/exchanges.jsonl"):
        if x["type"] == "asked":
            asked[x["id"]] += 1
            if answered[x["id"]]:
                wrong.append("asked again after its answer: " + x["id"])
        elif x["type"] == "answered":
            answered[x["id"]] += 1
    for x in run.records("lost"):
        lost[x["attempt"]] += 1
    seen = collections.Counter(x["id"] for x in lines(log) if x["event"] == "seen")
    for i in set(asked) | set(seen):
        if answered[i] != 1:
            wrong.append("%s has %d answers" % (i, answered[i]))
        if asked[i] != 1 + lost[i]:
            wrong.append("%s was asked %d times and lost %d times" % (i, asked[i], lost[i]))
        if seen[i] > asked[i]:
            wrong.append("%s came to the service %d times and was asked %d times" % (i, seen[i], asked[i]))
    twice = [k for k, n in collections.Counter(x["attempt"] for x in run.records("attempt")).items() if n > 1]
    cases = collections.Counter((x["kernel_sha256"], x["case"]) for x in run.records("case"))
    twice += [k for k, n in cases.items() if n > 1]
    if twice:
        wrong.append("recorded twice: %s" % twice[:3])
    if not sum(lost.values()):
        wrong.append("nothing was lost: the kills came too late")
    return wrong, sum(lost.values())


def try_track(build, scratch, track, plans):
    control, script = scratch + "/control.json", scratch + "/script.py"

    def let(how):
        with open(control + ".new", "w", encoding="utf-8") as f:
            json.dump(how, f)
        os.replace(control + ".new", control)

    let({})
    with open(script, "w", encoding="utf-8") as f:
        f.write(SCRIPT % {"key": fake.KEY, "control": control, "plans": plans, "ops": OPS})
    with fake.FakeServer(script) as service:
        whole = Run(build + "/assay", scratch + "/whole", track)
        whole.start(service)
        whole.end()
    log = scratch + "/server.log"
    run = Run(build + "/assay", scratch + "/killed", track)
    run.problems = len(facts(scratch + "/whole")["passed_operators"]) + len(
        [x for x in whole.records("chosen") if not x["solved"]])
    killed = []
    with fake.FakeServer(script, log) as service:
        for name, how, ready in POINTS:
            let(how)
            run.start(service)
            if run.kill_when(ready):
                killed.append(name)
        let({})
        run.start(service)
        run.end()
    wrong, lost = check_counts(run, log)
    if len(killed) != len(POINTS):
        wrong.append("killed only: %s" % ", ".join(killed))
    a, b = facts(scratch + "/whole"), facts(scratch + "/killed")
    for k in a:
        if k == "attempts":
            wrong += ["%s: %r, not %r" % (i, b[k].get(i), a[k].get(i)) for i in sorted(set(a[k]) | set(b[k]))
                      if a[k].get(i) != b[k].get(i)]
        elif a[k] != b[k]:
            wrong.append("%s: %r, not %r" % (k, b[k], a[k]))
    with open(scratch + "/killed/pass_at_k_results.json", encoding="utf-8") as f:
        if json.load(f)["lost_requests"] != lost:
            wrong.append("the results do not say how many were lost")
    if not len(OPS) // 2 < len(a["passed_operators"]) < len(OPS):
        wrong.append("the script is worth little: %s are solved" % a["passed_operators"])
    print("\n".join(wrong) or "killed %d times, %d requests lost and asked again, the rest as if nothing had been" % (
        len(killed), lost))
    return bool(wrong)


def main(build, scratch):
    bad = False
    for i, (track, plans) in enumerate(TRACKS if os.environ.get("ASSAY_WHOLE") else TRACKS[:1]):
        os.mkdir("%s/%d" % (scratch, i))
        bad |= try_track(build, "%s/%d" % (scratch, i), track, plans)
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
