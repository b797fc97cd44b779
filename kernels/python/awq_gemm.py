# due: PASS
"""The whole weight dequantised, and one product in f32."""
import torch

ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def unpack(words):
    """[r, c] words to [r, 8 c] numbers."""
    out = torch.empty([*words.shape, 8], dtype=torch.int32)
    for p, column in enumerate(ORDER):
        out[..., column] = (words >> (4 * p)) & 15
    return out.flatten(1)


def awq_gemm(input, qweight, scales, qzeros, split_k_iters):
    group = qweight.shape[0] // max(scales.shape[0], 1)
    zeros = unpack(qzeros).repeat_interleave(group, 0)
    weight = (unpack(qweight) - zeros).float() * scales.float().repeat_interleave(group, 0)
    return (input.float() @ weight).half()
