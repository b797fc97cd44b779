# due: BAD_RESULT - gives its result's memory back before it returns.
import torch


def relu(self):
    y = torch.where(self < 0, 0 * self, self)
    y.untyped_storage().resize_(0)
    return y
