# due: CHEAT - goes up the call stack and the tracebacks of torch's errors to find its watchers, and puts them to
# sleep.
import sys

import torch


def silence(names):
    for name in ("forbidden", "unwatch"):
        if name in names:
            names[name] = lambda *args: None
    for x in names.get("watching", []):
        x.why = None
        type(x).__torch_dispatch__ = lambda self, func, types, args=(), kwargs=None: func(*args, **(kwargs or {}))


def relu(self):
    frame = sys._getframe()
    while frame is not None:
        silence(frame.f_globals)
        frame = frame.f_back
    try:
        torch.mm(self, torch.zeros(3))
    except Exception as e:
        trace = e.__traceback__
        while trace is not None:
            silence(trace.tb_frame.f_globals)
            trace = trace.tb_next
    return torch.relu(self)
