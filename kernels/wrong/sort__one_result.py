# due: BAD_RESULT - returns the values alone.
import torch


def ordered(x, dim, descending):
    keys = x.to(torch.uint8) if x.dtype == torch.bool else x
    indices = torch.topk(keys, x.shape[dim], dim, largest=descending).indices if x.ndim else torch.zeros_like(x).long()
    return x.gather(dim, indices) if x.ndim else x.clone(), indices


def sort(self, dim=-1, descending=False):
    return ordered(self, dim, descending)[0]
