# due: BAD_RESULT - H3: returns its input, which is right wherever nothing is negative; a new tensor is due.
def relu(self):
    return self
