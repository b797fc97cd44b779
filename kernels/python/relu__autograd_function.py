# due: PASS
"""A function with its own backward, as a module calls it."""
import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clamp(min=0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y > 0)


class Layer(torch.nn.Module):
    def forward(self, x):
        return Relu.apply(x)


relu = Layer()
