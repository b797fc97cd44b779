# SPDX-License-Identifier: Apache-2.0
"""Reads a user's own operator (--ref): prints SCHEMA, CASES, documentation and code of a file as
JSON. The file is trusted: the user wrote it."""
import importlib.util
import inspect
import json
import sys


def doc_of(module):
    """Returns DOC, else the docstring of reference(), else that of the file."""
    texts = [getattr(module, "DOC", None), inspect.getdoc(module.reference), inspect.getdoc(module)]
    return next((inspect.cleandoc(t) for t in texts if isinstance(t, str) and t.strip()), None)


def code_of(function):
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return None


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
    print(json.dumps({"schema": schema, "cases": list(cases), "doc": doc_of(module),
                      "code": code_of(module.reference)}))
