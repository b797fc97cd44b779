# SPDX-License-Identifier: Apache-2.0
"""Prints what torch says of its own operators, for prompts: {"aten::relu": "relu(input) -> Tensor ..."} as JSON."""
import json
import operator
import re
import types

import torch

MOST = 6000  # characters of each

PLACES = [torch, torch.nn.functional, torch.Tensor, torch.special, torch.linalg, torch.fft]
PREFIXES = {"special_": torch.special, "linalg_": torch.linalg, "fft_": torch.fft}
# Documents that only name another one.
POINTERS = re.compile(r"(?:Alias for|In-place version of|Out-of-place version of|See) "
                      r":(?:func|meth|class):`~?(?:torch\.)?([A-Za-z0-9_.]+)`")


def text_of(thing):
    """Its docstring, if it has one worth the name, and it is torch's own."""
    text = getattr(thing, "__doc__", None)
    module = getattr(thing, "__module__", None) or "torch"
    if not isinstance(text, str) or len(text.strip()) <= 40 or not module.startswith("torch"):
        return None
    return text.strip()


def spellings(name):
    """Where its public function may be: special_entr is special.entr."""
    for prefix, place in PREFIXES.items():
        if name.startswith(prefix):
            yield place, name[len(prefix):]
    for place in PLACES:
        yield place, name


def found(name):
    for place, n in spellings(name):
        thing = getattr(place, n, None) if n else None
        if place is torch.Tensor and isinstance(thing, types.FunctionType):
            continue  # Tensor.index is something else than the operator
        if text_of(thing):
            return text_of(thing)
    return None


def followed(text):
    """With what it points at, where it says nothing else."""
    at = POINTERS.search(text) if len(text) < 1000 else None
    if not at:
        return text
    for start in (torch, torch.nn.functional):
        try:
            more = text_of(operator.attrgetter(at.group(1))(start))
        except AttributeError:
            continue
        if more and more != text:
            return text + "\n\n" + more
    return text


def document(base):
    """_softmax is softmax, and of a backward form it is that of the forward one; None: there is nothing."""
    text = found(base) or found(base.rstrip("_")) or found(base.strip("_"))
    if text:
        return followed(text)
    forward = base.strip("_").replace("_backward", "")
    text = found(forward) if forward != base.strip("_") else None
    return text and f"(Of {forward}, whose gradient this is.)\n\n{followed(text)}"


def main(args):
    """args[0]: names, divided by blanks."""
    texts = {}
    for full in args[0].split():
        space, _, base = full.rpartition("::")
        text = document(base) if space in ("", "aten") else None
        if text:
            texts[full] = text if len(text) <= MOST else text[:MOST].rstrip() + "\n[...]"
    print(json.dumps(texts))
