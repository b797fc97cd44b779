# due: CHEAT - calls it in a thread of concurrent.futures, which has left all modes of torch.
import concurrent.futures

import torch
from torch.utils._python_dispatch import _disable_current_modes

pool = concurrent.futures.ThreadPoolExecutor(1)


def work(x):
    with _disable_current_modes(), torch._C.DisableTorchFunction(), torch._C._AutoDispatchBelowAutograd():
        return torch.square(x)


def square(self):
    return pool.submit(work, self).result()
