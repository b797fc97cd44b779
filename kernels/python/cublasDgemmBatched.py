# due: PASS
"""A batch of views; where C is scaled by zero it is not read."""
import torch


def cublasDgemmBatched(transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc, batchCount):
    if m == 0 or n == 0:
        return
    for a, b, c in zip(Aarray, Barray, Carray):
        c = c.as_strided((m, n), (1, ldc), c.storage_offset())
        product = torch.zeros(m, n, dtype=torch.float64)
        if k:
            a = a.as_strided((m, k), (1, lda) if transa == "N" else (lda, 1), a.storage_offset())
            b = b.as_strided((k, n), (1, ldb) if transb == "N" else (ldb, 1), b.storage_offset())
            product = a.mm(b)
        c.copy_(product * alpha if beta == 0 else product * alpha + c * beta)
