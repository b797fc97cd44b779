# due: TIMEOUT - a thread in C keeps the lock of the interpreter for ever.
import ctypes
import threading

import torch


def hold():
    ctypes.PyDLL(None).pause()


def relu(self):
    threading.Thread(target=hold, daemon=True).start()
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
