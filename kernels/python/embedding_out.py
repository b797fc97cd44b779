# due: PASS
"""index_select into a flat view of out, where it has one."""
import torch


def embedding_out(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False, *, out):
    rows = torch.index_select(weight, 0, indices.reshape(-1))
    out.copy_(rows.view(out.shape))
    return out
