# due: BAD_RESULT - returns a float for every number.
def item(self):
    x = self.reshape(()).tolist()
    return x.real if isinstance(x, complex) else float(x)
