# due: CRASH - leaves by os._exit(0) while it is loaded.
import os

os._exit(0)


def relu(self):
    return self
