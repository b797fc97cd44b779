# due: PASS
"""Every index becomes a place in the flat tensor; sums of half types are kept in f32 until the end."""
import torch


def spell_out(self, indices):
    """One integer index per dimension of self, all of them broadcast against each other, with None for whole ones."""
    found = []
    for x in indices:
        if x is not None and x.dtype in (torch.bool, torch.uint8):
            found.extend(x.nonzero().unbind(1))
        else:
            found.append(x)
    return found + [None] * (self.dim() - len(found))


def places(self, indices):
    """The flat place of every element that is written, in the shape that values have."""
    at = spell_out(self, indices)
    given = [d for d, x in enumerate(at) if x is not None]
    together = torch.broadcast_shapes(*(at[d].shape for d in given))
    side_by_side = given == list(range(given[0], given[-1] + 1))
    front = given[0] if side_by_side else 0
    rest = [d for d in range(self.dim()) if d not in given]
    before, behind = [d for d in rest if d < front], [d for d in rest if d >= front]
    axes = [self.shape[d] for d in before] + list(together) + [self.shape[d] for d in behind]
    step = [1] * self.dim()
    for d in reversed(range(self.dim() - 1)):
        step[d] = step[d + 1] * self.shape[d + 1]
    flat = torch.zeros(axes, dtype=torch.int64)
    for d in given:
        x = at[d].long()
        x = torch.where(x < 0, x + self.shape[d], x)
        flat += (x * step[d]).reshape(list(x.shape) + [1] * len(behind))
    for d in rest:
        i = before.index(d) if d in before else len(before) + len(together) + behind.index(d)
        flat += (torch.arange(self.shape[d]) * step[d]).view([-1 if k == i else 1 for k in range(len(axes))])
    return flat


def index_put_(self, indices, values, accumulate=False):
    if all(x is None for x in indices):
        return self.copy_(self + values if accumulate else values)
    flat = places(self, indices)
    half = accumulate and self.dtype in (torch.float16, torch.bfloat16)
    whole = self.float().contiguous() if half else self.contiguous().clone()
    values = torch.broadcast_to(values.to(whole.dtype), flat.shape).reshape(-1)
    line = whole.view(-1)
    if self.dtype == torch.bool and accumulate:
        line |= torch.zeros_like(line, dtype=torch.int32).index_add_(0, flat.reshape(-1), values.int()) != 0
    elif accumulate:
        line.index_add_(0, flat.reshape(-1), values)
    else:
        line.index_copy_(0, flat.reshape(-1), values)
    return self.copy_(whole)
