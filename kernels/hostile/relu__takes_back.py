# due: MISMATCH - is right when it returns, and scribbles on its results for as long as they are not read: large
# ones take time.
import threading

import torch

last = []


def scribble():
    while True:
        for y in list(last):
            y.fill_(-1)


threading.Thread(target=scribble, daemon=True).start()


def relu(self):
    y = torch.where(self < 0, 0 * self, self)
    last.append(y)
    return y
