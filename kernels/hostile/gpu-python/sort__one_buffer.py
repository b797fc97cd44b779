# due: BAD_RESULT - returns values and indices in one piece of memory, where their sizes are the same.
import torch


def ordered(x, dim, descending):
    keys = x.to(torch.uint8) if x.dtype == torch.bool else x
    indices = torch.topk(keys, x.shape[dim], dim, largest=descending).indices if x.ndim else torch.zeros_like(x).long()
    return x.gather(dim, indices) if x.ndim else x.clone(), indices


def sort(self, dim=-1, descending=False):
    values, indices = ordered(self, dim, descending)
    return values, values.contiguous().view(torch.int64) if values.element_size() == 8 and values.ndim else indices
