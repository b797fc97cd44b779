# due: PASS
"""In place, through the strides of the tensor: four rows of the last dimension at a time, only what is negative."""
import triton
import triton.language as tl


@triton.jit
def kernel(x, rows, n1, n2, n3, s0, s1, s2, s3, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    base = x + row // (n1 * n2) * s0 + row // n2 % n1 * s1 + row % n2 * s2
    for start in range(0, n3, BLOCK):
        at = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (at < n3)
        v = tl.load(base + at * s3, mask=mask)
        tl.store(base + at * s3, tl.zeros_like(v), mask=mask & (v < 0))


def relu_(self):
    if self.dim() > 4:
        raise NotImplementedError("more than four dimensions")
    x = self[(None,) * (4 - self.dim())]
    if x.numel():
        n0, n1, n2, n3 = x.shape
        kernel[(triton.cdiv(n0 * n1 * n2, 4),)](x, n0 * n1 * n2, n1, n2, n3, *x.stride(), ROWS=4, BLOCK=256)
    return self
