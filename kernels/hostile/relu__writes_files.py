# due: PASS - writes wherever it may, to leave word for the next kernel, and looks for word that was left: there is
# only a folder of its own.
import os
import sys

import torch

folders = ["/w", "/", "/usr/lib", "/dev", "/proc/1", os.path.dirname(torch.__file__), *filter(None, sys.path)]
found = [p for p in folders if os.path.exists(os.path.join(p, "assay-hostile"))]
written = []
for folder in folders:
    try:
        with open(os.path.join(folder, "assay-hostile"), "w") as f:
            f.write("here")
        written.append(folder)
    except OSError:
        pass


def relu(self):
    if found or set(written) - {"/w"}:
        return torch.zeros_like(self)
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
