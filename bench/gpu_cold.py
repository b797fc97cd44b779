# SPDX-License-Identifier: Apache-2.0
"""From a command to its first verdict, and what one more small kernel in Triton costs.

    python3 bench/gpu_cold.py ASSAY DEVICE NATIVE SMALL FOLDER       one JSON object
    python3 bench/gpu_cold.py --compile DEVICE SMALL                 the same, of compiling SMALL without a judge

NATIVE is checked by a process of its own: with nothing kept from before (FOLDER is emptied), then with what the
first has left. SMALL goes through `assay check -` several times, each time another text, on one case: from a job's
line to its answer everything counts. Compiling is measured in copies of one process that has imported torch and
Triton and has a context of CUDA: the first call less the second, with an empty cache of Triton's.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

AGAIN = 4
ONE = "aten::relu((T([1000], f32),), {})"


def check(assay, device, path, cache):
    """Seconds until the first record of a case, and until the end."""
    begin = time.monotonic()
    p = subprocess.Popen([assay, "check", path, "--device", device, "--json", "--timing", "none"],
                         stdout=subprocess.PIPE, text=True, env=dict(os.environ, XDG_CACHE_HOME=cache))
    first = json.loads(p.stdout.readline())
    first_s = time.monotonic() - begin
    verdict = json.loads(p.stdout.read().strip().splitlines()[-1]).get("verdict")
    p.wait()
    return {"first_s": first_s, "whole_s": time.monotonic() - begin, "first": first.get("verdict"), "verdict": verdict}


def stream(assay, device, path, cache):
    """Seconds of each of several texts of one kernel, in a stream of jobs."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        command = [assay, "check", "-", "--device", device, "--jobs", "1", "--fresh", "--out", folder + "/run"]
        p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, XDG_CACHE_HOME=cache))
        took, verdicts = [], []
        for i in range(1 + AGAIN):
            job = {"id": i, "op": "aten::relu", "lang": "py", "source": f"{text}# {i}\n", "cases": [ONE]}
            begin = time.monotonic()
            p.stdin.write(json.dumps(job) + "\n")
            p.stdin.flush()
            answer = json.loads(p.stdout.readline())
            took.append(time.monotonic() - begin)
            verdicts.append(answer.get("verdict") or answer.get("error"))
        p.stdin.close()
        p.stdout.read()
        p.wait()
    return {"first_s": took[0], "next_s": took[1:], "verdicts": verdicts}


def measure(assay, device, native, small, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    out = {"native": native, "small": small, "nothing_kept": check(assay, device, native, folder)}
    out["kept"] = [check(assay, device, native, folder) for _ in range(AGAIN)]
    out["stream"] = stream(assay, device, small, folder)
    return out


def compile_in_a_copy(path, device, torch):
    """In a child, which says it through a pipe."""
    import importlib.util
    from_child, to_parent = os.pipe()
    pid = os.fork()
    if not pid:
        with tempfile.TemporaryDirectory() as cache:
            os.environ["TRITON_CACHE_DIR"] = cache
            x = torch.randn(1000, device=device)
            wait = torch.cuda.synchronize if device == "cuda" else lambda: None
            wait()
            spec = importlib.util.spec_from_file_location("small", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            took = []
            for _ in range(2):
                begin = time.monotonic()
                module.relu(x)
                wait()
                took.append(time.monotonic() - begin)
        os.write(to_parent, json.dumps(took[0] - took[1]).encode())
        os._exit(0)
    os.close(to_parent)
    with os.fdopen(from_child) as f:
        said = f.read()
    os.waitpid(pid, 0)
    return json.loads(said) if said else None


def compile_alone(device, small):
    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton  # noqa: F401
    import triton.language  # noqa: F401
    found = [compile_in_a_copy(small, device, torch) for _ in range(3)]
    return {"compile_s": [s for s in found if s is not None]}


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--compile":
        print(json.dumps(compile_alone(*sys.argv[2:])))
    elif len(sys.argv) == 6:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        sys.exit(__doc__)
