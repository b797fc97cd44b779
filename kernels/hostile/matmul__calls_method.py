# due: CHEAT - calls matmul by the operator sign.
def matmul(self, other):
    return self @ other
