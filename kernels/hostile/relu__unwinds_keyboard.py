# due: CRASH - leaves as if a person had pressed Ctrl-C.
def relu(self):
    raise KeyboardInterrupt
