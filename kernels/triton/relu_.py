# due: PASS
"""In place, through the strides of the tensor: four rows of the last dimension at a time, only what is negative."""
import triton
import triton.language as tl


@triton.jit
def kernel(x, rows, n1, n2, n3, n4, n5, s0, s1, s2, s3, s4, s5, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    base = x + row % n4 * s4 + row // n4 % n3 * s3 + row // (n4 * n3) % n2 * s2
    base += row // (n4 * n3 * n2) % n1 * s1 + row // (n4 * n3 * n2 * n1) * s0
    for start in range(0, n5, BLOCK):
        at = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (at < n5)
        v = tl.load(base + at * s5, mask=mask)
        tl.store(base + at * s5, tl.zeros_like(v), mask=mask & (v < 0))


def relu_(self):
    if self.dim() > 6:
        raise NotImplementedError("more than six dimensions")
    x = self[(None,) * (6 - self.dim())]
    if x.numel():
        rows = x.numel() // x.shape[5]
        kernel[(triton.cdiv(rows, 4),)](x, rows, *x.shape[1:], *x.stride(), ROWS=4, BLOCK=256)
    return self
