# SPDX-License-Identifier: Apache-2.0
"""Five hundred requests at once, every tenth of which fails at first, in one way or another: no record may be lost or
doubled. And while they run, and after it, the key may be nowhere: not in a file of the run, nor in what is printed,
nor in the arguments or the environment of any process.

    python3 tests/llm/crowd.py BUILD_DIR SCRATCH
"""
import collections
import glob
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
fake = __import__("with")

SAMPLES, IN_FLIGHT = 6, 500
# A few are judged, so that there are executors to look at; the first answers come late, so that all wait at once.
SCRIPT = {"tokens": [10, 2], "key": fake.KEY, "default": [{"answer": "no code", "delay_s": 5}],
          "ops": {"aten::relu": ["correct"], "aten::add": ["correct"], "aten::sum": ["wrong"]},
          "faults": {"every": 10, "kinds": ["429:0", "500", "cut", "malformed"]}}


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def family(pid):
    """The process and all that descend from it."""
    children = collections.defaultdict(list)
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                parts = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children[int(parts[1])].append(int(path.split("/")[2]))
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        todo += children[one]
    return found


def shows_key(pid):
    for name in ("environ", "cmdline"):
        try:
            with open("/proc/%d/%s" % (pid, name), "rb") as f:
                if fake.KEY.encode() in f.read():
                    return name
        except OSError:
            pass
    return None


def most_at_once(log):
    now = most = 0
    for x in log:
        now += {"seen": 1, "sent": -1, "gone": -1}[x["event"]]
        most = max(most, now)
    return most


def main(build, scratch):
    log, out, wrong, looked = scratch + "/server.log", scratch + "/run", set(), set()
    with fake.FakeServer(SCRIPT, log) as service, open(scratch + "/said", "wb") as said:
        p = subprocess.Popen([build + "/assay", "llm", "--dataset", "smoke", "--samples", str(SAMPLES),
                              "--num-workers", str(IN_FLIGHT), "--lang", "c", "--out", out],
                             env=service.environment(), stdout=said, stderr=said)
        while p.poll() is None:
            # before anything was asked the key is where the user put it
            if os.path.exists(out + "/exchanges.jsonl") and os.path.getsize(out + "/exchanges.jsonl"):
                for pid in family(p.pid):
                    looked.add(pid)
                    if shows_key(pid):
                        wrong.add("the key is in the %s of a process" % shows_key(pid))
            time.sleep(0.01)
    if p.returncode:
        with open(scratch + "/said", encoding="utf-8") as f:
            wrong.add("exit status %d: %s" % (p.returncode, f.read()[-1000:]))
    found = subprocess.run(["grep", "-rl", fake.KEY, out, scratch + "/said"], capture_output=True, text=True,
                           check=False)
    if found.stdout:
        wrong.add("the key is in " + found.stdout)
    if not wrong:
        records, exchanges, served = lines(out + "/results.jsonl"), lines(out + "/exchanges.jsonl"), lines(log)
        problems = next(x for x in records if x["type"] == "track")["problems"]
        due = {"%s/r%d/w0" % (op, r) for op in problems for r in range(1, SAMPLES + 1)}
        for what, ids in (("attempts", [x["attempt"] for x in records if x["type"] == "attempt"]),
                          ("questions", [x["id"] for x in exchanges if x["type"] == "asked"]),
                          ("answers", [x["id"] for x in exchanges if x["type"] == "answered"])):
            if sorted(ids) != sorted(due):
                wrong.add("%d %s, %d different, not %d" % (len(ids), what, len(set(ids)), len(due)))
        faults = sum(bool(x.get("fault")) for x in served)
        most = most_at_once(served)
        if not len(due) // 20 < faults < len(due) // 5:
            wrong.add("%d faults among %d questions" % (faults, len(due)))
        if most < IN_FLIGHT * 0.9:
            wrong.add("only %d requests at once" % most)
        if len(looked) < 4:
            wrong.add("only %d processes were looked at" % len(looked))
        if not wrong:
            print("%d questions, %d at once, %d faults: nothing lost or doubled; %d processes looked at" % (
                len(due), most, faults, len(looked)))
    print("\n".join(sorted(wrong)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
