# SPDX-License-Identifier: Apache-2.0
"""Prints the schemas of all aten operators of this torch, one a line, each followed by a tab and
its tags."""
import torch


def tags(schema):
    base = getattr(torch.ops.aten, schema.name.split("::")[1], None)
    overload = getattr(base, schema.overload_name or "default", None)
    return " ".join(sorted(t.name for t in getattr(overload, "tags", [])))


def main(_):
    for schema in sorted(torch._C._jit_get_all_schemas(), key=str):
        if schema.name.startswith("aten::"):
            print(f"{schema}\t{tags(schema)}")
