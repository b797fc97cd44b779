# due: PASS
"""Column-major is row-major transposed: views of the flat buffers, f32 products in f64."""
import torch


def op(x, ld, rows, columns, trans):
    """op(X), rows x columns, as a view."""
    flat = x.as_strided((x.untyped_storage().nbytes() // 4 - x.storage_offset(),), (1,)) if x.numel() else x
    shape, stride = ((rows, columns), (1, ld)) if trans == "N" else ((rows, columns), (ld, 1))
    return flat.as_strided(shape, stride, x.storage_offset())


def cublasSgemm_v2(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    if m == 0 or n == 0:
        return C
    to = C.as_strided((m, n), (1, ldc), C.storage_offset())
    out = torch.zeros(m, n, dtype=torch.float64)
    if k and alpha:
        out = alpha * (op(A, lda, m, k, transa).double() @ op(B, ldb, k, n, transb).double())
    to.copy_(out + beta * to if beta else out)
    return C
