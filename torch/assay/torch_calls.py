# SPDX-License-Identifier: Apache-2.0
"""What the extension needs of torch to see which operators a kernel calls (torch/exec/call_monitor.h)."""
import functools
import sys

import torch

# With these, Python code can stop torch's dispatcher from reporting operators.
HIDDEN = ("_clear_callbacks", "_enable_record_function")


def hide():
    """Removes the names from all of torch's modules, so that no kernel finds them."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in HIDDEN:
            if name in names and getattr(module, "__name__", "").startswith("torch"):
                delattr(module, name)


def wrap_by_key(extension):
    """Wraps the functions that call an operator's kernel for a dispatch key, in operators that exist and
    in those that are made later."""
    find = torch._C._get_operation_overload

    def found(name, overload):
        got = find(name, overload)
        return got and (got[0], extension.wrap(got[1], name), *got[2:])

    for packet in list(vars(torch.ops.aten).values()):
        for op in list(getattr(packet, "__dict__", {}).values()):
            if isinstance(op, torch._ops.OpOverload):
                op._op_dk = extension.wrap(op._op_dk, op._schema.name)
    torch._C._get_operation_overload = found


def changes():
    """Returns a function that says whether an operator has other implementations than now. Those for
    shapes alone do not matter: torch itself registers them later."""
    names, dump = torch._C._dispatch_get_all_op_names, torch._C._dispatch_dump

    def state(name):
        return hash("\n".join(line for line in dump(name).split("\n") if not line.startswith("Meta")))

    before = {n: state(n) for n in names() if n.startswith("aten::")}

    def is_changed(base):
        return any(before.get(n) != state(n) for n in names() if n.split(".")[0] == "aten::" + base)

    return is_changed


def composed(names):
    """Returns the operators of ATen that are made of others."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    plain = {n.split(".")[0] for n in names if not has(n, "CompositeImplicitAutograd")}
    return {n.split(".")[0] for n in names} - plain


def prepare(extension):
    """Returns whether the extension can watch all calls of this torch."""
    try:
        names = [n for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")]
        one = torch.zeros(1)
        mark = functools.partial(torch._C._VariableFunctions.is_same_size, one, one)
        handle, kernel = torch._C._DispatchOperatorHandle, getattr(torch._C, "_SafeKernelFunction", None)
        found = (mark, {n[6:] for n in composed(names)}, {n[6:].split(".")[0] for n in names}, changes(),
                 handle, handle.schema, torch._C.FunctionSchema.name.fget,
                 kernel, kernel.op_handle.fget if kernel else None)
        if not extension.watch(*found):
            return False
        wrap_by_key(extension)
        sys.addaudithook(extension.audit)
    except (AttributeError, TypeError):
        return False  # another version of torch
    hide()
    return True
