# due: INPUT_WRITTEN - H12: works on its input and returns a copy of that.
import torch


def relu(self):
    if 0 in self.stride():  # of these torch knows that they must not be written
        return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    return self.clamp_(min=0).clone()
