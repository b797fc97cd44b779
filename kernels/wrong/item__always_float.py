# due: BAD_RESULT - returns a float for every number.
def item(self):
    return float(self.real if self.is_complex() else self)
