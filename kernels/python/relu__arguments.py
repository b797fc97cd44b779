# due: PASS
"""Takes what comes, by position or by name."""


def relu(*args, **kwargs):
    (x,) = args or kwargs.values()
    return x.clamp(min=0)
