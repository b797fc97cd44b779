# SPDX-License-Identifier: Apache-2.0
"""assay trace: runs a script and records its calls of aten, as a suite of case lines.

A dispatch mode sees every call that reaches the dispatcher. Modes belong to threads: autograd
passes them on to its threads, and each thread that the script starts gets one.
"""
import atexit
import collections
import datetime
import os
import platform
import runpy
import sys
import threading
import traceback

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.lines import Unprintable, line

INTERRUPTED = 130


class Calls:
    """The recorded calls of all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = collections.Counter()  # calls per line
        self.left = collections.Counter()  # calls per name and reason

    def add(self, where, what):
        with self.lock:
            where[what] += 1


class Recorder(TorchDispatchMode):
    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(t.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ for t in types):
            return NotImplemented  # the class's own method runs first; the calls it makes are seen
        with self:  # in inference mode composite operators arrive undecomposed
            result = func.decompose(*args, **kwargs)
        if result is not NotImplemented:
            return result
        # before the call, which may change its arguments
        where, what = self.describe(func, args, kwargs)
        result = func(*args, **kwargs)
        self.calls.add(where, what)
        return result

    def describe(self, func, args, kwargs):
        name = func._schema.name + ("." + func._schema.overload_name if func._schema.overload_name else "")
        if func.namespace != "aten":
            return self.calls.left, (name, "not of aten")
        try:
            return self.calls.count, line(name, args, kwargs)
        except Unprintable as e:
            why = str(e)
        # torch will refuse the call too; or it is a bug of assay, which is shown
        except Exception as e:
            why = f"{type(e).__name__}: {e}"
        return self.calls.left, (name, " ".join(why.split())[:200])


def watch_threads(calls):
    start = threading.Thread._bootstrap_inner

    def watched(thread):
        with Recorder(calls):
            start(thread)

    threading.Thread._bootstrap_inner = watched


# --- the suite's file -------------------------------------------------------------------------------------------


def plural(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def suite(calls, words, status):
    """Returns the suite as text."""
    by = collections.defaultdict(list)
    for text, n in calls.count.items():
        by[text.partition("((")[0]].append((-n, text))
    head = [
        "aten calls recorded by assay trace",
        f"script: {' '.join(words)}".encode("unicode_escape").decode(),
        f"torch {torch.__version__}, Python {platform.python_version()}, {datetime.date.today()}",
        f"{plural(calls.count.total(), 'call')}, {len(calls.count)} different, of {plural(len(by), 'overload')}",
    ]
    if status:
        head.append(f"the script ended with status {status}: these are the calls until then")
    for (name, why), n in sorted(calls.left.items()):
        head.append(f"left out: {plural(n, 'call')} of {name} ({why})")
    body = [f"cnt: {-n}, {text}" for name in sorted(by) for n, text in sorted(by[name])]
    return "".join(f"# {s}\n" for s in head) + "\n".join(body) + "\n"


def keep(path, text):
    """Writes the whole file or nothing."""
    other = f"{path}.{os.getpid()}"
    try:
        with open(other, "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(other, path)
    except OSError:
        if os.path.exists(other):
            os.unlink(other)
        raise


# --- the script -------------------------------------------------------------------------------------------------


def shown(error):
    """Prints the traceback without assay's own frames."""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name != "assay.trace.py" and "runpy" not in name:
            break
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def run(words):
    """Runs `python WORDS` and returns the exit status."""
    sys.dont_write_bytecode = bool(sys.flags.dont_write_bytecode)  # the boot code had turned it on
    try:
        if words[0] == "-m":
            sys.argv[:] = words[1:]
            sys.path[0] = os.getcwd()
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = words
            sys.path[0] = os.path.dirname(os.path.realpath(words[0]))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as e:
        if e.code is None or isinstance(e.code, int):
            return (e.code or 0) & 255
        print(e.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt as e:
        shown(e)
        return INTERRUPTED
    except BaseException as e:
        shown(e)
        return 1
    return 0


def main(args):
    """OUT QUIET WORDS...: OUT is the suite's file; QUIET is "quiet" or empty."""
    out, quiet, words = os.path.abspath(args[0]), args[1] == "quiet", args[2:]
    shown_out = args[0]
    calls, ended, pid = Calls(), {"status": 1}, os.getpid()
    recorder = Recorder(calls)

    def finish():
        """Runs last: all other threads, and the script's own exit functions, have ended."""
        if os.getpid() != pid:
            return  # a child that the script forked
        recorder.__exit__(None, None, None)
        status = ended["status"]
        if calls.count:
            try:
                keep(out, suite(calls, words, status))
            except OSError as e:
                print(f"assay: cannot write '{shown_out}': {e.strerror}", file=sys.stderr, flush=True)
                os._exit(2)
        if status:
            print(f"assay: the script ended with status {status}"
                  f"{f'; what it called until then is in {shown_out}' if calls.count else ''}", file=sys.stderr)
        elif not calls.count:
            print("assay: the script called nothing of aten; no trace is written", file=sys.stderr, flush=True)
            os._exit(2)
        elif not quiet:
            left = calls.left.total()
            print(f"assay: {plural(calls.count.total(), 'call')}, {len(calls.count)} different, in {shown_out}"
                  f"{f'; {left} left out, see its head' if left else ''}", file=sys.stderr)

    atexit.register(finish)
    watch_threads(calls)
    recorder.__enter__()
    ended["status"] = run(words)
    sys.exit(ended["status"])
