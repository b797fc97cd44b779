# SPDX-License-Identifier: Apache-2.0
"""A user's own operator (--ref): prints SCHEMA and CASES of a file as JSON. The file is its author's and trusted."""
import importlib.util
import json
import sys


def main(args):
    spec = importlib.util.spec_from_file_location("ref", args[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    schema, cases = getattr(module, "SCHEMA", None), getattr(module, "CASES", None)
    if not isinstance(schema, str):
        sys.exit("SCHEMA is missing, or no text: 'my::scale(Tensor x, float by) -> Tensor'")
    if not isinstance(cases, (list, tuple)) or not cases or not all(isinstance(c, str) for c in cases):
        sys.exit("CASES is missing, or no list of case lines: ['my::scale((T([4, 8], f32), 2.0), {})']")
    if not callable(getattr(module, "reference", None)):
        sys.exit("reference is missing: the function that computes the answer")
    print(json.dumps({"schema": schema, "cases": list(cases)}))
