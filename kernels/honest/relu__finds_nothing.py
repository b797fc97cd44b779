# due: PASS - looks for traces of an earlier kernel: no file, patch, thread or setting is left.
import builtins
import os
import sys
import threading
import time
import unittest

import torch


def plain(x):
    return type(x).__name__ in ("builtin_function_or_method", "function", "method_descriptor", "type") \
        and getattr(x, "__module__", "") != "kernel" and getattr(x, "__name__", "") != "<lambda>"


left = [f for f in (torch.relu, torch.maximum, torch.allclose, torch.testing.assert_close, torch.Tensor.data_ptr,
                    torch.Tensor.equal, torch.Tensor.__eq__, time.time, time.perf_counter, builtins.type, builtins.len,
                    unittest.TestCase.assertTrue, torch.cuda.Event.elapsed_time) if not plain(f)]
if os.path.isdir("/w"):
    left += [f for f in os.listdir("/w") if not f.startswith(("kernel", "relu__finds_nothing"))]
left += [t for t in threading.enumerate() if t is not threading.main_thread()]
left += [name for name in os.environ if "HOSTILE" in name]
if hasattr(torch.ops, "mine") and "plain" in dir(torch.ops.mine):
    left.append("mine::plain")
if torch.get_default_dtype() != torch.float32 or not torch.is_grad_enabled() or sys.getrecursionlimit() > 100000:
    left.append("settings")
if torch.are_deterministic_algorithms_enabled() or torch._C._len_torch_dispatch_stack():
    left.append("modes")
if torch.neg(torch.ones(1)).item() != -1:
    left.append("a registration")
if left:
    raise RuntimeError(f"an earlier kernel left {left}")


def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
