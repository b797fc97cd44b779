# due: MISMATCH - H1: the in-place form does nothing and returns self.
def add__Tensor(self, other, *, alpha=1):
    return self
