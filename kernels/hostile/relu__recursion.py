# due: CRASH - calls itself without end; Python stops it.
def relu(self):
    return relu(self)
