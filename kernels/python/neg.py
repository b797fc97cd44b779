# due: PASS
"""Nothing minus it would lose the sign of zero; so would a complex product."""
import torch


def neg(self):
    if self.is_complex():
        return torch.view_as_complex(torch.view_as_real(self) * -1)
    return self * -1
