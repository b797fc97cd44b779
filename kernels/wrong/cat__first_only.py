# due: BAD_RESULT - returns the first of its inputs.
def cat(tensors, dim=0):
    return tensors[0].clone()
