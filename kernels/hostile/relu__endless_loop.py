# due: TIMEOUT - loops without end in Python.
def relu(self):
    while True:
        pass
