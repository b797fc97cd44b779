# due: BAD_RESULT - returns a tensor that computes when it is looked at.
import torch


class Lazy(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        y = torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype, strides=x.stride())
        y.x = x
        return y

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        args = [torch.where(a.x < 0, 0 * a.x, a.x) if isinstance(a, Lazy) else a for a in args]
        return func(*args, **(kwargs or {}))


def relu(self):
    return Lazy(self)
