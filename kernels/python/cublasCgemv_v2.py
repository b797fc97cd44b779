# due: PASS
"""Vectors with any step are views; those with a negative one are read from their end."""
import torch


def vector(x, n, inc):
    v = x.as_strided((n,), (abs(inc),), x.storage_offset())
    return v, inc < 0


def cublasCgemv_v2(trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
    rows, columns = (m, n) if trans == "N" else (n, m)
    if rows == 0:
        return y
    to, turned = vector(y, rows, incy)
    total = torch.zeros(rows, dtype=torch.complex128)
    if columns:
        a = A.as_strided((rows, columns), (1, lda) if trans == "N" else (lda, 1), A.storage_offset())
        a = a.conj() if trans == "C" else a
        v, back = vector(x, columns, incx)
        v = v.flip(0) if back else v
        total = (a.to(torch.complex128) * v.to(torch.complex128)).sum(1)
    alpha, beta = (torch.tensor(s, dtype=torch.complex64).to(torch.complex128) for s in (alpha, beta))
    total = total * alpha
    if beta != 0:
        total = total + beta * (to.flip(0) if turned else to)
    to.copy_(total.flip(0) if turned else total)
    return y
