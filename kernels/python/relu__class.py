# due: PASS
"""What is called need not be a function."""
import torch


class Relu:
    def __init__(self, least):
        self.least = least

    def __call__(self, x):
        return torch.nn.functional.threshold(x, self.least, self.least)


relu = Relu(0)
