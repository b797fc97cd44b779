# due: PASS
"""Ranks by counting: how many are smaller, and how many equal ones come before. Both outputs are the caller's."""
import torch


def ranks(x, descending):
    nan = x != x
    a, b = x.unsqueeze(-1), x.unsqueeze(-2)
    before = (b > a) if descending else (b < a)
    before |= (nan.unsqueeze(-2) & ~nan.unsqueeze(-1)) if descending else (~nan.unsqueeze(-2) & nan.unsqueeze(-1))
    same = (a == b) | (nan.unsqueeze(-1) & nan.unsqueeze(-2))
    earlier = torch.ones(x.shape[-1], x.shape[-1], dtype=torch.bool).tril(-1)
    return (before | (same & earlier)).sum(-1)


def sort_values(self, dim=-1, descending=False, *, values, indices):
    if self.dim() == 0:
        values.copy_(self)
        indices.zero_()
        return values, indices
    x = self.movedim(dim, -1)
    to = ranks(x, descending)
    places = torch.broadcast_to(torch.arange(x.shape[-1]), x.shape)
    values.movedim(dim, -1).copy_(torch.empty_like(x).scatter_(-1, to, x))
    indices.movedim(dim, -1).copy_(torch.empty(x.shape, dtype=torch.int64).scatter_(-1, to, places))
    return values, indices


def sort_values_stable(self, *, stable=None, dim=-1, descending=False, values, indices):
    return sort_values(self, dim, descending, values=values, indices=indices)
