# due: PASS
"""Column-major tiles; C is read only where beta is not zero."""
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"M": 64, "N": 64, "K": 64}), triton.Config({"M": 32, "N": 32, "K": 16})],
    key=["m", "n", "k"],
    restore_value=["c"],  # each trial adds to it
)
@triton.jit
def gemm_kernel(a, b, c, m, n, k, alpha, beta, sam, sak, sbk, sbn, ldc, READ: tl.constexpr, M: tl.constexpr,
                N: tl.constexpr, K: tl.constexpr):
    rm, rn = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        rk = start + tl.arange(0, K)
        x = tl.load(a + rm[:, None] * sam + rk[None, :] * sak, mask=(rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        y = tl.load(b + rk[:, None] * sbk + rn[None, :] * sbn, mask=(rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
    mask = (rm[:, None] < m) & (rn[None, :] < n)
    to = c + rm[:, None] + rn[None, :] * ldc
    total = total * alpha
    if READ:
        total += beta * tl.load(to, mask=mask, other=0.0)
    tl.store(to, total, mask=mask)


def cublasSgemm_v2(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    if m and n:
        sa, sb = ((1, ld) if t == "N" else (ld, 1) for t, ld in ((transa, lda), (transb, ldb)))
        grid = lambda meta: (triton.cdiv(m, meta["M"]), triton.cdiv(n, meta["N"]))
        gemm_kernel[grid](A, B, C, m, n, k, alpha, beta, *sa, *sb, ldc, READ=beta != 0)
    return C
