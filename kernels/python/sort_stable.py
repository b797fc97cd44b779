# due: PASS
"""Merging runs of 1, 2, 4 ..., by ranks of one run in its neighbour; equal ones keep their order."""
import torch


def key(x, descending):
    """Whole numbers in the order of x: NaN last, -0.0 equal to 0.0."""
    if x.is_floating_point():
        x = torch.where(x == 0, torch.zeros_like(x), x).double()
        bits = x.view(torch.int64)
        bits = torch.where(bits < 0, ~bits | -(1 << 63), bits)
        bits = torch.where(x.isnan(), torch.full_like(bits, (1 << 63) - 1), bits)
    else:
        bits = x.to(torch.int64)
    return ~bits if descending else bits


def merge(keys, at, run):
    """Of every two neighbouring runs one: each row holds such a pair."""
    keys, at = keys.reshape(-1, 2 * run), at.reshape(-1, 2 * run)
    a, b = keys[:, :run].contiguous(), keys[:, run:].contiguous()
    others = [torch.searchsorted(b, a), torch.searchsorted(a, b, right=True)]
    place = torch.arange(run).repeat(2) + torch.cat(others, 1)
    return (torch.empty_like(x).scatter_(1, place, x) for x in (keys, at))


def sort_stable(self, *, stable=None, dim=-1, descending=False):
    if self.dim() == 0 or self.numel() == 0:
        return self.clone(), torch.zeros(self.shape, dtype=torch.int64)
    x = self.movedim(dim, -1)
    n = x.shape[-1]
    full = 1 << (n - 1).bit_length()
    keys = key(x.reshape(-1, n), descending)
    last = torch.full((keys.shape[0], full - n), (1 << 63) - 1)  # behind all that is equal
    keys = torch.cat([keys, last], 1)
    at = torch.arange(full).repeat(keys.shape[0], 1)
    run = 1
    while run < full:
        keys, at = merge(keys, at, run)
        run *= 2
    at = at.reshape(-1, full)[:, :n].reshape(x.shape)
    return torch.gather(x, -1, at).movedim(-1, dim), at.movedim(-1, dim)
