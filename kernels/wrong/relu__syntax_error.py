# due: LOAD - is no Python.
def relu(self)
    return self
