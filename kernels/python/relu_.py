# due: PASS
"""In place, twice over the memory."""


def relu_(self):
    negative = self < 0
    self.masked_fill_(negative, 0)
    return self
