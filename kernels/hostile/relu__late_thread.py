# due: MISMATCH - returns at once and lets a thread deliver the result later.
import threading
import time

import torch


def relu(self):
    x, y = self.clone(), torch.zeros_like(self)  # the argument's memory is gone by then

    def work():
        time.sleep(0.05)
        y.copy_(torch.where(x < 0, 0 * x, x))

    threading.Thread(target=work, daemon=True).start()
    return y
