# due: PASS
"""Copies are as good as views: each dimension of one repeated."""


def expand(self, size, implicit=False):
    new = len(size) - self.dim()
    shape = [1] * new + list(self.shape)
    return self.reshape(shape).repeat([n if n != -1 and shape[i] == 1 else 1 for i, n in enumerate(size)])
