# due: PASS
"""Nothing but Python: element by element through lists."""
import torch


def relu(self):
    numbers = [0 if x < 0 else x for x in self.reshape(-1).tolist()]
    return torch.tensor(numbers, dtype=self.dtype).reshape(self.shape)
