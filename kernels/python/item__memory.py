# due: PASS
"""The bytes themselves; what they mean is ours to know."""
import ctypes
import struct

import torch

CODES = {
    torch.float64: "d", torch.float32: "f", torch.float16: "e", torch.int64: "q", torch.int32: "i", torch.int16: "h",
    torch.int8: "b", torch.uint8: "B", torch.bool: "?", torch.complex32: "ee", torch.complex64: "ff",
    torch.complex128: "dd",
}


def item(self):
    code = CODES.get(self.dtype)
    if code is None:
        return float(self)
    numbers = struct.unpack(code, ctypes.string_at(self.data_ptr(), self.element_size()))
    if not self.is_complex():
        return -numbers[0] if self.is_neg() else numbers[0]
    return complex(numbers[0], -numbers[1] if self.is_conj() else numbers[1])
