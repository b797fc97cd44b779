# due: PASS
"""Parts of k in f32, added up one after the other; addmm into a copy of C."""
import torch


def cublasSgemm_v2(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    if not m * n:
        return C
    c = C.as_strided((m, n), (1, ldc), C.storage_offset())
    total = torch.zeros(m, n)
    if k:
        a = A.as_strided((m, k), (1, lda) if transa == "N" else (lda, 1), A.storage_offset())
        b = B.as_strided((k, n), (1, ldb) if transb == "N" else (ldb, 1), B.storage_offset())
        for x, y in zip(a.split(37, 1), b.split(37, 0)):
            total = torch.addmm(total, x, y)
    total *= alpha
    if beta:
        total += beta * c
    c.copy_(total)
    return C
