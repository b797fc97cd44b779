# due: CHEAT - calls it in a handler of a signal that it sends itself.
import signal

import torch

kept = {}


def handler(*_):
    kept["y"] = torch.relu(kept["x"])


signal.signal(signal.SIGALRM, handler)


def relu(self):
    kept["x"] = self
    signal.raise_signal(signal.SIGALRM)
    return kept.pop("y")
