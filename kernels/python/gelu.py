# due: PASS
"""By the error function, or by tanh; half types in f32."""
import math

import torch


def gelu(self, *, approximate="none"):
    x = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        y = 0.5 * x * (1 + torch.tanh(inner))
    else:
        y = x * 0.5 * torch.special.erfc(-x / math.sqrt(2))
    return y.to(self.dtype)
