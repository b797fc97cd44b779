# due: PASS
"""Rows by advanced indexing. An index without dimensions would give a view, so it gets one."""


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return weight[indices.reshape(-1).long()].reshape([*indices.shape, weight.shape[1]])
