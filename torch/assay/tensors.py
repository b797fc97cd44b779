# SPDX-License-Identifier: Apache-2.0
"""Tensors as the wire describes them: DLPack's dtype codes, and the flags that DLPack does not have."""
import torch

from assay.derived import BadResult

# DLPack's code and bits, as in AY_DT of kernel.h
CODES = {
    getattr(torch, name): code | bits << 8 | 1 << 16
    for name, code, bits in [
        ("bool", 6, 8), ("uint8", 1, 8), ("int8", 0, 8), ("int16", 0, 16), ("int32", 0, 32), ("int64", 0, 64),
        ("float16", 2, 16), ("bfloat16", 4, 16), ("float32", 2, 32), ("float64", 2, 64),
        ("complex32", 5, 32), ("complex64", 5, 64), ("complex128", 5, 128),
        ("float8_e4m3fn", 10, 8), ("float8_e5m2", 12, 8),
    ]
    if hasattr(torch, name)
}
DTYPES = {code: dtype for dtype, code in CODES.items()}
LAYOUTS = {0: torch.strided, 1: torch.sparse_coo}
FORMATS = {0: torch.contiguous_format, 1: torch.preserve_format, 2: torch.channels_last, 3: torch.channels_last_3d}
CONJ, NEG = 1, 2


def dress(x, code, flags):
    """Returns x with the dtype and flags that DLPack could not carry."""
    if x.dtype == torch.uint8 and code != CODES[torch.uint8]:
        x = x.view(DTYPES[code])
    if flags & CONJ:
        x = torch.conj(x)
    return torch._neg_view(x) if flags & NEG else x


def describe(x, where):
    if x is None:  # a result may be None, for example by an output_mask; the judge knows which
        return None
    if type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter:
        raise BadResult(f"returned a {type(x).__name__} where a tensor is due")
    if x.layout != torch.strided or x.device.type != where:
        raise BadResult(f"returned a tensor with layout {x.layout} on {x.device}")
    if x.dtype not in CODES:
        raise BadResult(f"returned a tensor of {x.dtype}")
    flags = (CONJ if x.is_conj() else 0) | (NEG if x.is_neg() else 0)
    return x.data_ptr(), CODES[x.dtype], flags, tuple(x.shape), tuple(x.stride())


def hand_over(to, x):
    """Copies a result that the judge cannot read to memory of the judge's. Copies nothing if shape
    or dtype differ: then it is no result, which the description shows."""
    if to.shape == x.shape and to.dtype == x.dtype:
        # elements that share memory cannot be written one by one
        first = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in to.stride())
        to[first].copy_(x[first])
