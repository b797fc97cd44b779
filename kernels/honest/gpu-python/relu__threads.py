# due: PASS
"""Chunks by four threads, each with temporaries of its own."""
from concurrent.futures import ThreadPoolExecutor

import torch


def relu(self):
    x = self.contiguous().reshape(-1)
    y = torch.empty_like(x)

    def chunk(i):
        a, b = x.numel() * i // 4, x.numel() * (i + 1) // 4
        for _ in range(20):
            t = x[a:b] * 1
        y[a:b] = torch.clamp(t, min=0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(chunk, range(4)))
    return y.view(self.shape)
