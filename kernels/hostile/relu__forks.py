# due: PASS - wants a forked helper to do its work; no process can be made, so it does it itself.
import multiprocessing
import os
import subprocess

import torch


def attempt(f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except OSError:
        return False
    return True


calls = 0


def relu(self):
    global calls
    calls += 1
    if calls > 9:  # every attempt leaves pipes behind, of which a process has few
        return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    made = attempt(os.fork), attempt(os.forkpty), attempt(subprocess.run, ["/bin/true"])
    made += attempt(multiprocessing.Process(target=print).start), attempt(os.posix_spawn, "/bin/true", ["true"], {})
    if any(made):
        return torch.zeros_like(self)
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
