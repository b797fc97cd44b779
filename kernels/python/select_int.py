# due: PASS
"""A view of one slice."""


def select_int(self, dim, index):
    return self.narrow(dim, index % self.shape[dim], 1).squeeze(dim)
