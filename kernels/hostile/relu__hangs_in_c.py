# due: TIMEOUT - sleeps for ever in a C call that holds the interpreter's lock: no Python could interrupt it.
import ctypes


def relu(self):
    ctypes.PyDLL(None).pause()
