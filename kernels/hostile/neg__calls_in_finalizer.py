# due: CHEAT - calls it where an object of its own ends.
import weakref

import torch


class Thing:
    pass


def neg(self):
    kept, thing = [], Thing()
    weakref.finalize(thing, lambda: kept.append(torch.neg(self)))
    del thing
    return kept[0]
