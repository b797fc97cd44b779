# due: CRASH - takes an argument that the caller does not pass.
def relu(self, slope):
    return self * slope
