# due: PASS
"""Looks at how much memory there is, and how much of it is its own, and goes by that."""
import torch


def relu(self):
    free, total = torch.cuda.mem_get_info()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    y = torch.clamp(self, min=0)
    torch.cuda.empty_cache()
    held = torch.cuda.memory_allocated() - before
    assert free <= total and torch.cuda.max_memory_allocated() >= held
    assert held >= self.numel() * self.element_size() or not self.numel()
    return y
