# due: CRASH - reads address 0 through ctypes.
import ctypes


def relu(self):
    ctypes.string_at(0)
