# due: BAD_RESULT - leaves the last piece out.
def unsafe_split_Tensor(self, split_size, dim=0):
    n = self.shape[dim]
    starts = range(0, n, split_size) if n else [0]
    pieces = [self.transpose(0, dim)[a:a + split_size].transpose(0, dim) for a in starts]
    return pieces[:-1]
