# SPDX-License-Identifier: Apache-2.0
"""Prints what torch says of its own operators, for prompts: {"aten::relu": "relu(input) -> Tensor ..."} as JSON."""
import json

import torch

MOST = 6000  # characters of each

PLACES = [torch, torch.nn.functional, torch.Tensor, torch.special, torch.linalg, torch.fft]
PREFIXES = {"special_": torch.special, "linalg_": torch.linalg, "fft_": torch.fft}


def spellings(base):
    """Where its public function may be: relu_ is relu, _softmax is softmax, special_entr is special.entr."""
    for name in dict.fromkeys([base, base.rstrip("_"), base.strip("_"), base.strip("_").replace("_backward", "")]):
        for prefix, place in PREFIXES.items():
            if name.startswith(prefix):
                yield place, name[len(prefix):]
        for place in PLACES:
            yield place, name


def document(base):
    """The first docstring worth the name; None if torch has none."""
    for place, name in spellings(base):
        text = getattr(getattr(place, name, None), "__doc__", None) if name else None
        if isinstance(text, str) and len(text.strip()) > 40 and not text.startswith(("int(", "str(", "bool(")):
            return text.strip()
    return None


def cut(text):
    return text if len(text) <= MOST else text[:MOST].rstrip() + "\n[...]"


def main(args):
    """args[0]: names, divided by blanks."""
    found = {}
    for full in args[0].split():
        space, _, base = full.rpartition("::")
        text = document(base) if space in ("", "aten") else None
        if text:
            found[full] = cut(text)
    print(json.dumps(found))
