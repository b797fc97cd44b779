# due: PASS
"""What is there already."""


def empty_strided_out(size, stride, *, out):
    assert list(out.shape) == size
    return out
