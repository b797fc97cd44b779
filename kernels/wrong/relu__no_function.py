# due: LOAD - defines nothing that its name promises.
def rectify(self):
    return self
