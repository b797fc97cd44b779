# due: PASS
"""Python's own conversions."""


def item(self):
    if self.is_complex():
        return complex(self)
    if self.is_floating_point():
        return float(self)
    return bool(self) if str(self.dtype) == "torch.bool" else int(self)
