# due: PASS
"""Nothing minus it would lose the sign of zero."""


def neg(self):
    return self * -1
