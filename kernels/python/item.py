# due: PASS
"""By way of a list."""


def item(self):
    return self.reshape(-1).tolist()[0]
