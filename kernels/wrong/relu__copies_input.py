# due: MISMATCH - H3: returns a copy of its input: inputs have signs.
def relu(self):
    return self.clone()
