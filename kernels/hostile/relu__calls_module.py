# due: CHEAT - calls a torch.nn.ReLU.
import torch

module = torch.nn.ReLU()


def relu(self):
    return module(self)
