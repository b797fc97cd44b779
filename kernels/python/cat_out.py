# due: PASS
"""Into out, along dim."""


def cat_out(tensors, dim=0, out=None):
    at = 0
    for t in tensors:
        if t.shape != (0,):
            out.narrow(dim, at, t.shape[dim])[...] = t
            at += t.shape[dim]
    return out
