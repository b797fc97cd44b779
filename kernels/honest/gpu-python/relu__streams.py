# due: PASS
"""Halves on two streams of its own, with temporaries on each."""
import torch

side = []


def relu(self):
    if not side:
        side.extend(torch.cuda.Stream() for _ in range(2))
    x = self.contiguous().reshape(-1)
    y = torch.empty_like(x)
    half = x.numel() // 2
    now = torch.cuda.current_stream()
    for s, part in zip(side, (slice(0, half), slice(half, None))):
        s.wait_stream(now)
        with torch.cuda.stream(s):
            t = x[part] * 1
            for _ in range(3):
                t = torch.clamp(t, min=0)
            y[part] = t
        x.record_stream(s)
        y.record_stream(s)
    for s in side:
        now.wait_stream(s)
    return y.view(self.shape)
