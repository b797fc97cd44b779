# SPDX-License-Identifier: Apache-2.0
"""Prints torch's documentation of its own operators as JSON, for prompts: {"aten::relu":
"relu(input) -> Tensor ..."}."""
import json
import operator
import re
import types

import torch

MOST = 6000  # characters of one text, at most

PLACES = [torch, torch.nn.functional, torch.Tensor, torch.special, torch.linalg, torch.fft]
PREFIXES = {"special_": torch.special, "linalg_": torch.linalg, "fft_": torch.fft}
# Texts that only name another function.
POINTERS = re.compile(r"(?:Alias for|In-place version of|Out-of-place version of|See) "
                      r":(?:func|meth|class):`~?(?:torch\.)?([A-Za-z0-9_.]+)`")


def text_of(thing):
    """Returns its docstring if that is torch's own and more than a few words."""
    text = getattr(thing, "__doc__", None)
    module = getattr(thing, "__module__", None) or "torch"
    if not isinstance(text, str) or len(text.strip()) <= 40 or not module.startswith("torch"):
        return None
    return text.strip()


def spellings(name):
    """Yields where its public function may be: special_entr is special.entr."""
    for prefix, place in PREFIXES.items():
        if name.startswith(prefix):
            yield place, name[len(prefix):]
    for place in PLACES:
        yield place, name


def found(name):
    for place, n in spellings(name):
        thing = getattr(place, n, None) if n else None
        if place is torch.Tensor and isinstance(thing, types.FunctionType):
            continue  # Tensor.index is not the operator
        if text_of(thing):
            return text_of(thing)
    return None


def followed(text):
    """Appends the text that it points at, if it says nothing else."""
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
    """Returns the text about an operator. _softmax has softmax's; a backward form has the forward
    form's. None: there is no text."""
    text = found(base) or found(base.rstrip("_")) or found(base.strip("_"))
    if text:
        return followed(text)
    forward = base.strip("_").replace("_backward", "")
    text = found(forward) if forward != base.strip("_") else None
    return text and f"(Of {forward}, whose gradient this is.)\n\n{followed(text)}"


def main(args):
    """args[0]: names, separated by blanks."""
    texts = {}
    for full in args[0].split():
        space, _, base = full.rpartition("::")
        text = document(base) if space in ("", "aten") else None
        if text:
            texts[full] = text if len(text) <= MOST else text[:MOST].rstrip() + "\n[...]"
    print(json.dumps(texts))
