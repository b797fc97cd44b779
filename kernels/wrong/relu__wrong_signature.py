# due: CRASH - takes an argument that nobody gives.
def relu(self, slope):
    return self * slope
