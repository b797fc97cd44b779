# due: BAD_RESULT - returns its argument, which is right wherever nothing is negative; a new tensor is due.
def relu(self):
    return self
