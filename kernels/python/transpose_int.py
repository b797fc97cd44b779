# due: PASS
"""A view, as is due: two strides change places."""


def transpose_int(self, dim0, dim1):
    shape, stride = list(self.shape), list(self.stride())
    if shape:
        for x in (shape, stride):
            x[dim0], x[dim1] = x[dim1], x[dim0]
    return self.as_strided(shape, stride, self.storage_offset())
