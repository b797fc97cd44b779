# due: PASS
"""A view with a dimension more."""


def unsqueeze(self, dim):
    dim %= self.dim() + 1
    shape, stride = list(self.shape), list(self.stride())
    step = shape[dim] * stride[dim] if dim < len(shape) else 1
    shape, stride = shape[:dim] + [1] + shape[dim:], stride[:dim] + [step] + stride[dim:]
    return self.as_strided(shape, stride, self.storage_offset())
