# due: CHEAT - calls the in-place form on a copy.
def relu(self):
    return self.clone().relu_()
