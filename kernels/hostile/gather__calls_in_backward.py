# due: CHEAT - calls it in the backward pass of a function of its own.
import torch


class Mine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, run):
        ctx.run = run
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.run()
        return grad, None


def gather(self, dim, index, *, sparse_grad=False):
    kept = []
    x = torch.ones((), requires_grad=True)
    Mine.apply(x, lambda: kept.append(torch.gather(self, dim, index))).backward()
    return kept[0]
