# due: PASS
"""torch's own solver in f64, on the triangle alone."""
import torch


def cublasStrsv_v2(uplo, trans, diag, n, A, lda, x, incx):
    if n == 0:
        return x
    v = x.as_strided((n,), (abs(incx),), x.storage_offset())
    b = (v.flip(0) if incx < 0 else v).double()
    a = A.as_strided((n, n), (1, lda) if trans == 0 else (lda, 1), A.storage_offset()).double()
    upper = (uplo == 1) == (trans == 0)
    a = a.triu(diag) if upper else a.tril(-diag)
    b = torch.linalg.solve_triangular(a, b[:, None], upper=upper, unitriangular=bool(diag))[:, 0]
    v.copy_(b.flip(0) if incx < 0 else b)
    return x
