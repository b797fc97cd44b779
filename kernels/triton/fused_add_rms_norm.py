# due: PASS
"""A row per program: z is stored, then normalised. Rows of input may lie apart."""
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x, residual, weight, step, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < width
    z = tl.load(x + row * step + at, mask=mask, other=0.0) + tl.load(residual + row * width + at, mask=mask, other=0.0)
    tl.store(residual + row * width + at, z, mask=mask)
    z = z.to(tl.float32)
    scale = tl.rsqrt(tl.sum(z * z, axis=0) / width + epsilon)
    w = tl.load(weight + at, mask=mask, other=0.0)
    tl.store(x + row * step + at, (z * scale).to(x.dtype.element_ty) * w, mask=mask)


def fused_add_rms_norm(input, residual, weight, epsilon):
    width = input.shape[-1]
    if not input.numel():
        return
    x, r = (input, residual) if input.dim() == 2 else (input.flatten(0, -2), residual.flatten(0, -2))
    if x.data_ptr() != input.data_ptr():
        raise NotImplementedError("rows that have no common step")
    norm_kernel[(x.shape[0],)](x, r, weight, x.stride(0), width, epsilon, BLOCK=triton.next_power_of_2(width))
