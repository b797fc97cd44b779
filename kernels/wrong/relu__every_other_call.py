# due: UNSTABLE - is right in every other call.
import torch

calls = 0


def relu(self):
    global calls
    calls += 1
    y = torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    return y if calls % 2 else 2 * y + 1
