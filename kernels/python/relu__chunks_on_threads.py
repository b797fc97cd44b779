# due: PASS
"""Two threads of our own share the work."""
import concurrent.futures

import torch


def relu(self):
    out = torch.empty(self.shape, dtype=self.dtype)
    x, y = self.reshape(-1), out.view(-1)
    half = x.numel() // 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda part: y[part].copy_(x[part].clamp(min=0)), (slice(0, half), slice(half, None))))
    return out
