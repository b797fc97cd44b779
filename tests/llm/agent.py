# SPDX-License-Identifier: Apache-2.0
"""kernel_agent: several workers at one operator. The first right kernel ends it: what the others have in flight is
dropped without waiting for it. Workers learn from their own failures. And while one model is slow, judges work.

    python3 tests/llm/agent.py BUILD_DIR SCRATCH
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
fake = __import__("with")

SLOW_S, WORKERS = 60, 6
# The first request is answered at once and right, all others late.
FIRST = """
SCRIPT = {"tokens": [1000, 200], "key": %(key)r}
seen = []
def answer(op, attempt, request):
    seen.append(op)
    return "correct" if len(seen) == 1 else {"answer": "wrong", "delay_s": %(slow)d}
"""
# One operator is answered late, the others at once.
LATE = {"tokens": [1000, 200], "key": fake.KEY, "ops": {"aten::relu": [{"answer": "correct", "delay_s": 6}]}}


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def run(assay, script, out, args):
    began = time.time()
    with fake.FakeServer(script) as service:
        done = subprocess.run([assay] + args + ["--lang", "c", "--out", out], env=service.environment(), check=False,
                              capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    records, exchanges = lines(out + "/results.jsonl"), lines(out + "/exchanges.jsonl")
    return time.time() - began, records, exchanges


def of_type(records, kind):
    return [x for x in records if x["type"] == kind]


def main(build, scratch):
    assay, wrong = build + "/assay", []
    agent = ["eval", "--suite", "smoke", "--ops", "relu", "--backend", "kernel_agent", "--kernel-agent-workers",
             str(WORKERS), "--kernel-agent-max-rounds", "15"]

    script = scratch + "/first.py"
    with open(script, "w", encoding="utf-8") as f:
        f.write(FIRST % {"key": fake.KEY, "slow": SLOW_S})
    took, records, exchanges = run(assay, script, scratch + "/first", agent)
    dropped = {x["id"] for x in exchanges if x["type"] == "dropped"}
    if took >= SLOW_S:
        wrong.append("it waited for the others: %.1f s" % took)
    if len(dropped) != WORKERS - 1 or len(of_type(exchanges, "asked")) != WORKERS:
        wrong.append("%d dropped of %d asked" % (len(dropped), len(of_type(exchanges, "asked"))))
    if [x["solved"] for x in of_type(records, "chosen")] != [True] or len(of_type(records, "attempt")) != 1:
        wrong.append("not solved by its one answer")

    took, records, exchanges = run(assay, {"tokens": [1000, 200], "key": fake.KEY, "default": ["improving"]},
                                   scratch + "/improving", agent)
    chosen = of_type(records, "chosen")
    if [(x["solved"], x["round"]) for x in chosen] != [(True, 2)]:
        wrong.append("workers did not learn from the first round: %r" % chosen)
    if any(x["round"] == 1 and x["solved"] for x in of_type(records, "attempt") if not x.get("unused")):
        wrong.append("solved without feedback")

    took, records, exchanges = run(assay, LATE, scratch + "/late", [
        "llm", "--dataset", "smoke", "--op-name", "add,sum,mm,relu", "--max-rounds", "1"])
    order = [x["attempt"].split("/")[0] for x in of_type(records, "attempt")]
    answers = {x["id"].split("/")[0]: x["time"] for x in of_type(exchanges, "answered")}
    if order[-1] != "aten::relu" or max(answers, key=answers.get) != "aten::relu":
        wrong.append("judges waited for the slow answer: %s" % order)
    print("\n".join(wrong) or "%d dropped; feedback taken; judged while waiting" % len(dropped))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
